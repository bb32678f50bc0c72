/* The calls that send or receive several messages. The first one is sent or received as usual; the clause's `selected`
 * goes on with the rest. */
#include "sync/channel_calls.h"
#include "sync/channel_clauses.h"

struct some {
  struct ch_pass__clause first;
  size_t n;
};

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

static const struct ch_clause_type types[2][2] = {CH_SEND_TYPES(.selected = sent_first),
                                                  CH_RECEIVE_TYPES(.selected = received_first)};
static const struct ch_leaf leaves[2][2] = {CH_FORM_LEAVES_OR("ch_send_some", struct some, -ECANCELED),
                                            CH_FORM_LEAVES_OR("ch_recv_some", struct some, -ECANCELED)};

/* 0: the caller waits for this clause. */
static intptr_t pass_some(struct some *s, struct ch_channel *c, enum side side, void *messages, size_t size, size_t n) {
  int result = n == 0 ? EINVAL : ch_channel_pass_soon(c, side, messages, size);
  if (result != CH_OP_WAITS)
    return result ? -result : pass_rest(c, side, messages, size, n);
  ch_pass__clause(&s->first, types[side], c, messages, size);
  s->n = n;
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
