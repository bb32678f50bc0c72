/* Finds the lock that a branch waits for and the activity that has it. See holder.h. */
#define _GNU_SOURCE
#define CHARCOAL_RUNTIME_LOCKS
#include "posix/locks/holder.h"
#include "activity/activity.h"
#include "posix/locks/mutex.h"
#include "report/place.h"
#include <stdio.h>

static struct ch_branch *activity(struct ch_branch *b) { return ch_activity_of(b); }

/* The wait of a branch that waits in a queue, perhaps among other clauses; else NULL. */
static const struct ch_lock_wait *wait_of(const struct ch_branch *b) {
  if (b->state != CH_SELECTING)
    return NULL;
  struct ch_clause *c = (struct ch_clause *)b->link.prev;
  while (c && c->type->enlist != ch_queue_enlist)
    c = c->index == CH_ALONE ? NULL : c->next;
  return c ? ch_lock_wait_of(c) : NULL;
}

bool ch_lock_reported(const struct ch_branch *b, struct ch_lock_report *r) {
  const struct ch_lock_wait *w = wait_of(b);
  if (!w)
    return false;
  const struct ch_lock_type *type = ch_lock_type_of(w);
  *r = (struct ch_lock_report){.what = type->clause.what, .object = w->clause.object, .wanted_at = w->place};
  if (type->holder)
    r->holder = type->holder(w->clause.object, &r->taken_at);
  return true;
}

/* ---- circles ---- */

/* No other branch of its activity could give anything back. */
static bool is_alone(struct ch_branch *b) {
  for (struct ch_finish *s = b->scope; s; s = s->outer)
    if (!ch_list_empty(&s->branches))
      return false;
  return !(b->flags & CH_ASYNC);
}

static bool waits_for_one(const struct ch_branch *b) {
  const struct ch_clause *c = (const struct ch_clause *)b->link.prev;
  return b->state == CH_SELECTING && (c->index == CH_ALONE || !c->next);
}

/* The activity that has the mutex for which b waits, without limit. Else NULL. */
static struct ch_branch *next_of(struct ch_branch *b) {
  const struct ch_lock_wait *w = is_alone(b) && waits_for_one(b) ? wait_of(b) : NULL;
  const void *place;
  return w && !w->timed && ch_lock_type_of(w)->holder == ch_mutex_holder ? ch_mutex_holder(w->clause.object, &place)
                                                                         : NULL;
}

/* Whether b is in a circle of activities that wait for each other. One that waits for itself is no circle: somebody
 * else may unlock an ordinary mutex, and programs that use one as a signal do. */
static bool is_circle(struct ch_branch *b) {
  enum { LONGEST = 10000 };
  struct ch_branch *at = next_of(b);
  for (int n = 0; at && at != b && n < LONGEST; n++)
    at = next_of(at);
  return at == b && next_of(b) != b;
}

static __thread struct ch_branch *suspect;

void ch_holder_check(struct ch_branch *b) {
  if (is_circle(b))
    suspect = b;
}

/* When all of them have been set aside. */
void ch_holder_confirm(void) {
  struct ch_branch *b = suspect;
  suspect = NULL;
  if (b && is_circle(b))
    ch_deadlock(&ch_domain.base, "activities wait for each other's mutexes in a circle");
}

/* ---- the report ---- */

static void put_activity(int fd, struct ch_branch *b) {
  const char *name = ch_branch_name(b);
  dprintf(fd, "activity %p", (void *)b);
  if (name || b->flags & CH_MAIN)
    dprintf(fd, " \"%s\"", name ? name : "main");
}

static void put_place(int fd, const char *before, const void *place) {
  char text[512];
  if (place && ch_place_text(place, text, sizeof text))
    dprintf(fd, "%s%s", before, text);
}

static struct ch_branch *waiting_at(const struct ch_clause *c) {
  return c->index == CH_ALONE ? c->branch : c->wait->branch;
}

static void put_wait(int fd, struct ch_branch *b) {
  struct ch_lock_report r;
  if (!b || !ch_lock_reported(b, &r))
    return;
  dprintf(fd, "charcoal: ");
  put_activity(fd, activity(b));
  dprintf(fd, " waits for %s %p", r.what, r.object);
  put_place(fd, ", wanted in ", r.wanted_at);
  if (!r.holder) {
    dprintf(fd, "\n");
    return;
  }
  dprintf(fd, ", which ");
  if (r.holder == activity(b))
    dprintf(fd, "it has itself");
  else
    put_activity(fd, r.holder), dprintf(fd, " has");
  put_place(fd, ", taken in ", r.taken_at);
  dprintf(fd, "\n");
}

void ch_locks_report(int fd) {
  enum { MOST = 40 };
  unsigned n = 0;
  for (struct ch_queue *q = NULL; (q = ch_queue_after(q));)
    for (struct ch_link *w = q->waiters.next; w != &q->waiters; w = w->next)
      if (n++ < MOST)
        put_wait(fd, waiting_at(&ch_lock_wait_at(w)->clause));
  if (n > MOST)
    dprintf(fd, "charcoal: and %u more wait for locks\n", n - MOST);
}
