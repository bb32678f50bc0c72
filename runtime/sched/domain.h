/* A domain: one thread's scheduler. Private to the runtime.
 *
 * Run queues are first in, first out. There is one for each *group*: the base group holds the domain's ordinary
 * activities; an atomic block in which activities were spawned contained has a group of its own. Groups form a stack,
 * and only activities of the innermost group run. Beside the group of a block stands one that only counts (`to`): the
 * activities that were spawned free in the block. They queue in the block's group, which does not wait for them; when
 * the block ends, what they have there moves to the group around it.
 *
 * Invariants: 1. `group` leads by `outer` to `base`; 2. a queue holds exactly the branches of its group that are NEW or
 * READY and not in their activity's own list (activity/scope.h), and those that wait in an atomic block for which it
 * runs;
 * 3. a group's `outside` is the number of listed clauses of its branches that something outside the domain can
 * make ready; 4. `current` is the branch whose code is running, NULL while the scheduler runs; 5. groups other than
 * base have live members or are being spawned into, waited in or settled.
 */
#ifndef CHARCOAL_SCHED_DOMAIN_H
#define CHARCOAL_SCHED_DOMAIN_H

#include "activity/scope.h"
#include "sched/check.h"
#include "sched/stack.h"

struct ch_group {
  struct ch_group *outer;
  struct ch_branch *head, *tail; /* the run queue; tail is valid only if head is not NULL */
  uint64_t live;                 /* how many of its activities have not finished */
  uint64_t outside;              /* how many listed clauses its domain alone cannot make ready (wait.h) */
  uint64_t by_others;            /* how many of them only another thread can make ready */
  struct ch_branch *drains;      /* the branch that waits until live is 0; NULL: none does */
  struct ch_branch *owner;       /* the branch whose atomic block it belongs to */
  uint32_t depth;                /* how deeply that block is nested */
  /* The group whose queue and counts of clauses are used instead, or NULL. A free group has that of its block. A block
   * that has ended before some of its free activities has the group around it. */
  struct ch_group *to;
};

/* The group in whose queue the branches of g stand. */
static inline struct ch_group *ch_group_now(struct ch_group *g) {
  while (CH_UNLIKELY(g->to != NULL))
    g = g->to;
  return g;
}
/* Of the activities that were spawned free in the block of g, which is not the base group. */
static inline struct ch_group *ch_group_of_free(struct ch_group *g) { return g + 1; }

struct ch_open_blocks;
struct ch_domain {
  struct ch_branch *current;
  struct ch_group *group;  /* NULL: this thread runs no domain */
  uint64_t switches;       /* how many turns activities have had; the slice timer's thread reads it */
  int *error;              /* &errno of this thread */
  uint64_t marked_count;   /* how many open scopes and activities are marked; at 0 nothing is looked up */
  struct ch_frame *parent; /* valid while a branch runs: the saved frames that it will return to, or its chain's end */
  struct ch_branch *waits_in_place; /* the branch that waits in place at its activity's end; or NULL */
  uint8_t slicing;                  /* the slice timer runs; cleared by its thread */
  uint8_t is_program;               /* the domain ends with its first activity, main */
  uint8_t gives_way;          /* the present pause gives way although a spinlock is held or the schedule is random */
  uint8_t drops_others;       /* in a child of fork: the other activities are being dropped (child.h) */
  uint8_t turn_passed;        /* the branch that is about to block has already passed its activity's turn on */
  uint8_t stepping;           /* somebody else's loop lets the activities run (foreign_loop.c) */
  uint8_t is_cancelled;       /* by pthread_cancel: see ch_host_sleep */
  uint8_t cancellable;        /* pthread_cancel may end this thread wherever it is not held back (ch_host_runs) */
  uint8_t holds_cancellation; /* it is held back, and the program has it enabled */
  uint8_t asks_again : 1;     /* in a child of fork: its names are to be asked for again (ch_dns_ask_again) */
  uint8_t exits : 1;          /* an activity has called pthread_exit: `result` is that of this call (thread_exit.h) */
  uint8_t escaped : 1;        /* a local may have been lent for longer than it lives (ch_captures_look) */
  uint8_t exiting : 1; /* the C library's pthread_exit leaves the stack of the running branch, or of one that waits */
  union {
    struct {
      uint32_t spinlocks;  /* how many spinlocks code of this domain holds; at more than 0 it is not interrupted
                              (wait/lowlevel.c) */
      uint8_t forked;      /* in a child of fork: only the activity that called fork runs (domain.c) */
      uint8_t steps_aside; /* the present pause only takes the running code's callers off the stack (anchor.h) */
      uint8_t random;      /* ch_schedule_random: a random schedule decides who gives way */
    };
    uint64_t pauses_specially; /* these four together; 0: whoever pauses gives way */
  };
  union {
    struct {
      uint8_t ended;    /* main has returned; in a further domain: all activities have ended */
      uint8_t chooses;  /* the same as `random` */
      uint8_t prepares; /* before a run something has to be set or told (domain.c) */
    };
    uint32_t runs_specially; /* these three together; 0: the queue's first runs, and that is all */
  };
  /* The scheduler decrements it before each run, and when it gets 0 does what is not done before every run (domain.c).
   * It is set to 1 together with each of the three above, and by the thread of the slice timer when a slice is over. */
  uint32_t runs_left;
  uint32_t usual_modes;  /* the floating-point modes of the domain; ~0, which is no value of modes, while some activity
                            has modes of its own (activity/environment.h) */
  uint32_t source_count; /* how many sources there are */
  uint64_t live, spawned;
  uint64_t forked_switches,
      forked_spawned;      /* valid while `forked`: what switches and spawned were when the child began */
  struct ch_link unscoped; /* async branches whose scope is not known yet (async.c) */
  struct ch_link yielded;  /* branches that have given way to a sibling and have not yet been set aside */
  struct ch_link sources;  /* see sched/source.c */
  struct ch_link *looking; /* valid while sources are looked at: the source that comes next */
  uint64_t branches;       /* how many async branches are alive */
  uint64_t turns;          /* how many turns branches had whose activity had the turn already */
  uint64_t high;           /* how many activities were alive at most since memory was last given back */
  uint64_t peak;           /* the same for the time before that */
  struct ch_stack *stack;  /* the stack on which the code runs (native.h) */
  struct ch_stack *idle;   /* idle stacks, each with a loop that can take over */
  unsigned idles, natives; /* how many stacks are idle; how many branches are NATIVE */
  uint32_t lock_queues;    /* how many locks branches of this domain wait for (posix/locks/queue.h) */
  uint32_t watches;        /* how many of these locks code outside the domain will give back */
  unsigned entered;        /* how many calls of ch_domain_enter have no ch_domain_leave yet */
  int watched;             /* the descriptor that somebody else's loop watches, + 1; 0: it has not asked for one */
  struct ch_branch *host;  /* the thread's own plain code (host.h); else NULL */
  struct ch_branch *first; /* the branch that is MAIN, while it lives; else NULL */
  intptr_t result;         /* what the thread ends with: see `exits`; otherwise the result of the body of `first` */
  struct ch_claimed_list *woken; /* those who have been let go on and are about to be woken (sync/gate.c); or NULL */
  struct ch_group base;
  struct ch_stack *main_stack;        /* the thread's own stack */
  struct ch_open_blocks *open_blocks; /* see open_blocks.h; NULL: there have been none */
};

extern CH_HIDDEN __thread __attribute__((tls_model("initial-exec"))) struct ch_domain ch_domain;

/* Before the next run the scheduler does what it does not do before every run: because the domain has ended, and the
 * like. */
static inline void ch_look_before_next_run(void) { ch_domain.runs_left = 1; }

/* The branch's code runs, and has not begun to wait. */
static inline bool ch_is_running(const struct ch_branch *b) { return b == ch_domain.current && b->state == CH_READY; }
/* The running branch, of which nothing has been set aside; or NULL: this is a signal handler, or what it has jumped to,
 * and it has interrupted the scheduler, or a branch that was just being set aside. */
static inline struct ch_branch *ch_running_branch(void) {
  struct ch_branch *b = ch_domain.current;
  return b && ch_is_running(b) && ch_tls.link == &b->frame ? b : NULL;
}

/* A number of the caller's domain, which is noted in what only this domain may use. Two domains have the same one only
 * if their thread-local memory lies a multiple of 64 GB apart. */
static inline unsigned ch_home(void) { return (unsigned)((uintptr_t)&ch_domain >> 4); }

/* `current` is known to generated code as ch_running, whose first word is the branch's scope. */
_Static_assert(offsetof(struct ch_domain, current) == 0 && offsetof(struct ch_branch, scope) == 0, "as the ABI says");

static inline __attribute__((always_inline)) struct ch_group *ch_group_of(struct ch_branch *b) {
  if (CH_LIKELY(!(b->flags & (CH_LONG | CH_ASYNC))))
    return &ch_domain.base;
  if (b->flags & CH_ASYNC) {
    b = ch_activity_of(b);
    if (!(b->flags & CH_LONG))
      return &ch_domain.base;
  }
  return ch_group_now(ch_branch_prefix(b)->group);
}

CH_HIDDEN CH_RARE void ch_slice_start(void);
CH_HIDDEN void ch_slice_end(void);
CH_HIDDEN void ch_slice_main_leaves(void); /* by pthread_exit: no thread of the timer's may outlive the last domain */
/* Something is runnable, or may become so by what happens outside: from now on the time of whoever runs is limited. */
static inline void ch_slice_if_in_company(void) {
  if (CH_UNLIKELY(!ch_domain.slicing) && ch_domain.current)
    ch_slice_start();
}

static inline void ch_append(struct ch_group *g, struct ch_branch *b) {
  b->link.next = NULL;
  if (g->head)
    g->tail->link.next = (struct ch_link *)b;
  else
    g->head = b;
  g->tail = b;
}
static inline void ch_append_to_its_group(struct ch_branch *b) {
  if (CH_LIKELY(!(b->flags & (CH_LONG | CH_ASYNC))))
    ch_append(&ch_domain.base, b); /* at a constant place */
  else
    ch_append(ch_group_of(b), b);
}
static inline void ch_enqueue(struct ch_branch *b) {
  ch_append_to_its_group(b);
  ch_slice_if_in_company();
}

/* The branch has just become ready. It queues; or, if its activity has scopes, perhaps waits until a sibling rests. */
CH_HIDDEN CH_RARE void ch_ready_specially(struct ch_branch *b);
/* The branch, which is NATIVE, is ready. If only the activities contained in its atomic block have run meanwhile, it is
 * put before all others of its group (native.c). False: nothing has been done. */
CH_HIDDEN CH_RARE bool ch_native_ready(struct ch_branch *b);
/* The same for any branch, before all others. */
CH_HIDDEN void ch_ready_first(struct ch_branch *b);

/* The one place where a branch becomes ready. `result` is what its blocking call returns. */
static inline void ch_ready(struct ch_branch *b, intptr_t result) {
  b->state = CH_READY;
  b->link.prev = (struct ch_link *)result;
  if (CH_LIKELY((b->flags & (CH_NATIVE | CH_LONG | CH_ASYNC)) == 0) && CH_LIKELY(!b->scope)) {
    ch_append(&ch_domain.base, b); /* at a constant place */
    ch_slice_if_in_company();
  } else if ((b->flags & (CH_NATIVE | CH_ASYNC)) == 0 && !b->scope) {
    ch_enqueue(b);
  } else {
    ch_ready_specially(b);
  }
}

/* The running code's branch is `current`; where the thread has no domain yet it becomes one's host (host.h). False: no
 * branch's code runs. */
CH_HIDDEN CH_RARE bool ch_host_begin(void);
static inline bool ch_is_in_branch(void) { return CH_LIKELY(ch_domain.current != NULL) || ch_host_begin(); }
/* There is a domain, which is made if need be. */
static inline bool ch_is_in_domain(void) { return CH_LIKELY(ch_domain.group != NULL) || ch_host_begin(); }

/* Nothing else can run in this domain before the running code goes on, so this code may as well block. Inside a scope
 * the code after an `async` statement could run. */
static inline bool ch_is_alone(void) {
  const struct ch_domain *d = &ch_domain;
  return d->group == &d->base && !d->base.head && d->base.outside == 0 && d->current && !d->current->scope;
}

/* The thread is a domain's from now on, whose code's native stack lies below `bottom`. False: there is no memory, and
 * the thread has no domain. */
CH_HIDDEN bool ch_domain_begin(void *bottom);
/* Makes this thread a domain and runs body(record) as its first activity. `is_main`: returns when that has finished;
 * otherwise when all have. False: there is no memory, nothing has run, and the thread is no domain's. */
CH_HIDDEN bool ch_domain_run(void *body_int, const void *record, size_t size, const char *site, bool is_main);
/* The thread's domain, which has run, is no more: what belongs to the thread is given back. */
CH_HIDDEN void ch_domain_end(void);

/* The branch ran, and blocks or pauses (`status`). The result: who is to run next, because its activity keeps its turn;
 * or NULL. */
CH_HIDDEN struct ch_branch *ch_set_aside(struct ch_branch *, int status);

/* The loop: until the domain has ended. */
CH_HIDDEN void ch_schedule(void);

/* Blocks the running branch, which has just been registered somewhere, on the native stack, and returns its result.
 * `by`: who can end this wait (enum ch_ready_by). */
CH_HIDDEN intptr_t ch_wait_native(unsigned by);

/* The last of the group's activities has finished. */
CH_HIDDEN void ch_group_has_emptied(struct ch_group *);
/* In a child of fork, before the others are dropped: nobody ends their atomic blocks, so who was spawned in one belongs
 * to the base group from now on. `first`: of the activity that stays. */
CH_HIDDEN void ch_group_leave_blocks_of_others(struct ch_branch *first);
/* The running branch waits until all of the group's activities have finished; nobody else runs meanwhile. */
CH_HIDDEN void ch_group_drain(struct ch_group *);

/* Looks at what may make somebody ready: locks, timers, the reactor (whose poll it is), letters, sources. */
CH_HIDDEN void ch_look_outside(int64_t deadline);
/* The domain ends: gives up what somebody else's loop watches (foreign_loop.c). */
CH_HIDDEN void ch_foreign_loop_end(void);
/* Calls each source's `look` once. */
CH_HIDDEN void ch_sources_look(void);
static inline bool ch_has_sources(void) { return CH_UNLIKELY(ch_domain.source_count != 0); }

/* Waiting in place. The running branch has just been registered for a wait. While no other branch can run, and a source
 * may end the wait, the branch stays on the native stack for a moment, so that a wait which ends at once needs no
 * frame. True: the wait is over, and the branch goes on with the result b->link.prev. False: the branch blocks.
 *
 * A branch with scopes does not wait in place, because the code after an `async` statement could run meanwhile. At the
 * end of its activity's outermost scope a branch does wait in place, and runs the scope's branches meanwhile. */
CH_HIDDEN bool ch_wait_in_place_slow(void);
static inline bool ch_may_wait_in_place(void) { return ch_has_sources() && !ch_domain.current->scope; }
static inline bool ch_wait_in_place(void) { return ch_may_wait_in_place() && ch_wait_in_place_slow(); }
CH_HIDDEN bool ch_wait_in_place_at_end_slow(struct ch_finish *root);
static inline bool ch_wait_in_place_at_end(struct ch_finish *s) {
  return ch_has_sources() && ch_wait_in_place_at_end_slow(s);
}

CH_HIDDEN void ch_activity_end(struct ch_branch *b);
/* These three say which branch of the same activity is to run next; NULL: none now. */
CH_HIDDEN struct ch_branch *ch_async_end(struct ch_branch *b);
/* The branch, whose activity has scopes, has been set aside because it waits: the rest of its activity goes on. */
CH_HIDDEN struct ch_branch *ch_branch_blocked(struct ch_branch *b);
/* The activity's active branch has blocked or ended: its next one takes over, or the activity rests. */
CH_HIDDEN struct ch_branch *ch_activity_rests(struct ch_finish *root);
/* The active branch, which is ready to go on, lets the others of its activity that are ready run before it. Returns the
 * branch that is to be queued for the activity. */
CH_HIDDEN struct ch_branch *ch_activity_gives_way(struct ch_branch *);
/* Puts it before all others. */
CH_HIDDEN void ch_enqueue_first(struct ch_branch *b);
/* The same in this group. */
CH_HIDDEN void ch_enqueue_first_in(struct ch_group *, struct ch_branch *b);
#ifdef CHARCOAL_CHECKED
CH_HIDDEN void ch_domain_check(void);
#else
static inline void ch_domain_check(void) {}
#endif
CH_HIDDEN _Noreturn void ch_deadlock(struct ch_group *, const char *why);

/* What ch_tls.spawn_policy, which is not CH_POLICY_DELAY, makes of the flags of a spawn. */
CH_HIDDEN CH_COLD unsigned ch_spawn_flags_by_policy(unsigned flags, const char *site);
/* The group for contained or free spawning now; NULL: no memory. */
CH_HIDDEN struct ch_group *ch_group_for_contained(void);
CH_HIDDEN struct ch_group *ch_group_for_free(void);
/* An activity that was spawned free in this group's block has ended. */
CH_HIDDEN CH_COLD void ch_group_free_ended(struct ch_group *);

#endif
