/* For those who bring their own kind of object to wait for: what a plain blocking call, a clause of `waituntil` and a
 * cancel are all made of (CFA's waituntil, sections 4 and 5; law 8).
 *
 * A *clause* is one thing that a branch waits for: an operation on one object, with its arguments. A *wait* (struct
 * ch_wait) joins several of them; it lives as long as they do, in the frame of the waiting function.
 *
 * The object keeps a list of the clauses that could not be had at once. Whoever makes the object ready takes clauses
 * from it in order, under the object's lock (a local object, which only its own domain touches, needs none):
 *
 *   while ((c = ch_list_first(&list)))
 *     if (ch_claim(c)) { the effect; release the lock; ch_wake(c); break; }
 *
 * A *claim* decides a wait. It changes one word, so whoever is first has the effect, and no other clause of the wait
 * has one. It also takes the clause off the list, so a clause on a list is one whose effect has not been had. The
 * losers are withdrawn by the waiter's own domain, before any of its code runs.
 *
 * No object's lock is ever held together with another's, and no claim is undone.
 */
#ifndef CHARCOAL_CLAUSE_H
#define CHARCOAL_CLAUSE_H

#include <charcoal.h>

#ifdef __cplusplus
extern "C" {
typedef bool ch_bool;
#else
typedef _Bool ch_bool; /* programs that include <charcoal.h> may have a `bool` of their own */
#endif

#if defined(__CHARCOAL__) || defined(CHARCOAL_RUNTIME) || defined(CHARCOAL_LIBRARY)

struct ch_about;
struct ch_clause;
struct ch_wait;

/* What enlist says. */
enum {
  CH_CLAUSE_LISTED, /* it is on the object's list; from now on it may be claimed */
  CH_CLAUSE_READY,  /* it was ready, and has had its effect */
  CH_CLAUSE_DECIDED /* only of a shared object: another clause of the wait has been claimed, and this one is on no list
                     */
};

/* Who can make a clause of this type ready. */
enum ch_ready_by {
  CH_BY_DOMAIN, /* activities of the waiter's domain, or other domains in a way that a deadlock report allows for */
  CH_BY_WORLD,  /* something outside the process: a wait for it is never a deadlock */
  CH_BY_OTHERS  /* other domains and threads, too: the object is shared. Not a deadlock while there are any */
};

struct ch_clause_type {
  const char *what; /* for reports: "semaphore", "timer", ... */
  unsigned char by; /* enum ch_ready_by */
  /* Has the effect if it is ready now, or else puts the clause on the object's list (ch_list). If the object is shared
   * it takes the object's lock first, and claims (ch_claim_own, ch_claim_both) before the effect. */
  int (*enlist)(struct ch_clause *);
  /* Takes the clause off the list (ch_unlist), under the object's lock. False: it has been claimed. */
  ch_bool (*withdraw)(struct ch_clause *);
  /* In the waiter's domain, once, when the clause has been selected: the call's result. NULL: `value` is it. */
  intptr_t (*selected)(struct ch_clause *);
  /* Whether enlist would find it ready now. NULL: never asked, or false. */
  ch_bool (*ready)(const struct ch_clause *);
  /* Behind the statement's body (of a lock: gives it back), or if that does not run any more. NULL: nothing. */
  void (*leave)(struct ch_clause *);
  /* The scope around a wait for this clause alone is cancelled. NULL, or true: it is to be withdrawn. False: that
   * cannot be; it will be woken, with its effect or with a value that says that it had none. */
  ch_bool (*cancel)(struct ch_clause *);
  /* Says what it waits for; `what` is set. NULL: the object's address says it. From a signal handler, too. */
  void (*about)(const struct ch_clause *, struct ch_about *);
};

struct ch_clause {
  struct ch_link link;               /* on the object's list: see ch_list */
  const struct ch_clause_type *type; /* set by whoever makes the clause, and the next two */
  void *object;                      /* what it waits for */
  int64_t value;                     /* the type's own: an argument before, the result after */
  union {                            /* who waits; `index` says which */
    struct ch_wait *wait;
    struct ch_branch *branch;         /* CH_ALONE */
    void (*then)(struct ch_clause *); /* CH_CALLBACK: called instead of making a branch ready */
  };
  struct ch_clause *next; /* in its wait, in textual order */
  uint16_t index;         /* in its wait; or CH_ALONE, CH_CALLBACK */
  uint8_t state;          /* enum ch_clause_state, CH_IS_… */
  uint8_t counted;        /* the group's counts of what may come from outside include it; its own domain's */
  uint32_t slot;          /* the type's own */
};
#define CH_ALONE 0xfffe
#define CH_CALLBACK 0xffff

/* LISTED -> TAKEN or OUT by whoever claims, under the object's lock; TAKEN -> HAD by the same, as its last act with the
 * clause, in a wait with `and`. All else by the waiter's domain. */
enum ch_clause_state {
  CH_IS_OUT,    /* on no list, and no effect: not begun, or withdrawn */
  CH_IS_LISTED, /* on its object's list */
  CH_IS_TAKEN,  /* off the list, and its effect is being had */
  CH_IS_HAD,    /* its effect has been had */
  CH_IS_TOLD    /* and the waiter has been told */
};

/* ---- for objects: under the object's lock, but for ch_wake ---- */

/* Takes a clause off the list that ch_list has put it on. True: its effect is to be had now, and then ch_wake follows.
 * False: its wait has been decided for another; take the next one. */
ch_bool ch_claim(struct ch_clause *);

/* For shared objects, in enlist, when the object is ready: the same for the clause that is being enlisted. False:
 * enlist returns CH_CLAUSE_DECIDED. */
ch_bool ch_claim_own(struct ch_clause *);

enum ch_claimed {
  CH_CLAIMED,       /* both */
  CH_OWN_DECIDED,   /* neither: one's own wait has been decided */
  CH_OTHER_DECIDED, /* neither: the other's has, and it is off the list */
  CH_SAME_WAIT      /* neither: both are clauses of one wait, which selects one of its clauses */
};
/* In enlist, when the object is ready because `other`, on its list, waits for the opposite: claims both or neither.
 * `own` may be NULL: a call that does not wait. */
enum ch_claimed ch_claim_both(struct ch_clause *own, struct ch_clause *other);

/* The claimed clause, whose effect has been had: its branch becomes ready. No lock is held. The clause may be gone when
 * this returns. */
void ch_wake(struct ch_clause *);

/* Puts it at the list's end. */
void ch_list(struct ch_link *list, struct ch_clause *);
/* Takes it off its list, if it is on it; false: it has been claimed. What most types' withdraw does. */
ch_bool ch_unlist(struct ch_clause *);
/* The first clause of a list, and the one after another; or NULL. */
struct ch_clause *ch_list_first(const struct ch_link *list);
struct ch_clause *ch_list_after(const struct ch_link *list, const struct ch_clause *);

/* ---- a wait: what `waituntil` becomes ---- */

#define CH_WAIT_AND 1u  /* clauses complete one by one (ch_wait_next); else one of them is selected (ch_wait_any) */
#define CH_WAIT_FAIR 2u /* not the first of several that are ready, but each in its turn */

/* In the caller's frame from ch_wait_enter until it is over; private. */
struct ch_wait {
  uint32_t state;          /* without AND: the word that is claimed (wait/claim.h) */
  uint8_t flags, phase;    /* of its own domain */
  ch_bool exposed;         /* a clause of it is, or has been, on a shared object's list: others may claim it */
  uint8_t posted;          /* with AND: the letter is under way, or lies in the inbox */
  struct ch_clause *first; /* all its clauses */
  struct ch_clause *last;
  struct ch_clause *begun;  /* with AND, while it is being enlisted: the last that has been */
  struct ch_branch *branch; /* while blocked in it, else NULL */
  struct ch_group *group;   /* of its activity */
  struct ch_inbox *home;    /* of its domain, if exposed */
  void *letter[2];
  const char *site;
};

/* `site`: "file:line", or NULL. */
void ch_wait_enter(struct ch_wait *, unsigned flags, const char *site);
/* Adds a clause: filled in by its type's own function, with no effect so far. `index` < CH_ALONE; ch_wait_any and
 * ch_wait_next give it back. */
void ch_wait_add(struct ch_wait *, struct ch_clause *, unsigned index);

/* Waits until one clause has been selected, the first in textual order of those that are ready: its index. All others
 * have been withdrawn and have had no effect. -ECANCELED: the scope is cancelled, and none has had an effect. -ENOENT:
 * there are no clauses. -EPERM: outside any domain. */
int ch_wait_any(struct ch_wait *);
/* The same without waiting: -ENOENT if no clause is ready. */
int ch_wait_try(struct ch_wait *);

/* With AND: enlists the next clauses, in textual order, up to one that is ready at once: its index; ch_wait_next tells
 * it later. -ENOENT: all are enlisted. -ECANCELED, -EPERM: nothing has been done. Never blocks. */
int ch_wait_begin(struct ch_wait *);
/* With AND: waits until there is a clause that is complete and has not been told; the first in textual order.
 * -ECANCELED: the scope is cancelled, all open clauses have been withdrawn, and each one that was complete has been
 * told. -ENOENT: there are no more. -EPERM: outside any domain. Enlists what is not yet. Open clauses stay enlisted
 * when this returns. */
int ch_wait_next(struct ch_wait *);
/* With AND: enough are complete. Withdraws those that are open, and forgets those not enlisted; those that have
 * completed meanwhile are still told by ch_wait_next. Never blocks. */
void ch_wait_close(struct ch_wait *);
/* On every way out: withdraws what is open; nothing of the wait is known to anybody afterwards. Never blocks. */
void ch_wait_leave(struct ch_wait *);

/* The result of the call that was selected, or told: once, first thing. */
intptr_t ch_clause_result(struct ch_clause *);
/* Behind its body, on every way out. NULL: nothing. */
void ch_clause_leave(struct ch_clause **);
/* Before a statement with `else` asks each clause whether it is ready: 0; -ENOENT: there is none; -ECANCELED, -EPERM.
 */
int ch_wait_ask(const struct ch_wait *);
/* Whether the clause would be ready now; for a shared object, whether it was a moment ago. */
ch_bool ch_clause_ready(const struct ch_clause *);

/* ---- forms: how a function becomes one that can be waited for ----
 *
 * What stands in `waituntil ( … )` is a call. Beside the function f stands its form: struct f__clause, which begins
 * with a struct ch_clause and holds what is stored meanwhile, and f__clause, which fills it in from f's arguments and
 * does nothing else. */

/* Declares the form of a function of this type with these parameters, of which there must be one. */
#define CH_CLAUSE_FORM(type, function, ...)                                                                            \
  void function##__clause(struct function##__clause *, __VA_ARGS__);                                                   \
  typedef type function##__result
/* The call holds something for the length of the body: its type has `leave`. */
#define CH_CLAUSE_LEAVES(function) typedef void function##__leaves
/* The call goes on holding something behind the statement, as a plain lock call does: none can be waited for beside
 * others with `and`. */
#define CH_CLAUSE_HOLDS(function) typedef void function##__held

/* The plain call: waits for this clause alone, which its form has filled in, and returns the call's result. In a
 * cancelled scope: `cancelled`; the call has had no effect. */
static inline intptr_t ch_wait_plain(struct ch_clause *c, intptr_t cancelled) {
  struct ch_wait w;
  ch_wait_enter(&w, 0, NULL);
  ch_wait_add(&w, c, 0);
  return ch_wait_any(&w) == 0 ? ch_clause_result(c) : cancelled;
}

#endif

#ifdef __cplusplus
}
#endif

#include <charcoal/clauses.h>

#endif
