/* What locks have in common (charcoal/locks.h): those who cannot go on stand in one list, first come first served, and
 * whoever changes the object lets on as many as can go.
 *
 * Invariant, while the object is not entered: the first in the list does not fit, nor do its alternatives behind it. */
#ifndef CHARCOAL_SYNC_GATE_H
#define CHARCOAL_SYNC_GATE_H

#include "charcoal/locks.h"
#include "sync/object.h"
#include "sync/plain.h"

/* A kind of wait for a kind of object. */
struct ch_gate_kind {
  const char *what;
  /* Whether the clause, which is next, can have what it wants. */
  bool (*fits)(const struct ch_gate *, const struct ch_gate__clause *);
  /* The effect; the clause's value, unless it stays 0. */
  void (*take)(struct ch_gate *, struct ch_gate__clause *);
  /* An error that it is told instead, without effect; NULL: none. It may pass those who wait, as `passes`. */
  int (*mistake)(const struct ch_gate *, const struct ch_gate__clause *);
  bool (*passes)(const struct ch_gate *, const struct ch_gate__clause *);
  /* After it has been listed, with the gate left; NULL: nothing. */
  void (*listed)(struct ch_gate__clause *);
  /* The activity that has it alone, or NULL; NULL: there never is one. For reports. */
  const void *(*holder)(const struct ch_gate *);
};
struct ch_gate_type {
  struct ch_clause_type clause;
  const struct ch_gate_kind *kind;
};
/* Two types: of a local gate, and of a shared one. */
#define CH_GATE_TYPES(kind_of, after)                                                                                  \
  {                                                                                                                    \
    {{(kind_of)->what, CH_BY_DOMAIN, ch_gate_enlist, ch_gate_withdraw, .ready = ch_gate_is_ready, .leave = (after),    \
      .about = ch_gate_about},                                                                                         \
     (kind_of)},                                                                                                       \
    {                                                                                                                  \
      {(kind_of)->what,           CH_BY_OTHERS,     ch_gate_enlist,        ch_gate_withdraw,                           \
       .ready = ch_gate_is_ready, .leave = (after), .about = ch_gate_about},                                           \
          (kind_of)                                                                                                    \
    }                                                                                                                  \
  }

CH_HIDDEN int ch_gate_enlist(struct ch_clause *);
CH_HIDDEN bool ch_gate_withdraw(struct ch_clause *);
CH_HIDDEN bool ch_gate_is_ready(const struct ch_clause *);
CH_HIDDEN void ch_gate_about(const struct ch_clause *, struct ch_about *);

CH_HIDDEN void ch_gate_form(struct ch_gate__clause *, const struct ch_gate_type types[2], struct ch_gate *,
                            long wanted);
/* EAGAIN: the caller has to wait. */
CH_HIDDEN int ch_gate_try(const struct ch_gate_type types[2], struct ch_gate *, long wanted);

/* Between ch_gate_enter and ch_gate_leave the object may be changed; then as many go on as can. */
CH_HIDDEN void ch_gate_enter(struct ch_gate *);
CH_HIDDEN void ch_gate_leave(struct ch_gate *);
CH_HIDDEN void ch_gate_init(struct ch_gate *, unsigned flags);
/* EBUSY: somebody waits. */
static inline int ch_gate_end(const struct ch_gate *g) { return ch_list_empty(&g->waiters) ? 0 : EBUSY; }

static inline const void *ch_gate_self(void) { return ch_domain.current ? ch_activity_of(ch_domain.current) : NULL; }

/* No other branch of the caller's activity could give back what that has. */
CH_HIDDEN bool ch_gate_is_alone(void);

/* A call that waits, from its types: function(object, wanted), plain and interruptible, and its form. `begin`: what can
 * be said at once. */
#define CH_GATE_CALL(function, object_type, object_gate, parameters, arguments, how_many, types)                       \
  static const struct ch_leaf function##_leaves[2] = CH_FORM_LEAVES(#function, struct ch_gate__clause);                \
  struct ch_int_result function##_int parameters CH_INT_NAME(function);                                                \
  struct ch_int_result function##_int parameters {                                                                     \
    struct ch_gate__clause c;                                                                                          \
    int result = ch_gate_try(types, object_gate, how_many);                                                            \
    if (result != EAGAIN)                                                                                              \
      return (struct ch_int_result){CH_DONE, result};                                                                  \
    ch_gate_form(&c, types, object_gate, how_many);                                                                    \
    return ch_form_wait_int(function##_leaves, &c.clause);                                                             \
  } int function parameters {                                                                                          \
    struct ch_gate__clause c;                                                                                          \
    int result = ch_gate_try(types, object_gate, how_many);                                                            \
    if (result != EAGAIN)                                                                                              \
      return result;                                                                                                   \
    ch_gate_form(&c, types, object_gate, how_many);                                                                    \
    return (int)ch_form_wait(function##_leaves, &c.clause);                                                            \
  }
#define CH_GATE_CLAUSE(function, object_gate, how_many, types, ...)                                                    \
  void function##__clause(struct function##__clause *c, __VA_ARGS__) {                                                 \
    ch_gate_form(&c->gate, types, object_gate, how_many);                                                              \
  }

#endif
