/* An activity from `activate` to its end. activity.h has the states of its handle, and branch.h those of its branch. */
#include "activity/activity.h"
#include "activity/extension.h"
#include "charcoal_sizes.h"
#include "frames/captures.h"
#include "frames/words.h"
#include "reactor/reactor.h"
#include "report/watch.h"
#include "sched/child.h"
#include "sched/host.h"
#include "sched/native.h"
#include "wait/wait.h"
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* ---- birth ---- */

/* The handle tells of the error. Without a handle nobody would ever know. */
CH_COLD static int stillborn(ch_activity *handle, unsigned flags, const char *site, int error) {
  if (handle && handle->member) {
    ch_member_never_ran(handle->member, error);
  } else if (handle) {
    handle->state = CH_HANDLE_FINISHED;
    handle->error = error;
  } else if (flags & CH_SPAWN_UNSEEN) {
    fprintf(
        stderr,
        "charcoal: the activity spawned at %s, without a handle, can never run: %s; to handle this error, give it a "
        "handle (activate [&h] ...) and call ch_activity_wait\n",
        site ? site : "an unknown place",
        error == ENOMEM   ? "out of memory"
        : ch_domain.ended ? "main has ended"
                          : "the simulated reactor serves one domain, and that is another thread's");
    if (!ch_domain.ended) {
      fflush(NULL);
      abort();
    }
  }
  return error;
}

/* Whether the flag FAR is set for a record of this size. */
static inline bool is_far(size_t record) { return record > 8; }

/* The size of a branch with a record of this size, and of the prefix that stands before a long one. */
static inline size_t size_of(bool prefixed, bool far, size_t record) {
  size_t branch = far ? CH_FAR_RECORD + ((record + 15) & ~(size_t)15) : CH_NEAR_RECORD + record;
  return branch + (prefixed ? sizeof(struct ch_prefix) : 0);
}
static inline unsigned class_of(size_t size) {
  return CH_LIKELY(size <= CH_ACTIVITY_MAX) ? (unsigned)((size + CH_ACTIVITY_STEP - 1) / CH_ACTIVITY_STEP)
                                            : CH_LARGE_CLASS;
}

/* The branch in a block of this class. */
static inline struct ch_branch *branch_in(char *block, bool prefixed, unsigned klass) {
  struct ch_branch *b = (struct ch_branch *)(block + (prefixed ? sizeof(struct ch_prefix) : 0));
  b->klass = (uint8_t)klass;
  return b;
}

/* Memory for a branch. NULL: there is none, or none on the free list. */
static struct ch_branch *take(bool prefixed, size_t record) {
  enum ch_kind kind = prefixed ? CH_KIND_LONG : CH_KIND_ACTIVITY;
  size_t size = size_of(prefixed, is_far(record), record);
  unsigned klass = class_of(size);
  char *block = ch_block_take(kind, klass, size, 16);
  if (CH_UNLIKELY(ch_heap_malloc != 0)) /* certain only now, if this is the first block */
    klass = CH_LARGE_CLASS;
  return block ? branch_in(block, prefixed, klass) : NULL;
}
static inline __attribute__((always_inline)) struct ch_branch *take_if_free(bool prefixed, size_t record) {
  size_t size = size_of(prefixed, is_far(record), record);
  char *block = ch_block_take_if_free(prefixed ? CH_KIND_LONG : CH_KIND_ACTIVITY, class_of(size));
  return CH_LIKELY(block != NULL) ? branch_in(block, prefixed, class_of(size)) : NULL;
}

static inline __attribute__((always_inline)) void give(struct ch_branch *b, bool prefixed) {
  void *block = prefixed ? (void *)ch_branch_prefix(b) : b;
  if (CH_UNLIKELY(b->klass == CH_LARGE_CLASS))
    ch_block_give_large(block);
  else
    ch_class_give(&ch_heap->classes[prefixed ? CH_KIND_LONG : CH_KIND_ACTIVITY][b->klass], block);
}

/* Sets up an activity in this memory, but not its record, and does not put it into the queue. */
static inline __attribute__((always_inline)) void begin(struct ch_branch *b, ch_activity *handle,
                                                        struct ch_member *member, struct ch_group *group, bool prefixed,
                                                        void *body_int, size_t record, const char *site) {
  struct ch_domain *d = &ch_domain;
  if (prefixed)
    *ch_branch_prefix(b) = (struct ch_prefix){handle, group};
  b->scope = NULL;
  b->top = body_int;
  b->error = 0;
  b->state = CH_NEW;
  b->flags = (uint8_t)((is_far(record) ? CH_FAR : 0) | (prefixed ? CH_LONG : 0));
  b->what = 0;
  b->link.prev = (struct ch_link *)site;
  if (handle)
    *handle = (ch_activity){.branch = b,
                            .waiters = {&handle->waiters, &handle->waiters},
                            .state = CH_HANDLE_LIVE,
                            .home = ch_home(),
                            .member = member};
  d->spawned++;
  /* Keeps two loads apart: a single load of both words would have to wait for the store of one of them above. */
  __asm__("");
  if (++d->live > d->high)
    d->high = d->live;
  group->live++;
}

/* For a record of any size, and whatever is unusual. */
CH_COLD int ch_spawn(ch_activity *handle, void *body_int, const void *record, size_t size, unsigned flags,
                     const char *site) {
  ch_look_whether_child();
  struct ch_domain *d = &ch_domain;
  struct ch_member *member = NULL;
  if (CH_UNLIKELY(ch_is_member(handle)))
    handle = ch_member_handle(member = ch_member_of(handle));
  if (handle)
    *handle = (ch_activity){.member = member};
  if (CH_UNLIKELY(!d->group) && !ch_host_begin())
    return stillborn(handle, flags, site, d->error || ch_reactor == &ch_reactor_simulated ? EPERM : ENOMEM);
  struct ch_group *group = &d->base;
  if (CH_UNLIKELY(ch_tls.spawn_policy != CH_POLICY_DELAY))
    flags = ch_spawn_flags_by_policy(flags, site);
  if (CH_UNLIKELY(flags & (CH_SPAWN_CONTAINED | CH_SPAWN_FREE))) {
    group = flags & CH_SPAWN_FREE ? ch_group_for_free() : ch_group_for_contained();
    if (!group)
      return stillborn(handle, flags, site, ENOMEM);
  }
  bool prefixed = handle || group != &d->base;
  struct ch_branch *b = take(prefixed, size);
  if (CH_UNLIKELY(!b))
    return stillborn(handle, flags, site, ENOMEM);
  begin(b, handle, member, group, prefixed, body_int, size, site);
  memcpy(ch_branch_record(b), record, size);
  if (CH_UNLIKELY(ch_checks)) {
    ch_captures_spawned(b, size, site, __builtin_return_address(0));
    d->prepares = 1; /* also if the checks have begun a moment ago */
    ch_look_before_next_run();
  }
  if (CH_UNLIKELY(ch_watched))
    ch_watch_spawned(b, site);
  ch_enqueue(b);
  if (CH_UNLIKELY(member != NULL))
    ch_member_begins(member);
  return 0;
}

/* The activity belongs to the base group of a domain that nobody watches. */
static inline bool is_usual(void) {
  _Static_assert(CH_POLICY_DELAY == 0, "the usual policy");
  return !ch_child_is_unnoticed() && ch_domain.group &&
         (ch_tls.spawn_policy | (unsigned)ch_checks | (unsigned)ch_watched) == 0;
}

/* False: nothing has been done, because something is unusual, or no memory of this size is free. */
static inline __attribute__((always_inline)) bool spawn_sized(ch_activity *handle, bool prefixed, void *body_int,
                                                              const void *record, uint32_t size, const char *site) {
  struct ch_branch *b;
  if (CH_UNLIKELY(!is_usual()) || CH_UNLIKELY(!(b = take_if_free(prefixed, size))))
    return false;
  begin(b, handle, NULL, &ch_domain.base, prefixed, body_int, size, site);
  ch_copy_words((char *)b + (is_far(size) ? CH_FAR_RECORD : CH_NEAR_RECORD), record, size);
  ch_append(&ch_domain.base, b);
  ch_slice_if_in_company();
  return true;
}

#define SIZED(n)                                                                                                       \
  int ch_spawn_##n(void *body_int, const void *record, const char *site) {                                             \
    if (CH_LIKELY(spawn_sized(NULL, false, body_int, record, 8 * n, site)))                                            \
      return 0;                                                                                                        \
    return ch_spawn(NULL, body_int, record, 8 * n, CH_SPAWN_UNSEEN, site);                                             \
  }                                                                                                                    \
  int ch_spawn_handle_##n(ch_activity *handle, void *body_int, const void *record, const char *site) {                 \
    if (CH_LIKELY(handle && !ch_is_member(handle)) &&                                                                  \
        CH_LIKELY(spawn_sized(handle, true, body_int, record, 8 * n, site)))                                           \
      return 0;                                                                                                        \
    return ch_spawn(handle, body_int, record, 8 * n, 0, site);                                                         \
  }
CH_FOR_EACH_SIZE(SIZED)
#undef SIZED

/* ---- end ---- */

CH_COLD static void wake_all(ch_activity *handle, int error) {
  while (!ch_list_empty(&handle->waiters))
    ch_fire(handle->waiters.next, error);
  if (handle->member)
    ch_member_ends(handle->member);
}

/* Most often nobody waits for the end, or one branch does, by its own link. */
static inline __attribute__((always_inline)) void finish_handle(ch_activity *handle, int error) {
  struct ch_link *waiters = &handle->waiters, *first = waiters->next;
  handle->branch = NULL;
  handle->state = CH_HANDLE_FINISHED;
  handle->error = error;
  if (CH_UNLIKELY(first->next != waiters) || CH_UNLIKELY(ch_link_is_clause(first)) ||
      CH_UNLIKELY(handle->member != NULL)) {
    wake_all(handle, error);
  } else if (first != waiters) {
    ch_list_init(waiters);
    ch_ready(ch_link_branch(first), error);
  }
}

static void domain_ends(void) {
  ch_domain.ended = 1;
  ch_look_before_next_run();
}

void ch_group_has_emptied(struct ch_group *g) {
  struct ch_branch *waiter = g->drains;
  g->drains = NULL;
  if (waiter)
    ch_ready(waiter, 0);
  else if (g == &ch_domain.base || ch_domain.live == 0) /* the latter is possible in a child of fork */
    domain_ends();
}

void (*ch_activity_checked_end)(struct ch_branch *);

CH_COLD static void check_end(struct ch_branch *b) {
  void (*look)(struct ch_branch *) = __atomic_load_n(&ch_activity_checked_end, __ATOMIC_RELAXED);
  ch_captures_activity_ends(b);
  if (look)
    look(b);
}

CH_RARE static void is_last(struct ch_group *g) { ch_group_has_emptied(g); }
CH_RARE static void free_one_ends(struct ch_group *g) { ch_group_free_ended(g); }

/* The handle is about to be written. What else may be at its place by now would be destroyed by that. */
CH_COLD static void report_stale(const ch_activity *handle) {
  fprintf(stderr,
          "charcoal: an activity ends whose handle at %p is not its own any more, because the handle's memory was "
          "given back, or was used again, also for another activity; keep each handle until its activity has ended, or "
          "call ch_activity_detach\n",
          (const void *)handle);
  fflush(NULL);
  _exit(CH_EXIT_MISUSE);
}

/* The activity leaves its group. The result is its handle, which has to be finished; or NULL. */
static inline __attribute__((always_inline)) ch_activity *leave(struct ch_branch *b, bool prefixed) {
  struct ch_group *group = prefixed ? ch_branch_prefix(b)->group : &ch_domain.base;
  if (CH_UNLIKELY(group->to != NULL))
    free_one_ends(group);
  else if (CH_UNLIKELY(--group->live == 0))
    is_last(group);
  ch_activity *handle = prefixed ? ch_branch_prefix(b)->handle : NULL;
  if (handle && CH_UNLIKELY(handle->branch != b))
    report_stale(handle);
  return handle;
}

void ch_activity_drop(struct ch_branch *b) {
  struct ch_group *base = &ch_domain.base;
  if (base->drains == b) {
    base->drains = NULL;
    base->live++;
  }
  ch_domain.live--;
  if (CH_UNLIKELY(ch_checks))
    ch_captures_activity_ends(b);
  ch_activity *handle = leave(b, b->flags & CH_LONG);
  if (handle)
    finish_handle(handle, ESRCH);
}

/* The last use of b. */
static inline __attribute__((always_inline)) void leave_and_give(struct ch_branch *b, bool prefixed) {
  ch_activity *handle = leave(b, prefixed);
  give(b, prefixed);
  if (handle)
    finish_handle(handle, 0);
}

/* The thread's first activity ends. */
CH_COLD static void first_ends(struct ch_domain *d) {
  d->first = NULL;
  if (CH_LIKELY(!d->exits))
    d->result = *(intptr_t *)ch_tls.result;
  if (!d->is_program)
    return;
  /* As in C, the program ends at once, and activities that still run are dropped. */
  domain_ends();
  if (!ch_native_is_on_main_stack()) {
    d->group = NULL;
    exit(*(int *)ch_tls.result);
  }
}

CH_COLD static void end_unusual(struct ch_branch *b, unsigned flags) {
  struct ch_domain *d = &ch_domain;
  if (ch_checks)
    check_end(b);
  if (ch_watched)
    ch_watch_activity_ends(b);
  if (flags & CH_MARKED)
    d->marked_count--;
  if (flags & CH_NAMED)
    ch_branch_forget_name(b);
  leave_and_give(b, flags & CH_LONG);
  if (flags & CH_MAIN)
    first_ends(d);
}

void ch_activity_end(struct ch_branch *b) {
  const unsigned flags = b->flags;
  CH_INVARIANT(!b->scope, "an activity has left its scopes when it ends");
  ch_domain.live--;
  if (CH_UNLIKELY(((unsigned)ch_checks | (unsigned)ch_watched | (flags & (CH_NAMED | CH_MARKED | CH_MAIN))) != 0))
    end_unusual(b, flags);
  else if (flags & CH_LONG) /* this is asked once */
    leave_and_give(b, true);
  else
    leave_and_give(b, false);
}

/* ---- handles ---- */

CH_COLD static void report_handle(const ch_activity *a) {
  fprintf(stderr,
          "charcoal: the handle at %p is that of another domain's activity; only that domain may wait for the "
          "activity, cancel it or detach the handle; begin it by ch_domain_spawn, whose handles all domains may use\n",
          (const void *)a);
  fflush(NULL);
  _exit(CH_EXIT_MISUSE);
}
void ch_activity_is_ours(const ch_activity *a) {
  if (CH_UNLIKELY(a->home != ch_home()))
    report_handle(a);
}

int ch_activity_state(const ch_activity *a) {
  if (a->state == CH_HANDLE_FINISHED)
    return a->error;
  if (a->state != CH_HANDLE_LIVE)
    return EINVAL;
  if (CH_UNLIKELY(!ch_domain.current))
    return EPERM;
  ch_activity_is_ours(a);
  if (a->branch == ch_activity_of(ch_domain.current))
    return EDEADLK;
  return EINPROGRESS;
}

static struct ch_int_result wait_for_end(ch_activity *a) {
  ch_list_is_initialised(&a->waiters);
  ch_wait_on(&a->waiters, CH_ON_ACTIVITY);
  return (struct ch_int_result){CH_BLOCKED, 0};
}

CH_COLD static struct ch_int_result wait_slow(ch_activity *a) {
  int error = ch_is_marked() ? ECANCELED : ch_activity_state(a);
  return error != EINPROGRESS ? ch_done(error) : wait_for_end(a);
}

struct ch_int_result ch_activity_wait_int(ch_activity *a) CH_INT_NAME(ch_activity_wait);
struct ch_int_result ch_activity_wait_int(ch_activity *a) {
  struct ch_branch *b = ch_domain.current;
  if (CH_UNLIKELY(!b))
    CH_JUMP_TO wait_slow(a);
  const bool usual = a->state == CH_HANDLE_LIVE && a->home == ch_home() && a->branch != ch_activity_of(b);
  if (CH_UNLIKELY(!usual) || CH_UNLIKELY(ch_domain.marked_count != 0))
    CH_JUMP_TO wait_slow(a);
  return wait_for_end(a);
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
int ch_reschedule_int(void) { return CH_YIELDED; }
void ch_reschedule(void) {}
