/* Notes which activity has which lock, and reports a lock that is never given back. See held.h. */
#include "sync/held.h"
#include "activity/activity.h"
#include "frames/notes.h"
#include "report/place.h"
#include "sched/schedule.h"
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

enum { BY_LOCK, BY_OWNER };
struct held {
  struct ch_note note; /* its keys are the lock and the owner, which is the first branch of an activity */
  const struct ch_gate_kind *kind;
  const void *place;
};
static __thread struct ch_notes *notes;

static struct held *held_of(const struct ch_gate *lock) {
  return (struct held *)ch_notes_first(notes, BY_LOCK, (uintptr_t)lock);
}

static void put_owner(struct ch_branch *b) {
  const char *name = ch_branch_name(b);
  fprintf(stderr, "activity %p", (void *)b);
  if (name)
    fprintf(stderr, " \"%s\"", name);
}

static void report_at_end(struct ch_branch *b) {
  char place[512];
  const struct held *h = (struct held *)ch_notes_first(notes, BY_OWNER, (uintptr_t)b);
  if (!h || (b->flags & CH_MAIN && ch_domain.is_program)) /* the locks end with the program */
    return;
  fprintf(stderr, "charcoal: the ");
  put_owner(b);
  fprintf(stderr, " has ended and has not given back the %s %p", h->kind->what, (const void *)h->note.key[BY_LOCK]);
  if (h->place && ch_place_text(h->place, place, sizeof place))
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
  struct held *h = held_of(g);
  if (h && h->note.key[BY_OWNER] == (uintptr_t)owner) /* a recursive lock is noted only once */
    return;
  if (h)
    ch_notes_take_out(&notes, &h->note);
  else if (!(h = malloc(sizeof *h)))
    return;
  *h = (struct held){.note.key = {(uintptr_t)g, (uintptr_t)owner}, .kind = kind, .place = place};
  if (!ch_notes_add(&notes, &h->note)) {
    free(h); /* without memory the end of this activity is not checked */
    return;
  }
  __atomic_store_n(&ch_activity_checked_end, report_at_end, __ATOMIC_RELAXED);
}

void ch_held_forget_slow(const struct ch_gate *g) {
  struct held *gone = held_of(g);
  if (!gone)
    return;
  ch_notes_take_out(&notes, &gone->note);
  free(gone);
}
