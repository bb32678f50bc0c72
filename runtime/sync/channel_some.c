/* The calls that send or receive several messages. The first one is sent or received as usual; the clause's `selected`
 * goes on with the rest. */
#include "sync/channel_calls.h"
#include "sync/channel_clauses.h"

struct some {
  struct ch_pass__clause first;
  size_t n;
};
_Static_assert(sizeof(struct some) == sizeof(struct ch_channel_send_some__clause) &&
                   sizeof(struct some) == sizeof(struct ch_channel_recv_some__clause),
               "the clauses of both sides have the same form");

/* The messages lie one after the other, and the first of them has been sent or received. */
static intptr_t pass_rest(struct ch_channel *c, enum side side, char *messages, size_t size, size_t n) {
  size_t i = 1;
  while (i < n && ch_channel_pass_at_once(c, side, messages + i * size, size) == 0)
    i++;
  return (intptr_t)i;
}
static intptr_t passed_first(struct ch_clause *c, enum side side) {
  const struct some *s = (struct some *)c;
  return c->value ? (intptr_t)-c->value : pass_rest(c->object, side, s->first.message, s->first.size, s->n);
}
static intptr_t sent_first(struct ch_clause *c) { return passed_first(c, SENDERS); }
static intptr_t received_first(struct ch_clause *c) { return passed_first(c, RECEIVERS); }

static const struct ch_clause_type types[2][2] = {CH_SEND_TYPES(sent_first), CH_RECEIVE_TYPES(received_first)};
static const struct ch_leaf leaves[2][2] = {CH_FORM_LEAVES_OR("ch_send_some", struct some, -ECANCELED),
                                            CH_FORM_LEAVES_OR("ch_recv_some", struct some, -ECANCELED)};

/* ---- as clauses ---- */

/* No message is asked for, which is a mistake that is known at once. */
static int enlist_none(struct ch_clause *c) { return (void)c, CH_CLAUSE_READY; }
static bool none_at_once(struct ch_clause *c) { return (void)c, true; }
static bool none_is_ready(const struct ch_clause *c) { return (void)c, true; }
static intptr_t none_selected(struct ch_clause *c) { return (void)c, -EINVAL; }
static const struct ch_clause_type none = {.what = "no message",
                                           .enlist = enlist_none,
                                           .selected = none_selected,
                                           .ready = none_is_ready,
                                           .at_once = none_at_once};

static void fill_in(struct some *s, struct ch_channel *c, enum side side, void *messages, size_t size, size_t n) {
  ch_pass__clause(&s->first, types[side], c, messages, size);
  s->n = n;
  if (n == 0)
    s->first.clause.type = &none;
}
void ch_channel_send_some__clause(struct ch_channel_send_some__clause *f, struct ch_channel *c, const void *from,
                                  size_t size, size_t n) {
  fill_in((struct some *)f, c, SENDERS, (void *)from, size, n);
}
void ch_channel_recv_some__clause(struct ch_channel_recv_some__clause *f, struct ch_channel *c, void *to, size_t size,
                                  size_t n) {
  fill_in((struct some *)f, c, RECEIVERS, to, size, n);
}

/* ---- as calls ---- */

/* 0: the caller waits for this clause. */
static intptr_t pass_some(struct some *s, struct ch_channel *c, enum side side, void *messages, size_t size, size_t n) {
  int result = n == 0 ? EINVAL : ch_channel_pass_soon(c, side, messages, size);
  if (result != CH_OP_WAITS)
    return result ? -result : pass_rest(c, side, messages, size, n);
  fill_in(s, c, side, messages, size, n);
  return 0;
}
static inline struct ch_int_result pass_some_int(struct ch_channel *c, enum side side, void *messages, size_t size,
                                                 size_t n) {
  struct some s;
  intptr_t result = pass_some(&s, c, side, messages, size, n);
  return result ? ch_done(result) : ch_form_wait_int(leaves[side], &s.first.clause);
}
static inline intptr_t pass_some_native(struct ch_channel *c, enum side side, void *messages, size_t size, size_t n) {
  struct some s;
  intptr_t result = pass_some(&s, c, side, messages, size, n);
  return result ? result : ch_form_wait(leaves[side], &s.first.clause);
}

struct ch_int_result ch_channel_send_some_int(struct ch_channel *, const void *, size_t, size_t)
    CH_INT_NAME(ch_channel_send_some);
struct ch_int_result ch_channel_send_some_int(struct ch_channel *c, const void *from, size_t size, size_t n) {
  return pass_some_int(c, SENDERS, (void *)from, size, n);
}
intptr_t ch_channel_send_some(struct ch_channel *c, const void *from, size_t size, size_t n) {
  return pass_some_native(c, SENDERS, (void *)from, size, n);
}
struct ch_int_result ch_channel_recv_some_int(struct ch_channel *, void *, size_t, size_t)
    CH_INT_NAME(ch_channel_recv_some);
struct ch_int_result ch_channel_recv_some_int(struct ch_channel *c, void *to, size_t size, size_t n) {
  return pass_some_int(c, RECEIVERS, to, size, n);
}
intptr_t ch_channel_recv_some(struct ch_channel *c, void *to, size_t size, size_t n) {
  return pass_some_native(c, RECEIVERS, to, size, n);
}
