/* Code enters an object before it touches it, and leaves it afterwards. Only the domain of a local object may enter it;
 * to enter a shared object is to take its lock. */
#ifndef CHARCOAL_SYNC_OBJECT_H
#define CHARCOAL_SYNC_OBJECT_H

#include "charcoal/object.h"
#include "sched/domain.h"
#include "sched/tsan.h"
#include "wait/atomics.h"
#include <string.h>

/* Is called for a local object that does not belong to this domain. If it belongs to none yet, this domain gets it;
 * else the program ends with a message. `what` is the kind of object for the message, such as "channel". */
CH_HIDDEN CH_RARE void ch_object_claim(struct ch_object *, const char *what);
CH_HIDDEN CH_RARE void ch_object_lock_slow(struct ch_object *);

/* A shared object belongs to no domain. */
static inline void ch_object_enter(struct ch_object *o, const char *what) {
  if (CH_LIKELY(o->domain == &ch_domain))
    return;
  if (!o->shared) {
    ch_object_claim(o, what);
    return;
  }
  uint32_t nobody = 0;
  if (CH_UNLIKELY(!ch_atomic_change(&o->lock, &nobody, 1)))
    ch_object_lock_slow(o);
  ch_tsan_acquire(o);
}
static inline void ch_object_leave(struct ch_object *o) {
  if (CH_LIKELY(!o->shared))
    return;
  ch_tsan_release(o);
  ch_atomic_store(&o->lock, 0);
}

/* Copies a message. Most messages are words, whose copy is one load and one store. */
static inline void ch_object_copy(void *to, const void *from, size_t size) {
  if (CH_LIKELY(size == 8))
    memcpy(to, from, 8);
  else if (CH_LIKELY(size == 4))
    memcpy(to, from, 4);
  else
    memcpy(to, from, size);
}

#endif
