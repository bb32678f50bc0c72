/* Makes a child of fork forget all activities but one. See child.h. */
#include "sched/child.h"
#include "activity/activity.h"
#include "activity/cancel.h"
#include "reactor/inbox.h"
#include "report/dump.h"
#include "wait/wait.h"
#include <errno.h>
#include <pthread.h>

/* ---- who is not there any more ---- */

static int set_aside(struct ch_frame *);
static const struct ch_frame_info gone_info = {
    .resume = set_aside, .name = "not in this child of fork", .size = CH_FRAME_HEADER, .align = 16};
/* The whole chain of each dropped branch. This frame never ends, so no other one is resumed. */
static struct ch_frame gone = {.info = &gone_info, .parent = (struct ch_frame *)1};

static void rest(struct ch_branch *b) {
  b->state = CH_WAITING;
  b->what = CH_ON_OTHERS;
}

/* A dropped branch has got a turn: it is set aside again, for ever. */
static int set_aside(struct ch_frame *f) {
  rest(ch_domain.current);
  *ch_tls.link = f;
  ch_tls.link = &f->parent;
  return CH_BLOCKED;
}

bool ch_is_gone(const struct ch_branch *b) { return b->top == &gone; }

bool ch_some_are_gone;
uint32_t ch_lock_mark = 1;

bool ch_wait_is_gone(const struct ch_wait *w) {
  return (w->exposed && ch_inbox_is_gone(w->inbox)) || ch_is_gone(w->owner);
}

static struct ch_branch *caller; /* the first branch of the activity that called fork */

static bool is_others(struct ch_branch *b) { return ch_activity_of(b) != caller && !ch_is_gone(b); }

static void drop_branch(struct ch_branch *b) {
  for (struct ch_finish *s = b->scope; s && s->owner == b; s = s->outer)
    if (s->timer)
      ch_scope_withdraw_deadline(s);
  ch_wait_abandon(b);
  if (b->flags & CH_NATIVE) {
    b->flags &= (uint8_t)~CH_NATIVE;
    ch_domain.natives--;
  }
  if (b->state == CH_NEW)
    b->state = CH_READY; /* so that its body does not begin */
  b->top = &gone;
}

static void drop_activity(struct ch_branch *first, void *unused) {
  (void)unused;
  if (!is_others(first))
    return;
  drop_branch(first);
  ch_activity_drop(first);
}

static void visit_async(void *block, void *unused) {
  struct ch_async *a = block;
  (void)unused;
  if (is_others(&a->branch))
    drop_branch(&a->branch);
}

static void clear_queue(struct ch_group *g) {
  struct ch_branch *b = g->head;
  g->head = NULL;
  for (struct ch_branch *next; b; b = next) {
    next = (struct ch_branch *)b->link.next;
    if (ch_is_gone(b))
      rest(b);
    else
      ch_append(g, b);
  }
}

void ch_child_clear_queues(void) {
  struct ch_domain *d = &ch_domain;
  for (struct ch_group *g = d->group; g != &d->base; g = g->outer)
    clear_queue(g);
  clear_queue(&d->base);
}

static void begin_child(void) {
  struct ch_domain *d = &ch_domain;
  const bool has_others = d->current && d->live > 1;
  ch_lock_mark++;
  if (ch_inbox_forked() || has_others)
    ch_some_are_gone = true;
  if (!has_others)
    return;
  caller = ch_activity_of(d->current);
  ch_group_leave_blocks_of_others(caller);
  d->drops_others = 1;
  /* First the branches, while their roots lead to their activities. */
  ch_heap_walk(CH_KIND_ASYNC, visit_async, NULL);
  ch_dump_activities(drop_activity, NULL);
  d->drops_others = 0;
  ch_child_clear_queues();
}

/* ---- when ---- */

static void in_child(void) {
  ch_run_child_hooks();
  begin_child();
}
__attribute__((constructor(CH_AFTER_LOCKS))) static void hook(void) { pthread_atfork(NULL, NULL, in_child); }

void ch_child_notice(void) {
  int saved = errno;
  ch_fork_run_late();
  begin_child();
  errno = saved;
}
