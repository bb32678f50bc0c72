#include "sched/child.h"
#include "activity/activity.h"
#include "activity/cancel.h"
#include "wait/wait.h"
#include <pthread.h>

/* ---- who is not there any more ---- */

static int set_aside(struct ch_frame *);
static const struct ch_frame_info gone_info = {
    .resume = set_aside, .name = "not in this child of fork", .size = CH_FRAME_HEADER, .align = 16};
static struct ch_frame gone = {.info = &gone_info, .parent = (struct ch_frame *)1};

/* It has got a turn, and waits for nothing, for ever. */
static int set_aside(struct ch_frame *f) {
  static __thread struct ch_frame *nowhere; /* its chain stays as it is */
  struct ch_branch *b = ch_domain.current;
  b->top = f;
  b->state = CH_WAITING;
  b->what = CH_ON_OTHERS;
  ch_tls.link = &nowhere;
  return CH_BLOCKED;
}
static int never_begins(void *record) { return (void)record, set_aside(&gone); }

static struct ch_branch *caller; /* the first branch of the activity that called fork */

static bool is_gone(struct ch_branch *b) { return ch_activity_of(b) != caller; }

static void drop_branch(struct ch_branch *b) {
  for (struct ch_finish *s = b->scope; s && s->owner == b; s = s->outer)
    if (s->timer)
      ch_scope_withdraw_deadline(s);
  ch_wait_abandon(b);
  if (b->flags & CH_NATIVE) {
    b->flags &= (uint8_t)~CH_NATIVE;
    ch_domain.natives--;
  }
  b->top = b->state == CH_NEW ? (void *)never_begins : (void *)&gone;
}

static void drop_activity(struct ch_branch *first) {
  if (!is_gone(first))
    return;
  drop_branch(first);
  ch_activity_drop(first);
}

static void visit_short(void *block, void *unused) { (void)unused, drop_activity(block); }
static void visit_long(void *block, void *unused) {
  (void)unused;
  drop_activity((struct ch_branch *)((struct ch_prefix *)block + 1));
}
static void visit_async(void *block, void *unused) {
  struct ch_async *a = block;
  (void)unused;
  if (is_gone(&a->branch))
    drop_branch(&a->branch);
}

static void drop_others(void) {
  struct ch_domain *d = &ch_domain;
  caller = ch_activity_of(d->current);
  d->drops_others = 1;
  ch_heap_walk(CH_KIND_ASYNC, visit_async, NULL); /* first, while their roots lead to their activities */
  ch_heap_walk(CH_KIND_ACTIVITY, visit_short, NULL);
  ch_heap_walk(CH_KIND_LONG, visit_long, NULL);
  d->drops_others = 0;
}

/* ---- when ----
 *
 * Handlers run in the order in which they were registered. So this one is registered behind each of the others, and is
 * in earnest the last time. */

static unsigned registered, called;

static void last(void) {
  if (++called < registered)
    return;
  called = 0;
  if (ch_domain.current && ch_domain.live > 1)
    drop_others();
}

void ch_child_hook(void (*in_child)(void)) {
  pthread_atfork(NULL, NULL, in_child);
  __atomic_add_fetch(&registered, 1, __ATOMIC_RELAXED);
  pthread_atfork(NULL, NULL, last);
}
