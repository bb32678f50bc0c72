/* What the twins ask about cancellation. */
#ifndef CHARCOAL_POSIX_CANCEL_H
#define CHARCOAL_POSIX_CANCEL_H

#include <errno.h>
#include <stdbool.h>

/* The scope around the running code is marked: blocking operations do nothing and say ECANCELED (law 4). */
static inline bool ch_is_marked(void) { return false; }

#endif
