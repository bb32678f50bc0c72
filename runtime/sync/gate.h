/* What all locks have in common (charcoal/locks.h): their waiters are in one list, first come first served, and a
 * change of the object lets as many of them go on as possible.
 *
 * Invariant, while the object is not entered: the first waiter in the list cannot go on, and neither can those behind
 * it that need not wait for it. */
#ifndef CHARCOAL_SYNC_GATE_H
#define CHARCOAL_SYNC_GATE_H

#include "charcoal/locks.h"
#include "sync/object.h"
#include "sync/plain.h"

/* One way to wait for one kind of lock, such as to take a read-write lock for reading. */
struct ch_gate_kind {
  const char *what; /* what reports call it */
  /* Tells whether the clause, which is the next in order, can have what it wants. */
  bool (*fits)(const struct ch_gate *, const struct ch_gate__clause *);
  /* Gives the clause its effect, and sets its value unless that stays 0. */
  void (*take)(struct ch_gate *, struct ch_gate__clause *);
  /* Returns an error number that the call ends with instead of an effect, or 0. NULL: there are no such errors. */
  int (*mistake)(const struct ch_gate *, const struct ch_gate__clause *);
  /* Tells whether the clause need not wait behind those who wait already. NULL: it always has to. */
  bool (*passes)(struct ch_gate *, const struct ch_gate__clause *);
  /* Is called after the clause has been listed and the gate was left. NULL: nothing is to be done. */
  void (*listed)(struct ch_gate__clause *);
  /* Returns the activity that has the lock alone, or NULL if none has; for reports. NULL: no activity ever does. */
  const void *(*holder)(const struct ch_gate *);
  bool brief; /* who waits usually waits for somebody who needs it for a moment only */
};
struct ch_gate_type {
  struct ch_clause_type clause;
  const struct ch_gate_kind *kind;
};
/* The two clause types of a kind: for a local gate, and for a shared one. */
#define CH_GATE_TYPES(kind_of, after)                                                                                  \
  {                                                                                                                    \
    {{(kind_of)->what, CH_BY_DOMAIN, ch_gate_enlist, ch_gate_withdraw, .ready = ch_gate_is_ready, .leave = (after),    \
      .about = ch_gate_about, .selected = ch_gate_selected, .at_once = ch_gate_at_once},                               \
     (kind_of)},                                                                                                       \
    {                                                                                                                  \
      {(kind_of)->what,           CH_BY_OTHERS,     ch_gate_enlist,         ch_gate_withdraw,                          \
       .ready = ch_gate_is_ready, .leave = (after), .about = ch_gate_about, .selected = ch_gate_selected,              \
       .at_once = ch_gate_at_once},                                                                                    \
          (kind_of)                                                                                                    \
    }                                                                                                                  \
  }

CH_HIDDEN int ch_gate_enlist(struct ch_clause *);
CH_HIDDEN bool ch_gate_withdraw(struct ch_clause *);
CH_HIDDEN bool ch_gate_is_ready(const struct ch_clause *);
CH_HIDDEN bool ch_gate_at_once(struct ch_clause *);
CH_HIDDEN intptr_t ch_gate_selected(struct ch_clause *);
CH_HIDDEN void ch_gate_about(const struct ch_clause *, struct ch_about *);

CH_HIDDEN void ch_gate_form(struct ch_gate__clause *, const struct ch_gate_type types[2], struct ch_gate *, long wanted,
                            const void *place);
/* Makes the call if it need not wait; EAGAIN: it would have to. */
CH_HIDDEN int ch_gate_try(const struct ch_gate_type types[2], struct ch_gate *, long wanted, const void *place);

/* Does the same, also a few times (sync/retry.h). */
CH_HIDDEN int ch_gate_call(const struct ch_gate_type types[2], struct ch_gate *g, long wanted, const void *place);

/* The object may be changed between ch_gate_enter and ch_gate_leave. The latter lets go on as many as then can. */
CH_HIDDEN void ch_gate_enter(struct ch_gate *);
CH_HIDDEN void ch_gate_leave(struct ch_gate *);
/* The first part of ch_gate_leave: claims as many as can go on. The caller then leaves the object and wakes them. */
CH_HIDDEN void ch_gate_serve(struct ch_gate *, struct ch_claimed_list *woken);
/* In a child of fork: takes all waiters who are not there off the list, so that `waiting` counts only those who are. */
CH_HIDDEN void ch_gate_drop_gone(struct ch_gate *);
CH_HIDDEN void ch_gate_init(struct ch_gate *, unsigned flags);
/* Returns EBUSY if somebody waits, else 0. */
static inline int ch_gate_end(struct ch_gate *g) {
  ch_gate_drop_gone(g);
  return ch_list_empty(&g->waiters) ? 0 : EBUSY;
}

static inline const void *ch_gate_self(void) { return ch_domain.current ? ch_activity_of(ch_domain.current) : NULL; }

/* No other branch of the caller's activity could give back what that has. */
CH_HIDDEN bool ch_gate_is_alone(void);

/* A call that waits, from its types: function(object, wanted), plain and interruptible, and its form. `at_once`: a
 * shorter way to make the call where that need not wait; true: it has been made. */
#define CH_GATE_CALL(...) CH_GATE_CALL_OR(false, __VA_ARGS__)
#define CH_GATE_CALL_OR(at_once, function, object_type, object_gate, parameters, arguments, how_many, types)           \
  static const struct ch_leaf function##_leaves[2] = CH_FORM_LEAVES(#function, struct ch_gate__clause);                \
  struct ch_int_result function##_int parameters CH_INT_NAME(function);                                                \
  struct ch_int_result function##_int parameters {                                                                     \
    struct ch_gate__clause c;                                                                                          \
    if (at_once)                                                                                                       \
      return ch_done(0);                                                                                               \
    int result = ch_gate_call(types, object_gate, how_many, __builtin_return_address(0));                              \
    if (result != EAGAIN)                                                                                              \
      return ch_done(result);                                                                                          \
    ch_gate_form(&c, types, object_gate, how_many, __builtin_return_address(0));                                       \
    return ch_form_wait_int(function##_leaves, &c.clause);                                                             \
  } int function parameters {                                                                                          \
    struct ch_gate__clause c;                                                                                          \
    if (at_once)                                                                                                       \
      return 0;                                                                                                        \
    int result = ch_gate_call(types, object_gate, how_many, __builtin_return_address(0));                              \
    if (result != EAGAIN)                                                                                              \
      return result;                                                                                                   \
    ch_gate_form(&c, types, object_gate, how_many, __builtin_return_address(0));                                       \
    return (int)ch_form_wait(function##_leaves, &c.clause);                                                            \
  }
#define CH_GATE_CLAUSE(function, object_gate, how_many, types, ...)                                                    \
  void function##__clause(struct function##__clause *c, __VA_ARGS__) {                                                 \
    ch_gate_form(&c->gate, types, object_gate, how_many, __builtin_return_address(0));                                 \
  }

#endif
