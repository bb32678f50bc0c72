/* Decides whether a call on a shared object is made again before it waits. See retry.h. */
#include "sync/retry.h"
#include "reactor/times.h"
#include "wait/atomics.h"

static __thread struct ch_worth worth;

static bool may_begin(void) {
  const struct ch_group *g = ch_domain.group;
  return g && !g->head && ch_has_processor() && ch_is_worth(&worth);
}

bool ch_retry(struct ch_retry *r) {
  if (r->pauses == 0) {
    if (!may_begin())
      return false;
    r->before = worth;
    worth = (struct ch_worth){0}; /* counts as worth it, unless it turns out to be in vain */
  } else if (r->pauses >= r->most) {
    worth = r->before;
    ch_was_in_vain(&worth);
    return false;
  }
  r->pauses = r->pauses ? 2 * r->pauses : r->first;
  for (unsigned i = 0; i < r->pauses; i++)
    ch_atomic_pause();
  return true;
}

enum { AHEAD_NS = 250 }; /* by the clock: the time of a pause differs by a factor of ten between processors */

void ch_let_others_go_ahead(void) {
  if (!may_begin())
    return;
  const int64_t until = ch_monotonic_now() + AHEAD_NS;
  do
    ch_atomic_pause();
  while (ch_monotonic_now() < until);
}
