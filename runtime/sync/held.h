/* Which activity has which mutex, or which read-write lock for writing, and where it took it: so that an activity that
 * ends while it has one can be reported. Only while ch_checks is set.
 *
 * The notes are in a list of the domain's own. A lock is noted by its owner's domain, also if another domain has let
 * the owner have it. A note is no part of the lock, because a lock's memory may be given back while somebody has it. */
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
