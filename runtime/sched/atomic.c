/* Atomic blocks and the activities in them (laws 5 and 6).
 *
 * An ordinary spawn inside an atomic block joins the base group's queue, which doesn't run before the outermost block
 * has ended: that is the whole of "delayed". A contained spawn joins the group of its block, and the end of the block
 * runs that group until it is empty. Generated code counts atomic_depth itself and comes here only while atomic_pending
 * is set: while some block around the running code has a group.
 *
 * The policy of a block is a word of the running code, like its depth: a wait inside the block puts both aside
 * (native.c), so the activities that run meanwhile are not subject to it. */
#include "charcoal.h"
#include "sched/domain.h"
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

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

uint32_t ch_atomic_policy(uint32_t policy) {
  uint32_t before = ch_tls.spawn_policy;
  ch_tls.spawn_policy = policy;
  return before;
}

unsigned ch_spawn_flags_by_policy(unsigned flags, const char *site) {
  if (ch_tls.spawn_policy == CH_POLICY_CONTAINED)
    return flags | CH_SPAWN_CONTAINED;
  fprintf(stderr,
          "charcoal: the 'activate' at %s is inside 'atomic error', where nothing may be spawned. Spawn it behind the "
          "block, or let the block say 'atomic delay' or 'atomic contained'.\n",
          site ? site : "an unknown place");
  fflush(NULL);
  _exit(CH_EXIT_MISUSE);
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
