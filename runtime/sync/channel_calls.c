/* The calls that send a message to a channel or receive one. See pass.h. */
#include "sync/channel_calls.h"
#include "sync/pass.h"

int ch_channel_pass_at_once(struct ch_channel *c, enum side side, void *message, size_t size) {
  return side == SENDERS ? pass_at_once(c, SENDERS, message, size) : pass_at_once(c, RECEIVERS, message, size);
}

/* A call on a shared channel is tried again before it waits; without room the wait begins with the only try, which is
 * an offer if that is possible. */
CH_PASS pass_soon(struct ch_channel *c, enum side side, void *message, size_t size) {
  if (c->object.shared && c->room == 0)
    return CH_OP_WAITS;
  int result = pass_at_once(c, side, message, size);
  for (struct ch_retry r = {.first = 4, .most = 64};
       CH_UNLIKELY(result == CH_OP_WAITS) && c->object.shared && ch_retry(&r);)
    result = ch_channel_pass_at_once(c, side, message, size);
  return result;
}
int ch_channel_pass_soon(struct ch_channel *c, enum side side, void *message, size_t size) {
  if (ch_is_marked())
    return ECANCELED;
  return side == SENDERS ? pass_soon(c, SENDERS, message, size) : pass_soon(c, RECEIVERS, message, size);
}

/* ---- calls that may wait ---- */

static const struct ch_frame_info send_waits = CH_OPERAND_FRAME("ch_send"), receive_waits = CH_OPERAND_FRAME("ch_recv");
static const struct ch_leaf send_leaves[2] = CH_FORM_LEAVES("ch_send", struct ch_channel_send__clause);
static const struct ch_leaf recv_leaves[2] = CH_FORM_LEAVES("ch_recv", struct ch_channel_recv__clause);

__attribute__((noinline)) static struct ch_int_result send_any(struct ch_channel *c, const void *from, size_t size) {
  struct ch_channel_send__clause f;
  int result = ch_channel_pass_soon(c, SENDERS, (void *)from, size);
  if (CH_LIKELY(result != CH_OP_WAITS))
    return ch_done(result);
  ch_channel_send__clause(&f, c, from, size);
  return ch_form_wait_int(send_leaves, &f.pass.clause);
}
__attribute__((noinline)) static struct ch_int_result receive_any(struct ch_channel *c, void *to, size_t size) {
  struct ch_channel_recv__clause f;
  int result = ch_channel_pass_soon(c, RECEIVERS, to, size);
  if (CH_LIKELY(result != CH_OP_WAITS))
    return ch_done(result);
  ch_channel_recv__clause(&f, c, to, size);
  return ch_form_wait_int(recv_leaves, &f.pass.clause);
}

/* A branch outside all cancelled scopes uses a channel that only its domain touches. Then a try that has to wait is as
 * good as the look that is taken when a clause is listed, and the branch can wait without one. */
static inline bool is_simple(const struct ch_channel *c) {
  return CH_LIKELY(!c->object.shared) && CH_LIKELY(ch_domain.marked_count == 0) && CH_LIKELY(ch_domain.current != NULL);
}

__attribute__((noinline)) static struct ch_int_result meet_or_send(struct ch_channel *c, const void *from,
                                                                   size_t size) {
  if (!is_simple(c))
    CH_JUMP_TO send_any(c, from, size);
  enter(c);
  int result = pass(c, LOCAL, SENDERS, NULL, (void *)from, size);
  if (CH_LIKELY(result != CH_OP_WAITS))
    return ch_done(result);
  senders_wait(c);
  return ch_wait_on_with(&c->senders, CH_ON_SEND, &send_waits, (struct ch_operand){c, (void *)from});
}
__attribute__((noinline)) static struct ch_int_result meet_or_receive(struct ch_channel *c, void *to, size_t size) {
  if (!is_simple(c))
    CH_JUMP_TO receive_any(c, to, size);
  enter(c);
  int result = pass(c, LOCAL, RECEIVERS, NULL, to, size);
  if (CH_LIKELY(result != CH_OP_WAITS))
    return ch_done(result);
  receivers_wait(c);
  return ch_wait_on_with(&c->receivers, CH_ON_RECEIVE, &receive_waits, (struct ch_operand){c, to});
}

/* Messages that are no words, whose copy is a call. */
__attribute__((noinline)) static struct ch_int_result send_larger(struct ch_channel *c, const void *from, size_t size) {
  take_a_slot(c, SENDERS, (void *)from, size);
  return ch_done(0);
}
__attribute__((noinline)) static struct ch_int_result receive_larger(struct ch_channel *c, void *to, size_t size) {
  take_a_slot(c, RECEIVERS, to, size);
  return ch_done(0);
}

struct ch_int_result ch_channel_send_int(struct ch_channel *, const void *, size_t) CH_INT_NAME(ch_channel_send);
struct ch_int_result ch_channel_send_int(struct ch_channel *c, const void *from, size_t size) {
  if (!(only_takes_a_slot(c, SENDERS) && is_here(c)) || CH_UNLIKELY(ch_domain.marked_count != 0))
    CH_JUMP_TO meet_or_send(c, from, size);
  if (!ch_object_is_word(size))
    CH_JUMP_TO send_larger(c, from, size);
  take_a_slot(c, SENDERS, (void *)from, size);
  return ch_done(0);
}
struct ch_int_result ch_channel_recv_int(struct ch_channel *, void *, size_t) CH_INT_NAME(ch_channel_recv);
struct ch_int_result ch_channel_recv_int(struct ch_channel *c, void *to, size_t size) {
  if (!(only_takes_a_slot(c, RECEIVERS) && is_here(c)) || CH_UNLIKELY(ch_domain.marked_count != 0))
    CH_JUMP_TO meet_or_receive(c, to, size);
  if (!ch_object_is_word(size))
    CH_JUMP_TO receive_larger(c, to, size);
  take_a_slot(c, RECEIVERS, to, size);
  return ch_done(0);
}

int ch_channel_send(struct ch_channel *c, const void *from, size_t size) {
  struct ch_channel_send__clause f;
  int result = ch_channel_pass_soon(c, SENDERS, (void *)from, size);
  if (result != CH_OP_WAITS)
    return result;
  ch_channel_send__clause(&f, c, from, size);
  return (int)ch_form_wait(send_leaves, &f.pass.clause);
}

int ch_channel_recv(struct ch_channel *c, void *to, size_t size) {
  struct ch_channel_recv__clause f;
  int result = ch_channel_pass_soon(c, RECEIVERS, to, size);
  if (result != CH_OP_WAITS)
    return result;
  ch_channel_recv__clause(&f, c, to, size);
  return (int)ch_form_wait(recv_leaves, &f.pass.clause);
}

/* ---- calls that do not wait ---- */

static int pass_or_again(struct ch_channel *c, enum side side, void *message, size_t size) {
  int result = ch_is_marked() ? ECANCELED : ch_channel_pass_at_once(c, side, message, size);
  return result == CH_OP_WAITS ? EAGAIN : result;
}
int ch_channel_try_send(struct ch_channel *c, const void *from, size_t size) {
  return pass_or_again(c, SENDERS, (void *)from, size);
}
int ch_channel_try_recv(struct ch_channel *c, void *to, size_t size) { return pass_or_again(c, RECEIVERS, to, size); }
