/* Atomic blocks and the activities in them (laws 5 and 6).
 *
 * An ordinary spawn inside an atomic block joins the base group's queue, which doesn't run before the outermost block
 * has ended: that is the whole of "delayed". A contained spawn joins the group of its block, and the end of the block
 * runs that group until it is empty. Generated code counts atomic_depth itself and comes here only while atomic_pending
 * is set: while some block around the running code has a group. */
#include "sched/domain.h"
#include <stdlib.h>

static struct ch_group *innermost_here(void) {
  struct ch_group *g = ch_domain.group;
  return g != &ch_domain.base && g->owner == ch_domain.current ? g : NULL;
}

struct ch_group *ch_group_for_contained(void) {
  struct ch_domain *d = &ch_domain;
  if (ch_tls.atomic_depth == 0 || !d->current)
    return d->group; /* in a contained activity: beside it. Elsewhere: an ordinary spawn */
  struct ch_group *g = innermost_here();
  if (g && g->depth == ch_tls.atomic_depth)
    return g;
  g = malloc(sizeof *g);
  if (!g)
    return NULL;
  *g = (struct ch_group){.outer = d->group, .owner = d->current, .depth = ch_tls.atomic_depth};
  d->group = g;
  ch_tls.atomic_pending = 1;
  return g;
}

void ch_atomic_settle(void) {
  struct ch_domain *d = &ch_domain;
  struct ch_group *g;
  while ((g = innermost_here()) && g->depth > ch_tls.atomic_depth) {
    ch_group_drain(g);
    d->group = g->outer;
    free(g);
  }
  ch_tls.atomic_pending = innermost_here() != NULL;
}
