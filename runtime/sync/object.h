/* Entering an object that is local or shared: a local one by its own domain only, a shared one under its lock. */
#ifndef CHARCOAL_SYNC_OBJECT_H
#define CHARCOAL_SYNC_OBJECT_H

#include "charcoal/object.h"
#include "sched/domain.h"
#include "sched/tsan.h"
#include "wait/atomics.h"
#include <string.h>

/* It is another domain's, or nobody's yet. `what`: "channel". */
CH_HIDDEN CH_RARE void ch_object_claim(struct ch_object *, const char *what);
CH_HIDDEN CH_RARE void ch_object_lock_slow(struct ch_object *);

static inline void ch_object_enter(struct ch_object *o, const char *what) {
  if (CH_LIKELY(!o->shared)) {
    if (CH_UNLIKELY(o->domain != &ch_domain))
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

/* Messages are mostly words. */
static inline void ch_object_copy(void *to, const void *from, size_t size) {
  if (CH_LIKELY(size == 8))
    memcpy(to, from, 8);
  else if (CH_LIKELY(size == 4))
    memcpy(to, from, 4);
  else
    memcpy(to, from, size);
}

#endif
