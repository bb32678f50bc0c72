/* How clauses on a channel without room are offered. See channel_offer.h and wait/offer.h.
 *
 * Invariants: 1. an offer is made only while the channel is open, nobody waits for the same and no offer for the same
 * or the opposite stands; 2. while an offer stands or is TAKEN, whoever has made it only looks at its state, and
 * neither changes it nor uses the place that it names. */
#include "sync/channel_calls.h"
#include "sync/pass.h"

static enum side side_of(const struct ch_clause *c) {
  return c->type->offer == &ch_channel_offers[SENDERS] ? SENDERS : RECEIVERS;
}
static struct ch_offer *offer_for(const struct ch_clause *c) { return offer_of(c->object, ANY, side_of(c)); }
static struct ch_pass__clause *of(struct ch_clause *c) { return (struct ch_pass__clause *)c; }

static enum ch_offered make(struct ch_clause *clause) {
  const enum side side = side_of(clause);
  struct ch_channel *c = clause->object;
  void *const message = of(clause)->message;
  const size_t size = of(clause)->size;
  if (c->room != 0) {
    int result = ch_channel_pass_at_once(c, side, message, size);
    if (result != CH_OP_WAITS)
      clause->value = result;
    return result == CH_OP_WAITS ? CH_OFFER_NEEDLESS : CH_OFFER_READY;
  }
  enter(c);
  int result =
      side == SENDERS ? pass(c, ANY, SENDERS, NULL, message, size) : pass(c, ANY, RECEIVERS, NULL, message, size);
  if (result != CH_OP_WAITS) {
    clause->value = result;
    return CH_OFFER_READY;
  }
  struct ch_offer *o = offer_for(clause);
  bool may = ch_list_empty(list_of(c, side)) && ch_atomic_load(&o->state) == CH_OFFER_NONE;
  if (may) {
    if (!is_word(size))
      o->place = message;
    else if (side == SENDERS)
      ch_object_copy(o->word, message, size);
    o->by = ch_inbox_of_thread;
    ch_atomic_store(&o->state, (uint16_t)CH_OFFER_STANDS);
  }
  leave(c);
  return may ? CH_OFFERED : CH_NOT_OFFERED;
}

static bool has_ended(struct ch_clause *clause) {
  struct ch_offer *o = offer_for(clause);
  if (CH_LIKELY(ch_atomic_load(&o->state) != CH_OFFER_ENDED))
    return false;
  ch_tsan_acquire(o);
  clause->value = o->result;
  if (o->result == 0 && side_of(clause) == RECEIVERS && is_word(of(clause)->size))
    ch_object_copy(of(clause)->message, o->word, of(clause)->size);
  ch_atomic_store(&o->state, (uint16_t)CH_OFFER_NONE);
  return true;
}

static bool withdraw(struct ch_clause *clause) {
  struct ch_offer *o = offer_for(clause);
  enter(clause->object);
  bool stood = ch_atomic_load(&o->state) == CH_OFFER_STANDS;
  if (stood)
    ch_atomic_store(&o->state, (uint16_t)CH_OFFER_NONE);
  leave(clause->object);
  for (unsigned tries = 1; !stood && !has_ended(clause); tries++)
    ch_atomic_relax(tries); /* it has been taken, and is about to end */
  return stood;
}

static bool may_be_ready(const struct ch_clause *clause) {
  struct ch_channel *c = clause->object;
  const struct ch_ends *e = ends_of(c, ANY);
  const enum side side = side_of(clause), other = side == SENDERS ? RECEIVERS : SENDERS;
  const struct ch_link *waiting = list_of(c, other), *first = ch_atomic_load(&waiting->next);
  if ((first && first != waiting) || ch_atomic_load(&c->object.closed) || standing_offer(c, ANY, other))
    return true;
  return e->slots != 0 &&
         ch_atomic_load(&e->in.count) - ch_atomic_load(&e->out.count) != (side == SENDERS ? c->room : 0);
}

const struct ch_offer_type ch_channel_offers[2] = {{make, has_ended, withdraw, may_be_ready},
                                                   {make, has_ended, withdraw, may_be_ready}};

void ch_channel_await_parties(const struct ch_channel *c) {
  for (enum side side = SENDERS; side <= RECEIVERS; side++) {
    const struct ch_offer *o = offer_of(c, ANY, side);
    for (unsigned tries = 1; o && ch_atomic_load(&o->state) != CH_OFFER_NONE; tries++) {
      if (CH_UNLIKELY(ch_some_are_gone) && ch_inbox_is_gone(o->by))
        break;
      ch_atomic_relax(tries);
    }
  }
}
