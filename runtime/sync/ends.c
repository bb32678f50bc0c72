/* Makes the ring of a shared channel. See ends.h. */
#include "sync/ends.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

CH_COLD static _Noreturn void holder_is_gone(void) {
  fprintf(stderr,
          "charcoal: a child of fork uses a shared object that another thread of its parent was changing at the "
          "moment of the fork; let the child call exec, or use objects that it has made itself\n");
  fflush(NULL);
  _exit(CH_EXIT_MISUSE);
}

/* Who waits for the lock only reads it, and less and less often: each read takes the cache line from whoever has the
 * lock, and that one is about to write to it. */
void ch_spin_lock_slow(uint32_t *lock) {
  enum { MOST_PAUSES = 32 };
  for (unsigned tries = 1, pauses = 1;;) {
    uint32_t is = ch_atomic_load(lock);
    if (is == 0 && ch_atomic_change(lock, &is, ch_lock_mark))
      return;
    ch_look_whether_child();
    if (is != 0 && is != ch_lock_mark)
      holder_is_gone();
    for (unsigned i = 1; i < pauses; i++)
      ch_atomic_pause();
    ch_atomic_relax(tries);
    tries += pauses;
    pauses = pauses < MOST_PAUSES ? 2 * pauses : pauses;
  }
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
