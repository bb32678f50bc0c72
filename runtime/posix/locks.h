/* Locks of pthreads between activities of one thread, and between them and real threads
 * (docs/decisions/pthread-locks.md).
 *
 * A pthread lock knows threads; here many activities are one. So the twins only ever *try*, and wait when somebody has
 * it: for an activity of this domain until unlock's twin says so; for a real thread by a thread of the pool, which
 * takes the lock and gives it back at once. Then they try again. Nobody spins.
 *
 * Which activity has a recursive or error-checking mutex is noted here, for the mutex itself would let every activity
 * of the thread in, or none. A plain mutex needs no note.
 *
 * pthread_cond_wait: a pool's thread waits on behalf of all activities that wait for the same condition. The first
 * of them lends it the mutex; it wakes them all, which POSIX allows.
 */
#ifndef CHARCOAL_POSIX_LOCKS_H
#define CHARCOAL_POSIX_LOCKS_H

#include "charcoal.h"
#include "posix/attempt.h"
#include <pthread.h>
#include <semaphore.h>

/* 0, EBUSY: somebody else has it, or pthread_mutex_lock's other results (lock != 0) or pthread_mutex_trylock's. */
CH_HIDDEN int ch_mutex_try(pthread_mutex_t *, int lock);
CH_HIDDEN int ch_mutex_unlock(pthread_mutex_t *);
/* Robust, priority-inheriting and -protecting ones are the plain calls' alone. */
CH_HIDDEN int ch_mutex_is_plain(const pthread_mutex_t *);
/* The thread that runs this domain has it. */
CH_HIDDEN int ch_mutex_is_here(const pthread_mutex_t *);

/* Those who wait here for one mutex. */
struct ch_mutex_queue {
  struct ch_mutex_queue *next;
  const void *mutex;
  unsigned users;
  int helped; /* one of them has asked the pool */
  ch_sem turn;
};
CH_HIDDEN struct ch_mutex_queue *ch_mutex_join(const pthread_mutex_t *); /* NULL: no memory */
CH_HIDDEN void ch_mutex_leave(struct ch_mutex_queue *);

/* The domain of this thread ends. */
CH_HIDDEN void ch_locks_end(void);

/* For the pool: takes it and gives it back. */
CH_HIDDEN long ch_call_mutex(void *mutex);
struct ch_rwlock_call {
  pthread_rwlock_t *lock;
  int write;
  clockid_t clock;
  const struct timespec *until; /* on that clock; NULL: without limit */
};
CH_HIDDEN long ch_call_rwlock(void *);
CH_HIDDEN long ch_call_barrier(void *barrier);
CH_HIDDEN long ch_call_sem_wait(void *sem);
struct ch_timed_sem {
  sem_t *sem;
  clockid_t clock;
  const struct timespec *until;
};
CH_HIDDEN long ch_call_sem_timedwait(void *);
struct ch_join {
  pthread_t thread;
  void *result;
  int error;
  clockid_t clock;
  const struct timespec *until; /* on that clock; NULL: without limit */
};
CH_HIDDEN long ch_call_join(void *);
CH_HIDDEN long ch_call_thrd_join(void *); /* the error is thrd_join's */
CH_HIDDEN int ch_plain_tryjoin(pthread_t, void **);
CH_HIDDEN int ch_plain_sem_trywait(sem_t *);
CH_HIDDEN int ch_plain_mutex_lock(pthread_mutex_t *);
CH_HIDDEN int ch_plain_mutex_timedlock(pthread_mutex_t *, clockid_t, const struct timespec *);
CH_HIDDEN int ch_rwlock_try(pthread_rwlock_t *, int write);
CH_HIDDEN int ch_plain_spin_trylock(pthread_spinlock_t *);

/* pthread_once, whose function may wait for something while others ask. 1: it is the caller's to run, and then to end;
 * 0: it has been run; -1: it is being run, and the call for the pool waits until that may have changed. */
CH_HIDDEN int ch_once_begin(pthread_once_t *);
CH_HIDDEN void ch_once_end(pthread_once_t *);
CH_HIDDEN long ch_call_once(void *once);

/* All who wait here for one condition, and the thread that waits for them. */
struct ch_condition;
/* The caller has the mutex, and has given it up when this returns, or lent it. NULL with errno: nothing has changed. */
CH_HIDDEN struct ch_condition *ch_condition_join(pthread_cond_t *, pthread_mutex_t *);
CH_HIDDEN ch_sem *ch_condition_turn(struct ch_condition *);
/* The caller, woken or not, waits no longer. Non-zero: it was the last, the thread still waits, and is to be ended:
 * ch_condition_end with the mutex taken, then ch_sem_wait(ch_condition_over), then ch_condition_free. */
CH_HIDDEN int ch_condition_leave(struct ch_condition *);
CH_HIDDEN void ch_condition_end(struct ch_condition *);
CH_HIDDEN ch_sem *ch_condition_over(struct ch_condition *);
CH_HIDDEN void ch_condition_free(struct ch_condition *);
/* The condition's clock. */
CH_HIDDEN clockid_t ch_condition_clock(const pthread_cond_t *);
CH_HIDDEN int ch_plain_cond_timedwait(pthread_cond_t *, pthread_mutex_t *, clockid_t, const struct timespec *);

#endif
