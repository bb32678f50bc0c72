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
 * Invariants: 1. a queue has waiters, or is gone; 2. a queue whose object is not held by this domain has a watch, or is
 * looked at before the domain sleeps; 3. each waiter is on one list, and fires once; 4. an orphaned watch, whose queue
 * is gone, passes on a wake-up that it has taken. */
#ifndef CHARCOAL_POSIX_LOCKS_QUEUE_H
#define CHARCOAL_POSIX_LOCKS_QUEUE_H

#include "wait/wait.h"
#include <time.h>

struct ch_watch;
struct ch_lock_type;

struct ch_queue {
  struct ch_queue *next;           /* in its bucket */
  struct ch_link all;              /* on the domain's list of queues */
  const struct ch_lock_type *type; /* of the object */
  void *object;
  struct ch_link waiters; /* clauses of struct ch_lock_wait */
  struct ch_watch *watch; /* NULL: none */
  struct ch_clause pause; /* registered while `paused`: nobody here asks for it, so that others can have it */
  bool paused;
  bool watched;       /* it has had a watch: others may wait in the kernel */
  bool counted;       /* the type's own: the object has been told that somebody waits */
  unsigned handed_on; /* the type's own: times in a row that others who wait were passed over */
};

/* One wait. It lies in a frame of the runtime's own, or on the native stack of plain code. */
struct ch_lock_wait {
  struct ch_clause
      clause;             /* object: what is waited for. link: on a list. value: the call's result, once it has fired */
  struct ch_clause timer; /* registered while `ticking` */
  struct ch_queue *queue; /* while it is on one */
  const void *place;      /* where the program asked for it: an address of code */
  struct ch_branch *asker; /* of a clause among others: the first branch of the activity that asks */
  struct timespec until;   /* on `clock`, if `timed` */
  clockid_t clock;
  unsigned how; /* the type's own: read or write, the round of a barrier */
  int result;   /* what it ends with when it has got the object */
  bool timed, ticking;
  bool holds_back; /* the thread's cancellation, which was enabled, is disabled while it waits */
};

/* What a queue whose first waiter could not be given the object waits for. */
enum ch_await {
  CH_AWAIT_HERE,  /* somebody of this domain has it */
  CH_AWAIT_FREE,  /* it has just become free */
  CH_AWAIT_WORD,  /* the futex `word`, as long as it has this value */
  CH_AWAIT_LOAN,  /* `borrow`, on a thread of the pool, has taken the object and given it back */
  CH_AWAIT_TIME,  /* no wake-up would come: ask again in a while */
  CH_AWAIT_OTHERS /* the type has seen to it that ch_queue_serve will be called */
};
struct ch_word {
  uint32_t *word;
  uint32_t value;
  bool shared; /* between processes */
  void (*borrow)(void *object);
};

struct ch_lock_type {
  struct ch_clause_type clause; /* of one who waits in the queue */
  /* Tries to get the object for w, of this domain; true: w has it, and w->result is set. Never blocks. */
  bool (*take)(struct ch_lock_wait *w);
  /* Called after that has failed for the first waiter. */
  enum ch_await (*await)(struct ch_queue *, struct ch_word *);
  /* The time of w, who waits, is over. NULL: it leaves its queue with ETIMEDOUT. Else: whether it does. */
  bool (*late)(struct ch_lock_wait *w);
  /* The queue is about to go. NULL: nothing to do. */
  void (*gone)(struct ch_queue *);
  /* Who has it: the activity's first branch, if it is of this domain, and where it was taken (NULL: unknown). */
  struct ch_branch *(*holder)(const void *object, const void **place);
};

static inline struct ch_lock_wait *ch_lock_wait_of(struct ch_clause *c) { return (struct ch_lock_wait *)c; }
static inline struct ch_lock_wait *ch_lock_wait_at(struct ch_link *link) { return (struct ch_lock_wait *)link; }
/* The first branch of the activity that asks for it. */
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

/* A copy of w, or of what begins with it and is as large as the leaf's frame says, waits until it has fired, as
 * clause.type->enlist registers it; the result is its value. It waits in cancelled scopes, too. A lone activity whose
 * wait is not cancelled holds back pthread_cancel of its thread meanwhile: the domain's sleep would notice it, and
 * POSIX has it noticed at the thread's next cancellation point. */
CH_HIDDEN struct ch_int_result ch_lock_wait_int(const struct ch_leaf *, const struct ch_lock_wait *w);
/* The same on the native stack, in place. */
CH_HIDDEN int ch_lock_wait(struct ch_lock_wait *w);

/* enlist, withdraw and cancel for types of objects: with `refuse` a wait is not cancelled. */
CH_HIDDEN int ch_queue_enlist(struct ch_clause *);
CH_HIDDEN bool ch_queue_withdraw(struct ch_clause *);
CH_HIDDEN bool ch_queue_refuse(struct ch_clause *);
/* In plain code, which knows nothing of scopes that are cancelled; but pthread_cancel of the thread ends the wait. */
CH_HIDDEN bool ch_queue_cancelled_in_plain_code(struct ch_clause *);

/* ---- queues ---- */

/* NULL: nobody of this domain waits for it. */
CH_HIDDEN struct ch_queue *ch_queue_find(const void *object);
static inline struct ch_queue *ch_queue_of(const void *object) {
  return CH_LIKELY(ch_domain.lock_queues == 0) ? NULL : ch_queue_find(object);
}
static inline struct ch_lock_wait *ch_queue_first(struct ch_queue *q) { return ch_lock_wait_at(q->waiters.next); }
/* The first one (q == NULL), and the next; NULL: there are no more. */
CH_HIDDEN struct ch_queue *ch_queue_after(struct ch_queue *q);
/* Puts a waiter, which is registered nowhere, at the end of the queue of its clause's object, or gives it the object at
 * once: true, and it has not been fired. */
CH_HIDDEN bool ch_queue_join(struct ch_lock_wait *);
/* The first whose wait has not been decided for another clause; it is claimed, and has to have the object now. NULL:
 * there is none, and the queue is gone. */
CH_HIDDEN struct ch_lock_wait *ch_queue_claim(struct ch_queue *);
/* Takes it off its queue, and fires it: one that waits alone, or has been claimed. */
CH_HIDDEN void ch_queue_leave(struct ch_lock_wait *, int result);
/* Takes it off, without more. */
CH_HIDDEN void ch_queue_remove(struct ch_lock_wait *);
/* The object may be free: gives it to whoever is first, as far as it goes. The queue may be gone afterwards. */
CH_HIDDEN void ch_queue_serve(struct ch_queue *);
/* For so many ns nobody of this domain asks for the object. */
CH_HIDDEN void ch_queue_pause(struct ch_queue *, int64_t ns);
/* Fires a waiter that is on no list: one that waits alone, or has been claimed. */
CH_HIDDEN void ch_lock_fire(struct ch_lock_wait *, int result);

/* Before the domain sleeps, and now and then. */
CH_HIDDEN void ch_locks_look(void);
/* The domain of this thread ends. */
CH_HIDDEN void ch_locks_end(void);
CH_HIDDEN void ch_rwlocks_end(void);

/* ---- time ---- */

static inline bool ch_lock_knows(clockid_t clock) { return clock == CLOCK_REALTIME || clock == CLOCK_MONOTONIC; }
/* EINVAL: not a time. */
CH_HIDDEN int ch_lock_until(struct ch_lock_wait *, clockid_t, const struct timespec *);
CH_HIDDEN bool ch_lock_is_late(const struct ch_lock_wait *);
/* Starts and stops the wait's timer, if it has one. */
CH_HIDDEN void ch_lock_start_timer(struct ch_lock_wait *);
CH_HIDDEN void ch_lock_stop_timer(struct ch_lock_wait *);

/* ---- futexes ---- */

CH_HIDDEN int ch_futex_wake(uint32_t *word, int n, bool shared); /* how many were woken */
/* This thread's number, as the C library knows it. */
CH_HIDDEN extern __thread __attribute__((tls_model("initial-exec"))) int ch_thread_number;
CH_HIDDEN int ch_thread_learn(void);
static inline int ch_thread_here(void) {
  return CH_LIKELY(ch_thread_number != 0) ? ch_thread_number : ch_thread_learn();
}

#endif
