/* The extensions of scopes: collected errors, later deadlines, and members. extension.h has the invariants. */
#include "activity/extension.h"
#include "activity/activity.h"
#include "activity/cancel.h"
#include "reactor/reactor.h"
#include "sched/thread_exit.h"
#include "wait/wait.h"
#include "frames/out_of_memory.h"
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

static struct ch_extension *extension_of(struct ch_finish *s) {
  if (!s->extension && (s->extension = calloc(1, sizeof *s->extension)))
    ch_list_init(&s->extension->members);
  return s->extension;
}

void ch_scope_exits(struct ch_finish *s) {
  if (!extension_of(s))
    ch_out_of_memory("a scope in which a branch has called pthread_exit");
  s->extension->exits = true;
}

bool ch_extension_end(struct ch_finish *s) {
  const bool exits = s->extension->exits;
  free(s->extension->deadline);
  free(s->extension);
  s->extension = NULL;
  if (!exits || s->owner->flags & CH_NATIVE) /* it waits in a call of pthread_exit itself */
    return false;
  if (s->owner == ch_domain.current)
    return true;
  ch_exit_when_resumed(s->owner);
  return false;
}

ch_scope *ch_scope_here(void) {
  struct ch_branch *b = ch_is_in_branch() ? ch_domain.current : NULL;
  return b ? (ch_scope *)b->scope : NULL;
}

/* ---- members ---- */

ch_activity *ch_in(ch_scope *scope) {
  if (!scope)
    return NULL;
  if (ch_finish_of(scope)->owner)
    ch_scope_is_ours(ch_finish_of(scope));
  struct ch_member *m = calloc(1, sizeof *m);
  if (!m || !extension_of(ch_finish_of(scope)))
    ch_out_of_memory("an activity in a scope");
  m->scope = ch_finish_of(scope);
  return (ch_activity *)((uintptr_t)m | 1);
}

bool ch_scope_has_members_slow(const struct ch_finish *s) { return !ch_list_empty(&s->extension->members); }

void ch_member_begins(struct ch_member *m) {
  ch_list_append(&m->scope->extension->members, &m->link, false);
  if (m->scope->marked)
    ch_branch_cancel(m->handle.branch);
}

void ch_member_ends(struct ch_member *m) {
  struct ch_finish *s = m->scope;
  ch_list_remove(&m->link);
  free(m);
  if (!s->leaving || !ch_scope_is_over(s))
    return;
  struct ch_branch *owner = s->owner;
  ch_scope_close(s);
  ch_ready(owner, 0);
}

void ch_member_never_ran(struct ch_member *m, int error) {
  struct ch_finish *s = m->scope;
  free(m);
  if (!ch_scope_note(s, error, s->site))
    ch_out_of_memory("an activity in a scope that collects no errors");
  ch_finish_cancel(s);
}

static struct ch_member *member_at(struct ch_link *n) {
  return (struct ch_member *)((char *)n - offsetof(struct ch_member, link));
}

/* Members may have scopes with members, so they are cancelled one after the other, without recursion. */
void ch_members_cancel(struct ch_finish *s) {
  static __thread struct ch_member *first, **last;
  bool outermost = !last;
  if (outermost)
    last = &first;
  struct ch_link *members = &s->extension->members;
  for (struct ch_link *n = members->next; n != members; n = n->next) {
    struct ch_member *m = member_at(n);
    if (m->handle.branch->flags & CH_MARKED)
      continue;
    m->next = NULL;
    *last = m;
    last = &m->next;
  }
  if (!outermost)
    return;
  for (struct ch_member *m; (m = first);) {
    if (!(first = m->next))
      last = &first;
    ch_branch_cancel(m->handle.branch);
  }
  last = NULL;
}

/* ---- errors ---- */

int ch_collect(ch_errors *errors) {
  struct ch_branch *b = ch_is_in_branch() ? ch_domain.current : NULL;
  if (!b || !b->scope)
    return EPERM;
  if (!extension_of(b->scope))
    return ENOMEM;
  errors->count = 0;
  errors->first = 0;
  b->scope->extension->errors = errors;
  if (ch_scope_is_late(b->scope))
    ch_scope_note(b->scope, ETIMEDOUT, b->scope->site);
  return 0;
}

bool ch_scope_note(struct ch_finish *s, int error, const char *place) {
  ch_errors *to = s->extension ? s->extension->errors : NULL;
  if (!to)
    return false;
  if (error == ECANCELED && s->marked) /* the error only tells of the cancel */
    return true;
  if (to->count < to->room)
    to->all[to->count] = (struct ch_error){error, place};
  if (to->count++ == 0)
    to->first = error;
  return true;
}

/* The next scope outwards; beyond the outermost of a member, the one into which it was spawned. */
static struct ch_finish *scope_around(struct ch_branch *first, struct ch_finish *s) {
  if (s && s->outer)
    return s->outer;
  ch_activity *handle = first->flags & CH_LONG ? ch_branch_prefix(first)->handle : NULL;
  return handle && handle->member ? handle->member->scope : NULL;
}

static struct ch_finish *next_scope(struct ch_branch **first, struct ch_finish *s) {
  struct ch_finish *next = scope_around(*first, s);
  if (next)
    *first = next->root->first;
  return next;
}

int ch_fail_at(int error, const char *place) {
  struct ch_branch *b = ch_is_in_branch() ? ch_domain.current : NULL;
  if (error == 0 || !b)
    return error;
  struct ch_branch *self = ch_activity_of(b), *first = self;
  for (struct ch_finish *s = b->scope ? b->scope : next_scope(&first, NULL); s; s = next_scope(&first, s))
    if (ch_scope_note(s, error, place)) {
      ch_finish_cancel(s);
      return error;
    }
  ch_activity *handle = self->flags & CH_LONG ? ch_branch_prefix(self)->handle : NULL;
  if (error == ECANCELED && ch_branch_is_marked(b))
    return error;
  if (handle && !handle->failure)
    handle->failure = error;
  ch_branch_cancel(self);
  return error;
}

/* ---- deadlines ---- */

int64_t ch_deadline(const ch_scope *scope) {
  struct ch_branch *b = ch_is_in_branch() ? ch_domain.current : NULL;
  int64_t earliest = CH_FOREVER;
  if (scope)
    return ((const struct ch_finish *)scope)->when;
  if (!b)
    return earliest;
  struct ch_branch *first = ch_activity_of(b);
  for (struct ch_finish *s = b->scope ? b->scope : next_scope(&first, NULL); s; s = next_scope(&first, s)) {
    if (s->when < earliest)
      earliest = s->when;
    if (s->barrier)
      break;
  }
  return earliest;
}

int ch_deadline_move(ch_scope *scope, int64_t when) {
  struct ch_finish *s = ch_finish_of(scope);
  if (!s->owner)
    return EPERM;
  ch_scope_is_ours(s);
  if (s->marked)
    return ECANCELED;
  struct ch_deadline *memory = s->timer;
  if (!memory && when != CH_FOREVER) {
    struct ch_extension *e = extension_of(s);
    if (!e || (!e->deadline && !(e->deadline = malloc(sizeof *e->deadline))))
      return ENOMEM;
    memory = e->deadline;
  }
  if (s->timer)
    ch_scope_withdraw_deadline(s);
  s->when = when;
  if (when == CH_FOREVER)
    return 0;
  if (when <= ch_reactor->now())
    ch_scope_note(s, ETIMEDOUT, s->site);
  ch_scope_deadline(scope, memory, when);
  return 0;
}
