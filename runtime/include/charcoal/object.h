/* Private: the beginning of every object that is either local or shared. A local object belongs to the domain that uses
 * it first, and no other domain may touch it. A shared object has a lock. */
#ifndef CHARCOAL_OBJECT_H
#define CHARCOAL_OBJECT_H

#include <stdint.h>

struct ch_object {
  const void *domain; /* of a local object: the domain that it belongs to; NULL: it was not used yet */
  uint32_t lock;      /* of a shared object */
  uint16_t shared;
  uint16_t closed; /* of a channel */
};

#endif
