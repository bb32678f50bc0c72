/* Calls the C library's functions for rwlocks directly, past the interposed functions in rwlock.c and past the wrappers
 * of ThreadSanitizer (tsan.h). */
#ifndef CHARCOAL_POSIX_LOCKS_RWLOCK_CALLS_H
#define CHARCOAL_POSIX_LOCKS_RWLOCK_CALLS_H

#include "frames/attributes.h"
#include "charcoal.h"
#include <pthread.h>

CH_HIDDEN int ch_rwlock_try(pthread_rwlock_t *, int write);
/* Blocks the thread; until == NULL: without limit. */
CH_HIDDEN int ch_rwlock_take(pthread_rwlock_t *, int write, clockid_t, const struct timespec *until);
CH_HIDDEN int ch_rwlock_give(pthread_rwlock_t *);

#endif
