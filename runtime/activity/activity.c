#include "sched/schedule.h"
#include "activity/activity.h"
#include "activity/extension.h"
#include "frames/captures.h"
#include "reactor/reactor.h"
#include "report/watch.h"
#include "sched/host.h"
#include "sched/native.h"
#include "sched/no_yield.h"
#include "wait/wait.h"
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- birth ---- */

/* The handle says so. Without one nobody would ever know. */
CH_COLD static int stillborn(ch_activity *handle, unsigned flags, int error) {
  if (handle && handle->member) {
    ch_member_never_ran(handle->member, error);
  } else if (handle) {
    handle->state = CH_HANDLE_FINISHED;
    handle->error = error;
  } else if (flags & CH_SPAWN_UNSEEN) {
    fprintf(stderr,
            "charcoal: an activity without a handle can never run: %s. With a handle (activate [&h] ...) "
            "ch_activity_wait tells\n",
            error == ENOMEM   ? "out of memory"
            : ch_domain.ended ? "main has ended"
                              : "the simulated world has one domain, and that is another thread's");
    if (!ch_domain.ended) {
      fflush(NULL);
      abort();
    }
  }
  return error;
}

/* Memory for a branch and `size` bytes in all; with a prefix in front for a long one. */
static inline struct ch_branch *take(enum ch_kind kind, size_t size) {
  size_t prefix = kind == CH_KIND_LONG ? sizeof(struct ch_prefix) : 0;
  size += prefix;
  unsigned klass = (unsigned)((size + CH_ACTIVITY_STEP - 1) / CH_ACTIVITY_STEP);
  char *block;
  if (CH_LIKELY(size <= CH_ACTIVITY_MAX)) {
    block = ch_block_take(kind, klass, size);
  } else {
    block = ch_block_take_slow(kind, CH_CLASSES, size, 16);
    klass = CH_CLASS_LARGE;
  }
  if (CH_UNLIKELY(!block))
    return NULL;
  struct ch_branch *b = (struct ch_branch *)(block + prefix);
  b->klass = (uint8_t)klass;
  return b;
}

static inline void give(struct ch_branch *b) {
  bool prefixed = b->flags & CH_LONG;
  void *block = prefixed ? (void *)ch_branch_prefix(b) : b;
  if (CH_UNLIKELY(b->klass == CH_CLASS_LARGE))
    ch_block_give_large(block);
  else
    ch_block_give(prefixed ? CH_KIND_LONG : CH_KIND_ACTIVITY, b->klass, block);
}

int ch_spawn(ch_activity *handle, void *body_int, const void *record, size_t size, unsigned flags, const char *site) {
  struct ch_domain *d = &ch_domain;
  struct ch_member *member = NULL;
  if (CH_UNLIKELY(ch_is_member(handle)))
    handle = ch_member_handle(member = ch_member_of(handle));
  if (handle)
    *handle = (ch_activity){.member = member};
  if (CH_UNLIKELY(!d->group) && !ch_host_begin())
    return stillborn(handle, flags, EPERM);
  struct ch_group *group = &d->base;
  if (CH_UNLIKELY(ch_tls.spawn_policy != CH_POLICY_DELAY))
    flags = ch_spawn_flags_by_policy(flags, site);
  if (CH_UNLIKELY(flags & (CH_SPAWN_CONTAINED | CH_SPAWN_FREE))) {
    group = flags & CH_SPAWN_FREE ? ch_group_for_free() : ch_group_for_contained();
    if (!group)
      return stillborn(handle, flags, ENOMEM);
  }
  bool prefixed = handle || group != &d->base;
  bool far = size > 8;
  size_t total = far ? CH_FAR_RECORD + ((size + 15) & ~(size_t)15) : CH_NEAR_RECORD + size;
  struct ch_branch *b = take(prefixed ? CH_KIND_LONG : CH_KIND_ACTIVITY, total);
  if (CH_UNLIKELY(!b))
    return stillborn(handle, flags, ENOMEM);
  if (prefixed)
    *ch_branch_prefix(b) = (struct ch_prefix){handle, group};
  b->scope = NULL;
  b->top = body_int;
  b->error = 0;
  b->state = CH_NEW;
  b->flags = (uint8_t)((far ? CH_FAR : 0) | (prefixed ? CH_LONG : 0));
  b->what = 0;
  b->link.prev = (struct ch_link *)site;
  if (size)
    memcpy(ch_branch_record(b), record, size);
  if (handle) {
    handle->branch = b;
    handle->state = CH_HANDLE_LIVE;
    ch_list_init(&handle->waiters);
  }
  d->spawned++;
  if (++d->live > d->high)
    d->high = d->live;
  group->live++;
  if (CH_UNLIKELY(ch_checks))
    ch_captures_spawned(b, size, site, __builtin_return_address(0));
  if (CH_UNLIKELY(ch_watched))
    ch_watch_spawned(b, site);
  ch_enqueue(b);
  if (CH_UNLIKELY(member != NULL))
    ch_member_begins(member);
  return 0;
}

/* ---- end ---- */

static inline void finish_handle(ch_activity *handle, int error) {
  handle->branch = NULL;
  handle->state = CH_HANDLE_FINISHED;
  handle->error = error;
  while (!ch_list_empty(&handle->waiters))
    ch_fire(handle->waiters.next, error);
  if (CH_UNLIKELY(handle->member != NULL))
    ch_member_ends(handle->member);
}

void ch_group_has_emptied(struct ch_group *g) {
  struct ch_branch *waiter = g->drains;
  g->drains = NULL;
  if (waiter)
    ch_ready(waiter, 0);
  else if (g == &ch_domain.base || ch_domain.live == 0) /* the latter in a child of fork */
    ch_domain.ended = 1;
}

void (*ch_activity_checked_end)(struct ch_branch *);

CH_COLD static void check_end(struct ch_branch *b) {
  void (*look)(struct ch_branch *) = __atomic_load_n(&ch_activity_checked_end, __ATOMIC_RELAXED);
  ch_captures_activity_ends(b);
  if (look)
    look(b);
}

/* It is none of its group's activities any more, and its handle says why. */
static inline void leave(struct ch_branch *b, int error) {
  struct ch_group *group = b->flags & CH_LONG ? ch_branch_prefix(b)->group : &ch_domain.base;
  if (CH_UNLIKELY(group->to != NULL))
    ch_group_free_ended(group);
  else if (CH_UNLIKELY(--group->live == 0))
    ch_group_has_emptied(group);
  if (b->flags & CH_LONG) {
    ch_activity *handle = ch_branch_prefix(b)->handle;
    if (handle)
      finish_handle(handle, error);
  }
}

void ch_activity_drop(struct ch_branch *b) {
  struct ch_group *base = &ch_domain.base;
  if (base->drains == b) {
    base->drains = NULL;
    base->live++;
  }
  ch_domain.live--;
  leave(b, ESRCH);
}

void ch_activity_end(struct ch_branch *b) {
  struct ch_domain *d = &ch_domain;
  CH_INVARIANT(!b->scope, "an activity has left its scopes when it ends");
  d->live--;
  if (CH_UNLIKELY(ch_checks))
    check_end(b);
  if (CH_UNLIKELY(ch_watched))
    ch_watch_activity_ends(b);
  if (CH_UNLIKELY(b->flags & (CH_NAMED | CH_MARKED))) {
    if (b->flags & CH_MARKED)
      d->marks--;
    if (b->flags & CH_NAMED)
      ch_branch_forget_name(b);
  }
  leave(b, 0);
  bool first = b->flags & CH_MAIN;
  give(b);
  if (CH_UNLIKELY(first)) {
    d->first = NULL;
    d->result = *(intptr_t *)ch_tls.result;
    if (!d->is_program)
      return;
    /* As in C: the program ends at once; what still runs is dropped. */
    d->ended = 1;
    if (!ch_native_is_on_main_stack()) {
      d->group = NULL;
      exit(*(int *)ch_tls.result);
    }
  }
}

/* ---- handles ---- */

int ch_activity_state(const ch_activity *a) {
  if (a->state == CH_HANDLE_FINISHED)
    return a->error;
  if (a->state != CH_HANDLE_LIVE)
    return EINVAL;
  if (CH_UNLIKELY(!ch_domain.current))
    return EPERM;
  if (a->branch == ch_activity_of(ch_domain.current))
    return EDEADLK;
  return EINPROGRESS;
}

struct ch_int_result ch_activity_wait_int(ch_activity *a) CH_INT_NAME(ch_activity_wait);
struct ch_int_result ch_activity_wait_int(ch_activity *a) {
  int error = ch_is_marked() ? ECANCELED : ch_activity_state(a);
  if (error != EINPROGRESS)
    return (struct ch_int_result){CH_DONE, error};
  ch_wait_on(&a->waiters, CH_ON_ACTIVITY);
  return (struct ch_int_result){CH_BLOCKED, 0};
}

int ch_activity_wait(ch_activity *a) {
  int error = ch_is_marked() ? ECANCELED : ch_activity_state(a);
  if (error != EINPROGRESS)
    return error;
  ch_wait_on(&a->waiters, CH_ON_ACTIVITY);
  return (int)ch_wait_native(CH_BY_DOMAIN);
}

int ch_activity_detach(ch_activity *a) {
  int error = ch_activity_state(a);
  if (error == EPERM || error == EINVAL)
    return error;
  if (CH_UNLIKELY(a->member != NULL))
    return EBUSY;
  if (a->state == CH_HANDLE_LIVE) {
    ch_branch_prefix(a->branch)->handle = NULL;
    if (CH_UNLIKELY(ch_checks))
      ch_captures_forget(a->branch, a);
    while (!ch_list_empty(&a->waiters))
      ch_fire(a->waiters.next, EINVAL);
  }
  a->branch = NULL;
  a->state = CH_HANDLE_DETACHED;
  return 0;
}

int ch_activity_finished(const ch_activity *a) { return a->state == CH_HANDLE_FINISHED; }

ch_activity *ch_self(void) {
  struct ch_branch *b = ch_domain.current;
  if (!b)
    return NULL;
  b = ch_activity_of(b);
  return b->flags & CH_LONG ? ch_branch_prefix(b)->handle : NULL;
}

/* ---- results ---- */

int ch_activity_set_result(intptr_t value) {
  ch_activity *self = ch_self();
  if (!self)
    return EPERM;
  self->result = value;
  return 0;
}
intptr_t ch_activity_result(const ch_activity *a) { return a->state == CH_HANDLE_FINISHED ? a->result : 0; }
int ch_activity_error(const ch_activity *a) {
  return a->state != CH_HANDLE_FINISHED ? EINVAL : a->error ? a->error : a->failure;
}

/* ---- giving way ---- */

int ch_reschedule_int(void) CH_INT_NAME(ch_reschedule);
int ch_reschedule_int(void) {
  ch_pause_is_meant();
  ch_no_yield_pauses();
  return CH_PAUSED;
}
void ch_reschedule(void) {}
