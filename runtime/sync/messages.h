/* The messages that a channel keeps, in a ring.
 *
 * Invariants of the ring of a local channel: 1. `used` is at most `slots`; 2. `first` and `free` are addresses of
 * slots, and `free` is `used` slots behind `first`, where the first slot follows the last one; 3. `full_at` is `slots`
 * or 0, and 0 if receivers are on their list or the channel is closed; 4. `empty_at` is 0 or SIZE_MAX, and SIZE_MAX if
 * senders are on their list. */
#ifndef CHARCOAL_SYNC_MESSAGES_H
#define CHARCOAL_SYNC_MESSAGES_H

#include "charcoal/channel.h"
#include "sync/object.h"
#include <stdlib.h>

/* Those of a local channel. A shared one has ends instead. */
struct ch_channel_ring {
  size_t slots;      /* how many it can hold: the channel's room; less if that is CH_UNBOUNDED */
  size_t used;       /* how many it holds */
  size_t full_at;    /* while `used` is below it, to send is only to put a message in */
  size_t empty_at;   /* while `used` is above it, to receive is only to take a message out */
  char *first;       /* where the next one is received from */
  char *free;        /* where the next one is sent to */
  const char *after; /* the end of the last slot */
  char messages[];
};

/* The channels that code is compiled for. LOCAL: it neither locks nor tests whether the channel is shared. */
enum whose { LOCAL, ANY };

static inline struct ch_ends *ends_of(const struct ch_channel *c, enum whose whose) {
  return whose == ANY && c->object.shared ? c->object.ends : NULL;
}

static inline struct ch_channel_ring *new_ring(size_t slots, size_t size) {
  size_t bytes;
  if (__builtin_mul_overflow(slots, size, &bytes) ||
      __builtin_add_overflow(bytes, sizeof(struct ch_channel_ring), &bytes))
    return NULL;
  struct ch_channel_ring *r = malloc(bytes);
  if (r)
    *r = (struct ch_channel_ring){.slots = slots,
                                  .full_at = slots,
                                  .first = r->messages,
                                  .free = r->messages,
                                  .after = r->messages + slots * size};
  return r;
}

static inline size_t length(const struct ch_channel *c, enum whose whose) {
  const struct ch_ends *e = ends_of(c, whose);
  return e ? ch_ends_length(e) : c->ring ? c->ring->used : 0;
}
static inline bool is_full(const struct ch_channel *c, enum whose whose) {
  const struct ch_ends *e = ends_of(c, whose);
  return e ? ch_ends_length(e) == e->slots : !c->ring || c->ring->used == c->ring->slots;
}

/* A sender or a receiver need not wait, whoever else does. */
static inline bool has_room(const struct ch_channel *c, enum whose whose) {
  return length(c, whose) < c->room || c->object.closed;
}
static inline bool has_message(const struct ch_channel *c, enum whose whose) {
  return length(c, whose) > 0 || c->object.closed;
}

/* The positions move before the message is copied, so that nothing has to be kept across a call of memcpy. */
static inline char *advance(struct ch_channel_ring *r, char **position, size_t size) {
  char *slot = *position, *next = slot + size;
  *position = next == r->after ? r->messages : next;
  return slot;
}
static inline void put_in_ring(struct ch_channel_ring *r, const void *from, size_t size) {
  r->used++;
  ch_object_copy(advance(r, &r->free, size), from, size);
}
static inline void take_from_ring(struct ch_channel_ring *r, void *to, size_t size) {
  r->used--;
  ch_object_copy(to, advance(r, &r->first, size), size);
}

/* Somebody joins the list of receivers or of senders of a local channel. From then on the other side has to look at
 * this list, until it has found it empty. */
static inline void receivers_wait(const struct ch_channel *c) {
  if (c->ring)
    c->ring->full_at = 0;
}
static inline void senders_wait(const struct ch_channel *c) {
  if (c->ring)
    c->ring->empty_at = SIZE_MAX;
}
/* No receiver is on the list, and the channel is open; no sender is. The channel has a ring or two ends. */
static inline void no_receivers_wait(const struct ch_channel *c, enum whose whose) {
  if (!ends_of(c, whose))
    c->ring->full_at = c->ring->slots;
}
static inline void no_senders_wait(const struct ch_channel *c, enum whose whose) {
  if (!ends_of(c, whose))
    c->ring->empty_at = 0;
}

enum { FIRST_SLOTS = 16 /* of an unbounded channel */ };

/* There is a free slot; the senders' end is held, if there are ends. */
static inline void put(struct ch_channel *c, enum whose whose, const void *from, size_t size) {
  struct ch_ends *e = ends_of(c, whose);
  if (!e) {
    put_in_ring(c->ring, from, size);
    return;
  }
  ch_tsan_acquire(&e->out);
  ch_object_copy(e->messages + e->in.at * size, from, size);
  ch_end_advance(&e->in, e->slots);
}

/* There is a message; the receivers' end is held, if there are ends. */
static inline void take(struct ch_channel *c, enum whose whose, void *to, size_t size) {
  struct ch_ends *e = ends_of(c, whose);
  if (!e) {
    take_from_ring(c->ring, to, size);
    return;
  }
  ch_tsan_acquire(&e->in);
  ch_object_copy(to, e->messages + e->out.at * size, size);
  ch_end_advance(&e->out, e->slots);
}

#endif
