/* The messages that a channel keeps, in a ring. For channel.c. */
#ifndef CHARCOAL_SYNC_MESSAGES_H
#define CHARCOAL_SYNC_MESSAGES_H

#include "charcoal/channel.h"
#include "sync/object.h"
#include <stdlib.h>

/* Those of a local channel. A shared one has ends instead. */
struct ch_channel_ring {
  size_t slots;      /* how many it can hold: the channel's room; less if that is CH_UNBOUNDED */
  size_t used, head; /* how many it holds, and the index of the first one */
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
    *r = (struct ch_channel_ring){.slots = slots};
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

static inline char *slot(struct ch_channel_ring *r, size_t i, size_t size) {
  size_t at = r->head + i;
  return r->messages + (at < r->slots ? at : at - r->slots) * size;
}

enum { FIRST_SLOTS = 16 /* of an unbounded channel */ };

CH_COLD static bool grow(struct ch_channel *c, size_t size) {
  if (c->object.shared)
    return ch_ends_grow(c->object.ends, size);
  struct ch_channel_ring *old = c->ring, *r = new_ring(old ? 2 * old->slots : FIRST_SLOTS, size);
  if (!r)
    return false;
  for (; r->used < length(c, LOCAL); r->used++)
    memcpy(slot(r, r->used, size), slot(old, r->used, size), size);
  free(old);
  c->ring = r;
  return true;
}

/* There is a free slot; the senders' end is held, if there are ends. */
static inline void put(struct ch_channel *c, enum whose whose, const void *from, size_t size) {
  struct ch_ends *e = ends_of(c, whose);
  if (e) {
    ch_tsan_acquire(&e->out);
    ch_object_copy(e->messages + e->in.at * size, from, size);
    ch_end_advance(&e->in, e->slots);
    return;
  }
  ch_object_copy(slot(c->ring, c->ring->used, size), from, size);
  c->ring->used++;
}

/* There is a message; the receivers' end is held, if there are ends. */
static inline void take(struct ch_channel *c, enum whose whose, void *to, size_t size) {
  struct ch_ends *e = ends_of(c, whose);
  if (e) {
    ch_tsan_acquire(&e->in);
    ch_object_copy(to, e->messages + e->out.at * size, size);
    ch_end_advance(&e->out, e->slots);
    return;
  }
  struct ch_channel_ring *r = c->ring;
  ch_object_copy(to, slot(r, 0, size), size);
  if (++r->head == r->slots)
    r->head = 0;
  r->used--;
}

#endif
