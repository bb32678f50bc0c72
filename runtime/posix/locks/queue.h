/* The one way to wait for a lock of the C library: mutexes, rwlocks, conditions, semaphores, barriers, once, and the
 * locks of streams (docs/decisions/pthread-locks.md).
 *
 * The objects stay the C library's own, with their meaning for code that was not recompiled. While an activity waits
 * for one, its domain has a *queue* for it: who waits, first come first served. Whoever may have it next is given it
 * before it runs, so nobody wakes in vain, and nobody who comes later gets in between.
 *
 * The object is free for the first of the queue when
 *   - an activity of the same domain gives it back: it is handed over within that call;
 *   - code that knows of no queue gives it back (another thread, another domain, another process): the queue has a
 *     *watch*, a wait for the object's futex, made by the kernel's ring where it can, else by a thread of the pool;
 *   - plain code on the domain's own thread gives it back: ch_locks_look finds it, before the domain sleeps.
 *
 * Invariants: 1. a queue has waiters or `users`, or is gone; 2. a queue whose object is not held by this domain has a
 * watch, or is looked at before the domain sleeps; 3. each waiter is on one list, and fires once; 4. a wake-up that a
 * watch has taken is passed on unless somebody of the queue asks for the object then. */
#ifndef CHARCOAL_POSIX_LOCKS_QUEUE_H
#define CHARCOAL_POSIX_LOCKS_QUEUE_H

#include "wait/wait.h"
#include <time.h>

struct ch_watch;
struct ch_lock_type;

/* A futex: `word` is waited for as long as it has this value. */
struct ch_word {
  uint32_t *word;
  uint32_t value;
  bool shared; /* several processes may use the word */
};

struct ch_queue {
  struct ch_queue *next;           /* the next queue of the same bucket */
  struct ch_link all;              /* on the domain's list of queues */
  const struct ch_lock_type *type; /* the kind of the object */
  void *object;                    /* the lock of the C library */
  struct ch_link waiters;          /* clauses of struct ch_lock_wait */
  struct ch_watch *watch;          /* NULL: there is none */
  struct ch_word woken;            /* its watch has taken a wake-up that others may need; `word` NULL: it has not */
  struct ch_clause pause;          /* registered while `paused` */
  bool paused;                     /* nobody of this domain asks for the object now, so that others can have it */
  bool watched;                    /* it has had a watch, so others may wait in the kernel */
  bool counted;                    /* used by the type: the object has been told that somebody waits */
  unsigned handed_on;              /* used by the type: how many times in a row other waiters were passed over */
  unsigned users;                  /* functions that go on with it when they have fired a waiter */
};

/* One wait. It lies in a frame of the runtime's own, or on the native stack of plain code. */
struct ch_lock_wait {
  /* `object` is what is waited for. `link` is on the list of the queue, or of the watch. `value` is the result of the
   * call when the clause has fired. */
  struct ch_clause clause;
  struct ch_clause timer;  /* registered while `ticking` */
  struct ch_queue *queue;  /* valid while the wait is on a queue */
  const void *place;       /* the address of the code that asked for the object */
  struct ch_branch *asker; /* valid for a clause among others: the first branch of the activity that asks */
  struct timespec until;   /* valid if `timed`: when the wait ends, on `clock` */
  clockid_t clock;
  unsigned how;    /* used by the type: whether it reads or writes, or the round of a barrier */
  int result;      /* the result of the call if it gets the object */
  bool timed;      /* the wait has a limit */
  bool ticking;    /* the timer is registered */
  bool holds_back; /* the thread's cancellation was enabled, and is disabled while the call waits */
};

/* What a queue whose first waiter could not be given the object waits for. */
enum ch_await {
  CH_AWAIT_HERE, /* nothing: an activity of this domain has the object, and will hand it over */
  CH_AWAIT_FREE, /* nothing: the object has just become free */
  CH_AWAIT_WORD, /* a change of the futex `word`, as long as it has this value */
  CH_AWAIT_LOAN, /* a thread of the pool, which calls the type's `borrow` */
  CH_AWAIT_TIME  /* some time, because no wake-up would come */
};
/* What a thread of the pool is told that takes the object: what the first waiter has asked for. */
struct ch_loan {
  void *object;
  struct timespec until; /* valid if `timed`: how long it may take, on `clock` */
  clockid_t clock;
  unsigned how; /* the waiter's */
  bool timed;
};

struct ch_lock_type {
  struct ch_clause_type clause; /* the type of the clause of a wait in the queue */
  /* Tries to get the object for w, which is of this domain, and never blocks. True: w has it, and w->result is set. */
  bool (*take)(struct ch_lock_wait *w);
  /* Tells what to wait for when `take` has failed for the first waiter. */
  enum ch_await (*await)(struct ch_queue *, struct ch_word *);
  /* Called on a thread of the pool: waits until it has the object. The result is 0 or an error number. NULL: `await`
   * does not ask for it. */
  int (*borrow)(const struct ch_loan *);
  /* Called on the domain's thread when `borrow` has returned `result`: gives the object to the first waiter, for whom
   * it was taken. While the loan is under way that waiter stays where it is. NULL: `borrow` has given it back. */
  void (*lent)(struct ch_queue *, int result);
  /* Called when the time of w, which waits, is over. The result tells whether w leaves its queue with ETIMEDOUT. NULL:
   * it always does. */
  bool (*late)(struct ch_lock_wait *w);
  /* Called when the queue is about to go. NULL: there is nothing to do. */
  void (*gone)(struct ch_queue *);
  /* The first branch of the activity that has the object, if that is of this domain, and where it was taken (NULL: that
   * is not known). */
  struct ch_branch *(*holder)(const void *object, const void **place);
};

static inline struct ch_lock_wait *ch_lock_wait_of(struct ch_clause *c) { return (struct ch_lock_wait *)c; }
static inline struct ch_lock_wait *ch_lock_wait_at(struct ch_link *link) { return (struct ch_lock_wait *)link; }
/* The first branch of the activity that asks for the object. */
static inline struct ch_branch *ch_lock_asker(const struct ch_lock_wait *w) {
  return w->clause.index == CH_ALONE ? ch_activity_of(w->clause.branch) : w->asker;
}
static inline const struct ch_lock_type *ch_lock_type_of(const struct ch_lock_wait *w) {
  return (const struct ch_lock_type *)w->clause.type;
}

/* ---- waiting ---- */

#define CH_LOCK_LEAF(function) CH_LOCK_LEAF_OF(function, struct ch_lock_wait, ch_lock_ended)
#define CH_LOCK_LEAF_OF(function, type, how)                                                                           \
  {.info = {.resume = ch_leaf_resume, .name = (function), .size = CH_FRAME_HEADER + sizeof(type), .align = 16},        \
   .finish = (how),                                                                                                    \
   .cancelled = ECANCELED}
CH_HIDDEN intptr_t ch_lock_ended(struct ch_clause *, unsigned selected);

/* Waits until a copy of w has fired, and returns its value. What begins with w is copied as a whole, as the size of the
 * leaf's frame says; clause.type->enlist registers the copy. The call also waits in cancelled scopes. A lone activity
 * whose wait is not cancelled holds back pthread_cancel of its thread meanwhile. Otherwise the domain's sleep would
 * notice the cancel, which POSIX lets the thread notice at its next cancellation point. */
CH_HIDDEN struct ch_int_result ch_lock_wait_int(const struct ch_leaf *, const struct ch_lock_wait *w);
/* Does the same with w itself, on the native stack. */
CH_HIDDEN int ch_lock_wait(struct ch_lock_wait *w);

/* In plain code of a branch: if it waits by ch_lock_wait and not with its thread, other activities of its domain, or
 * other branches of its own, can go on. */
static inline bool ch_lock_lets_others_go_on(void) {
  return (ch_domain.live > 1 || ch_domain.current->scope) && ch_tls.atomic_depth == 0 && ch_domain.spinlocks == 0;
}

/* The members enlist, withdraw and cancel for types of objects. With ch_queue_refuse a wait is not cancelled. */
CH_HIDDEN int ch_queue_enlist(struct ch_clause *);
CH_HIDDEN bool ch_queue_withdraw(struct ch_clause *);
CH_HIDDEN bool ch_queue_refuse(struct ch_clause *);
/* The member cancel for waits of plain code, which knows nothing of cancelled scopes: only pthread_cancel of the thread
 * ends such a wait. */
CH_HIDDEN bool ch_queue_cancelled_in_plain_code(struct ch_clause *);

/* ---- queues ---- */

/* The queue for the object; NULL: nobody of this domain waits for it. */
CH_HIDDEN struct ch_queue *ch_queue_find(const void *object);
static inline struct ch_queue *ch_queue_of(const void *object) {
  return CH_LIKELY(ch_domain.lock_queues == 0) ? NULL : ch_queue_find(object);
}
static inline struct ch_lock_wait *ch_queue_first(struct ch_queue *q) { return ch_lock_wait_at(q->waiters.next); }
/* The queue after q, or the first one if q is NULL. NULL: there are no more. */
CH_HIDDEN struct ch_queue *ch_queue_after(struct ch_queue *q);
/* Puts a waiter, which is registered nowhere, at the end of the queue of its clause's object. True: the waiter was
 * given the object instead, and has not been fired. */
CH_HIDDEN bool ch_queue_join(struct ch_lock_wait *);
/* Claims the first waiter whose wait has not been decided for another clause, and returns it. The caller has to give it
 * the object. NULL: there is none, and the queue is gone. */
CH_HIDDEN struct ch_lock_wait *ch_queue_claim(struct ch_queue *);
/* Takes a waiter that waits alone, or has been claimed, off its queue, and fires it. */
CH_HIDDEN void ch_queue_leave(struct ch_lock_wait *, int result);
/* Takes a waiter off its queue, and does not fire it. */
CH_HIDDEN void ch_queue_remove(struct ch_lock_wait *);
/* Gives an object that may be free to the first waiters, as many as may have it. The queue may be gone afterwards. */
CH_HIDDEN void ch_queue_serve(struct ch_queue *);
/* Sees to it that for `ns` nanoseconds nobody of this domain asks for the object. */
CH_HIDDEN void ch_queue_pause(struct ch_queue *, int64_t ns);
/* Fires a waiter that is on no list: one that waits alone, or has been claimed. */
CH_HIDDEN void ch_lock_fire(struct ch_lock_wait *, int result);

/* Gives objects that have become free to those who wait. Called before the domain sleeps, and now and then. */
CH_HIDDEN void ch_locks_look(void);
/* These two give back what belongs to the thread, whose domain ends. */
CH_HIDDEN void ch_locks_end(void);
CH_HIDDEN void ch_rwlocks_end(void);

/* ---- time ---- */

static inline bool ch_lock_knows(clockid_t clock) { return clock == CLOCK_REALTIME || clock == CLOCK_MONOTONIC; }
/* Sets until when the wait lasts. EINVAL: that is no time. */
CH_HIDDEN int ch_lock_until(struct ch_lock_wait *, clockid_t, const struct timespec *);
CH_HIDDEN bool ch_lock_is_late(const struct ch_lock_wait *);
/* Starts and stops the wait's timer, if it has one. */
CH_HIDDEN void ch_lock_start_timer(struct ch_lock_wait *);
CH_HIDDEN void ch_lock_stop_timer(struct ch_lock_wait *);

/* This thread's number, as the C library knows it. */
CH_HIDDEN extern __thread __attribute__((tls_model("initial-exec"))) int ch_thread_number;
CH_HIDDEN int ch_thread_learn(void);
static inline int ch_thread_here(void) {
  return CH_LIKELY(ch_thread_number != 0) ? ch_thread_number : ch_thread_learn();
}

#endif
