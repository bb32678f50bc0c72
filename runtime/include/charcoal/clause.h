/* The functions that plain blocking calls, clauses of `waituntil` and cancels are made of, for programs that bring
 * their own kind of object to wait for (CFA's waituntil, sections 4 and 5; law 8).
 *
 * A *clause* is one thing that a branch waits for: an operation on one object, with its arguments. A *wait* (struct
 * ch_wait) joins several clauses. Both lie in the frame of the waiting function and live equally long.
 *
 * The object keeps a list of the clauses whose operation was not possible at once. Whoever makes the object ready takes
 * clauses from this list in order, under the object's lock (a local object, which only its own domain touches, needs no
 * lock):
 *
 *   while ((c = ch_list_first(&list)))
 *     if (ch_claim(c)) { the effect; release the lock; ch_wake(c); break; }
 *
 * A *claim* decides a wait for one of its clauses. It changes one word atomically: the first claim gives its clause
 * the effect, and no other clause of the wait has one. A claim also takes the clause off the list; so a clause on a
 * list has had no effect. The waiter's own domain withdraws the other clauses before any of the waiter's code runs.
 *
 * Nobody ever holds the locks of two objects at a time, and no claim is undone.
 *
 * What holds for all functions unless they say otherwise: They never block, and the caller owns all memory that it
 * passes.
 * Result: nothing, or what the description says.
 * Cancel: has no effect on them.
 * Threads: the thread of the waiter's domain. */
#ifndef CHARCOAL_CLAUSE_H
#define CHARCOAL_CLAUSE_H

#include <charcoal.h>

#ifdef __cplusplus
extern "C" {
#endif

#if defined(__CHARCOAL__) || defined(CHARCOAL_RUNTIME) || defined(CHARCOAL_LIBRARY)

#ifdef __cplusplus
typedef bool ch_bool;
#else
typedef _Bool ch_bool; /* programs that include <charcoal.h> may have a `bool` of their own */
#endif

struct ch_about;
struct ch_clause;
struct ch_offer_type;
struct ch_wait;

/* The results of enlist. */
enum {
  CH_CLAUSE_LISTED, /* the clause is on the object's list, and may be claimed from now on */
  CH_CLAUSE_READY,  /* the clause was ready, and has had its effect */
  CH_CLAUSE_DECIDED /* only for a shared object: another clause of the wait has been claimed; this one is on no list */
};

/* Who can make a clause of this type ready. */
enum ch_ready_by {
  CH_BY_DOMAIN, /* activities of the waiter's domain, or other domains in a way that a deadlock report allows for */
  CH_BY_WORLD,  /* something outside the process; a wait for it is never a deadlock */
  CH_BY_OTHERS  /* also other domains and threads: the object is shared. No deadlock while there are any of them */
};

struct ch_clause_type {
  const char *what; /* what reports call it: "semaphore", "timer", ... */
  unsigned char by; /* enum ch_ready_by */
  /* Gives the clause its effect if it is ready now; otherwise puts it on the object's list (ch_list). If the object is
   * shared, it first takes the object's lock, and claims (ch_claim_own, ch_claim_both) before the effect. */
  int (*enlist)(struct ch_clause *);
  /* Takes the clause off the list (ch_unlist), under the object's lock. False: the clause has been claimed. NULL: the
   * object is local, and to take the clause off is all there is to do. */
  ch_bool (*withdraw)(struct ch_clause *);
  /* Returns the call's result. It is called once, in the waiter's domain, when the clause has been selected. NULL: the
   * result is `value`. */
  intptr_t (*selected)(struct ch_clause *);
  /* Tells whether enlist would find the clause ready now. NULL: nobody asks, or the answer is no. */
  ch_bool (*ready)(const struct ch_clause *);
  /* Is called after the clause's body, or when it is certain that the body does not run; a lock is given back here.
   * NULL: there is nothing to do. */
  void (*leave)(struct ch_clause *);
  /* Is called when the scope around a plain call (ch_wait_plain) is cancelled. NULL, or the result true: the clause is
   * to be withdrawn. False: it cannot be withdrawn, and will be woken, with its effect or with a value that says that
   * it had none. It is not asked for a clause of a statement, which can always be withdrawn. */
  ch_bool (*cancel)(struct ch_clause *);
  /* Describes what the clause waits for; `what` is set already. NULL: the object's address is all there is to say. It
   * may be called in a signal handler. */
  void (*about)(const struct ch_clause *, struct ch_about *);
  /* Gives the clause its effect if it is ready now, without claiming it, because no clause of its wait is on a list.
   * False: it is not ready, and is on no list. For a statement with `else`. NULL: the clause is enlisted if `ready`
   * says so, and withdrawn if it was not ready after all. */
  ch_bool (*at_once)(struct ch_clause *);
  /* Private: how a clause of a shared object is offered before it is enlisted. NULL: it is not. */
  const struct ch_offer_type *offer;
};

struct ch_clause {
  struct ch_link link;               /* on the object's list: see ch_list. From ch_wake on it is the wait's */
  const struct ch_clause_type *type; /* this and the next two members are set by whoever makes the clause */
  void *object;                      /* what it waits for */
  int64_t value;                     /* for the type's use: before the wait an argument, after it the result */
  union {                            /* who waits; `index` says which member is valid */
    struct ch_wait *wait;
    struct ch_branch *branch;         /* CH_ALONE */
    void (*then)(struct ch_clause *); /* CH_CALLBACK: called instead of making a branch ready */
  };
  struct ch_clause *next; /* the next clause of the same wait, in textual order */
  uint16_t index;         /* its number in its wait, or CH_ALONE or CH_CALLBACK */
  uint8_t state;          /* enum ch_clause_state, CH_IS_… */
  uint8_t counted;        /* non-zero: the group's counts of what may come from outside include this clause. Only the
                           * waiter's domain writes it */
  uint32_t slot;          /* for the type's use */
};
#define CH_ALONE 0xfffe
#define CH_CALLBACK 0xffff

/* Whoever claims a clause moves it from LISTED to TAKEN or OUT, under the object's lock. In a wait with `and`, the same
 * code then moves it from TAKEN to HAD, as the last thing that it does with the clause. All other changes are made by
 * the waiter's domain. */
enum ch_clause_state {
  CH_IS_OUT,    /* on no list, without effect: not begun, or withdrawn */
  CH_IS_LISTED, /* on its object's list */
  CH_IS_TAKEN,  /* off the list; somebody is giving it its effect */
  CH_IS_HAD,    /* it has had its effect */
  CH_IS_TOLD    /* it has had its effect, and the waiter has been told */
};

/* ---- for objects: called under the object's lock, except ch_wake; on any thread ---- */

/* Claims a clause, and takes it off the list that ch_list has put it on.
 * Result: true: the caller gives the clause its effect now, and then calls ch_wake; false: its wait has been decided
 * for another clause, and the caller takes the next one from the list. */
ch_bool ch_claim(struct ch_clause *);

/* Claims the clause that is being enlisted. It is for enlist of a shared object, when the object is ready.
 * Result: true: enlist gives the clause its effect; false: enlist returns CH_CLAUSE_DECIDED. */
ch_bool ch_claim_own(struct ch_clause *);

enum ch_claimed {
  CH_CLAIMED,       /* both clauses are claimed */
  CH_OWN_DECIDED,   /* neither is: the wait of `own` has been decided for another clause */
  CH_OTHER_DECIDED, /* neither is: the wait of `other` has been, and `other` is off the list */
  CH_SAME_WAIT      /* neither is: both are clauses of one wait, which selects one of its clauses */
};
/* Claims two clauses that wait for each other's opposite, such as a send and a receive: both or neither. It is for
 * enlist, where `own` is being enlisted and `other` is on the object's list. `own` is NULL for a call that does not
 * wait.
 * Result: which of them are claimed (enum ch_claimed). */
enum ch_claimed ch_claim_both(struct ch_clause *own, struct ch_clause *other);

/* Makes the branch of a claimed clause ready, after the clause has had its effect. The caller holds no lock. The
 * clause's memory may be gone when this returns. */
void ch_wake(struct ch_clause *);

/* Puts the clause at the end of the list. */
void ch_list(struct ch_link *list, struct ch_clause *);
/* Takes the clause off its list if it is on it.
 * Result: true; false: the clause has been claimed. */
ch_bool ch_unlist(struct ch_clause *);
/* Return the first clause of the list, and the clause after the given one; NULL if there is none. */
struct ch_clause *ch_list_first(const struct ch_link *list);
struct ch_clause *ch_list_after(const struct ch_link *list, const struct ch_clause *);

/* ---- a wait: what `waituntil` becomes ---- */

/* With this flag, clauses complete one by one (ch_wait_next). Without it, one of them is selected (ch_wait_any). */
#define CH_WAIT_AND 1u
/* If several clauses are ready, each is selected in its turn, rather than always the first, however many activities
 * wait for the same. */
#define CH_WAIT_FAIR 2u
/* The wait is a plain call's (ch_wait_plain): it has one clause, whose type is asked whether a cancel can end it. */
#define CH_WAIT_PLAIN 4u

/* How far a wait with CH_WAIT_AND has come. Private. */
struct ch_wait_all {
  uint16_t open;  /* how many clauses are enlisted and, as far as the waiter knows, not complete */
  uint16_t block; /* not 0: a body runs while clauses are open, or complete and not returned (sched/open_blocks.h) */
};

/* Lies in the caller's frame from ch_wait_enter until the wait is over. Private. */
struct ch_wait {
  union {
    uint32_t state;         /* without CH_WAIT_AND: the word that a claim changes (wait/claim.h) */
    struct ch_wait_all all; /* with it */
  };
  uint8_t flags, phase;    /* only its own domain uses them */
  ch_bool exposed;         /* a clause of it is, or has been, on a shared object's list: other domains may claim it */
  uint8_t posted;          /* with CH_WAIT_AND: the letter is under way, or lies in the inbox */
  struct ch_inbox *inbox;  /* the inbox of its domain, if it is exposed */
  void *letter[2];         /* what another domain uses lies side by side up to here, and mostly in one cache line */
  struct ch_clause *first; /* the list of its clauses */
  union {
    struct ch_clause **end;    /* where the next clause of this list goes, as long as clauses are added */
    struct ch_clause *arrived; /* with CH_WAIT_AND, then: a stack of those that other domains have completed */
  };
  struct ch_clause *begun;    /* with CH_WAIT_AND: the last that has been enlisted. Once all are, nothing outside the
                               * domain can make a clause before it ready */
  struct ch_clause *complete; /* with CH_WAIT_AND: a heap of those that are complete and have not been returned */
  struct ch_branch *branch;   /* the branch that is blocked in it, or NULL */
  struct ch_branch *owner;    /* the first branch of its activity */
  const char *site;
};

/* The functions that fill in waits and clauses are compiled into the code that calls them, and are also functions of
 * the runtime. */
#if !defined(CH_FILLS_IN)
#define CH_FILLS_IN extern __inline__ __attribute__((__gnu_inline__))
#endif

/* Makes a clause of this type for this object; the rest is zero. */
CH_FILLS_IN void ch_clause_fill(struct ch_clause *c, const struct ch_clause_type *type, void *object) {
  __builtin_memset(c, 0, sizeof *c);
  c->type = type;
  c->object = object;
}

/* Begins a wait without clauses. `flags` are 0, CH_WAIT_PLAIN, CH_WAIT_AND, CH_WAIT_FAIR, or the last two; `site` is
 * the text "file:line" for reports, which is not copied, or NULL. */
CH_FILLS_IN void ch_wait_enter(struct ch_wait *w, unsigned flags, const char *site) {
  __builtin_memset(w, 0, sizeof *w);
  w->flags = (uint8_t)flags;
  w->end = &w->first;
  w->site = site;
}
/* Adds a clause, which its form has filled in and which has had no effect so far. `index` is below CH_ALONE; it is what
 * ch_wait_any and ch_wait_next return for this clause. There is no branch in it: with one for each clause, the time
 * that the register allocator takes for a statement would grow with the square of their number. */
CH_FILLS_IN void ch_wait_add(struct ch_wait *w, struct ch_clause *c, unsigned index) {
  c->wait = w;
  c->next = NULL;
  c->index = (uint16_t)index;
  c->state = CH_IS_OUT;
  c->counted = CH_BY_DOMAIN;
  *w->end = c;
  w->end = &c->next;
}

/* Waits until one clause has been selected: the first in textual order of those that are ready, unless CH_WAIT_FAIR is
 * set. All others have then been withdrawn and have had no effect.
 * Result: the clause's index (>= 0); -ECANCELED: no clause has had an effect; -ENOENT: there are no clauses; -EPERM:
 * the caller runs in no domain. */
int ch_wait_any(struct ch_wait *);
/* Selects a clause as ch_wait_any does, without waiting.
 * Result: as there; -ENOENT: no clause is ready. */
int ch_wait_try(struct ch_wait *);

/* Tells whether the running code may begin a wait here, also one that does not wait.
 * Result: 0; -ECANCELED; -EPERM: the caller runs in no domain. */
int ch_wait_may_begin(void);
/* Gives a clause that belongs to no wait its effect if it is ready now. After ch_wait_may_begin, the clauses of a
 * statement with `else` are asked in this way, in textual order, until one is ready.
 * Result: false: it is not ready, has had no effect, and is on no list. */
ch_bool ch_clause_try(struct ch_clause *);

/* With CH_WAIT_AND: enlists the clauses that are not enlisted yet, and waits for a clause that is complete and was not
 * returned before; of several it is the one with the lowest index. The open clauses stay enlisted when this returns.
 * Result: the clause's index (>= 0); -ECANCELED: all open clauses have been withdrawn, and each complete one has been
 * returned before; -ENOENT: there are no more clauses; -EPERM: the caller runs in no domain. */
int ch_wait_next(struct ch_wait *);
/* With CH_WAIT_AND: says that enough clauses are complete. It withdraws the open ones and forgets those that are not
 * enlisted. ch_wait_next still returns those that have completed meanwhile. */
void ch_wait_close(struct ch_wait *);
/* With CH_WAIT_AND: ends the wait, on every way out of the statement: it withdraws the open clauses. Afterwards no
 * object refers to the wait, and its memory may be reused. */
void ch_wait_leave(struct ch_wait *);

/* Returns the result of the clause's call. It is called once, as the first thing after ch_wait_any or ch_wait_next has
 * returned the clause. */
intptr_t ch_clause_result(struct ch_clause *);
/* Calls the clause's `leave`, after its body, on every way out. With a pointer to NULL it does nothing. */
void ch_clause_leave(struct ch_clause **);

/* ---- the condition of a statement with `and` ----
 *
 * The text of a condition has a dot for each clause, '&', '|' and brackets: "(.|.)&." for `(A or B) and C`. A wait with
 * CH_WAIT_AND has those of its clauses whose guards are true; each has its number in the text, from 0, as its index.
 * The others are left out of the condition, with the operators before them. The statement calls ch_wait_next until
 * there are no more clauses, and ch_wait_complete after each body. */

/* Private. A condition with n clauses has room for n + 2 nodes, and for one more for each '|', and two for each '('. */
struct ch_wait_node {
  uint32_t above; /* the index of the node that waits for this one, among others */
  uint32_t left;  /* how many nodes or clauses this one still waits for */
};

/* Enlists the clauses in textual order, until those that are ready at once make the condition true: then the others are
 * left out. `condition` has n clauses, and is not used any more after the call; NULL: the nodes have been filled in. */
void ch_wait_begin_all(struct ch_wait *, struct ch_wait_node *, unsigned n, const char *condition);
/* Does the same without waiting, for a statement with `else`: it enlists clauses only if those that are ready now would
 * make the condition true, and withdraws those that were not ready after all.
 * Result: 0: ch_wait_next tells which clauses are complete, and if nodes[0].left is not 0 when it has told all, some
 * objects are shared, or stand in two clauses, and the condition is not true; -ENOENT: nothing has been done, because
 * it would not be true; -ECANCELED, or -EPERM: the caller runs in no domain. */
int ch_wait_try_all(struct ch_wait *, struct ch_wait_node *nodes, unsigned n, const char *condition);
/* Says that ch_wait_next has returned this clause. If the condition is true now, the open clauses are withdrawn, as by
 * ch_wait_close. */
void ch_wait_complete(struct ch_wait *, struct ch_wait_node *, unsigned index);

/* ---- forms: how a function becomes one that can be waited for ----
 *
 * `waituntil ( … )` contains a call of some function f. The *clause form* of f consists of two things: the type struct
 * f__clause, which begins with a struct ch_clause and has members for what has to be stored during the wait; and the
 * function f__clause, which fills in such a structure from f's arguments and does nothing else. */

/* Declares the form of a function with this result type and these parameters, of which there must be at least one. */
#define CH_CLAUSE_FORM(type, function, ...)                                                                            \
  __attribute__((__leaf__)) void function##__clause(struct function##__clause *, __VA_ARGS__);                         \
  typedef type function##__result
/* Says that the call holds something until the end of the clause's body; its type then has the member `leave`. */
#define CH_CLAUSE_LEAVES(function) typedef void function##__leaves
/* Says that the call holds something also after the statement, as a plain lock call does. Such a call cannot be joined
 * to others by `and`. */
#if defined(__cplusplus) && __cplusplus >= 201703L
extern "C++" {
template <auto form> inline constexpr bool ch_clause_holds = false; /* for charcoal/waituntil.hpp */
}
#define CH_CLAUSE_HOLDS(function)                                                                                      \
  extern "C++" {                                                                                                       \
  template <> inline constexpr bool ch_clause_holds<function##__clause> = true;                                        \
  }                                                                                                                    \
  typedef void function##__held
#else
#define CH_CLAUSE_HOLDS(function) typedef void function##__held
#endif

/* Makes the plain call: it waits for this clause alone, which its form has filled in.
 * Result: the call's result; `cancelled`: the scope is cancelled, and the call has had no effect.
 * Cancel: ends the wait, unless the type's `cancel` says that it cannot. */
CH_INLINE intptr_t ch_wait_plain(struct ch_clause *c, intptr_t cancelled) {
  struct ch_wait w;
  ch_wait_enter(&w, CH_WAIT_PLAIN, NULL);
  ch_wait_add(&w, c, 0);
  return ch_wait_any(&w) == 0 ? ch_clause_result(c) : cancelled;
}

#endif

#ifdef __cplusplus
}
#endif

#include <charcoal/clauses.h>

#endif
