/* Opens and closes finish scopes, and waits for their branches. scope.h has the structure and its invariants. */
#include "activity/scope.h"
#include "activity/cancel.h"
#include "activity/extension.h"
#include "reactor/timer.h"
#include "sched/host.h"
#include "sched/thread_exit.h"
#include "wait/wait.h"
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

/* The part of ch_home that a scope has room for. Two domains have the same one only if their thread-local memory lies a
 * multiple of 256 MB apart. */
static inline uint16_t home(void) { return (uint16_t)(ch_home() >> 8); }

void ch_scope_enter(struct ch_scope *opaque, unsigned flags, const char *site) {
  struct ch_domain *d = &ch_domain;
  struct ch_finish *s = ch_finish_of(opaque);
  struct ch_branch *b = ch_is_in_branch() ? d->current : NULL;
  s->owner = b;
  s->implicit = false;
  struct ch_finish *outer = s->outer = b ? b->scope : NULL;
  if (CH_UNLIKELY(!b))
    return;
  if (outer) {
    s->root = outer->root;
  } else {
    s->root = s;
    s->first = b;
    s->head = NULL;
    s->active = true;
  }
  ch_list_init(&s->branches);
  ch_list_init(&s->items);
  s->timer = NULL;
  s->extension = NULL;
  s->when = CH_FOREVER;
  s->site = site;
  s->leaving = false;
  s->home = home();
  s->barrier = flags & CH_SCOPE_BARRIER;
  s->marked = !s->barrier && ch_branch_is_marked(b);
  d->marked_count += s->marked;
  b->scope = s;
}

CH_COLD static void report_scope(const struct ch_finish *s) {
  fprintf(stderr,
          "charcoal: the scope that begins at %s is another domain's; only that domain may cancel it, move its "
          "deadline or spawn into it; let an activity of that domain do so: one that waits for a semaphore which you "
          "post, or a task (ch_domain_spawn)\n",
          s->site ? s->site : "an unknown place");
  fflush(NULL);
  _exit(CH_EXIT_MISUSE);
}
void ch_scope_is_ours(const struct ch_finish *s) {
  if (CH_UNLIKELY(s->home != home()))
    report_scope(s);
}

bool ch_scope_close(struct ch_finish *s) {
  CH_INVARIANT(ch_scope_is_over(s), "a scope is closed when its branches and members have ended");
  CH_INVARIANT(s->owner->scope == s, "scopes are closed innermost first");
  CH_INVARIANT(ch_list_empty(&s->items), "cancel items are removed before their scope is left");
  CH_INVARIANT(s != s->root || !s->head, "an activity that leaves its root has one branch");
  if (CH_UNLIKELY(s->timer != NULL))
    ch_scope_withdraw_deadline(s);
  ch_domain.marked_count -= s->marked;
  s->owner->scope = s->outer;
  if (CH_UNLIKELY(ch_domain.holds_cancellation != 0) && ch_domain.current)
    ch_host_runs(ch_domain.current);
  return CH_UNLIKELY(s->extension != NULL) && ch_extension_end(s);
}

/* The running branch waits at the end of the scope. It is on no list, because the last of the scope's branches finds
 * it. */
static void wait_at(struct ch_finish *s) {
  struct ch_branch *b = s->owner;
  CH_INVARIANT(ch_is_running(b), "its owner leaves a scope");
  CH_INVARIANT(b->scope == s, "scopes are left innermost first");
  b->state = CH_WAITING;
  b->what = CH_ON_FINISH;
  b->link.next = (struct ch_link *)s;
  s->leaving = true;
}

int ch_scope_leave_int(struct ch_scope *opaque) CH_INT_NAME(ch_scope_leave);
int ch_scope_leave_int(struct ch_scope *opaque) {
  struct ch_finish *s = ch_finish_of(opaque);
  if (CH_UNLIKELY(!s->owner))
    return (int)ch_done(0).status;
  if (CH_LIKELY(ch_scope_is_over(s)))
    return CH_UNLIKELY(ch_scope_close(s)) ? ch_exit_thread_too() : (int)ch_done(0).status;
  wait_at(s);
  return ch_wait_in_place_at_end(s) ? ch_exit_if_told() : CH_BLOCKED;
}

void ch_scope_leave(struct ch_scope *opaque) {
  struct ch_finish *s = ch_finish_of(opaque);
  if (CH_UNLIKELY(!s->owner))
    return;
  if (CH_LIKELY(ch_scope_is_over(s))) {
    ch_scope_close(s);
    return;
  }
  wait_at(s);
  ch_wait_native(CH_BY_DOMAIN);
}

/* ---- around an activity's body, for tamed functions that are called outside any scope ---- */

uintptr_t ch_tamed_around(void) {
  if (!ch_is_in_branch())
    return ch_reference_to(NULL);
  struct ch_branch *b = ch_domain.current;
  if (!b->scope) {
    struct ch_scope *around = malloc(sizeof *around);
    if (!around)
      abort();
    ch_scope_enter(around, 0, "the activity's end");
    b->scope->implicit = true;
  }
  return ch_reference_to(b->scope);
}

bool ch_scope_leave_implicit(struct ch_branch *b) {
  struct ch_finish *s = b->scope;
  CH_INVARIANT(s->implicit, "an activity has left its own scopes when its body ends");
  if (ch_scope_is_over(s)) {
    ch_scope_close(s);
    ch_scope_free_implicit(s);
    return true;
  }
  if (b->flags & CH_MAIN && ch_domain.is_program) { /* the program ends, and branches that still run are dropped */
    b->scope = NULL;
    return true;
  }
  b->state = CH_WAITING;
  b->what = CH_ON_FINISH;
  b->link.next = (struct ch_link *)s;
  b->top = ch_chain_end(b);
  s->leaving = true;
  return false;
}

void ch_scope_free_implicit(struct ch_finish *s) { free(s); }

#ifdef CHARCOAL_CHECKED
void ch_scope_check(struct ch_finish *root) {
  CH_INVARIANT(root->root == root && !root->outer, "the root is outermost");
  CH_INVARIANT(!(root->first->flags & CH_ASYNC), "an activity's first branch is not async");
  CH_INVARIANT(root->active || !root->head, "ready branches collect only while the activity is active");
  unsigned seen = 0;
  for (struct ch_branch *b = root->head; b && seen++ < 16; b = (struct ch_branch *)b->link.next) {
    CH_INVARIANT(b->state == CH_READY, "what collects in the root's list is ready");
    CH_INVARIANT(b->scope && b->scope->root == root, "the root's list holds branches of its activity");
    unsigned depth = 0;
    for (struct ch_finish *s = b->scope; s && depth++ < 16; s = s->outer)
      CH_INVARIANT(!s->outer || s->barrier || !s->outer->marked || s->marked,
                   "a scope inside a marked one is marked, unless it is a barrier");
  }
}
#endif
