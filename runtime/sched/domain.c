/* The scheduler's loop. It takes the first branch of the innermost group's queue and runs it until it finishes, blocks
 * or pauses; when the queue is empty it asks the reactor. The loop stands at the bottom of the thread's stack, and of
 * each stack to which the scheduler has moved because plain code waits (native.h). */
#include "sched/domain.h"
#include "sched/anchor.h"
#include "sched/child.h"
#include "sched/schedule.h"
#include "activity/activity.h"
#include "activity/environment.h"
#include "frames/captures.h"
#include "reactor/inbox.h"
#include "reactor/looking.h"
#include "reactor/reactor.h"
#include "reactor/timer.h"
#include "report/dump.h"
#include "report/report.h"
#include "report/trace.h"
#include "report/watch.h"
#include "sched/host.h"
#include "sched/native.h"
#include "sched/open_blocks.h"
#include "sched/overflow.h"
#include "sched/external_wakers.h"
#include "sched/throw.h"
#include "wait/link.h"
#include <errno.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

__thread __attribute__((tls_model("initial-exec"))) struct ch_domain ch_domain;
/* Generated code reads the first word, `current`. */
extern __thread __attribute__((tls_model("initial-exec"))) struct ch_branch *ch_running
    __attribute__((alias("ch_domain")));

/* How many runs there are between two looks at the clock and the reactor while there is always something to run. */
#define RUNS_PER_LOOK 64
/* How many runs there are between two looks at how much memory is idle. */
#define RUNS_PER_TRIM 65536

/* Resumes the saved frames of b, innermost first. CH_DONE: its body has returned. */
static inline int resume(struct ch_branch *b) {
  struct ch_frame *frame = b->top;
  *(intptr_t *)ch_tls.result = (intptr_t)b->link.prev;
  /* Without frames: the last thing that the body did was a call that blocked, and that call has ended. */
  while (CH_LIKELY(!ch_is_chain_end(frame))) {
    struct ch_frame *parent = frame->parent;
    ch_domain.parent = b->top = parent;
    ch_tls.link = &b->frame;
    int status = frame->info->resume(frame);
    frame = ch_domain.parent; /* after a wait at an anchor neither `parent` nor the branch is the same (anchor.h) */
    if (CH_LIKELY(status != CH_DONE)) {
      *ch_tls.link = frame;
      return status;
    }
    b = ch_domain.current;
  }
  return CH_DONE;
}

static inline int begin(struct ch_branch *b) {
  int (*body)(void *) = (int (*)(void *))b->top;
  b->state = CH_READY;
  ch_domain.parent = b->top = ch_chain_end(b);
  ch_tls.link = &b->frame;
  int status = body(ch_branch_record(b));
  if (status != CH_DONE)
    *ch_tls.link = ch_domain.parent;
  return status;
}

/* In a child of fork the branch that forked goes on without interruption until it waits, gives way or spawns. Otherwise
 * its siblings would run before exec, in both processes, and what the reactor of the child asks of the kernel for them
 * would be lost for the parent. */
static bool alone_in_child(bool gives_way) {
  struct ch_domain *d = &ch_domain;
  d->forked &= !gives_way && d->switches == d->forked_switches && d->spawned == d->forked_spawned;
  return d->forked;
}

/* In a new child of fork a pause has no effect, and with a random schedule half of the pauses have none, by chance,
 * unless the program asks for it by name. Under a spinlock none has an effect but that of YieldTo (wait/lowlevel.c). */
CH_COLD static bool gives_way(int status) {
  if (ch_domain.steps_aside) {
    ch_domain.steps_aside = 0;
    return false;
  }
  bool meant = ch_domain.gives_way || (status == CH_YIELDED && ch_domain.spinlocks == 0);
  ch_domain.gives_way = 0;
  if (alone_in_child(meant))
    return false;
  return meant || (ch_domain.spinlocks == 0 && (!ch_domain.random || ch_schedule_gives_way()));
}

/* Notes whether before_run has something to do. That changes only where this is called: after runs for which after_run
 * is called, and where the loop looks around, which is often enough for what another thread changes. */
static void look_whether_runs_are_prepared(void) {
  const unsigned for_all = (unsigned)ch_checks | (unsigned)ch_watched | ch_domain.cancellable;
  ch_domain.prepares = (for_all | ch_environments.saved) != 0;
  if (ch_domain.prepares)
    ch_look_before_next_run();
}

/* Before and after b runs: sets what is not the same for all branches, and tells those who watch. */
CH_COLD static void before_run(struct ch_branch *b) {
  if (ch_domain.cancellable)
    ch_host_runs(b);
  if (ch_domain.escaped)
    ch_captures_look();
  if (ch_checks)
    ch_captures_before_run(b);
  if (ch_watched)
    ch_watch_run_begins(b);
  ch_environment_enter(b);
}
CH_COLD static void after_run(struct ch_branch *b, int status) {
  ch_environment_leave(status != CH_MOVED ? b : NULL, status == CH_DONE && !(b->flags & CH_ASYNC));
  if (status == CH_BLOCKED || status == CH_PAUSED || status == CH_YIELDED)
    ch_exceptions_set_aside(b);
  if (ch_watched)
    ch_watch_run_ends(status);
  look_whether_runs_are_prepared();
}

/* b has blocked or paused. */
static inline __attribute__((always_inline)) struct ch_branch *set_aside(struct ch_branch *b, int status, int error) {
  b->error = error;
  if (status == CH_BLOCKED)
    return CH_UNLIKELY(b->scope != NULL) ? ch_branch_blocked(b) : NULL;
  b->link.prev = NULL;
  if (CH_UNLIKELY(ch_domain.pauses_specially != 0) && !gives_way(status))
    return b;
  ch_append_to_its_group(b);
  return NULL;
}

struct ch_branch *ch_set_aside(struct ch_branch *b, int status) { return set_aside(b, status, *ch_domain.error); }

/* Runs b, for which before_run has been called if need be. `error`: this thread's errno. The result is the branch that
 * runs next because b's activity keeps its turn; or NULL. */
static inline __attribute__((always_inline)) struct ch_branch *run(struct ch_branch *b, int *error) {
  struct ch_domain *d = &ch_domain;
  d->current = b;
  *error = b->error;
  int status = CH_LIKELY(b->state != CH_NEW) ? resume(b) : begin(b);
  b = d->current; /* by now another branch may run on this stack (anchor.h) */
  ch_look_whether_child();
  d->current = NULL;
  if (CH_UNLIKELY((ch_environment_differs() | (unsigned)ch_watched) != 0))
    after_run(b, status);
  if (status > CH_BLOCKED) {
    if (CH_LIKELY(status <= CH_YIELDED))
      return set_aside(b, status, *error);
    return status == CH_JUMPED ? ch_anchor_jump(b) : status == CH_THROWN ? ch_throw_on(b) : NULL;
  }
  if (CH_LIKELY(status == CH_BLOCKED))
    return set_aside(b, CH_BLOCKED, *error);
  if (CH_UNLIKELY(b->flags & CH_ASYNC))
    return ch_async_end(b);
  if (CH_UNLIKELY(b->scope != NULL) && !ch_scope_leave_implicit(b))
    return ch_branch_blocked(b);
  ch_activity_end(b);
  return NULL;
}

/* The parts of reactor/ and posix/. */
CH_HIDDEN extern void ch_reactor_end(void) __attribute__((weak));
CH_HIDDEN extern void ch_locks_look(void) __attribute__((weak));
CH_HIDDEN extern void ch_locks_report(int fd) __attribute__((weak));
CH_HIDDEN extern void ch_locks_end(void) __attribute__((weak));
CH_HIDDEN extern void ch_events_end(void) __attribute__((weak));

/* In main's thread only plain code cares for pthread_cancel. */
static void wait_outside(int64_t deadline) {
  if (CH_LIKELY(ch_domain.natives == 0) && CH_LIKELY(ch_domain.is_program))
    ch_reactor_poll(deadline);
  else
    ch_host_sleep(deadline);
}

void ch_look_outside(int64_t deadline) {
  if (CH_UNLIKELY(ch_domain.lock_queues != 0))
    ch_locks_look();
  ch_timers_fire();
  wait_outside(deadline);
  if (ch_has_sources())
    ch_sources_look();
}

/* Looks at the sources several times in a row. True if an activity can run now. Now and then the thread gives its
 * processor to the threads that fill the sources. */
#define LOOKS_IN_A_ROW 64
#define LOOKS_PER_YIELD 4096
static bool look_at_sources(const struct ch_group *g) {
  static __thread unsigned in_vain;
  for (unsigned i = 0; i < LOOKS_IN_A_ROW; i++) {
    ch_sources_look();
    if (g->head) {
      in_vain = 0;
      return true;
    }
  }
  in_vain += LOOKS_IN_A_ROW;
  if (in_vain % LOOKS_PER_YIELD == 0)
    sched_yield();
  return false;
}

/* After a peak. This is tried every so many runs, and when nothing is to be done and half of the activities have ended.
 */
CH_COLD static void give_memory_back(void) {
  struct ch_domain *d = &ch_domain;
  if (d->high > d->peak)
    d->peak = d->high;
  d->high = d->live;
  ch_heap_trim();
}

/* What is done between two runs now and then, and when a slice is over. */
static void look(uint64_t runs) {
  ch_environments_look();
  if (CH_LIKELY(ch_domain.spinlocks == 0 && !alone_in_child(false)))
    ch_look_outside(0);
  look_whether_runs_are_prepared();
  ch_tls.attention = 0; /* who runs next has a whole slice */
  if (runs % RUNS_PER_TRIM == 0)
    give_memory_back();
}

/* Counts a run. True: something has to be done before it. */
static inline bool has_to_look(void) {
  __asm__("" : "+m"(ch_domain.runs_left)); /* so that it is decremented in memory, by one instruction */
  return CH_UNLIKELY(--ch_domain.runs_left == 0);
}

/* Called when has_to_look has returned true. */
CH_COLD static void look_around(void) {
  struct ch_domain *d = &ch_domain;
  const uint64_t runs = d->switches + d->turns;
  if (runs % RUNS_PER_LOOK == 0 || ch_tls.slice_over)
    look(runs);
  d->runs_left = d->runs_specially ? 1 : RUNS_PER_LOOK - runs % RUNS_PER_LOOK;
}

/* ---- waiting in place: see domain.h ---- */

/* A wait in place is allowed only where neither it nor what runs meanwhile can be mistaken for something else. */
static bool may_wait_in_place(const struct ch_domain *d) {
  return !d->base.head && d->group == &d->base && d->natives == 0 && !d->waits_in_place && d->spinlocks == 0 &&
         !ch_watched && !ch_checks && !ch_exceptions_are_handled();
}

static void begin_waiting_in_place(struct ch_domain *d) {
  ch_environment_leave(d->current, false);
  d->current = NULL;
  if (++d->switches % RUNS_PER_LOOK == 0)
    ch_look_outside(0);
}

static struct ch_branch *look_for_somebody(struct ch_domain *d) {
  for (unsigned i = 0; i < LOOKS_IN_A_ROW && !d->base.head; i++)
    ch_sources_look();
  return d->base.head;
}

/* b goes on, or blocks after all. */
static void end_waiting_in_place(struct ch_domain *d, struct ch_branch *b, int error) {
  d->current = b;
  if (CH_UNLIKELY(d->cancellable != 0))
    ch_host_runs(b);
  ch_environment_enter(b);
  *d->error = error;
  if (CH_UNLIKELY(!d->slicing))
    ch_slice_start();
}

bool ch_wait_in_place_slow(void) {
  struct ch_domain *d = &ch_domain;
  struct ch_branch *b = d->current;
  ch_look_whether_child();
  if (!may_wait_in_place(d))
    return false;
  int error = *d->error;
  begin_waiting_in_place(d);
  bool over = look_for_somebody(d) == b;
  if (over)
    d->base.head = (struct ch_branch *)b->link.next;
  end_waiting_in_place(d, b, error);
  return over;
}

bool ch_wait_in_place_at_end_slow(struct ch_finish *root) {
  struct ch_domain *d = &ch_domain;
  struct ch_branch *owner = d->current;
  ch_look_whether_child();
  if (root->outer || owner->flags & CH_PENDING || !may_wait_in_place(d))
    return false;
  struct ch_frame **link = ch_tls.link, *parent = d->parent;
  int error = *d->error;
  d->waits_in_place = owner;
  begin_waiting_in_place(d);
  struct ch_branch *next = ch_activity_rests(root);
  look_whether_runs_are_prepared();
  for (unsigned runs = 0; owner->state != CH_READY;) {
    if (!next) {
      next = look_for_somebody(d);
      if (!next || !next->scope || next->scope->root != root)
        break;
      d->base.head = (struct ch_branch *)next->link.next;
    }
    if (++runs == RUNS_PER_LOOK) {
      ch_enqueue_first(next);
      break;
    }
    ch_tls.attention = 0;
    if (CH_UNLIKELY(d->prepares))
      before_run(next);
    next = run(next, d->error);
  }
  ch_tls.link = link;
  d->parent = parent;
  d->waits_in_place = NULL;
  bool over = owner->state == CH_READY;
  if (!over)
    d->turn_passed = 1;
  end_waiting_in_place(d, owner, error);
  return over;
}

/* Nobody can run, and nothing that the domain has asked of the kernel can change that. */
static bool is_still(const struct ch_group *g, bool sources) {
  const struct ch_domain *d = &ch_domain;
  const bool somebody = g->live != 0 || (g != &d->base && ch_group_of_free((struct ch_group *)g)->live != 0);
  return g->outside == g->by_others && !(d->watches != 0 && somebody) && !sources && !ch_inbox_is_open();
}

/* Another thread may end the wait, through the inbox. The result is the time until which the domain may sleep. Inside
 * an atomic block only its own activities can end most waits; `by_others` counts those that others can end. */
CH_COLD static int64_t sleep_until_woken(struct ch_group *g) {
  int64_t until = CH_FOREVER;
  bool by_others = g == &ch_domain.base || g->by_others != 0;
  if (by_others && ch_reactor != &ch_reactor_simulated && ch_may_be_woken(&until))
    return until;
  if (ch_inbox_open()) /* letters of a thread that has ended meanwhile */
    return 0;
  if (g->by_others != 0 && ch_reactor == &ch_reactor_simulated)
    return CH_FOREVER;
  ch_deadlock(g, NULL);
}

/* Nobody can run. Looks outside, and waits there until something happens. */
__attribute__((noinline)) static void idle(struct ch_domain *d, struct ch_group *g) {
  bool sources = ch_has_sources();
  if (sources && look_at_sources(g))
    return;
  ch_environments_look();
  /* The poll that may wait also takes what has happened already, so a look before it would only add a system call. */
  if (CH_UNLIKELY(d->lock_queues != 0))
    ch_locks_look();
  if (CH_UNLIKELY(d->escaped))
    ch_captures_look();
  bool waits = g->outside != 0 || (d->watches != 0 && g->live != 0);
  if (waits && !sources)
    ch_timers_fire();
  else
    ch_look_outside(0);
  if (g->head)
    return;
  if (!sources && ch_look_for_letters())
    return;
  int64_t until = CH_FOREVER;
  if (CH_UNLIKELY(is_still(g, sources)) && (until = sleep_until_woken(g)) == 0)
    return;
  if (CH_UNLIKELY(d->high > 4096 && d->live < d->high / 2))
    give_memory_back();
  if (sources && ch_reactor != &ch_reactor_simulated)
    return;
  int64_t latest = ch_timers_latest();
  wait_outside(until < latest ? until : latest);
  if (CH_UNLIKELY(until != CH_FOREVER))
    ch_awake();
  ch_timers_fire();
}

/* Before the queue's first runs, if there is one, and has_to_look has returned true: a random schedule chooses who is
 * the first, unless that one has paused where a pause has no effect (a branch that is parked below setjmp comes through
 * the queue). Its run is prepared, for which it leaves the queue for a moment. False: the domain has ended. */
CH_COLD static bool prepare(void) {
  look_around();
  if (ch_domain.ended)
    return false;
  struct ch_group *g = ch_domain.group;
  if (g->head && ch_domain.chooses && ch_domain.spinlocks == 0 && !alone_in_child(false))
    ch_schedule_choose(g);
  struct ch_branch *first = g->head;
  if (first && ch_domain.prepares) {
    g->head = (struct ch_branch *)first->link.next;
    before_run(first);
    g->head = first;
  }
  return true;
}
/* The same before b, whose activity keeps its turn, runs. */
CH_COLD static void prepare_next(struct ch_branch *b) {
  look_around();
  if (ch_domain.prepares)
    before_run(b);
}

void ch_schedule(void) {
  struct ch_domain *d = &ch_domain;
  int *error = d->error;
  ch_look_before_next_run();
  look_whether_runs_are_prepared();
  for (;;) {
    if (has_to_look() && !prepare())
      return;
    struct ch_group *g = d->group;
    ch_domain_check();
    struct ch_branch *b = g->head;
    if (CH_UNLIKELY(!b)) {
      idle(d, g);
      look_whether_runs_are_prepared();
      ch_tls.attention = 0;
      continue;
    }
    g->head = (struct ch_branch *)b->link.next;
    /* No other activity is runnable, but an event from outside may make one so. It is seen only at a slice's end. */
    if (CH_UNLIKELY(!g->head) && g->outside && !d->slicing)
      ch_slice_start();
    d->switches++;
    while ((b = run(b, error))) {
      d->turns++; /* to the slice timer this is no switch, because the activity is the same */
      if (has_to_look())
        prepare_next(b);
    }
  }
}

void ch_deadlock(struct ch_group *g, const char *why) {
  static int reported;
  while (__atomic_exchange_n(&reported, 1, __ATOMIC_ACQ_REL)) /* another domain reports one, and ends the process */
    pause();
  fflush(stdout);
  fprintf(stderr, "charcoal: deadlock: %s\n",
          why                    ? why
          : g == &ch_domain.base ? "no activity can run, and none waits for anything outside the program"
                                 : "inside an atomic block: no activity that may run there can run, and none waits "
                                   "for anything outside the program");
  if (ch_locks_report)
    ch_locks_report(2);
  ch_dump_deadlock(g == &ch_domain.base && !why);
  fprintf(stderr, "charcoal: let another activity end one of these waits, or give it a limit with 'within'\n");
  fflush(NULL);
  ch_trace_end("crash");
  ch_schedule_failed();
  _exit(CH_EXIT_DEADLOCK);
}

bool ch_domain_begin(void *bottom) {
  struct ch_domain *d = &ch_domain;
  *d = (struct ch_domain){.error = &errno, .group = NULL};
  d->group = &d->base;
  ch_environments_start();
  ch_external_wakers_start();
  bool begun = ch_native_start(bottom);
  ch_overflow_start();
  ch_schedule_start();
  if (!begun || !ch_report_start())
    return ch_domain_end(), false;
  ch_watch_start();
  return true;
}

bool ch_domain_run(void *body_int, const void *record, size_t size, const char *site, bool is_main) {
  struct ch_domain *d = &ch_domain;
  if (is_main && d->host) { /* constructors have made the thread a domain */
    ch_host_drop();
    d->entered = d->ended = 0;
  } else {
    if (is_main)
      ch_reactor_choose(); /* for all domains */
    if (!ch_domain_begin(__builtin_frame_address(0)))
      return false;
    ch_host_watch_thread();
    d->cancellable = ch_in_programs_thread;
  }
  struct ch_branch *queued = d->base.head ? d->base.tail : NULL;
  if (ch_spawn(NULL, body_int, record, size, 0, site)) {
    ch_host_unwatch_thread();
    d->group = NULL;
    ch_domain_end();
    return false;
  }
  d->first = queued ? (struct ch_branch *)queued->link.next : d->base.head;
  d->first->flags |= CH_MAIN;
  d->is_program = is_main;
  ch_native_run();
  d->group = NULL;
  return true;
}

void ch_domain_end(void) {
  ch_slice_end();
  ch_external_wakers_end();
  ch_native_end();
  ch_overflow_end();
  ch_report_end();
  if (ch_locks_end)
    ch_locks_end();
  if (ch_events_end)
    ch_events_end();
  ch_foreign_loop_end();
  ch_blocks_end();
  if (ch_reactor_end)
    ch_reactor_end();
  ch_names_end();
  ch_environments_end();
  ch_versions_end();
  ch_heap_end();
  ch_domain.error = NULL;
}

#ifdef CHARCOAL_CHECKED
void ch_domain_check(void) {
  struct ch_domain *d = &ch_domain;
  struct ch_group *g = d->group;
  while (g != &d->base) {
    CH_INVARIANT(g != NULL, "the groups lead to the base group");
    g = g->outer;
  }
  CH_INVARIANT(!d->current, "nobody is current while the scheduler runs");
  for (g = d->group;; g = g->outer) {
    unsigned seen = 0;
    for (struct ch_branch *b = g->head; b && seen++ < 16; b = (struct ch_branch *)b->link.next) {
      CH_INVARIANT(b->state == CH_NEW || b->state == CH_READY, "what is queued is new or ready");
      CH_INVARIANT(ch_group_of(b) == g || b->flags & CH_NATIVE, "a queue holds branches of its own group");
      if (!b->link.next)
        CH_INVARIANT(b == g->tail, "the tail is the last of the queue");
    }
    if (g == &d->base)
      break;
  }
}
#endif
