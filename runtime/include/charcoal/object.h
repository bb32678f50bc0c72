/* Private: what every object that is local or shared begins with. A local one belongs to the domain that first uses it,
 * and is touched by no other. A shared one has a lock. */
#ifndef CHARCOAL_OBJECT_H
#define CHARCOAL_OBJECT_H

#include <stdint.h>

struct ch_object {
  const void *domain; /* of a local one: whose it is; NULL: not used yet */
  uint32_t lock;      /* of a shared one */
  uint32_t shared;
};

#endif
