/* Conditions of the C library, for activities (queue.h).
 *
 * All activities that wait for a condition are in one list for the whole process, whatever their domains. A signal
 * takes the first waiter, and a broadcast takes all. A waiter that was taken is put into the queue of its mutex, and
 * runs when it has the mutex. A waiter of another domain is told by a letter.
 *
 * pthread_cond_signal and pthread_cond_broadcast in plain code come here, too, because the runtime interposes them; so
 * do waits in plain code on the thread of a domain. Other threads wait in the C library's condition. While a condition
 * has waiters of both kinds, each signal takes one of the activities, and every second signal also goes to the C
 * library. A condition that other processes share is waited for by a thread of the pool. */
#ifndef CHARCOAL_POSIX_LOCKS_CONDITION_H
#define CHARCOAL_POSIX_LOCKS_CONDITION_H

#include "frames/attributes.h"
#include "charcoal.h"
#include <pthread.h>
#include <time.h>

/* pthread_cond_clockwait, or without a limit: until == NULL. clock < 0: the condition's own. 0, ETIMEDOUT, ECANCELED
 * with the mutex taken again; or the mutex's error. */
CH_HIDDEN int ch_condition_wait(pthread_cond_t *, pthread_mutex_t *, clockid_t clock, const struct timespec *until);
/* The clock of a caller of pthread_cond_clockwait for these functions: the C library refuses all clocks below 0 (those
 * of processor time), and here they become one that is refused, too. */
static inline clockid_t ch_condition_clock(clockid_t clock) { return clock < 0 ? CLOCK_PROCESS_CPUTIME_ID : clock; }
/* One that other processes share is waited for by a thread of the pool, to which the mutex is lent: between
 * ch_condition_lend and ch_condition_take_back, while ch_call_shared_wait runs. */
struct ch_shared_wait {
  pthread_cond_t *cond;
  pthread_mutex_t *mutex;
  clockid_t clock; /* < 0: the condition's own */
  const struct timespec *until;
  int result;
};
CH_HIDDEN int ch_condition_is_shared(const pthread_cond_t *);
CH_HIDDEN int ch_condition_lend(struct ch_shared_wait *); /* 0: it has been waited for already */
CH_HIDDEN void ch_condition_take_back(struct ch_shared_wait *);
CH_HIDDEN long ch_call_shared_wait(void *);

CH_HIDDEN int ch_condition_signal(pthread_cond_t *);
CH_HIDDEN int ch_condition_broadcast(pthread_cond_t *);

/* The C library's own wait, of a thread's only activity: a cancellation point of threads. Whoever has had the mutex
 * meanwhile has noted itself in it, so the caller's note is renewed, also before the thread's cleanup handlers run.
 * clock < 0: the condition's own. until NULL: for ever. */
CH_HIDDEN int ch_condition_wait_plainly(pthread_cond_t *, pthread_mutex_t *, clockid_t, const struct timespec *until);

#endif
