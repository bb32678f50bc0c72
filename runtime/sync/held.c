/* Notes which activity has which lock, and reports a lock that is never given back. See held.h. */
#include "sync/held.h"
#include "activity/activity.h"
#include "report/place.h"
#include "sched/schedule.h"
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

struct note {
  struct note *next;
  const struct ch_gate_kind *kind;
  const struct ch_gate *lock;
  const struct ch_branch *owner; /* the first branch of the activity */
  const void *place;
};
static __thread struct note *notes;

static struct note **note_of(const struct ch_gate *lock) {
  struct note **at = &notes;
  while (*at && (*at)->lock != lock)
    at = &(*at)->next;
  return at;
}

static void put_owner(struct ch_branch *b) {
  const char *name = ch_branch_name(b);
  fprintf(stderr, "activity %p", (void *)b);
  if (name)
    fprintf(stderr, " \"%s\"", name);
}

static void report_at_end(struct ch_branch *b) {
  char place[512];
  const struct note *n = notes;
  while (n && n->owner != b)
    n = n->next;
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
  struct note **at = note_of(g);
  if (*at && (*at)->owner == owner) /* a recursive lock is noted only once */
    return;
  if (!*at && !(*at = calloc(1, sizeof **at)))
    return; /* without memory the end of this activity is not checked */
  struct note *n = *at;
  *n = (struct note){n->next, kind, g, owner, place};
  __atomic_store_n(&ch_activity_checked_end, report_at_end, __ATOMIC_RELAXED);
}

void ch_held_forget_slow(const struct ch_gate *g) {
  struct note **at = note_of(g), *gone = *at;
  if (!gone)
    return;
  *at = gone->next;
  free(gone);
}
