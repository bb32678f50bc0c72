/* Waits that stay on the native stack. native.h explains how the stacks are used. */
#include "sched/native.h"
#include "charcoal/clause.h"
#include "activity/environment.h"
#include "frames/captures.h"
#include "report/watch.h"
#include "sched/child.h"
#include "sched/throw.h"
#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const struct ch_stack *ch_native_stack_of(struct ch_branch *b) {
  const struct ch_stack *s = ch_native_of(b->top)->stack;
  return ch_is_running(b) || s == ch_domain.stack ? NULL : s;
}

/* ---- handlers of pthread_cleanup_push ---- */

/* The C library has no call for its list; but what is pushed is told what was there before, and popping it makes that
 * the list. */
void *ch_cleanups(void) {
  __pthread_unwind_buf_t top;
  __pthread_register_cancel(&top);
  __pthread_unregister_cancel(&top);
  return top.__pad[0];
}
void ch_set_cleanups(void *list) {
  __pthread_unwind_buf_t top;
  __pthread_register_cancel(&top);
  top.__pad[0] = list;
  __pthread_unregister_cancel(&top);
}

/* ---- the stacks ---- */

/* How many idle stacks are kept. */
#define KEPT 8

bool ch_native_start(void *bottom) {
  struct ch_domain *d = &ch_domain;
  d->stack = d->main_stack = ch_stack_of_thread(bottom);
  d->idle = NULL;
  d->idles = d->natives = 0;
  if (d->main_stack)
    d->main_stack->cleanups = ch_cleanups();
  return d->main_stack != NULL;
}

static struct ch_stack *take_idle(struct ch_stack **at) {
  struct ch_stack *s = *at;
  *at = s->next;
  ch_domain.idles--;
  return s;
}

static void make_idle(struct ch_stack *s) {
  s->next = ch_domain.idle;
  ch_domain.idle = s;
  ch_domain.idles++;
}

/* Frees idle stacks until `kept` of them are left. */
static void let_go(unsigned kept) {
  struct ch_domain *d = &ch_domain;
  struct ch_stack **at = &d->idle;
  while (*at && d->idles > kept) {
    if (*at == d->main_stack) {
      at = &(*at)->next;
      continue;
    }
    struct ch_stack *gone = take_idle(at);
    if (CH_UNLIKELY(ch_checks))
      ch_captures_stack_ends(gone);
    ch_stack_free(gone);
  }
}

void ch_native_end(void) {
  let_go(0);
  free(ch_domain.main_stack);
  ch_domain.main_stack = ch_domain.stack = NULL;
}

static void move_to(struct ch_stack *to) {
  struct ch_stack *from = ch_domain.stack;
  ch_domain.stack = to;
  ch_stack_switch(from, to);
}

/* What runs on a new stack. When the domain has ended, its first loop goes on, on the thread's own stack. */
static void enter(void) {
  struct ch_domain *d = &ch_domain;
  ch_stack_entered();
  if (CH_UNLIKELY(ch_watched))
    ch_watch_run_ends(CH_MOVED);
  ch_schedule();
  struct ch_stack **at = &d->idle;
  while (*at && *at != d->main_stack)
    at = &(*at)->next;
  /* The main stack may not be idle: an activity still waits there although main has returned, or an activity that is
   * not in this child of fork waited there. */
  if (!*at) {
    d->group = NULL;
    exit(d->first ? EXIT_SUCCESS : *(int *)ch_tls.result);
  }
  struct ch_stack *main_stack = take_idle(at);
  make_idle(d->stack);
  move_to(main_stack);
  abort(); /* not reached, because nobody switches to this stack any more */
}

void ch_native_run(void) {
  volatile bool again = false;
  getcontext(ch_stack_beginning(ch_domain.main_stack));
  if (again) {
    ch_stack_entered();
    if (CH_UNLIKELY(ch_watched))
      ch_watch_run_ends(CH_MOVED);
  }
  again = true;
  ch_schedule();
}

void ch_native_give_up(struct ch_stack *s) {
  ch_stack_give_up(s);
  make_idle(s);
}

static void move_scheduler(void) {
  struct ch_domain *d = &ch_domain;
  struct ch_stack *to = d->idle ? take_idle(&d->idle) : ch_stack_make(enter);
  if (CH_UNLIKELY(!to)) {
    fprintf(stderr,
            "charcoal: no memory for another stack: %s; %u activities wait in plain code (in atomic blocks, or in "
            "callbacks of libraries) or below setjmp, and each of them keeps one; let fewer of them wait there at a "
            "time, or raise the limit (ulimit -v, sysctl vm.max_map_count)\n",
            strerror(errno), d->natives);
    fflush(NULL);
    abort();
  }
  move_to(to);
}

int ch_native_go_on(struct ch_frame *f) {
  static __thread struct ch_frame *nowhere; /* the loop must save no frame, because it has no branch any more */
  make_idle(ch_domain.stack);
  move_to(ch_native_of(f)->stack);
  ch_tls.link = &nowhere;
  return CH_MOVED;
}

static const struct ch_frame_info plain_code = {
    .resume = ch_native_go_on, .name = "plain code", .size = CH_FRAME_HEADER, .align = 16};

/* ---- for reports ---- */

/* To find out what is on a parked stack, the caller runs there for a moment. */
struct visit {
  struct ch_stack *from;
  void **pcs;
  unsigned n, most;
};
static __thread struct visit *visit;
extern __attribute__((weak)) int backtrace(void **pcs, int most); /* missing in static programs */

static CH_COLD void show(struct ch_native *n) {
  visit->n = backtrace ? (unsigned)backtrace(visit->pcs, (int)visit->most) : 0;
  ch_stack_switch(n->stack, visit->from);
}

bool ch_native_is_waiting(const struct ch_branch *b) {
  return b->flags & CH_NATIVE && !ch_is_chain_end(b->top) && ((struct ch_frame *)b->top)->info == &plain_code;
}

unsigned ch_native_backtrace(const struct ch_branch *b, void **pcs, unsigned most) {
  if (!ch_native_is_waiting(b))
    return 0;
  struct visit v = {.from = ch_domain.stack, .pcs = pcs, .most = most};
  visit = &v;
  ch_stack_switch(v.from, ch_native_of(b->top)->stack);
  visit = NULL;
  return v.n;
}

/* ---- waiting ---- */

/* Touches the room that the wait will need. If the stack is too small for it, the fault comes while the activity is
 * still the running one, so the report names it. */
static __attribute__((noinline)) void reserve_room(void) {
  char room[3072];
  *(volatile char *)room = 0;
  __asm__ volatile("" : : "r"(room) : "memory"); /* otherwise the compiler would allocate only one byte */
}

void ch_native_park(struct ch_native *n, struct ch_group *group) {
  reserve_room();
  struct ch_domain *d = &ch_domain;
  struct ch_group *outer = d->group;
  uint32_t depth = ch_tls.atomic_depth, pending = ch_tls.atomic_pending, policy = ch_tls.spawn_policy;
  CH_INVARIANT(!ch_tls.entering, "nobody waits while a frame is being entered");
  n->stack = d->stack;
  n->cleanups = ch_cleanups();
  ch_set_cleanups(d->main_stack->cleanups);
  ch_environment_leave_slow(d->current, false); /* because plain code may have changed only MXCSR */
  d->natives++;
  d->current = NULL;
  d->group = group;
  ch_tls.atomic_depth = ch_tls.atomic_pending = ch_tls.spawn_policy = 0;
  move_scheduler();
  while (CH_UNLIKELY(visit != NULL))
    show(n);
  CH_INVARIANT(d->current->state == CH_READY && d->group == ch_group_now(group), "the loop has resumed this branch");
  if (ch_stack_may_go())
    let_go(KEPT);
  ch_native_back(n);
  d->group = ch_group_now(outer); /* the block in which a free activity waited may have ended */
  ch_tls.atomic_depth = depth;
  ch_tls.atomic_pending = pending;
  ch_tls.spawn_policy = policy;
}

void ch_native_back(struct ch_native *n) {
  ch_environment_enter(ch_domain.current);
  ch_set_cleanups(n->cleanups);
  ch_domain.natives--;
}

/* The running branch has been registered or queued, and waits while the group's activities run. */
static intptr_t wait_in(struct ch_group *group, bool exclusive) {
  struct ch_branch *b = ch_domain.current;
  struct ch_native n = {.group = exclusive ? group : NULL};
  CH_INVARIANT(ch_tls.link == &b->frame, "what runs has saved no frame");
  n.frame = (struct ch_frame){.info = &plain_code, .parent = b->top};
  b->top = &n.frame;
  b->error = *ch_domain.error;
  b->flags |= CH_NATIVE;
  const struct ch_exceptions handled = ch_exceptions_take();
  ch_native_park(&n, group);
  ch_exceptions_give(handled);
  CH_INVARIANT(ch_domain.current == b, "the loop has resumed this branch");
  b->flags &= (uint8_t)~CH_NATIVE;
  return (intptr_t)b->link.prev;
}

/* The same in no atomic block: the branch's activity goes on with another branch, if one is ready. */
static intptr_t wait_in_activity(struct ch_group *group) {
  const struct ch_branch *b = ch_domain.current;
  struct ch_branch *next = b->scope ? ch_activity_rests(b->scope->root) : NULL;
  if (next)
    ch_enqueue_first(next);
  return wait_in(group, false);
}

/* Whether a deadline around the wait, up to a barrier, can end it. */
static bool has_deadline(const struct ch_branch *b) {
  for (struct ch_finish *s = b->scope; s; s = s->barrier ? NULL : s->outer)
    if (s->timer)
      return true;
  return false;
}

intptr_t ch_wait_native(unsigned by) {
  struct ch_domain *d = &ch_domain;
  ch_look_whether_child();
  struct ch_branch *b = d->current;
  if (ch_tls.atomic_depth == 0)
    return wait_in_activity(d->group);
  struct ch_group *g = d->group, empty[2]; /* followed by its group of free activities, as each block's group is */
  if (g == &d->base || g->owner != b || g->depth != ch_tls.atomic_depth) {
    /* Nothing was spawned contained or free in the innermost atomic block, so nothing may run. */
    empty[0] = (struct ch_group){.outer = g, .owner = b, .depth = ch_tls.atomic_depth};
    empty[1] = (struct ch_group){.to = empty};
    g = empty;
  }
  bool others = by == CH_BY_OTHERS && !has_deadline(b), counts = others || by != CH_BY_DOMAIN || has_deadline(b);
  g->outside += counts;
  g->by_others += others;
  intptr_t result = wait_in(g, true);
  g->outside -= counts;
  g->by_others -= others;
  return result;
}

void ch_group_drain(struct ch_group *g) {
  struct ch_branch *b = ch_domain.current;
  bool base = g == &ch_domain.base;
  g->live -= base; /* the base group includes the caller, which does not wait for itself */
  while (g->live > 0) {
    b->state = CH_WAITING;
    b->what = base ? CH_ON_OTHERS : CH_ON_CONTAINED;
    g->drains = b;
    if (base)
      wait_in_activity(g);
    else
      wait_in(g, true);
  }
  g->live += base;
}

void ch_native_yield(void) {
  ch_look_whether_child();
  struct ch_branch *b = ch_domain.current;
  b->state = CH_READY;
  b->link.prev = NULL;
  ch_enqueue(b->scope ? ch_activity_gives_way(b) : b);
  wait_in(ch_domain.group, false);
}

void ch_native_thread_ended(void (*impossible)(void)) {
  struct ch_domain *d = &ch_domain;
  if (!ch_native_is_on_main_stack()) {
    struct ch_stack **at = &d->idle;
    while (*at && *at != d->main_stack)
      at = &(*at)->next;
    if (!*at)
      impossible();
    take_idle(at);
    d->stack = d->main_stack;
  }
  if (d->current)
    d->current->top = ch_chain_end(d->current);
  ch_tls.link = d->current ? &d->current->frame : NULL;
}

bool ch_native_ready(struct ch_branch *b) {
  struct ch_group *g = ch_native_of(b->top)->group;
  if (g)
    ch_enqueue_first_in(g, b);
  return g != NULL;
}
