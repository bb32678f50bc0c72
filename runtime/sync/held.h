/* Notes which activity has which mutex, or which read-write lock for writing, and where it took the lock, so that an
 * activity can be reported that ends while it has one. This is done only while ch_checks is set.
 *
 * The notes are in tables of the owner's domain, even if another domain gave the lock to the owner. A note is not a
 * part of the lock, because the memory of a lock may be freed while an activity has the lock. */
#ifndef CHARCOAL_SYNC_HELD_H
#define CHARCOAL_SYNC_HELD_H

#include "sync/gate.h"

CH_HIDDEN CH_RARE void ch_held_note_slow(const struct ch_gate_kind *, const struct ch_gate *, const void *place);
CH_HIDDEN CH_RARE void ch_held_forget_slow(const struct ch_gate *);

/* The running activity has perhaps just got the lock, for which it asked at `place`. */
static inline void ch_held_note(const struct ch_gate_kind *kind, const struct ch_gate *g, const void *place) {
  if (CH_UNLIKELY(ch_checks) && kind->holder)
    ch_held_note_slow(kind, g, place);
}
/* It gives the lock back. */
static inline void ch_held_forget(const struct ch_gate *g) {
  if (CH_UNLIKELY(ch_checks))
    ch_held_forget_slow(g);
}

#endif
