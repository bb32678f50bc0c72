/* Notes which activity has which lock, and reports a lock that is never given back. See held.h. */
#include "sync/held.h"
#include "activity/activity.h"
#include "report/place.h"
#include "sched/schedule.h"
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

/* The notes are in two hash tables, by lock and by owner, because a domain may have many and each end of an activity
 * asks for its own. Invariant: there are at least as many chains as notes, if there was memory for them, and none while
 * there are no notes. */
enum { BY_LOCK, BY_OWNER, TABLES };
struct note {
  struct note *next[TABLES], **at[TABLES]; /* in its chains; `at`: what leads to it there */
  const struct ch_gate_kind *kind;
  const struct ch_gate *lock;
  const struct ch_branch *owner; /* the first branch of the activity */
  const void *place;
};
static __thread struct note **chains;     /* those by lock, and then those by owner */
static __thread size_t n_chains, n_notes; /* of each table; n_chains is 0 or a power of two */

static struct note **chain_of(int table, const void *key) {
  uint64_t hash = (uint64_t)(uintptr_t)key * 0x9e3779b97f4a7c15;
  return &chains[(size_t)table * n_chains + ((hash >> 32) & (n_chains - 1))];
}
static void add(struct note *n) {
  n->at[BY_LOCK] = chain_of(BY_LOCK, n->lock);
  n->at[BY_OWNER] = chain_of(BY_OWNER, n->owner);
  for (int table = 0; table < TABLES; table++) {
    if ((n->next[table] = *n->at[table]))
      n->next[table]->at[table] = &n->next[table];
    *n->at[table] = n;
  }
  n_notes++;
}
static void take_out(struct note *n) {
  for (int table = 0; table < TABLES; table++)
    if ((*n->at[table] = n->next[table]))
      n->next[table]->at[table] = n->at[table];
  n_notes--;
}
static struct note *note_of(const struct ch_gate *lock) {
  struct note *n = n_chains ? *chain_of(BY_LOCK, lock) : NULL;
  while (n && n->lock != lock)
    n = n->next[BY_LOCK];
  return n;
}

/* False: there is no memory, and no chain. */
static bool make_room(void) {
  if (n_notes < n_chains)
    return true;
  const size_t before = n_chains, after = before ? 2 * before : 16;
  struct note **old = chains, **more = calloc(TABLES * after, sizeof(struct note *));
  if (!more)
    return before > 0;
  chains = more;
  n_chains = after;
  n_notes = 0;
  for (size_t i = 0; i < before; i++)
    for (struct note *n = old[i], *next; n; n = next) {
      next = n->next[BY_LOCK];
      add(n);
    }
  free(old);
  return true;
}

static void put_owner(struct ch_branch *b) {
  const char *name = ch_branch_name(b);
  fprintf(stderr, "activity %p", (void *)b);
  if (name)
    fprintf(stderr, " \"%s\"", name);
}

static void report_at_end(struct ch_branch *b) {
  char place[512];
  const struct note *n = n_chains ? *chain_of(BY_OWNER, b) : NULL;
  while (n && n->owner != b)
    n = n->next[BY_OWNER];
  if (!n || (b->flags & CH_MAIN && ch_domain.is_program)) /* the locks end with the program */
    return;
  fprintf(stderr, "charcoal: the ");
  put_owner(b);
  fprintf(stderr, " has ended and has not given back the %s %p", n->kind->what, (const void *)n->lock);
  if (n->place && ch_place_text(n->place, place, sizeof place))
    fprintf(stderr, ", taken in %s", place);
  fprintf(stderr, "; nobody else can give it back, so do that on all ways out of the activity's body\n");
  fflush(NULL);
  ch_schedule_failed();
  _exit(CH_EXIT_MISUSE);
}

void ch_held_note_slow(const struct ch_gate_kind *kind, const struct ch_gate *g, const void *place) {
  const struct ch_branch *owner = kind->holder(g);
  if (!owner || owner != ch_gate_self())
    return;
  struct note *n = note_of(g);
  if (n && n->owner == owner) /* a recursive lock is noted only once */
    return;
  if (n)
    take_out(n);
  else if (!(n = malloc(sizeof *n)) || !make_room()) {
    free(n);
    return; /* without memory the end of this activity is not checked */
  }
  *n = (struct note){.kind = kind, .lock = g, .owner = owner, .place = place};
  add(n);
  __atomic_store_n(&ch_activity_checked_end, report_at_end, __ATOMIC_RELAXED);
}

void ch_held_forget_slow(const struct ch_gate *g) {
  struct note *gone = note_of(g);
  if (!gone)
    return;
  take_out(gone);
  free(gone);
  if (n_notes > 0)
    return;
  free(chains);
  chains = NULL;
  n_chains = 0;
}
