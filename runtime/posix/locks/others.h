/* The plain parts of those calls in replacements/threads.c that have no header of their own: semaphores, pthread_once,
 * joining threads, and spinlocks. */
#ifndef CHARCOAL_POSIX_LOCKS_OTHERS_H
#define CHARCOAL_POSIX_LOCKS_OTHERS_H

#include "frames/attributes.h"
#include "charcoal.h"
#include <pthread.h>
#include <stdint.h>
#include <semaphore.h>
#include <threads.h>

/* sem_wait and sem_clockwait (until != NULL): 0, ETIMEDOUT, EINVAL or ECANCELED. */
CH_HIDDEN int ch_posix_sem_take(sem_t *, clockid_t, const struct timespec *until);
/* pthread_once, whose function may wait for something while others ask. 1: it is the caller's to run, and then to end;
 * 0: it has been run. */
CH_HIDDEN int ch_once_take(pthread_once_t *);
CH_HIDDEN void ch_once_end(pthread_once_t *);
/* The same for a local static variable of C++ with this guard. `made`: not if making it was given up. */
CH_HIDDEN int ch_variable_take(uint64_t *guard);
CH_HIDDEN void ch_variable_end(uint64_t *guard, int made);
/* The activity with this first branch was ended by pthread_exit or pthread_cancel in the functions that it ran for
 * pthread_once. */
CH_HIDDEN void ch_onces_left(struct ch_branch *);

/* For a thread of the pool. */
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
CH_HIDDEN int ch_plain_spin_trylock(pthread_spinlock_t *);
/* C11's word for an error number. */
CH_HIDDEN int ch_thrd_result(int error);

#endif
