/* Atomic blocks and the activities in them (laws 5 and 6).
 *
 * An activity that is spawned inside an atomic block is delayed simply by joining the queue of the base group, which
 * does not run before the outermost block has ended. A contained activity joins the group of its block, and the end of
 * the block runs that group until it is empty. A free activity runs in the same queue, but the block does not wait for
 * it: if it has not ended at the end of the block it moves to the group around the block. Generated code counts
 * atomic_depth itself, and calls functions of this file only while atomic_pending is set, that is, while some block
 * around the running code has a group.
 *
 * The policy of a block belongs to the running code, like the depth. A wait inside the block sets both aside
 * (native.c), so the policy does not concern the activities that run meanwhile. */
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
    return d->group; /* in a contained activity the group that it is in; elsewhere the spawn is an ordinary one */
  struct ch_group *g = innermost_here();
  if (g && g->depth == ch_tls.atomic_depth)
    return g;
  g = malloc(2 * sizeof *g);
  if (!g)
    return NULL;
  *g = (struct ch_group){.outer = d->group, .owner = d->current, .depth = ch_tls.atomic_depth};
  *ch_group_of_free(g) = (struct ch_group){.to = g};
  d->group = g;
  ch_tls.atomic_pending = 1;
  return g;
}

struct ch_group *ch_group_for_free(void) {
  struct ch_group *g = ch_group_for_contained();
  return !g || g == &ch_domain.base ? g : ch_group_of_free(g);
}

/* Free activities are counted by the base group, or by the free group of the block that is now around them. */
static void count_outside(struct ch_group *outer, uint64_t n) {
  (outer == &ch_domain.base ? outer : ch_group_of_free(outer))->live += n;
}

/* The queue and the counts of g are the other group's from now on. */
static void hand_over(struct ch_group *g, struct ch_group *outer) {
  if (g->head) {
    if (outer->head)
      outer->tail->link.next = (struct ch_link *)g->head;
    else
      outer->head = g->head;
    outer->tail = g->tail;
    g->head = NULL;
  }
  outer->outside += g->outside;
  outer->by_others += g->by_others;
  count_outside(outer, ch_group_of_free(g)->live);
  g->to = outer;
}

/* The block has ended, and with it the group, unless it has free activities left. These are free in the block around
 * it, if there is one. */
static void end_group(struct ch_group *g) {
  if (ch_group_of_free(g)->live == 0) {
    free(g);
    return;
  }
  struct ch_group *outer = ch_group_for_contained();
  if (!outer)
    outer = g->outer;
  hand_over(g, outer);
  ch_slice_if_in_company();
}

/* The groups of dropped activities, linked by `outer`. Their memory stays, because waits point to it. No lock is
 * needed, because a child of fork begins with one thread. */
static struct ch_group *left;

void ch_group_leave_blocks_of_others(struct ch_branch *first) {
  struct ch_group *base = &ch_domain.base, **at = &ch_domain.group;
  while (*at != base) {
    struct ch_group *g = *at;
    if (ch_activity_of(g->owner) == first) {
      at = &g->outer;
      continue;
    }
    *at = g->outer;
    hand_over(g, base);
    ch_group_of_free(g)->live++; /* so that the group is never freed */
    g->outer = left;
    left = g;
  }
  struct ch_group **own = first->flags & CH_LONG ? &ch_branch_prefix(first)->group : NULL;
  if (own && (*own)->to == base) {
    (*own)->live--;
    *own = base;
    base->live++;
  }
}

void ch_group_free_ended(struct ch_group *f) {
  while (f != &ch_domain.base) {
    struct ch_group *g = f->to, *outer = g->to;
    f->live--;
    if (!outer)
      return; /* the block has not ended, and does not wait for its free activities */
    if (f->live == 0)
      free(g);
    f = outer == &ch_domain.base ? outer : ch_group_of_free(outer);
  }
  if (--f->live == 0)
    ch_group_has_emptied(f);
}

uint32_t ch_atomic_policy(uint32_t policy) {
  uint32_t before = ch_tls.spawn_policy;
  ch_tls.spawn_policy = policy;
  return before;
}

unsigned ch_spawn_flags_by_policy(unsigned flags, const char *site) {
  if (ch_tls.spawn_policy != CH_POLICY_ERROR) {
    if (flags & (CH_SPAWN_CONTAINED | CH_SPAWN_FREE))
      return flags; /* the statement says it itself */
    return flags | (ch_tls.spawn_policy == CH_POLICY_FREE ? CH_SPAWN_FREE : CH_SPAWN_CONTAINED);
  }
  fprintf(stderr,
          "charcoal: the 'activate' at %s is inside 'atomic error', where nothing may be spawned; spawn it after the "
          "block, or let the block say 'atomic delay', 'atomic contained' or 'atomic free'\n",
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
    end_group(g);
  }
  ch_tls.atomic_pending = innermost_here() != NULL;
}
