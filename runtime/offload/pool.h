/* A pool of OS threads that do blocking work for domains.
 *
 * There are three queues, each with its own bound: `storage` for calls that the disk ends, `foreign` for the user's
 * code, and `waiting` for calls that last until somebody else does something (a lock is given back, a child ends): many
 * of them may have to wait at a time, or those who would release them get no thread.
 *
 * A job's state, exactly one of: IDLE; QUEUED: it stands on its queue; BEGUN (a worker runs it); DONE (its letter is
 * posted or opened). QUEUED -> BEGUN -> DONE by workers, under the pool's lock; QUEUED -> IDLE by ch_pool_withdraw.
 */
#ifndef CHARCOAL_OFFLOAD_POOL_H
#define CHARCOAL_OFFLOAD_POOL_H

#include "reactor/inbox.h"
#include <pthread.h>

enum ch_pool_queue { CH_POOL_STORAGE, CH_POOL_FOREIGN, CH_POOL_WAITING, CH_POOL_QUEUES };
enum ch_job_state { CH_JOB_IDLE, CH_JOB_QUEUED, CH_JOB_BEGUN, CH_JOB_DONE };

/* Around a call that is a cancellation point, in the work of a cancellable job. */
static inline void ch_pool_cancellable(bool is) {
  int old;
  pthread_setcancelstate(is ? PTHREAD_CANCEL_ENABLE : PTHREAD_CANCEL_DISABLE, &old);
}

/* The caller's memory until its letter has been opened, or it has been withdrawn. */
struct ch_job {
  struct ch_letter letter; /* posted to `inbox` when the work is done; `open` is set by the caller */
  struct ch_inbox *inbox;
  void (*work)(struct ch_job *); /* what a worker calls */
  struct ch_job *next;           /* valid while QUEUED */
  pthread_t worker;              /* valid while BEGUN */
  int signal;                    /* the one that ends its system call (sched/interrupts.h); 0: none does */
  uint32_t user, group;          /* valid if `has_ids`: with whose rights the work uses files */
  uint8_t queue, state;
  bool has_ids;
  bool cancellable;  /* `work` may be ended by cancelling its thread (POSIX), which leaves no effect behind */
  bool cancelled;    /* valid while BEGUN: its worker has been cancelled */
  bool lets_through; /* valid while BEGUN: its worker lets `signal` through */
  bool interrupted;  /* valid while BEGUN: its worker has been sent a signal */
};

/* 0; or ENOMEM, EAGAIN: there is no worker and none could be made. */
CH_HIDDEN int ch_pool_submit(struct ch_job *, enum ch_pool_queue);
/* True: it had not begun, and never will; no letter comes. */
CH_HIDDEN bool ch_pool_withdraw(struct ch_job *);
/* Ends the system call that the worker is in with EINTR, if it is in one. To be repeated until the letter comes, for
 * the signal may arrive just before the call. A cancellable job's worker is cancelled instead. */
CH_HIDDEN void ch_pool_interrupt(struct ch_job *);
/* Some thread has user or group ids for files of its own (setfsuid). From now on work is done with those of the thread
 * that submits it. */
CH_HIDDEN void ch_pool_follow_ids(void);

#endif
