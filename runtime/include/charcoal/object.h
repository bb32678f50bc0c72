/* Private: the beginning of every object that is either local or shared. A local object belongs to the domain that uses
 * it first, and no other domain may touch it. A shared object has a lock; a shared channel that keeps messages has one
 * for each of its ends, and one without room has its lock beside its offers. */
#ifndef CHARCOAL_OBJECT_H
#define CHARCOAL_OBJECT_H

#include <stdint.h>

#if defined(__CHARCOAL__) || defined(CHARCOAL_RUNTIME) || defined(CHARCOAL_LIBRARY)

struct ch_object {
  union {
    const void *domain;   /* of a local object: the domain that it belongs to; NULL: it was not used yet */
    struct ch_ends *ends; /* of a shared channel: what its domains share; else NULL */
  };
  uint32_t lock; /* of another shared object */
  uint16_t shared;
  union {
    uint16_t closed;      /* of a channel */
    uint16_t retry_level; /* of a shared lock: how often the longest pause before a retry is doubled (sync/gate.c) */
  };
};

#endif

#endif
