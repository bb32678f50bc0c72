/* An open finish scope (or noncancellable block): what the ABI's struct ch_scope is to the runtime. It lies in the
 * activation that opened it.
 *
 * Scopes and branches of an activity form a tree: a scope holds the branches that were started in it; from a branch
 * `scope` leads to its innermost scope, and `outer` from there through its own scopes to the one that it was started
 * in, and on through its parent's to the outermost, the *root*. Cancellation goes inwards along it, the end of branches
 * outwards.
 *
 * The unit in the domain's queue is the activity (law 1). One without scopes is its branch. One with scopes is `active`
 * while one of its branches is queued, running or set aside at a yield point; what becomes ready meanwhile collects in
 * the root's list, and runs, first in first out, whenever the branch before has blocked or ended (law 2).
 *
 * A scope that collects errors, has members (activities that were spawned into it) or a deadline that `within` did not
 * give it keeps these in an extension (activity/extension.h), which goes when it is closed.
 *
 * Invariants: 1. `branches` holds exactly the async branches that were started here and have not ended; 2. a scope that
 * is closed had none, and no members; 3. a scope inside a marked one is marked, unless it is a barrier or inside
 * one; 4. the root's list is empty while the root is not active; 5. every scope's owner is the branch whose chain holds
 * the frame that opened it.
 */
#ifndef CHARCOAL_ACTIVITY_SCOPE_H
#define CHARCOAL_ACTIVITY_SCOPE_H

#include "activity/branch.h"
#include "sched/check.h"
#include "wait/link.h"

struct ch_finish {
  struct ch_finish *outer;   /* NULL: it is the root */
  struct ch_finish *root;    /* the outermost scope of the activity, perhaps this one */
  struct ch_branch *owner;   /* the branch that opened it; NULL: opened outside any domain, no other field is valid */
  struct ch_link branches;   /* the async branches in it, by ch_async.siblings */
  struct ch_link items;      /* what to call when it is marked (lowlevel.h) */
  struct ch_deadline *timer; /* NULL: it has none, or it was withdrawn */
  struct ch_finish *walk;    /* used by a cancel while it walks the scopes */
  const char *site;
  /* Valid in the root only. */
  struct ch_branch *first;       /* the activity's first branch: the one with the handle and the name */
  struct ch_branch *head, *tail; /* branches that are ready, by link.next; tail is valid only if head is not NULL */
  bool active;
  /* Valid in all scopes. */
  bool marked, barrier;
  bool leaving;                   /* the owner waits at the end of the scope */
  bool implicit;                  /* the runtime has opened it around an activity's body: see ch_tamed_around */
  uint16_t home;                  /* a part of the number of its domain: see ch_scope_is_ours */
  struct ch_extension *extension; /* NULL: it has none */
  int64_t when;                   /* the time of its deadline, also when that has passed; CH_FOREVER: it has none */
};
_Static_assert(sizeof(struct ch_finish) <= sizeof(struct ch_scope), "the ABI leaves room for it");
_Static_assert(offsetof(struct ch_finish, outer) == 0, "the first word of a scope is even");

static inline struct ch_finish *ch_finish_of(struct ch_scope *s) { return (struct ch_finish *)s; }

/* The scope is open: ends the program with a message if it is another domain's. */
CH_HIDDEN void ch_scope_is_ours(const struct ch_finish *);

static inline struct ch_async *ch_async_of(struct ch_branch *b) {
  CH_INVARIANT(b->flags & CH_ASYNC, "an async branch has the flag ASYNC");
  return (struct ch_async *)b;
}
static inline struct ch_async *ch_async_at(struct ch_link *siblings) {
  return (struct ch_async *)((char *)siblings - offsetof(struct ch_async, siblings));
}

/* The first branch of b's activity. */
static inline struct ch_branch *ch_activity_of(struct ch_branch *b) { return b->scope ? b->scope->root->first : b; }

/* Whether the branch is to be cancelled. */
static inline bool ch_branch_is_marked(const struct ch_branch *b) {
  return b->scope ? b->scope->marked : (b->flags & CH_MARKED) != 0;
}

CH_HIDDEN bool ch_scope_has_members_slow(const struct ch_finish *);
static inline bool ch_scope_has_members(const struct ch_finish *s) {
  return CH_UNLIKELY(s->extension != NULL) && ch_scope_has_members_slow(s);
}
/* Nobody is left in it for whose end its owner would have to wait. */
static inline bool ch_scope_is_over(const struct ch_finish *s) {
  ch_list_is_initialised(&s->branches);
  return CH_LIKELY(ch_list_empty(&s->branches)) && !ch_scope_has_members(s);
}

/* What stands in a tamed call for the scope that it belongs to. */
static inline uintptr_t ch_reference_to(struct ch_finish *s) { return (uintptr_t)s | 1; }

/* Of the ABI's scope of an `async`: the one that its branch belongs to. */
static inline struct ch_finish *ch_scope_of_async(struct ch_scope *opaque) {
  uintptr_t first = *(uintptr_t *)opaque; /* in a scope: `outer` */
  return CH_UNLIKELY(first & 1) ? (struct ch_finish *)(first - 1) : ch_finish_of(opaque);
}

/* A tamed function is entered, whose body will be an async branch of the scope that the caller stands in. Returns the
 * reference to it. Where there is none, the activity gets one around its body. */
uintptr_t ch_tamed_around(void);
/* The activity's body has ended, and b->scope is implicit: true if nobody is left in it. Else b waits. */
CH_HIDDEN CH_RARE bool ch_scope_leave_implicit(struct ch_branch *b);
/* The implicit scope has been closed. */
CH_HIDDEN void ch_scope_free_implicit(struct ch_finish *);

/* A scope's end, when its branches and members have ended. True: the owner runs, and has to call pthread_exit at once,
 * because a branch in the scope has done so. */
CH_HIDDEN bool ch_scope_close(struct ch_finish *);
/* Asserts the invariants for the activity whose root this is. */
#ifdef CHARCOAL_CHECKED
CH_HIDDEN void ch_scope_check(struct ch_finish *root);
#else
static inline void ch_scope_check(struct ch_finish *root) { (void)root; }
#endif

#endif
