/* Makes the ring of a shared channel. See ends.h. */
#include "sync/ends.h"
#include <stdlib.h>

void ch_spin_lock_slow(uint32_t *lock) {
  uint32_t nobody = 0;
  for (unsigned tries = 1; !ch_atomic_change(lock, &nobody, 1); tries++, nobody = 0)
    ch_atomic_relax(tries);
}

static char *make_slots(size_t slots, size_t size) {
  size_t bytes;
  return __builtin_mul_overflow(slots, size, &bytes) ? NULL : malloc(bytes ? bytes : 1);
}

struct ch_ends *ch_ends_make(size_t slots, size_t size) {
  struct ch_ends *e = aligned_alloc(_Alignof(struct ch_ends), sizeof *e);
  char *messages = make_slots(slots, size);
  if (e && messages) {
    *e = (struct ch_ends){.messages = messages, .slots = slots};
    return e;
  }
  free(messages);
  free(e);
  return NULL;
}

void ch_ends_free(struct ch_ends *e) {
  free(e->messages);
  free(e);
}

bool ch_ends_grow(struct ch_ends *e, size_t size) {
  size_t used = ch_ends_length(e), first = e->slots - e->out.at, slots;
  char *more = __builtin_mul_overflow(e->slots, 2, &slots) ? NULL : make_slots(slots, size);
  if (!more)
    return false;
  if (first > used)
    first = used;
  memcpy(more, e->messages + e->out.at * size, first * size);
  memcpy(more + first * size, e->messages, (used - first) * size);
  free(e->messages);
  e->messages = more;
  e->slots = slots;
  e->out.at = 0;
  e->in.at = used;
  return true;
}
