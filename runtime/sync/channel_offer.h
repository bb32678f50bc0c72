/* Offers in a channel without room: somebody who has come first and looks on (wait/offer.h) leaves his message, or
 * room for one, in the cache line of the channel's lock, or says there where it is (struct ch_offer). */
#ifndef CHARCOAL_SYNC_CHANNEL_OFFER_H
#define CHARCOAL_SYNC_CHANNEL_OFFER_H

#include "reactor/inbox.h"
#include "sched/child.h"
#include "sync/messages.h"
#include "wait/offer.h"

enum side { SENDERS, RECEIVERS };

/* How clauses on a shared channel are offered. */
CH_HIDDEN extern const struct ch_offer_type ch_channel_offers[2]; /* by side */

/* The offer of a sender or of a receiver. NULL: the channel has no place to meet. */
static inline struct ch_offer *offer_of(const struct ch_channel *c, enum whose whose, enum side side) {
  struct ch_ends *e = ends_of(c, whose);
  return !e || e->slots ? NULL : side == SENDERS ? &e->meeting.send : &e->meeting.receive;
}
/* The same if it stands, and if whoever has made it is in this process; or NULL. */
static inline struct ch_offer *standing_offer(const struct ch_channel *c, enum whose whose, enum side side) {
  struct ch_offer *o = offer_of(c, whose, side);
  return o && ch_atomic_load(&o->state) == CH_OFFER_STANDS &&
                 !(CH_UNLIKELY(ch_some_are_gone) && ch_inbox_is_gone(o->by))
             ? o
             : NULL;
}

/* The message of such an offer is in the offer. */
static inline bool is_word(size_t size) { return size <= sizeof((struct ch_offer *)0)->word; }
/* Where the message of an offer that stands is, or is to be. */
static inline void *message_in(struct ch_offer *o, size_t size) {
  return CH_LIKELY(is_word(size)) ? o->word : o->place;
}

/* Somebody takes it; and then he says so, after he has left the channel, which may be gone as soon as it is known. */
static inline void take_offer(struct ch_offer *o, int result) {
  o->result = (uint16_t)result;
  ch_atomic_store(&o->state, (uint16_t)CH_OFFER_TAKEN);
}
static inline void end_offer(struct ch_offer *o) {
  ch_tsan_release(o);
  ch_atomic_store(&o->state, (uint16_t)CH_OFFER_ENDED);
}

/* Waits until those whose offers have been taken know it; they are looking on. */
CH_HIDDEN void ch_channel_await_parties(const struct ch_channel *);

#endif
