/* What domains share of a channel: the messages that it keeps, in a ring with two ends, one for senders and one for
 * receivers; or, if it has no room, the place where they meet.
 *
 * Each end has its lock and its position in a cache line of its own, so that a sender and a receiver on two cores do
 * not disturb each other. An end also remembers how far the other one has been seen, and looks again only when that is
 * used up; so the ends meet once for many messages (M. M. Michael and M. L. Scott, "Simple, Fast, and Practical
 * Non-Blocking and Blocking Concurrent Queue Algorithms", 1996: the queue with two locks).
 *
 * A channel without room keeps no messages, and has the first lock only. Two parties that have not joined a queue meet
 * in the cache line of this lock (struct ch_offer).
 *
 * Who holds the senders' end may put a message in, and who holds the receivers' end may take one out. Everything else
 * needs both, such as the lists of those who wait, and closing; so who holds one end may read that. Both are taken in
 * the order in, out.
 */
#ifndef CHARCOAL_SYNC_ENDS_H
#define CHARCOAL_SYNC_ENDS_H

#include "frames/attributes.h"
#include "sched/child.h"
#include "sched/tsan.h"
#include "wait/atomics.h"
#include <stddef.h>
#include <stdint.h>

/* Locks are held for some instructions. Who wants one that a child of fork never gets ends with a message. */
CH_HIDDEN CH_RARE void ch_spin_lock_slow(uint32_t *lock);
static inline void ch_spin_lock(uint32_t *lock) {
  uint32_t nobody = 0;
  if (CH_UNLIKELY(!ch_atomic_change(lock, &nobody, ch_lock_mark)))
    ch_spin_lock_slow(lock);
}
static inline void ch_spin_unlock(uint32_t *lock) { ch_atomic_store(lock, 0); }

struct ch_end {
  _Alignas(64) uint32_t lock;
  size_t count;    /* how many messages have passed this end; the other one reads it */
  size_t at;       /* the slot of the next one */
  size_t seen;     /* the other end's count when this one looked last */
  bool has_waited; /* no message could pass then */
};

/* What somebody who is looking on offers to send or to receive, before he waits in a queue (wait/offer.h). A message of
 * a word goes through this memory, a longer one straight from or to the place that the offer names. So a message that
 * passes to another core takes one cache line there, or that and its own, where one for a clause in a queue takes the
 * clause, the wait, the message and the inbox.
 *
 *   NONE   -> STANDS  by the one who offers, with the lock; and back if he withdraws it
 *   STANDS -> TAKEN   by the one who takes it, or who closes the channel, with the lock
 *   TAKEN  -> ENDED   by the same one, when he has left the channel
 *   ENDED  -> NONE    by the one who has offered
 */
enum ch_offer_state { CH_OFFER_NONE, CH_OFFER_STANDS, CH_OFFER_TAKEN, CH_OFFER_ENDED };
struct ch_offer {
  uint16_t state, result;
  const struct ch_inbox *by; /* the inbox of the domain that has made it */
  union {
    char word[8]; /* the message, if it is not longer than this, so that both offers lie in the line of the lock */
    void *place;  /* otherwise where it is, or is to be */
  };
};
struct ch_meeting {
  _Alignas(64) uint32_t lock;
  struct ch_offer send, receive;
};
_Static_assert(sizeof(struct ch_meeting) == 64, "one cache line moves to the other core");

struct ch_ends {
  char *messages;
  size_t slots; /* how many messages it can hold; 0: it has a place to meet instead of ends */
  union {
    struct {
      struct ch_end in, out;
    };
    struct ch_meeting meeting;
  };
};
_Static_assert(offsetof(struct ch_ends, in.lock) == offsetof(struct ch_ends, meeting.lock), "it is the first lock");

/* NULL: there is no memory. */
CH_HIDDEN struct ch_ends *ch_ends_make(size_t slots, size_t size);
CH_HIDDEN void ch_ends_free(struct ch_ends *);
/* With both ends held: makes room for twice as many. False: there is no memory. */
CH_HIDDEN CH_RARE bool ch_ends_grow(struct ch_ends *, size_t size);

static inline void ch_ends_enter(struct ch_ends *e) {
  ch_spin_lock(&e->in.lock);
  ch_tsan_acquire(&e->in);
  if (e->slots == 0)
    return;
  ch_spin_lock(&e->out.lock);
  ch_tsan_acquire(&e->out);
}
static inline void ch_ends_leave(struct ch_ends *e) {
  if (e->slots != 0) {
    ch_tsan_release(&e->out);
    ch_spin_unlock(&e->out.lock);
  }
  ch_tsan_release(&e->in);
  ch_spin_unlock(&e->in.lock);
}

/* With both ends held: how many messages there are. */
static inline size_t ch_ends_length(const struct ch_ends *e) { return e->slots ? e->in.count - e->out.count : 0; }

/* How many messages may pass an end, as far as it has seen the other one. `more` is the number of slots for the
 * senders' end, and 0 for the receivers'. The result is negative if somebody who held both ends has gone further. */
static inline ptrdiff_t ch_end_left(const struct ch_end *end, size_t more) {
  return (ptrdiff_t)(end->seen + more - end->count);
}
/* The holder of this end finds out whether a message may pass. *close: the other one has gone on by only a few since
 * this one looked last. Then the two meet with each message, until one of them lets the other go ahead. */
enum { CH_FEW_MESSAGES = 32 };
static inline bool ch_end_may_pass(struct ch_end *end, const struct ch_end *other, size_t more, size_t slots,
                                   bool *close) {
  if (CH_LIKELY(ch_end_left(end, more) > 0))
    return true;
  end->seen = ch_atomic_load(&other->count);
  ptrdiff_t left = ch_end_left(end, more);
  *close = left > 0 && left < CH_FEW_MESSAGES && (size_t)left < slots / 4 && !end->has_waited;
  end->has_waited = left == 0;
  return left > 0;
}
static inline bool ch_ends_have_room(struct ch_ends *e, bool *close) {
  return ch_end_may_pass(&e->in, &e->out, e->slots, e->slots, close);
}
static inline bool ch_ends_have_message(struct ch_ends *e, bool *close) {
  return ch_end_may_pass(&e->out, &e->in, 0, e->slots, close);
}

/* One more message has passed this end; the other end may use its slot. */
static inline void ch_end_advance(struct ch_end *end, size_t slots) {
  if (++end->at == slots)
    end->at = 0;
  ch_tsan_release(end);
  ch_atomic_store(&end->count, end->count + 1);
}

#endif
