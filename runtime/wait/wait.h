/* All blocking is done here (law 8): a branch waits over clauses (charcoal/clause.h).
 *
 * A wait has one of three sizes. A wait on one list of the branch's own domain needs no clause: the link of the branch
 * is on the list (ch_wait_on), and if the object needs to know more, that is in a small frame (ch_wait_on_with). A wait
 * for one clause that no other domain may claim needs no struct ch_wait: the clause leads to the branch (CH_ALONE). All
 * other waits are a struct ch_wait with its clauses. Clauses and struct ch_wait lie in the caller's frame, on the
 * native stack, or in a frame made by the runtime (ch_wait_leaf), as long as the wait lasts.
 *
 * Every wait has an implicit first clause: that the scope around it is cancelled. In a marked scope no wait begins
 * (ch_is_marked), and a cancel ends the waits that have begun (ch_wait_cancel).
 *
 * Invariants: 1. a blocked branch is on no run queue; 2. while a branch is SELECTING, link.prev leads to the first of
 * its clauses, and each of these is on exactly one object's list or has been claimed; 3. before any of its code runs
 * the losers are on none; 4. the clause that was selected has had its effect, the others none; 5. a group's `outside`
 * counts those of its clauses that are `counted`.
 */
#ifndef CHARCOAL_WAIT_WAIT_H
#define CHARCOAL_WAIT_WAIT_H

#include "sched/domain.h"
#include "charcoal/clause.h"
#include "wait/claim.h"
#include "wait/link.h"
#include <errno.h>

/* Reports call this with what is still awaited: `count` things of one kind, the place where the program asked for them,
 * and what brings them (NULL: the program itself). */
typedef void ch_tell_awaited(uint32_t count, const char *site, const char *source, void *data);
struct ch_about {
  const char *what;               /* "semaphore", "descriptor", "timer", ... */
  const char *call;               /* the system call that waits, or NULL */
  const char *site;               /* the place in the program that the wait belongs to, or NULL */
  const void *object;             /* the object, or NULL; for a semaphore that is waited for alone, ch_about_semaphore
                                   * tells it */
  int fd;                         /* the descriptor, or -1 */
  const struct ch_branch *holder; /* the first branch of the activity that has the object; NULL: nobody, or unknown */
  const struct ch_clause *clause; /* the clause that waits; NULL: the branch waits in no clause */
  /* If the object is a set, such as a rendezvous, calls the function for all that is still to come; else NULL. */
  void (*awaited)(const struct ch_clause *, ch_tell_awaited *, void *data);
};

/* The type of clauses that take a unit of a semaphore. `object` is a ch_sem; the clause's value is 0, or ECANCELED if
 * the semaphore was destroyed. */
extern CH_HIDDEN const struct ch_clause_type ch_sem_clause_type;
/* Is called when the last branch that waited for a semaphore by its own link has been taken off the semaphore's list.
 */
CH_HIDDEN void ch_sem_left(struct ch_link *waiters);

/* The members of a clause type whose `object` is a ch_waiter (charcoal/lowlevel.h). */
CH_HIDDEN int ch_waiter_enlist(struct ch_clause *);
CH_HIDDEN bool ch_waiter_withdraw(struct ch_clause *);
CH_HIDDEN bool ch_waiter_is_ready(const struct ch_clause *);
CH_HIDDEN bool ch_waiter_at_once(struct ch_clause *);

/* Tells whether the running branch is in a cancelled scope, where it must not wait. It is cheap while no scope is
 * cancelled. */
CH_HIDDEN CH_RARE bool ch_is_marked_slow(void);
static inline bool ch_is_marked(void) { return CH_UNLIKELY(ch_domain.marked_count != 0) && ch_is_marked_slow(); }

/* Ends the branch's wait, if the branch waits and the wait can be cancelled. A wait by ch_wait_on ends with ECANCELED,
 * a wait by ch_wait with -ECANCELED. */
CH_HIDDEN void ch_wait_cancel(struct ch_branch *);
/* The branch, which is not in this child of fork, takes nothing any more from what it waits for. It may still become
 * ready if that cannot be withdrawn. */
CH_HIDDEN void ch_wait_abandon(struct ch_branch *);

/* Puts the running branch on the object's list. The caller then returns CH_BLOCKED or calls ch_wait_native. */
static inline void ch_wait_on(struct ch_link *list, enum ch_what what) {
  struct ch_branch *b = ch_domain.current;
  CH_INVARIANT(b && ch_is_running(b), "only the running branch can block");
  ch_list_append(list, &b->link, false);
  b->state = CH_WAITING;
  b->what = (uint8_t)what;
}

/* How an interruptible wait ends that has just been registered: with the result, or as one that blocks. */
static inline struct ch_int_result ch_blocks(void) {
  if (ch_wait_in_place())
    return ch_done((intptr_t)ch_domain.current->link.prev);
  return (struct ch_int_result){CH_BLOCKED, 0};
}

/* What an object has to know of a branch that waits on its list by the branch's own link: it is the image of the
 * branch's innermost frame. */
struct ch_operand {
  void *object;
  void *value; /* where it comes from, or goes to */
};
#define CH_OPERAND_BYTES (CH_FRAME_HEADER + sizeof(struct ch_operand))
#define CH_OPERAND_FRAME(function)                                                                                     \
  {.resume = ch_operand_resume, .name = (function), .size = CH_OPERAND_BYTES, .align = 16}
CH_HIDDEN int ch_operand_resume(struct ch_frame *);
static inline const struct ch_operand *ch_operand_of(const struct ch_branch *b) {
  return (const struct ch_operand *)((const struct ch_frame *)b->top)->image;
}

/* Count a listed clause in its group's `outside`, and out of it. `b` is a branch of the activity that waits, or NULL if
 * none does. */
static inline struct ch_group *ch_group_of_waiter(struct ch_branch *b) { return b ? ch_group_of(b) : &ch_domain.base; }
static inline void ch_count_in(struct ch_branch *b, struct ch_clause *c) {
  c->counted = c->type->by;
  if (c->counted == CH_BY_DOMAIN)
    return;
  struct ch_group *g = ch_group_of_waiter(b);
  g->outside++;
  g->by_others += c->counted == CH_BY_OTHERS;
}
static inline void ch_count_out(struct ch_branch *b, struct ch_clause *c) {
  if (c->counted == CH_BY_DOMAIN)
    return;
  struct ch_group *g = ch_group_of_waiter(b);
  g->outside--;
  g->by_others -= c->counted == CH_BY_OTHERS;
  c->counted = CH_BY_DOMAIN;
}

/* The running branch waits for this clause alone, which its object has listed. The caller then returns CH_BLOCKED or
 * calls ch_wait_native. */
static inline void ch_wait_listed(struct ch_clause *c) {
  struct ch_branch *b = ch_domain.current;
  CH_INVARIANT(b && ch_is_running(b), "only the running branch can block");
  c->branch = b;
  c->index = CH_ALONE;
  c->state = CH_IS_LISTED;
  ch_count_in(b, c);
  b->state = CH_SELECTING;
  b->link.prev = (struct ch_link *)c;
}
/* Enlists it first: false, it was ready. */
static inline bool ch_wait_enlisted(struct ch_clause *c) {
  CH_INVARIANT(c->type->by != CH_BY_OTHERS || c->type->cancel, "what others may claim is not waited for alone");
  c->link.next = NULL;
  c->branch = ch_domain.current;
  c->index = CH_ALONE;
  c->state = CH_IS_LISTED;
  if (c->type->enlist(c) != CH_CLAUSE_LISTED)
    return false;
  ch_wait_listed(c);
  return true;
}

/* Makes a clause ready with this value, after the object has taken it off its list (if the object has a list). False:
 * the clause's wait has been decided for another clause, and nothing has happened. */
CH_HIDDEN bool ch_clause_fired(struct ch_clause *, int64_t value);
/* Does the same for the only clause of a wait that is not on the native stack; its branch runs before all others. */
CH_HIDDEN void ch_clause_fired_first(struct ch_clause *, int64_t value);

/* Moves the waits that `from` has registered to `to`, which is a new branch. */
CH_HIDDEN CH_RARE void ch_clauses_move(struct ch_branch *from, struct ch_branch *to);
static inline void ch_wait_move(struct ch_branch *from, struct ch_branch *to) {
  to->state = from->state;
  to->what = from->what;
  /* Keeps two loads, and both apart from those around them: a single load of two words would have to wait until the
   * stores just before it have reached the cache. */
  __asm__("");
  to->link.next = from->link.next;
  __asm__("");
  to->link.prev = from->link.prev;
  if (CH_UNLIKELY(from->state != CH_WAITING)) {
    ch_clauses_move(from, to);
  } else if (from->what != CH_ON_FINISH) {
    ch_link_set_prev(to->link.next, &to->link);
    ch_link_prev(&to->link)->next = &to->link;
  }
}

static inline struct ch_branch *ch_link_branch(const struct ch_link *node) {
  return (struct ch_branch *)((char *)node - offsetof(struct ch_branch, link));
}
/* Takes a branch that waits by its own link off the object's list, and makes it ready. */
static inline void ch_fire_branch(struct ch_link *node, intptr_t value) {
  struct ch_branch *b = ch_link_branch(node);
  CH_INVARIANT(b->state == CH_WAITING, "who is on an object's list by its own link waits");
  ch_list_remove(node);
  ch_ready(b, value);
}
/* Takes the node that the object has chosen off its list, and makes its branch ready. The caller gives it its effect at
 * once. False: it is a clause whose wait has been decided for another clause, and it must have no effect. */
static inline bool ch_fire(struct ch_link *node, intptr_t value) {
  if (CH_UNLIKELY(ch_link_is_clause(node))) {
    ch_list_remove(node);
    return ch_clause_fired((struct ch_clause *)node, value);
  }
  ch_fire_branch(node, value);
  return true;
}

/* With CH_WAIT_AND: enlists the next clauses in textual order, up to and including one that is ready at once. The
 * result is the index of that one, which ch_wait_next returns later; -ENOENT: all clauses are enlisted; -ECANCELED or
 * -EPERM: nothing has been done. */
CH_HIDDEN int ch_wait_begin(struct ch_wait *);
struct ch_int_result ch_wait_any_int(struct ch_wait *) CH_INT_NAME(ch_wait_any);
struct ch_int_result ch_wait_next_int(struct ch_wait *) CH_INT_NAME(ch_wait_next);

/* Adds the n clauses of an array to a wait that has just been entered. Each gets its index in the array. */
CH_HIDDEN void ch_wait_add_all(struct ch_wait *, struct ch_clause *, unsigned n);

/* Waits for one clause alone, also in a cancelled scope. The clause's type must refuse a cancel. `then` is called when
 * the clause is listed. */
CH_HIDDEN void ch_wait_regardless(struct ch_clause *, void (*then)(void *), void *argument);
CH_HIDDEN struct ch_int_result ch_wait_regardless_int(struct ch_clause *);
/* Does the same for a clause that may be cancelled. The result is 0 or -ECANCELED. */
CH_HIDDEN int ch_wait_alone(struct ch_clause *);

/* A leaf is a function in plain C that waits as the last thing it does. ch_wait_leaf copies its clauses, or a structure
 * that begins with one clause and is as large as the leaf says, into a frame of the runtime's own. With the result
 * CH_DONE, `value` is the result of the call. With CH_BLOCKED, the result of finish(clauses, selected) is given to the
 * caller's caller when the wait has ended, or `cancelled` if the wait was cancelled. */
struct ch_leaf {
  struct ch_frame_info info; /* made with CH_LEAF */
  unsigned n;                /* the number of clauses in a struct ch_wait; 0: one clause that is waited for alone */
  intptr_t (*finish)(struct ch_clause *all, unsigned selected);
  intptr_t cancelled;
};
CH_HIDDEN int ch_leaf_resume(struct ch_frame *);
#define CH_LEAF_FRAME(n)                                                                                               \
  ((uint32_t)(CH_FRAME_HEADER + ((n) > 1 ? sizeof(struct ch_wait) : 0) + (n) * sizeof(struct ch_clause)))
#define CH_LEAF_OR(function, clauses, how, when_cancelled)                                                             \
  {.info = {.resume = ch_leaf_resume, .name = (function), .size = CH_LEAF_FRAME(clauses), .align = 16},                \
   .n = (clauses) > 1 ? (clauses) : 0,                                                                                 \
   .finish = (how),                                                                                                    \
   .cancelled = (when_cancelled)}
#define CH_LEAF(function, n, how) CH_LEAF_OR(function, n, how, ECANCELED)
CH_HIDDEN struct ch_int_result ch_wait_leaf(const struct ch_leaf *, const struct ch_clause *clauses);
/* The end of ch_wait_leaf, when the branch has been registered: its wait goes on in this frame. */
static inline struct ch_int_result ch_leaf_blocks(struct ch_frame *f) {
  *ch_tls.link = f;
  ch_tls.link = &f->parent;
  return (struct ch_int_result){CH_BLOCKED, 0};
}
/* Puts the running branch, which is in interruptible code, on the list with this operand. The wait's result becomes the
 * caller's result. */
static inline __attribute__((always_inline)) struct ch_int_result
ch_wait_on_with(struct ch_link *list, enum ch_what what, const struct ch_frame_info *info, struct ch_operand operand) {
  struct ch_frame *f = ch_frame_take(info);
  *(struct ch_operand *)f->image = operand;
  struct ch_int_result blocks = ch_leaf_blocks(f);
  ch_wait_on(list, what);
  return blocks;
}
/* Does the same as ch_wait_leaf in plain code. */
CH_HIDDEN intptr_t ch_wait_leaf_native(const struct ch_leaf *, struct ch_clause *clauses);

/* Enlists a clause for which no branch waits. When it fires, then(clause) is called once, whichever branch is running.
 */
CH_HIDDEN void ch_clause_watch(struct ch_clause *, void (*then)(struct ch_clause *));
/* Does the same for a clause that its object has listed already. */
CH_HIDDEN void ch_clause_watched(struct ch_clause *, void (*then)(struct ch_clause *));
CH_HIDDEN void ch_clause_unwatch(struct ch_clause *);

#ifdef CHARCOAL_CHECKED
CH_HIDDEN void ch_wait_check(const struct ch_wait *);
#else
static inline void ch_wait_check(const struct ch_wait *w) { (void)w; }
#endif

#endif
