/* The one way to block (law 8): a branch waits over clauses.
 *
 * A type of object that one can wait for supplies three operations. The object's ready path calls ch_fire on the node
 * of the waiter that it chose; it never names a run queue.
 *
 * A wait over one object alone needs no clause: the branch's own link stands on the object's list (ch_wait_on).
 * Everything else is an array of clauses, which lives as long as the wait: in the caller's frame, on the native stack,
 * or in a frame of the runtime's own (ch_wait_leaf).
 *
 * That the scope around is cancelled is an implicit clause of all of them, which comes first: in a marked scope no wait
 * begins (ch_is_marked), and a cancel ends those that have begun (ch_wait_cancel).
 *
 * Invariants: 1. a blocked branch is on no run queue; 2. while a branch is SELECTING, each of its clauses is registered
 * with exactly one object; 3. when it becomes ready none is; 4. the clause that was selected has had its effect, the
 * others none;
 * 5. the group's `outside` counts the registered clauses of types that are `outside`.
 */
#ifndef CHARCOAL_WAIT_WAIT_H
#define CHARCOAL_WAIT_WAIT_H

#include "sched/domain.h"
#include "wait/link.h"
#include <errno.h>

struct ch_clause;

/* For reports. */
struct ch_about {
  const char *what;   /* "semaphore", "descriptor", "timer", ... */
  const char *call;   /* the system call, or NULL */
  const char *site;   /* the place that it belongs to, or NULL */
  const void *object; /* or NULL; of a semaphore that is waited for alone: ask ch_about_semaphore */
  int fd;             /* or -1 */
};

struct ch_clause_type {
  const char *what; /* for reports: "semaphore", "timer", ... */
  bool outside;     /* something outside the process can fire it */
  /* If it is ready now: takes the effect, sets clause->value, returns true. If not: registers and returns false. */
  bool (*enlist)(struct ch_clause *);
  /* Undoes the registration. Called for losers only. */
  void (*withdraw)(struct ch_clause *);
  /* The wait is to be cancelled. NULL, or true: withdraw me. False: I cannot be withdrawn now, but shall fire soon,
   * with my effect or with a value that says that I had none. The wait, with all its clauses, then goes on until one
   * fires. */
  bool (*cancel)(struct ch_clause *);
  /* Says what it waits for; `what` is set. NULL: the object's address says it. From a signal handler, too. */
  void (*about)(const struct ch_clause *, struct ch_about *);
};

struct ch_clause {
  struct ch_link link; /* on the object's list, while registered; the object's type may use it otherwise */
  const struct ch_clause_type *type; /* set by whoever makes the clause */
  void *object;                      /* what it waits for; set by whoever makes the clause */
  int64_t value;                     /* argument before (a deadline, events), result after */
  union {
    struct ch_branch *branch;         /* who waits; set by ch_wait */
    void (*then)(struct ch_clause *); /* index == CH_CALLBACK: called instead of making a branch ready */
  };
  uint16_t index, count; /* place in the array, and its length; set by ch_wait */
  uint32_t slot;         /* the type's own (a timer's place in the heap) */
};
#define CH_CALLBACK 0xffff

/* object: a ch_sem. Takes a unit; the value is 0, or ECANCELED when the semaphore was destroyed. */
extern CH_HIDDEN const struct ch_clause_type ch_sem_clause_type;
/* The last one who waited on a semaphore by its own link has been taken off this list of it. */
CH_HIDDEN void ch_sem_left(struct ch_link *waiters);

/* The running branch is in a marked scope: it must not wait. Cheap while nobody is cancelled. */
CH_HIDDEN CH_RARE bool ch_is_marked_slow(void);
static inline bool ch_is_marked(void) { return CH_UNLIKELY(ch_domain.marks != 0) && ch_is_marked_slow(); }

/* Ends the branch's wait, if it waits and that can be cancelled: with ECANCELED from ch_wait_on, with -ECANCELED from
 * ch_wait. */
CH_HIDDEN void ch_wait_cancel(struct ch_branch *);

/* Puts the running branch on the object's list. The caller then returns CH_BLOCKED or calls ch_wait_native. */
static inline void ch_wait_on(struct ch_link *list, enum ch_what what) {
  struct ch_branch *b = ch_domain.current;
  CH_INVARIANT(b && b->state == CH_RUNNING, "only the running branch can block");
  b->state = CH_WAITING;
  b->what = (uint8_t)what;
  ch_list_append(list, &b->link, false);
}

/* How an interruptible wait ends that has just been registered: with the result, or as one that blocks. */
static inline struct ch_int_result ch_blocks(void) {
  if (ch_linger())
    return (struct ch_int_result){CH_DONE, (intptr_t)ch_domain.current->link.prev};
  return (struct ch_int_result){CH_BLOCKED, 0};
}

/* The running branch waits over this clause alone, of an `outside` type, which its object has registered. The caller
 * then returns CH_BLOCKED or calls ch_wait_native. */
static inline void ch_wait_registered(struct ch_clause *c) {
  struct ch_branch *b = ch_domain.current;
  CH_INVARIANT(b && b->state == CH_RUNNING, "only the running branch can block");
  c->branch = b;
  c->index = 0;
  c->count = 1;
  b->state = CH_SELECTING;
  b->link.prev = (struct ch_link *)c;
  ch_group_of(b)->outside++;
}

CH_HIDDEN void ch_clause_fired(struct ch_clause *, int64_t value);
/* The same for the only clause of a wait that is not on the native stack; its branch runs before all others. */
CH_HIDDEN void ch_clause_fired_first(struct ch_clause *, int64_t value);

/* Makes what `from` has registered for `to`'s, which is new. */
CH_HIDDEN CH_RARE void ch_clauses_move(struct ch_branch *from, struct ch_branch *to);
static inline void ch_wait_move(struct ch_branch *from, struct ch_branch *to) {
  to->state = from->state;
  to->what = from->what;
  to->link.next = from->link.next;
  __asm__(""); /* two loads: one of both words would have to wait for the two stores that have just made them */
  to->link.prev = from->link.prev;
  if (CH_UNLIKELY(from->state != CH_WAITING)) {
    ch_clauses_move(from, to);
  } else if (from->what != CH_ON_FINISH) {
    ch_link_set_prev(to->link.next, &to->link);
    ch_link_prev(&to->link)->next = &to->link;
  }
}

/* The object has chosen this node of its list: takes it off and makes its branch ready. Its own effect has been had. */
static inline void ch_fire(struct ch_link *node, intptr_t value) {
  ch_list_remove(node);
  if (CH_LIKELY(!ch_link_is_clause(node))) {
    struct ch_branch *b = (struct ch_branch *)((char *)node - offsetof(struct ch_branch, link));
    CH_INVARIANT(b->state == CH_WAITING, "who is on an object's list by its own link waits");
    ch_ready(b, value);
  } else {
    ch_clause_fired((struct ch_clause *)node, value);
  }
}

/* Waits over n clauses. Returns the index of the selected one; its `value` is the type's result. The array must live
 * until then. -ECANCELED: in a cancelled scope; none of them has had an effect. */
int ch_wait(struct ch_clause *clauses, unsigned n);
struct ch_int_result ch_wait_int(struct ch_clause *clauses, unsigned n) CH_INT_NAME(ch_wait);

/* The same for clauses whose type refuses a cancel, in cancelled scopes, too. `then` is called once it is registered.
 */
CH_HIDDEN int ch_wait_regardless(struct ch_clause *, unsigned n, void (*then)(void *), void *argument);
CH_HIDDEN struct ch_int_result ch_wait_regardless_int(struct ch_clause *, unsigned n);

/* The same for leaves in plain C: copies the clauses into a frame of the runtime's own. CH_DONE: `value` is the result.
 * CH_BLOCKED: the wait's outcome goes through finish(selected clause), whose result the caller's caller gets. When the
 * wait is cancelled the result is `cancelled`. */
struct ch_leaf {
  struct ch_frame_info info; /* made with CH_LEAF */
  intptr_t (*finish)(struct ch_clause *all, unsigned selected);
  intptr_t cancelled;
};
CH_HIDDEN int ch_leaf_resume(struct ch_frame *);
#define CH_LEAF_FRAME(n) ((uint32_t)(CH_FRAME_HEADER + (n) * sizeof(struct ch_clause)))
#define CH_LEAF_OR(function, n, how, when_cancelled)                                                                   \
  {.info = {.resume = ch_leaf_resume, .name = (function), .size = CH_LEAF_FRAME(n), .align = 16},                      \
   .finish = (how),                                                                                                    \
   .cancelled = (when_cancelled)}
#define CH_LEAF(function, n, how) CH_LEAF_OR(function, n, how, ECANCELED)
CH_HIDDEN struct ch_int_result ch_wait_leaf(const struct ch_leaf *, const struct ch_clause *clauses, unsigned n);
/* The same from plain code. */
CH_HIDDEN intptr_t ch_wait_leaf_native(const struct ch_leaf *, struct ch_clause *clauses, unsigned n);

/* Registers a clause that calls `then(clause)` when it fires, once, whoever runs then. */
CH_HIDDEN void ch_clause_watch(struct ch_clause *, void (*then)(struct ch_clause *));
CH_HIDDEN void ch_clause_unwatch(struct ch_clause *);

#ifdef CHARCOAL_CHECKED
CH_HIDDEN void ch_wait_check(struct ch_clause *clauses, unsigned n);
#else
static inline void ch_wait_check(struct ch_clause *clauses, unsigned n) { (void)clauses, (void)n; }
#endif

#endif
