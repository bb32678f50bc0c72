/* Mutexes of the C library, of all types, for activities (queue.h).
 *
 * To the C library a mutex is owned by a thread, so all activities of a domain are one owner. The runtime notes which
 * activity has the mutex, and where it took it. The note is in the mutex itself, in the fields that link the robust
 * mutexes of a thread and that are unused in other mutexes; for a robust mutex the note is beside it.
 *
 * Plain code on a domain's thread (an atomic block, a callback, a library that was not recompiled) comes here, too,
 * because the runtime interposes pthread_mutex_lock and pthread_mutex_unlock. If an activity of the same domain has the
 * mutex, plain code waits for it like every blocking call in plain code; otherwise it waits as in any C program. */
#ifndef CHARCOAL_POSIX_LOCKS_MUTEX_H
#define CHARCOAL_POSIX_LOCKS_MUTEX_H

#include "frames/attributes.h"
#include "charcoal.h"
#include <pthread.h>

/* pthread_mutex_lock and its like, for the replacements of others. Not cancelled. */
CH_HIDDEN int ch_mutex_lock(pthread_mutex_t *);
CH_HIDDEN int ch_mutex_unlock(pthread_mutex_t *);

#ifdef CHARCOAL_RUNTIME_LOCKS
#include "posix/locks/queue.h"

extern CH_HIDDEN const struct ch_lock_type ch_mutex_type;
/* Puts a waiter, which is on no list, into the mutex's queue, or gives it the mutex and fires it. */
CH_HIDDEN void ch_mutex_give(pthread_mutex_t *, struct ch_lock_wait *);
/* The activity that has it, if it is of this domain. */
CH_HIDDEN struct ch_branch *ch_mutex_holder(const void *mutex, const void **place);
/* The running activity has it, and took it by a plain call. */
CH_HIDDEN void ch_mutex_note(pthread_mutex_t *);
/* A thread of the pool has it for the running activity; or has given it back. False: that is impossible for this one.
 */
CH_HIDDEN bool ch_mutex_lend(pthread_mutex_t *, bool lend);
/* The mutex is held by this domain's thread. */
CH_HIDDEN bool ch_mutex_is_here(const pthread_mutex_t *);
#endif

#endif
