/* Keeps the detector's state of each branch: report/watch.c calls it when a branch runs, is set aside or ends. */
#include "atomicity/watcher.h"
#include "activity/activity.h"
#include "atomicity/atomicity.h"
#include "frames/interposed.h"
#include "report/watch.h"
#include "wait/wait.h"
#include <errno.h>
#include <pthread.h>
#include <string.h>

__thread __attribute__((tls_model("initial-exec"))) struct ch_watcher ch_watcher;

/* ---- which branch is which ---- */

static __thread struct ch_watched *spare; /* those that can be used again, by `next` */
#define AT_A_TIME 64

static struct ch_watched *take(void) {
  if (!spare) {
    struct ch_watched *more = ch_pages_take(AT_A_TIME * sizeof *more);
    for (unsigned i = 0; more && i < AT_A_TIME; i++) {
      more[i].next = spare;
      spare = &more[i];
    }
  }
  struct ch_watched *w = spare;
  if (w) {
    spare = w->next;
    *w = (struct ch_watched){0};
  }
  return w;
}

static struct ch_watched **place_of(const struct ch_branch *b) {
  struct ch_watched **at = &ch_watcher.watched[((uintptr_t)b >> 3) % CH_WATCH_BUCKETS];
  while (*at && (*at)->branch != b)
    at = &(*at)->next;
  return at;
}

static bool is_begun(struct ch_watcher *h) {
  if (h->people)
    return true;
  h->watched = ch_pages_take(CH_WATCH_BUCKETS * sizeof *h->watched);
  h->people = h->watched ? ch_pages_take(CH_PEOPLE * sizeof *h->people) : NULL;
  h->now = 1;
  return h->people != NULL;
}

/* The branch's entry, made if there is none. `activity`: the id of its activity's first branch; 0: it is that itself.
 * NULL: no memory; then the branch is not looked at. */
static struct ch_watched *watched(const struct ch_branch *b, uint32_t activity, const char *site) {
  struct ch_watcher *h = &ch_watcher;
  if (!is_begun(h))
    return NULL;
  struct ch_watched **at = place_of(b);
  if (*at || !(*at = take()))
    return *at;
  struct ch_watched *w = *at;
  w->branch = b;
  w->id = ++h->ids;
  h->people[w->id % CH_PEOPLE] = (struct ch_person){site, w->id, activity ? activity : w->id};
  return w;
}

static void forget(const struct ch_branch *b) {
  struct ch_watched **at = ch_watcher.people ? place_of(b) : NULL, *w = at ? *at : NULL;
  if (!w)
    return;
  *at = w->next;
  if (ch_watcher.current == w)
    ch_watcher.current = NULL;
  ch_accesses_free(w);
  w->next = spare;
  spare = w;
}

/* ---- how it was set aside ---- */

static void describe(struct ch_pause *p, const struct ch_branch *b, int status) {
  static const char *const waits[] = {[CH_ON_SEMAPHORE] = "waited for a semaphore",
                                      [CH_ON_ACTIVITY] = "waited for an activity to end",
                                      [CH_ON_SEND] = "sending to a channel",
                                      [CH_ON_RECEIVE] = "receiving from a channel",
                                      [CH_ON_FINISH] = "waited at the end of a finish",
                                      [CH_ON_TURN] = "waited for its turn"};
  if (status == CH_PAUSED || status == CH_YIELDED) {
    p->what = status == CH_PAUSED && ch_tls.slice_over ? "its slice was over" : "gave way";
    return;
  }
  p->is_wait = true;
  p->what = "waited";
  if (b->state == CH_WAITING && b->what < sizeof waits / sizeof *waits) {
    p->what = waits[b->what];
  } else if (b->state == CH_SELECTING) {
    const struct ch_clause *c = (const struct ch_clause *)b->link.prev;
    p->what = c->type->what;
  }
}

static void note_pause(struct ch_watched *w, const struct ch_branch *b, int status) {
  struct ch_pause *p = &w->last[w->set_aside++ % CH_PAUSES];
  *p = (struct ch_pause){.from = ch_watcher.now};
  describe(p, b, status);
  if (p->is_wait)
    w->shown = ch_watcher.now;
  if (p->is_wait || ch_tls.slice_over)
    w->pauses++;
  p->is_native = b->flags & CH_NATIVE;
  if (p->is_native)
    return; /* only its callers are saved in frames */
  const struct ch_frame *f = b->top;
  for (unsigned i = 0; i < 3 && f && !ch_is_chain_end(f); i++, f = f->parent) {
    p->frames[i].info = f->info;
    p->frames[i].point = f->point;
  }
}

/* ---- what the scheduler tells ---- */

void ch_atomicity_run_begins(struct ch_branch *b) {
  struct ch_watcher *h = &ch_watcher;
  struct ch_watched *w = watched(b, 0, NULL);
  h->now++;
  if (!w)
    return;
  w->run = h->now;
  if (w->set_aside)
    w->last[(w->set_aside - 1) % CH_PAUSES].to = h->now;
  h->current = w;
}

void ch_atomicity_run_ends(int status) {
  struct ch_watcher *h = &ch_watcher;
  struct ch_watched *w = h->current;
  h->current = NULL;
  if (w && status != CH_DONE)
    note_pause(w, w->branch, status);
  h->now++;
}

void ch_atomicity_spawned(struct ch_branch *b, const char *site) {
  struct ch_watcher *h = &ch_watcher;
  struct ch_watched *w = watched(b, 0, site);
  if (!w || !h->current)
    return;
  w->knowledge = h->current->knowledge;
  ch_learn(&w->knowledge, h->current->id, h->now);
  h->now++;
}

/* The body of an async call was run by `from` until it blocked: what it did so far is the new branch's. */
void ch_atomicity_split(struct ch_branch *from, struct ch_branch *to) {
  struct ch_watcher *h = &ch_watcher;
  struct ch_watched *parent = watched(from, 0, NULL), *w;
  const struct ch_person *p = parent ? &h->people[parent->id % CH_PEOPLE] : NULL;
  if (p && p->id != parent->id)
    p = NULL;
  if (!parent || !(w = watched(to, p ? p->activity : 0, p ? p->site : NULL)))
    return;
  w->run = parent->run;
  w->pauses = parent->pauses;
  w->knowledge = parent->knowledge;
  ch_learn(&w->knowledge, parent->id, h->now);
  ch_accesses_copy(w, parent);
  note_pause(w, to, CH_BLOCKED);
  h->now++;
}

void ch_atomicity_branch_ends(struct ch_branch *b) {
  struct ch_watcher *h = &ch_watcher;
  struct ch_watched *w = h->people ? *place_of(b) : NULL;
  if (!w)
    return;
  h->current = w;
  if (b->flags & CH_ASYNC)
    ch_tell(ch_async_of(b)->scope);
  else if (b->flags & CH_LONG && ch_branch_prefix(b)->handle)
    ch_tell(ch_branch_prefix(b)->handle);
  h->current = NULL;
  forget(b);
}
void ch_atomicity_activity_ends(struct ch_branch *b) { ch_atomicity_branch_ends(b); }

/* ---- modules ---- */

void ch_atomicity_begin(void) {
  static pthread_once_t once = PTHREAD_ONCE_INIT;
  int saved = errno;
  ch_library_once(&once, ch_findings_start);
  if (!ch_atomicity_settings.off)
    ch_watched |= CH_WATCH_ATOMICITY;
  errno = saved;
}

/* Places of a module that goes must not be met again. Other domains are to have left it. */
void ch_atomicity_unload(void) {
  struct ch_watcher *h = &ch_watcher;
  ch_shadow_drop();
  for (unsigned i = 0; h->people && i < CH_WATCH_BUCKETS; i++)
    for (struct ch_watched *w = h->watched[i]; w; w = w->next) {
      ch_accesses_free(w);
      w->accesses_count = 0;
      w->set_aside = 0;
    }
  for (unsigned i = 0; h->people && i < CH_PEOPLE; i++)
    h->people[i] = (struct ch_person){0};
}
