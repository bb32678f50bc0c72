/* Makes a thread's running code an activity of a new domain. See host.h. */
#define _GNU_SOURCE
#include "sched/host.h"
#include "activity/activity.h"
#include "activity/cancel.h"
#include "frames/runtime_calls.h"
#include "frames/interposed.h"
#include "reactor/reactor.h"
#include "report/debug.h"
#include "report/report.h"
#include "report/watch.h"
#include "sched/native.h"
#include "sched/no_yield.h"
#include "sched/open_blocks.h"
#include "sched/thread_exit.h"
#include "wait/wait.h"
#include <errno.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static pthread_key_t key;
static pthread_once_t prepared = PTHREAD_ONCE_INIT;
static void thread_ends(void *domain);
static void process_ends(void);

static void prepare(void) {
  if (pthread_key_create(&key, thread_ends)) {
    fprintf(stderr, "charcoal: no key for thread-specific data is left, and domains in threads need one: let the "
                    "program call pthread_key_create less often\n");
    abort();
  }
}
static void prepare_process(void) {
  ch_reactor_choose();
  atexit(process_ends);
}

void ch_host_watch_thread(void) {
  ch_library_once(&prepared, prepare);
  pthread_setspecific(key, &ch_domain);
}
void ch_host_unwatch_thread(void) { pthread_setspecific(key, NULL); }

/* ---- begin ---- */

/* The upper end of the stack on which the caller runs. */
static void *upper_end(void) {
  pthread_attr_t attributes;
  void *low = NULL;
  size_t size = 0;
  if (pthread_getattr_np(pthread_self(), &attributes) == 0) {
    pthread_attr_getstack(&attributes, &low, &size);
    pthread_attr_destroy(&attributes);
  }
  return low ? (char *)low + size : __builtin_frame_address(0);
}

/* A branch of an activity whose code is the caller's. NULL: no memory. */
static struct ch_branch *make(void) {
  struct ch_domain *d = &ch_domain;
  struct ch_branch *head = d->base.head, *tail = d->base.tail, *b;
  d->base.head = NULL;
  int error = ch_spawn(NULL, NULL, NULL, 0, 0, NULL);
  b = d->base.head;
  d->base.head = head;
  d->base.tail = tail;
  if (error)
    return NULL;
  b->state = CH_READY;
  d->parent = b->top = ch_chain_end(b);
  ch_tls.link = &b->frame;
  if (CH_UNLIKELY(ch_watched))
    ch_watch_run_begins(b);
  return b;
}

static bool begin(void) {
  struct ch_domain *d = &ch_domain;
  d->host = make();
  d->current = d->host;
  if (!d->host)
    d->group = NULL;
  return d->host != NULL;
}

bool ch_host_begin(void) {
  static pthread_once_t process = PTHREAD_ONCE_INIT;
  if (ch_domain.error)
    return false;
  int saved = errno;
  ch_library_once(&process, prepare_process);
  if (ch_reactor == &ch_reactor_simulated && ch_debug)
    return false;
  bool begun = ch_domain_begin(upper_end());
  if (begun && !(begun = begin()))
    ch_domain_end();
  if (begun) {
    ch_host_watch_thread();
    ch_domain.cancellable = gettid() != getpid();
  }
  errno = saved;
  return begun;
}

bool ch_host_begin_again(void) {
  ch_domain.group = &ch_domain.base;
  ch_domain.ended = 0;
  return begin();
}

/* ---- end ---- */

void ch_host_drop(void) {
  struct ch_domain *d = &ch_domain;
  struct ch_branch *b = d->host;
  if (CH_UNLIKELY(ch_watched))
    ch_watch_run_ends(CH_BLOCKED);
  d->host = NULL;
  d->current = NULL;
  b->scope = NULL;
  ch_activity_end(b);
}

void ch_host_end(void) {
  struct ch_domain *d = &ch_domain;
  ch_group_drain(&d->base);
  ch_host_drop();
  d->group = NULL;
  d->entered = 0;
  ch_host_unwatch_thread();
  ch_domain_end();
}

int ch_domain_enter(void) {
  struct ch_domain *d = &ch_domain;
  if (!d->current && !ch_host_begin())
    return d->error ? EPERM : ch_reactor == &ch_reactor_simulated ? ENOTSUP : ENOMEM;
  d->entered++;
  return 0;
}

int ch_domain_leave(void) {
  struct ch_domain *d = &ch_domain;
  if (!d->current || d->entered == 0)
    return EINVAL;
  if (d->host && d->current != d->host)
    return EPERM;
  if (d->entered == 1 && d->host) {
    if (ch_tls.atomic_depth > 0 || d->host->scope)
      return EBUSY;
    ch_host_end();
  } else {
    d->entered--;
  }
  return 0;
}

/* ---- the thread's end ----
 *
 * The thread's stack is empty now, whatever ran on it before: a host that returned or called pthread_exit, an activity
 * that called it, or the loop, during which the thread was cancelled. */

CH_COLD static _Noreturn void stack_is_gone(void) {
  static const char text[] = "charcoal: a thread was ended by pthread_exit or pthread_cancel while one of its "
                             "activities waited in plain code on "
                             "the thread's own stack, which is gone now; let that activity end first\n";
  ssize_t n = ch_runtime_write(2, text, sizeof text - 1);
  (void)n;
  abort();
}

CH_COLD static _Noreturn void body_is_gone(const struct ch_open_block *b) {
  fflush(stdout);
  fprintf(stderr,
          "charcoal: a thread was ended by pthread_exit or pthread_cancel in plain code inside %s at %s, where it must "
          "not end; leave the body first, or call pthread_exit in interruptible code\n",
          b->kind->what, b->site ? b->site : "an unknown place");
  fflush(NULL);
  abort();
}

/* The thread ends in this activity, so the functions that the activity is running for pthread_once will never return
 * (posix/locks/once.c). */
CH_HIDDEN extern void ch_onces_left(struct ch_branch *first) __attribute__((weak));

/* What events would store into variables on the thread's stack is dropped (events/rendezvous.c). */
CH_HIDDEN extern void ch_events_forget(uintptr_t low, uintptr_t high) __attribute__((weak));
static void forget_stack(struct ch_stack *s) {
  if (!ch_events_forget)
    return;
  if (!s->low)
    (void)ch_stack_last_quarter(s); /* computes where it ends */
  ch_events_forget((uintptr_t)s->low, (uintptr_t)s->high);
}

/* The branch, which is not the first activity's first, ends here. What it may have in scopes of its own is dropped,
 * because these lay on a stack that is gone. */
static void host_instead_of(struct ch_branch *b) {
  struct ch_domain *d = &ch_domain;
  d->current = d->host = make();
  b->scope = b->flags & CH_ASYNC ? ch_async_of(b)->scope : NULL;
  struct ch_branch *next = ch_exit_branch(b);
  if (next)
    ch_enqueue_first(next);
}

static void thread_ends(void *domain) {
  struct ch_domain *d = domain;
  if (d != &ch_domain || !d->group)
    return;
  ch_native_thread_ended(stack_is_gone);
  ch_no_yield_drop();
  ch_tls.atomic_depth = ch_tls.atomic_pending = ch_tls.spawn_policy = 0;
  d->waits_in_place = NULL;
  d->exiting = 0;
  d->group = &d->base;
  d->spinlocks = 0;
  if (d->is_program && (!d->current || d->current == d->first)) { /* main leaves: the last thread ends the process */
    d->is_program = 0;
    ch_slice_main_leaves();
  }
  if (d->current) {
    ch_blocks_forget(0, NULL, NULL);
    forget_stack(d->main_stack);
    if (d->stack != d->main_stack)
      forget_stack(d->stack);
    const struct ch_open_block *left = ch_block_left(0);
    if (left)
      body_is_gone(left);
    if (d->current == d->first || d->current == d->host) {
      if (ch_onces_left)
        ch_onces_left(d->current);
      d->host = d->current;
    } else {
      host_instead_of(d->current);
    }
  } else { /* the thread was cancelled, which cancels its first activity */
    ch_reactor_left();
    d->is_cancelled = true;
    if (d->first)
      ch_branch_cancel(d->first);
    d->host = make();
    d->current = d->host;
  }
  if (d->host)
    ch_host_end();
}

/* ---- where pthread_cancel acts ---- */

__thread bool ch_in_programs_thread;

static struct ch_branch *first_activity(void) { return ch_domain.first ? ch_domain.first : ch_domain.host; }

void ch_host_runs(const struct ch_branch *b) {
  struct ch_domain *d = &ch_domain;
  const bool acts = !b || (b == first_activity() && !b->scope);
  int before;
  if (acts && d->holds_cancellation) {
    d->holds_cancellation = false;
    pthread_setcancelstate(PTHREAD_CANCEL_ENABLE, NULL);
  } else if (!acts && !d->holds_cancellation) {
    pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &before);
    d->holds_cancellation = before == PTHREAD_CANCEL_ENABLE;
  }
}

/* Of the thread that has been unwinding until now. The C library has disabled its cancellation. */
CH_COLD static void is_cancelled(void) {
  struct ch_branch *b = first_activity();
  pthread_setcanceltype(PTHREAD_CANCEL_DEFERRED, NULL);
  ch_reactor_left();
  ch_domain.is_cancelled = true;
  if (!b)
    return;
  ch_branch_cancel(b);
  if (ch_native_is_waiting(b)) /* also where a scope of the runtime's own keeps cancellations away */
    ch_wait_cancel(b);
}

void ch_host_sleep(int64_t deadline) {
  __pthread_unwind_buf_t buffer;
  if (ch_domain.cancellable)
    ch_host_runs(NULL);
  if (__sigsetjmp((struct __jmp_buf_tag *)(void *)buffer.__cancel_jmp_buf, 0)) {
    __pthread_unregister_cancel(&buffer);
    is_cancelled();
    return;
  }
  __pthread_register_cancel(&buffer);
  ch_reactor_poll(deadline);
  pthread_testcancel(); /* the poll makes no system call, or none that is a cancellation point, if it need not wait */
  __pthread_unregister_cancel(&buffer);
}

bool ch_host_is_cancelled(struct ch_branch *b) {
  return CH_UNLIKELY(ch_domain.is_cancelled) && b && ch_activity_of(b) == first_activity();
}

/* main's thread was cancelled while its loop slept, and is ending already (thread_ends): it cannot end once more. */
static bool is_ending(void) { return ch_domain.host && ch_domain.current != ch_domain.host; }

void ch_host_exit_if_cancelled(void) {
  if (ch_host_is_cancelled(ch_domain.current) && !is_ending()) {
    ch_blocks_take_back(0);
    pthread_exit(PTHREAD_CANCELED);
  }
}

bool ch_host_exits_at_call(void) {
  struct ch_branch *b = ch_domain.current;
  if (!b || b->flags & CH_ASYNC || b->scope || ch_tls.atomic_depth != 0)
    return false;
  ch_host_exit_if_cancelled();
  return ch_host_is_cancelled(b);
}

/* ---- the process's end ---- */

/* Of another thread, because this one cannot make it run its activities. */
CH_COLD static void report_never_run(const struct ch_debug *other) {
  uint64_t live = __atomic_load_n(&other->domain->live, __ATOMIC_RELAXED);
  if (__atomic_load_n(&other->domain->host, __ATOMIC_RELAXED) && live > 1 &&
      __atomic_load_n(&other->domain->switches, __ATOMIC_RELAXED) == 0)
    fprintf(stderr,
            "charcoal: the process ends, and %lu activities that a thread has activated have never run, because its "
            "plain code has never waited for them: let it call ch_domain_leave, or ch_activity_wait\n",
            (unsigned long)(live - 1));
}

/* The longest that they can take. */
#define LAST_TURNS INT64_C(1000000000)

/* All activities go on until they wait, so those that have not begun yet begin. */
static void process_ends(void) {
  struct ch_domain *d = &ch_domain;
  ch_debug_visit_others(report_never_run);
  ch_no_yield_drop();
  if (!d->host || d->current != d->host || ch_tls.atomic_depth > 0)
    return;
  int64_t begin = ch_reactor->now();
  while (d->base.head && ch_reactor->now() - begin < LAST_TURNS)
    ch_native_yield();
}
