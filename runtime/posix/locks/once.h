/* pthread_once for the runtime itself. */
#ifndef CHARCOAL_POSIX_LOCKS_ONCE_H
#define CHARCOAL_POSIX_LOCKS_ONCE_H

#include "frames/attributes.h"
#include <pthread.h>

/* Calls the C library's pthread_once, which waits with its thread while another thread runs `init`. The runtime must
 * not call pthread_once by its name: that is its function for the program's plain code, which lets other activities of
 * the domain go on meanwhile. They would meet a wait that is half registered, or a table that is being changed. */
CH_HIDDEN int ch_once_of_library(pthread_once_t *once, void (*init)(void));

#endif
