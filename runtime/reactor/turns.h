/* Turns among the calls that wait for one descriptor: first come, first served.
 *
 * An event wakes all of them, and mostly the first takes all that is there. A call that then waits again keeps its
 * turn; one that was served waits behind the others the next time. So nobody starves.
 *
 * A waiting call's turn stands in the upper half of its clause's value: beside the events before the wait, and beside
 * the result after it. */
#ifndef CHARCOAL_REACTOR_TURNS_H
#define CHARCOAL_REACTOR_TURNS_H

#include "reactor/reactor.h"

struct ch_turns {
  uint32_t last;                  /* the turn that was given last */
  uint32_t kept;                  /* of `branch`, which has just waited for `fd`, and has not been served since */
  int fd;                         /* means something if `branch` is not NULL */
  const struct ch_branch *branch; /* or NULL */
};
extern CH_HIDDEN __thread struct ch_turns ch_turns;

/* Returns the value for the clause of a call that is about to wait for the events. */
static inline int64_t ch_turn_take(int fd, int events) {
  bool again = ch_turns.branch && ch_turns.branch == ch_domain.current && ch_turns.fd == fd;
  uint32_t turn = again ? ch_turns.kept : ++ch_turns.last;
  return (int64_t)((uint64_t)turn << 32 | (uint32_t)events);
}
/* Returns the result of that wait, and notes the turn that it had. */
static inline int64_t ch_turn_wake(int fd, int64_t value) {
  if (value < 0)
    return value;
  ch_turns.kept = (uint32_t)((uint64_t)value >> 32);
  ch_turns.fd = fd;
  ch_turns.branch = ch_domain.current;
  return (int64_t)(uint32_t)value;
}
/* Says that the current call has been served. */
static inline void ch_turn_end(void) { ch_turns.branch = NULL; }

static inline bool ch_turn_is_call(const struct ch_clause *c) {
  return c->type == &ch_call_clause_type || c->type == &ch_timed_call_clause_type;
}
/* Returns what the clause is fired with in place of `value`. */
static inline int64_t ch_turn_with(const struct ch_clause *c, int64_t value) {
  return value < 0 || !ch_turn_is_call(c) ? value
                                          : value | (int64_t)((uint64_t)c->value & UINT64_C(0xffffffff00000000));
}
/* Tells whether both clauses are of waiting calls, and the turn of the first comes before that of the second. */
static inline bool ch_turn_is_before(const struct ch_clause *a, const struct ch_clause *b) {
  uint32_t first = (uint32_t)((uint64_t)a->value >> 32), second = (uint32_t)((uint64_t)b->value >> 32);
  return ch_turn_is_call(a) && ch_turn_is_call(b) && (int32_t)(first - second) < 0;
}

#endif
