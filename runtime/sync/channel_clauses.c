/* Clauses that send to a channel or receive from it. Most clauses of a statement are not ready; of a local channel this
 * is seen before registers are saved for what a clause that is ready has to do. */
#include "sync/channel_clauses.h"
#include "sync/pass.h"

static struct ch_pass__clause *of(struct ch_clause *c) { return (struct ch_pass__clause *)c; }

/* ---- enlisting ---- */

CH_PASS enlist(struct ch_clause *clause, enum whose whose, enum side side) {
  struct ch_channel *c = clause->object;
  void *const message = of(clause)->message;
  const size_t size = of(clause)->size;
  int result = whose == ANY ? pass_at_its_end(c, side, clause, message, size) : NEEDS_BOTH_ENDS;
  if (result != 0 && result != CH_OP_DECIDED) {
    enter(c);
    result = pass(c, whose, side, clause, message, size);
  }
  if (whose == LOCAL && result == CH_OP_WAITS)
    (side == SENDERS ? senders_wait : receivers_wait)(c);
  return ch_op_enlist(clause, result, whose == LOCAL, list_of(c, side));
}
int ch_channel_enlist_shared_send(struct ch_clause *c) { return enlist(c, ANY, SENDERS); }
int ch_channel_enlist_shared_receive(struct ch_clause *c) { return enlist(c, ANY, RECEIVERS); }

__attribute__((noinline)) static int enlist_ready_send(struct ch_clause *c) { return enlist(c, LOCAL, SENDERS); }
__attribute__((noinline)) static int enlist_ready_receive(struct ch_clause *c) { return enlist(c, LOCAL, RECEIVERS); }
int ch_channel_enlist_local_send(struct ch_clause *clause) {
  struct ch_channel *c = clause->object;
  if (!is_here(c) || !only_waits(c, SENDERS))
    CH_JUMP_TO enlist_ready_send(clause);
  senders_wait(c);
  ch_list_append(&c->senders, &clause->link, true);
  return CH_CLAUSE_LISTED;
}
int ch_channel_enlist_local_receive(struct ch_clause *clause) {
  struct ch_channel *c = clause->object;
  if (!is_here(c) || !only_waits(c, RECEIVERS))
    CH_JUMP_TO enlist_ready_receive(clause);
  receivers_wait(c);
  ch_list_append(&c->receivers, &clause->link, true);
  return CH_CLAUSE_LISTED;
}

/* ---- without being enlisted ---- */

CH_PASS make(struct ch_clause *clause, enum side side) {
  int result = pass_at_once(clause->object, side, of(clause)->message, of(clause)->size);
  if (result == CH_OP_WAITS)
    return false;
  clause->value = result;
  return true;
}
__attribute__((noinline)) static bool make_send(struct ch_clause *c) { return make(c, SENDERS); }
__attribute__((noinline)) static bool make_receive(struct ch_clause *c) { return make(c, RECEIVERS); }

static inline bool took_a_slot(struct ch_clause *clause, enum side side) {
  if (!only_takes_a_slot(clause->object, side))
    return false;
  clause->value = 0; /* before the message is copied: see messages.h */
  take_a_slot(clause->object, side, of(clause)->message, of(clause)->size);
  return true;
}
bool ch_channel_send_now(struct ch_clause *clause) {
  if (!is_here(clause->object))
    CH_JUMP_TO make_send(clause);
  if (took_a_slot(clause, SENDERS))
    return true;
  if (only_waits(clause->object, SENDERS))
    return false;
  CH_JUMP_TO make_send(clause);
}
bool ch_channel_receive_now(struct ch_clause *clause) {
  if (!is_here(clause->object))
    CH_JUMP_TO make_receive(clause);
  if (took_a_slot(clause, RECEIVERS))
    return true;
  if (only_waits(clause->object, RECEIVERS))
    return false;
  CH_JUMP_TO make_receive(clause);
}

bool ch_channel_can_send(const struct ch_clause *clause) {
  struct ch_channel *c = clause->object;
  enter(c);
  bool can = has_room(c, ANY) || ch_list_is_awaited(&c->receivers) || standing_offer(c, ANY, RECEIVERS);
  leave(c);
  return can;
}
bool ch_channel_can_receive(const struct ch_clause *clause) {
  struct ch_channel *c = clause->object;
  enter(c);
  bool can = has_message(c, ANY) || ch_list_is_awaited(&c->senders) || standing_offer(c, ANY, SENDERS);
  leave(c);
  return can;
}

const struct ch_clause_type ch_channel_send_types[2] = CH_SEND_TYPES(NULL),
                            ch_channel_recv_types[2] = CH_RECEIVE_TYPES(NULL);
