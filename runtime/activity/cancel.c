/* Cancel (AC paper, section 2.2): marks a scope and all scopes in it that are not behind a barrier, and ends the waits
 * in them.
 *
 * A mark stays until its scope is closed: a branch that waits in a marked scope later learns of it at once
 * (ch_is_marked), so no function can swallow a cancel. The wait of a branch that is ready already has had its effect,
 * and keeps it.
 *
 * `walk` first puts all scopes that are to be marked on a list, each before the scopes inside it. It does not recurse,
 * because scopes may be nested more deeply than the native stack allows. The list is then reversed, so that every scope
 * comes before the scopes around it. */
#include "activity/cancel.h"
#include "activity/extension.h"
#include "activity/activity.h"
#include "reactor/reactor.h"
#include "reactor/timer.h"
#include "sched/child.h"
#include "wait/wait.h"
#include <errno.h>

struct walk {
  struct ch_finish *first, *last;
};

/* Appends the scopes from b's innermost outwards, up to but without `limit`. It leaves out those behind a barrier, and
 * those that are marked already with the scopes inside them. */
static void append_chain(struct walk *w, struct ch_branch *b, struct ch_finish *limit) {
  struct ch_finish *outermost = NULL, *innermost = NULL;
  for (struct ch_finish *s = b->scope; s != limit; s = s->outer) {
    if (s->barrier || s->marked) {
      outermost = innermost = NULL;
      continue;
    }
    s->walk = outermost;
    outermost = s;
    if (!innermost)
      innermost = s;
  }
  if (!outermost)
    return;
  w->last->walk = outermost;
  w->last = innermost;
}

static struct ch_finish *turned_round(struct ch_finish *list) {
  struct ch_finish *back = NULL;
  while (list) {
    struct ch_finish *next = list->walk;
    list->walk = back;
    back = list;
    list = next;
  }
  return back;
}

static void end_waits_of(struct ch_link *branches, struct ch_finish *s) {
  for (struct ch_link *n = branches->next; n && n != branches; n = n->next) {
    struct ch_branch *b = &ch_async_at(n)->branch;
    if (b->scope == s)
      ch_wait_cancel(b);
  }
}

static void end_waits_in(struct ch_finish *s) {
  while (!ch_list_empty(&s->items))
    ch_cancel_item_call(s->items.next);
  if (s->owner->scope == s)
    ch_wait_cancel(s->owner);
  end_waits_of(&s->branches, s);
  end_waits_of(&ch_domain.unscoped, s);
  if (CH_UNLIKELY(s->extension != NULL))
    ch_members_cancel(s);
}

void ch_finish_cancel(struct ch_finish *s) {
  ch_look_whether_child();
  if (s->marked)
    return;
  struct walk w = {s, s};
  s->walk = NULL;
  append_chain(&w, s->owner, s);
  for (struct ch_finish *at = s; at; at = at->walk)
    for (struct ch_link *n = at->branches.next; n != &at->branches; n = n->next)
      append_chain(&w, &ch_async_at(n)->branch, at);
  struct ch_finish *innermost = turned_round(s);
  for (struct ch_finish *at = innermost; at; at = at->walk) {
    at->marked = true;
    ch_domain.marked_count++;
  }
  for (struct ch_finish *at = innermost; at; at = at->walk)
    end_waits_in(at);
}

void ch_scope_cancel(struct ch_scope *opaque) {
  struct ch_finish *s = ch_finish_of(opaque);
  if (!s->owner)
    return;
  ch_scope_is_ours(s);
  ch_finish_cancel(s);
}

int ch_activity_cancel(ch_activity *a) {
  ch_look_whether_child();
  if (a->state == CH_HANDLE_FINISHED)
    return 0;
  if (a->state != CH_HANDLE_LIVE)
    return EINVAL;
  if (CH_UNLIKELY(!ch_domain.group))
    return EPERM;
  ch_activity_is_ours(a);
  ch_branch_cancel(a->branch);
  return 0;
}

void ch_branch_cancel(struct ch_branch *b) {
  ch_look_whether_child();
  if (b->flags & CH_MARKED)
    return;
  b->flags |= CH_MARKED;
  ch_domain.marked_count++;
  if (!b->scope)
    ch_wait_cancel(b);
  else if (!b->scope->root->barrier)
    ch_finish_cancel(b->scope->root);
  ch_cancel_items_of(b);
}

bool ch_is_marked_slow(void) {
  struct ch_branch *b = ch_domain.current;
  return b && ch_branch_is_marked(b);
}

/* ---- deadlines ---- */

struct deadline {
  struct ch_clause clause;
  struct ch_finish *scope;
  struct ch_group *group; /* the group of its activity; NULL: the base group */
};
_Static_assert(sizeof(struct deadline) <= sizeof(struct ch_deadline), "the ABI leaves room for it");

/* Counts the deadline among the things outside the program that can end a wait of the group. For the base group the
 * timer's clause keeps that count. */
static void count(struct deadline *d, int by) {
  if (d->group)
    ch_group_now(d->group)->outside += (uint64_t)(int64_t)by;
}

static void passed(struct ch_clause *c) {
  struct deadline *d = (struct deadline *)c;
  d->scope->timer = NULL;
  count(d, -1);
  if (CH_UNLIKELY(d->scope->extension != NULL))
    ch_scope_note(d->scope, ETIMEDOUT, d->scope->site);
  ch_finish_cancel(d->scope);
}

void ch_scope_deadline(struct ch_scope *opaque, struct ch_deadline *memory, int64_t when) {
  struct ch_finish *s = ch_finish_of(opaque);
  if (!s->owner || when == CH_FOREVER)
    return;
  CH_INVARIANT(!s->timer, "a scope has one deadline");
  s->when = when;
  if (when <= ch_now()) {
    ch_finish_cancel(s);
    return;
  }
  struct deadline *d = (struct deadline *)memory;
  struct ch_group *g = ch_group_of(s->owner);
  *d = (struct deadline){ch_deadline_clause(when), s, g == &ch_domain.base ? NULL : g};
  s->timer = memory;
  count(d, +1);
  ch_clause_watch(&d->clause, passed);
  ch_slice_if_in_company();
}

void ch_scope_withdraw_deadline(struct ch_finish *s) {
  struct deadline *d = (struct deadline *)s->timer;
  s->timer = NULL;
  count(d, -1);
  ch_clause_unwatch(&d->clause);
}

bool ch_scope_is_late(const struct ch_finish *s) {
  return !s->timer && s->when != CH_FOREVER && s->when <= ch_reactor->now();
}

/* Timers fire in the scheduler. So code that never waits and never gives way (plain code, an atomic block) would not
 * learn that its time is over, if this function did not look at the clock. */
int ch_cancelled(void) {
  struct ch_branch *b = ch_domain.current;
  if (ch_is_marked() || !b)
    return ch_is_marked();
  for (struct ch_finish *s = b->scope; s; s = s->barrier ? NULL : s->outer)
    if (s->timer && s->when <= ch_reactor->now()) {
      struct deadline *d = (struct deadline *)s->timer;
      ch_clause_unwatch(&d->clause);
      passed(&d->clause);
    }
  return ch_is_marked();
}
