/* How a message passes from a sender to a receiver of a channel. Sending and receiving are written once: what is
 * compiled for one `side` is the same for the other, with the roles of the two exchanged.
 *
 * Each operation serves calls that do not wait (own == NULL), plain calls and clauses. In a shared channel that keeps
 * messages it is tried first with one end only (ends.h).
 *
 * Invariants of a channel, while it is not entered: 1. if receivers wait there is no message; 2. if senders wait the
 * ring is full (with room 0: always); 3. receivers and senders wait at the same time only if each pair of them is of
 * one wait; 4. in a closed channel nobody waits or offers; 5. an offer to send and one to receive never stand at the
 * same time. Somebody waits if he is on a list and his wait is open. */
#ifndef CHARCOAL_SYNC_PASS_H
#define CHARCOAL_SYNC_PASS_H

#include "sync/channel_offer.h"
#include "sync/messages.h"
#include "sync/plain.h"
#include "sync/retry.h"
#include <errno.h>

/* In builds with checks: asserts the invariants of a channel that has been entered. */
#ifdef CHARCOAL_CHECKED
CH_HIDDEN void ch_channel_check(const struct ch_channel *);
#else
static inline void ch_channel_check(const struct ch_channel *c) { (void)c; }
#endif

static inline void enter(struct ch_channel *c) { ch_object_enter(&c->object, "channel"); }
static inline void leave(struct ch_channel *c) {
  ch_channel_check(c);
  ch_object_leave(&c->object);
}
static inline int end(struct ch_channel *c, enum whose whose, int result) {
  if (whose == ANY)
    leave(c);
  else
    ch_channel_check(c);
  return result;
}
static inline int decided_elsewhere(struct ch_channel *c) { return end(c, ANY, CH_OP_DECIDED); }
static inline int end_and_wake(struct ch_channel *c, enum whose whose, struct ch_link *waiter) {
  end(c, whose, 0);
  ch_waiter_wake(waiter, 0);
  return 0;
}

/* The list of those who wait on this side. */
static inline struct ch_link *list_of(struct ch_channel *c, enum side side) {
  return side == SENDERS ? &c->senders : &c->receivers;
}

/* Copies a message of this side's party to the other party's place, or from there. */
static inline void copy(enum side side, void *message, void *others, size_t size) {
  if (side == SENDERS)
    ch_object_copy(others, message, size);
  else
    ch_object_copy(message, others, size);
}

/* The operation can be had now. False: another clause of the wait has been selected. */
static inline bool may_have(enum whose whose, struct ch_clause *own) {
  return whose == LOCAL || !own || ch_claim_own(own);
}

/* ---- with both ends ---- */

/* Where the message of somebody who waits is, or is to be. */
static inline void *message_of(const struct ch_link *waiter) {
  return CH_LIKELY(!ch_link_is_clause(waiter)) ? ch_operand_of(ch_link_branch(waiter))->value
                                               : ((const struct ch_pass__clause *)waiter)->message;
}

/* The same if the first one is a clause, and perhaps not an ordinary one; for any channel, and for a local one. */
CH_HIDDEN struct ch_link *ch_channel_partner_of_clauses(struct ch_link *list, struct ch_clause *own, bool *decided);
CH_HIDDEN CH_RARE struct ch_link *ch_channel_local_partner(struct ch_link *list, struct ch_clause *own);
/* The first of those who wait for the opposite with whom `own` can be claimed together; it is off the list then. NULL:
 * there is none, or *decided. */
static inline struct ch_link *partner(enum whose whose, struct ch_link *list, struct ch_clause *own, bool *decided) {
  struct ch_link *first = ch_waiter_first(list);
  if (!first)
    return NULL;
  if (!ch_link_is_clause(first))
    return ch_list_remove(first), first;
  if (whose == ANY)
    return ch_channel_partner_of_clauses(list, own, decided);
  return CH_LIKELY(ch_claim_ordinary((struct ch_clause *)first)) ? first : ch_channel_local_partner(list, own);
}

#define CH_PASS static inline __attribute__((always_inline)) int

/* There is no room; makes some in an unbounded channel. False: there is no memory. */
CH_HIDDEN CH_RARE bool ch_channel_grow(struct ch_channel *, size_t size);

/* A slot has become free: the first sender puts its message in. It is not inlined, because it would make all receivers
 * save registers. */
static __attribute__((noinline)) int end_with_a_sender(struct ch_channel *c, enum whose whose, size_t size) {
  struct ch_link *sender;
  while ((sender = ch_waiter_first(&c->senders)))
    if (ch_waiter_claim(sender)) {
      put(c, whose, message_of(sender), size);
      return end_and_wake(c, whose, sender);
    }
  return end(c, whose, 0);
}
CH_PASS receive_from_ring(struct ch_channel *c, enum whose whose, void *to, size_t size) {
  take(c, whose, to, size);
  if (!ch_list_empty(&c->senders))
    return end_with_a_sender(c, whose, size);
  no_senders_wait(c, whose);
  return end(c, whose, 0);
}
/* No receiver waits, and the channel is open. */
CH_PASS send_to_ring(struct ch_channel *c, enum whose whose, struct ch_clause *own, const void *from, size_t size) {
  if (is_full(c, whose) && c->room != CH_UNBOUNDED)
    return CH_OP_WAITS;
  if (is_full(c, whose) && !ch_channel_grow(c, size))
    return may_have(whose, own) ? end(c, whose, ENOMEM) : decided_elsewhere(c);
  if (!may_have(whose, own))
    return decided_elsewhere(c);
  put(c, whose, from, size);
  no_receivers_wait(c, whose);
  return end(c, whose, 0);
}

/* The channel has been entered. For what is returned see plain.h. */
CH_PASS pass(struct ch_channel *c, enum whose whose, enum side side, struct ch_clause *own, void *message,
             size_t size) {
  const enum side other = side == SENDERS ? RECEIVERS : SENDERS;
  if (side == RECEIVERS && length(c, whose) > 0)
    return may_have(whose, own) ? receive_from_ring(c, whose, message, size) : decided_elsewhere(c);
  struct ch_offer *o = standing_offer(c, whose, other);
  if (o) {
    if (!may_have(whose, own))
      return decided_elsewhere(c);
    copy(side, message, message_in(o, size), size);
    take_offer(o, 0);
    leave(c);
    end_offer(o);
    return 0;
  }
  bool decided = false;
  struct ch_link *waiter = partner(whose, list_of(c, other), own, &decided);
  if (waiter) {
    copy(side, message, message_of(waiter), size);
    return end_and_wake(c, whose, waiter);
  }
  if (whose == ANY && CH_UNLIKELY(decided))
    return decided_elsewhere(c);
  if (CH_UNLIKELY(c->object.closed))
    return may_have(whose, own) ? end(c, whose, EPIPE) : decided_elsewhere(c);
  return side == SENDERS ? send_to_ring(c, whose, own, message, size) : CH_OP_WAITS;
}

/* ---- with one end of a shared channel ---- */

enum { NEEDS_BOTH_ENDS = -3 };

static inline bool one_end_is_enough(const struct ch_channel *c) {
  return ch_list_empty(&c->receivers) && ch_list_empty(&c->senders) && !c->object.closed;
}

/* Does the same where one end is enough: nobody waits, and the channel is open. It enters and leaves the channel, also
 * with CH_OP_WAITS. */
CH_PASS pass_at_its_end(struct ch_channel *c, enum side side, struct ch_clause *own, void *message, size_t size) {
  struct ch_ends *e = ends_of(c, ANY);
  bool close = false;
  int result = 0;
  if (!e || e->slots == 0)
    return NEEDS_BOTH_ENDS;
  uint32_t *lock = side == SENDERS ? &e->in.lock : &e->out.lock;
  ch_spin_lock(lock);
  if (!one_end_is_enough(c))
    result = NEEDS_BOTH_ENDS;
  else if (side == SENDERS ? !ch_ends_have_room(e, &close) : !ch_ends_have_message(e, &close))
    result = side == SENDERS && c->room == CH_UNBOUNDED ? NEEDS_BOTH_ENDS : CH_OP_WAITS;
  else if (!may_have(ANY, own))
    result = CH_OP_DECIDED;
  else if (side == SENDERS)
    put(c, ANY, message, size);
  else
    take(c, ANY, message, size);
  ch_spin_unlock(lock);
  if (CH_UNLIKELY(close) && !own)
    ch_let_others_go_ahead();
  return result;
}

/* ---- without waiting ---- */

/* The channel has been left when this returns, also with CH_OP_WAITS. */
CH_PASS pass_at_once(struct ch_channel *c, enum side side, void *message, size_t size) {
  int result = pass_at_its_end(c, side, NULL, message, size);
  if (result != NEEDS_BOTH_ENDS)
    return result;
  enter(c);
  result = pass(c, ANY, side, NULL, message, size);
  return result == CH_OP_WAITS ? end(c, ANY, CH_OP_WAITS) : result;
}

/* The channel is local, and known to be this domain's. */
static inline bool is_here(const struct ch_channel *c) { return CH_LIKELY(c->object.domain == &ch_domain); }
/* Whether a side of such a channel can only wait, and whether its message only goes into the ring or comes out of it,
 * so that nobody has to be woken. This is seen before registers are saved for the rest. */
static inline bool only_waits(const struct ch_channel *c, enum side side) {
  return side == SENDERS ? !has_room(c, LOCAL) && ch_list_empty(&c->receivers)
                         : !has_message(c, LOCAL) && ch_list_empty(&c->senders);
}
static inline bool only_takes_a_slot(const struct ch_channel *c, enum side side) {
  const struct ch_channel_ring *r = c->ring;
  return r && (side == SENDERS ? r->used < r->full_at : r->used > r->empty_at);
}
static inline void take_a_slot(struct ch_channel *c, enum side side, void *message, size_t size) {
  if (side == SENDERS)
    put(c, LOCAL, message, size);
  else
    take(c, LOCAL, message, size);
}

#endif
