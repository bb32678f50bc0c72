/* Makes the ordinary blocking call of an object's operation from the operation's clause form.
 *
 * An operation is written once, for plain calls and for clauses. It returns its result, which is 0 or an error number,
 * and has then left the object; or it returns one of the two numbers below. */
#ifndef CHARCOAL_SYNC_PLAIN_H
#define CHARCOAL_SYNC_PLAIN_H

#include "sync/object.h"
#include "wait/wait.h"

enum {
  CH_OP_WAITS = -1,  /* the operation has to wait; it has not left the object */
  CH_OP_DECIDED = -2 /* the clause's wait has been decided for another clause; the operation has left the object */
};

/* The end of a clause's `enlist`, when its operation has returned `result`: puts the clause on the list and leaves the
 * object if the operation has to wait. `local`: the object is known to be local. Here and below `clause->object` begins
 * with its struct ch_object. */
static inline int ch_op_enlist(struct ch_clause *clause, int result, bool local, struct ch_link *list) {
  if (!local && result == CH_OP_DECIDED)
    return CH_CLAUSE_DECIDED;
  if (result != CH_OP_WAITS) {
    clause->value = result;
    return CH_CLAUSE_READY;
  }
  if (local) {
    ch_list_append(list, &clause->link, true);
  } else {
    ch_clause_list(list, clause);
    ch_object_leave(clause->object);
  }
  return CH_CLAUSE_LISTED;
}

/* The end of a clause's `at_once`, likewise: leaves the object if the operation has to wait. */
static inline bool ch_op_at_once(struct ch_clause *clause, int result) {
  if (result == CH_OP_WAITS) {
    ch_object_leave(clause->object);
    return false;
  }
  clause->value = result;
  return true;
}

/* The `withdraw` of a clause that stands on a list of its shared object. */
static inline bool ch_op_withdraw(struct ch_clause *clause) {
  ch_object_enter(clause->object, clause->type->what);
  bool was_listed = ch_clause_unlist(clause);
  ch_object_leave(clause->object);
  return was_listed;
}

/* The two clause types of an operation whose clauses stand on a list: for a local object, and for a shared one.
 * CH_OP_TYPES is for those that are enlisted in one way. The rest are further members, such as `.ready = is_ready`. */
#define CH_OP_TYPES_OFFERED(words, local, shared, offers, ...)                                                         \
  {                                                                                                                    \
    {.what = (words), .by = CH_BY_DOMAIN, .enlist = (local), __VA_ARGS__}, {                                           \
      .what = (words), .by = CH_BY_OTHERS, .enlist = (shared), .withdraw = ch_op_withdraw, .offer = (offers),          \
      __VA_ARGS__                                                                                                      \
    }                                                                                                                  \
  }
#define CH_OP_TYPES_OF(words, local, shared, ...) CH_OP_TYPES_OFFERED(words, local, shared, NULL, __VA_ARGS__)
#define CH_OP_TYPES(words, how, ...) CH_OP_TYPES_OF(words, how, how, __VA_ARGS__)

/* Who waits on a list of an object is a clause or, if the object is local, perhaps a branch by its own link. The three
 * functions below are for both: the first one; claiming it and taking it off the list, as ch_claim does; waking it
 * after it has had its effect, as ch_wake does. */
static inline struct ch_link *ch_waiter_first(const struct ch_link *list) {
  return ch_list_empty(list) ? NULL : list->next;
}
static inline bool ch_waiter_claim(struct ch_link *waiter) {
  if (CH_UNLIKELY(ch_link_is_clause(waiter)))
    return ch_claim((struct ch_clause *)waiter);
  ch_list_remove(waiter);
  return true;
}
static inline void ch_waiter_wake(struct ch_link *waiter, int value) {
  if (CH_LIKELY(!ch_link_is_clause(waiter))) {
    ch_ready(ch_link_branch(waiter), value);
  } else {
    ((struct ch_clause *)waiter)->value = value;
    ch_wake((struct ch_clause *)waiter);
  }
}

/* A list of waiters, in order, that were claimed and have had their effect. They are woken after the object was left,
 * because the object may be gone as soon as the first of them runs. */
struct ch_claimed_list {
  struct ch_link *first, **end;
};
static inline void ch_claimed_add_waiter(struct ch_claimed_list *l, struct ch_link *waiter) {
  waiter->next = NULL;
  *(l->first ? l->end : &l->first) = waiter;
  l->end = &waiter->next;
}
static inline void ch_claimed_add(struct ch_claimed_list *l, struct ch_clause *c) {
  ch_claimed_add_waiter(l, &c->link);
}
static inline struct ch_link *ch_claimed_take(struct ch_claimed_list *l) {
  struct ch_link *first = l->first;
  if (first) {
    l->first = first->next;
    first->next = NULL;
  }
  return first;
}
/* Wakes all, which are clauses. */
static inline void ch_wake_all(struct ch_claimed_list *l) {
  for (struct ch_link *c; (c = ch_claimed_take(l));)
    ch_wake((struct ch_clause *)c);
}
/* Wakes all, which may be clauses and branches, with this value. */
static inline void ch_wake_waiters(struct ch_claimed_list *l, int value) {
  for (struct ch_link *waiter; (waiter = ch_claimed_take(l));)
    ch_waiter_wake(waiter, value);
}

/* The two leaves of an operation: for a clause of a local object, which is waited for alone, and for a clause of a
 * shared object. */
#define CH_FORM_LEAVES(function, form) CH_FORM_LEAVES_OR(function, form, ECANCELED)
#define CH_FORM_LEAVES_OR(function, form, when_cancelled)                                                              \
  {CH_FORM_LEAF(function, sizeof(form), 0, when_cancelled),                                                            \
   CH_FORM_LEAF(function, sizeof(struct ch_wait) + sizeof(form), 1, when_cancelled)}
#define CH_FORM_LEAF(function, bytes, clauses, when_cancelled)                                                         \
  {.info = {.resume = ch_leaf_resume, .name = (function), .size = CH_FRAME_HEADER + (bytes), .align = 16},             \
   .n = (clauses),                                                                                                     \
   .finish = ch_form_finish,                                                                                           \
   .cancelled = (when_cancelled)}

static inline intptr_t ch_form_finish(struct ch_clause *c, unsigned selected) {
  return (void)selected, ch_clause_result(c);
}
static inline const struct ch_leaf *ch_form_leaf(const struct ch_leaf leaves[2], const struct ch_clause *form) {
  return &leaves[form->type->by == CH_BY_OTHERS];
}

/* Wait for the clause that the form has filled in, and return the call's result. Outside any domain the result is
 * EPERM, or -EPERM for a function whose errors are negative. */
static inline intptr_t ch_form_outside(const struct ch_leaf *leaf) { return leaf->cancelled < 0 ? -EPERM : EPERM; }
static inline struct ch_int_result ch_form_wait_int(const struct ch_leaf leaves[2], const struct ch_clause *form) {
  if (CH_UNLIKELY(!ch_is_in_branch()))
    return ch_done(ch_form_outside(leaves));
  return ch_wait_leaf(ch_form_leaf(leaves, form), form);
}
/* Does the same in plain code, where the caller keeps its native stack. */
static inline intptr_t ch_form_wait(const struct ch_leaf leaves[2], struct ch_clause *form) {
  if (CH_UNLIKELY(!ch_is_in_branch()))
    return ch_form_outside(leaves);
  return ch_wait_leaf_native(ch_form_leaf(leaves, form), form);
}

#endif
