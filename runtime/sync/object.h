/* Code enters an object before it touches it, and leaves it afterwards. Only the domain of a local object may enter it;
 * to enter a shared object is to take its lock, or both of them if it has two ends. */
#ifndef CHARCOAL_SYNC_OBJECT_H
#define CHARCOAL_SYNC_OBJECT_H

#include "charcoal/object.h"
#include "sched/domain.h"
#include "sync/ends.h"
#include <string.h>

/* Is called for a local object that does not belong to this domain. If it belongs to none yet, this domain gets it;
 * else the program ends with a message. `what` is the kind of object for the message, such as "channel". */
CH_HIDDEN CH_RARE void ch_object_claim(struct ch_object *, const char *what);

/* A shared object is entered and left by these two. */
static inline void ch_object_lock(struct ch_object *o) {
  if (CH_UNLIKELY(o->ends)) {
    ch_ends_enter(o->ends);
    return;
  }
  ch_spin_lock(&o->lock);
  ch_tsan_acquire(o);
}
static inline void ch_object_unlock(struct ch_object *o) {
  if (CH_UNLIKELY(o->ends)) {
    ch_ends_leave(o->ends);
    return;
  }
  ch_tsan_release(o);
  ch_spin_unlock(&o->lock);
}

/* A shared object belongs to no domain. */
static inline void ch_object_enter(struct ch_object *o, const char *what) {
  if (CH_LIKELY(o->domain == &ch_domain))
    return;
  if (o->shared)
    ch_object_lock(o);
  else
    ch_object_claim(o, what);
}
static inline void ch_object_leave(struct ch_object *o) {
  if (CH_UNLIKELY(o->shared))
    ch_object_unlock(o);
}

/* Copies a message. Most messages are words, whose copy is one load and one store; for the others the caller saves no
 * registers, so that it need not do so for words either. */
CH_HIDDEN CH_RARE void ch_object_copy_other(void *to, const void *from, size_t size);
static inline bool ch_object_is_word(size_t size) { return CH_LIKELY(size == 8) || CH_LIKELY(size == 4); }
static inline void ch_object_copy(void *to, const void *from, size_t size) {
  if (CH_LIKELY(size == 8))
    memcpy(to, from, 8);
  else if (CH_LIKELY(size == 4))
    memcpy(to, from, 4);
  else
    ch_object_copy_other(to, from, size);
}

#endif
