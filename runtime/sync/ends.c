/* Makes the ring of a shared channel. See ends.h. */
#include "sync/ends.h"
#include <stdlib.h>
#include <string.h>

/* Who waits for the lock only reads it, and less and less often: each read takes the cache line from whoever has the
 * lock, and that one is about to write to it. */
void ch_spin_lock_slow(uint32_t *lock) {
  enum { MOST_PAUSES = 32 };
  uint32_t nobody = 0;
  for (unsigned tries = 1, pauses = 1; !ch_atomic_change(lock, &nobody, 1); nobody = 0)
    do {
      for (unsigned i = 1; i < pauses; i++)
        ch_atomic_pause();
      ch_atomic_relax(tries);
      tries += pauses;
      pauses = pauses < MOST_PAUSES ? 2 * pauses : pauses;
    } while (ch_atomic_load(lock) != 0);
}

static char *make_slots(size_t slots, size_t size) {
  size_t bytes;
  return __builtin_mul_overflow(slots, size, &bytes) ? NULL : malloc(bytes ? bytes : 1);
}

struct ch_ends *ch_ends_make(size_t slots, size_t size) {
  struct ch_ends *e = aligned_alloc(_Alignof(struct ch_ends), sizeof *e);
  char *messages = slots ? make_slots(slots, size) : NULL;
  if (e && (messages || !slots)) {
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
