/* Waits in plain code: in atomic blocks, and in callbacks of foreign code. Such code cannot leave the native stack. So
 * while it waits the stack belongs to it, and the scheduler moves to another stack: to one with an idle loop, or to a
 * new one. Such waits may end in any order.
 *
 *   the thread's stack:  loop -> body -> qsort -> comparator, waits
 *   another stack:       loop -> body -> qsort -> comparator, waits
 *   another stack:       loop
 *
 * A branch that waits in this way has a frame on top of its saved chain that stands for its native stack. So it is a
 * branch like any other to the queue, and to the loop that resumes it. Resuming this frame leaves the loop idle on its
 * stack, and continues on the stack of the branch.
 *
 * Invariants: 1. exactly one stack runs; each of the others is idle, with a loop that has just resumed a native frame,
 * or belongs to one branch that is NATIVE; 2. `group` of a wait is not NULL if it excludes all but the activities of
 * that group (law 5); then no sibling of its branch runs either. */
#ifndef CHARCOAL_SCHED_NATIVE_H
#define CHARCOAL_SCHED_NATIVE_H

#include "sched/domain.h"

/* What the loop is told when it is back on its own stack, where nobody has run any more: see ch_schedule. */
#define CH_MOVED 6

/* A stack that is set aside while its branch waits. */
struct ch_native {
  struct ch_stack *stack; /* where it goes on */
  struct ch_group *group; /* NULL, or the only one whose activities run meanwhile */
  void *cleanups;         /* the handlers of pthread_cleanup_push that were pushed on it, and those below */
  struct ch_frame frame;  /* in the branch's chain */
};
static inline struct ch_native *ch_native_of(struct ch_frame *f) {
  return (struct ch_native *)((char *)f - offsetof(struct ch_native, frame));
}

/* The C library's list of the handlers that pthread_cleanup_push has pushed is the thread's; to be changed with the
 * stack. */
CH_HIDDEN void *ch_cleanups(void);
CH_HIDDEN void ch_set_cleanups(void *);

/* The running branch, whose chain contains n's frame, leaves its stack; the scheduler goes on on another one, with this
 * group. Returns when the frame has been resumed. */
CH_HIDDEN void ch_native_park(struct ch_native *n, struct ch_group *group);
/* What such a frame is resumed by. Returns CH_MOVED when the loop that did it is needed again, for another's wait. */
CH_HIDDEN int ch_native_go_on(struct ch_frame *);
/* The stack is running again: what was its own comes back. */
CH_HIDDEN void ch_native_back(struct ch_native *);
/* What ran on this stack is given up, its loop as well: another one begins there when the scheduler moves to it. */
CH_HIDDEN void ch_native_give_up(struct ch_stack *);

/* The domain begins on this stack; what lies below `bottom` is its code's. False: no memory. */
CH_HIDDEN bool ch_native_start(void *bottom);
/* The loop on the thread's own stack: until the domain has ended. */
CH_HIDDEN void ch_native_run(void);
/* The running branch, which is in no atomic block, lets everybody in the queue run before it. */
CH_HIDDEN void ch_native_yield(void);
/* The thread's own stack has been left by pthread_exit or pthread_cancel, and the caller stands on what was left of it.
 * Calls `impossible` if a branch that waits would have to go on there. */
CH_HIDDEN void ch_native_thread_ended(void (*impossible)(void));
/* On the thread's own stack, and nobody waits on another. */
CH_HIDDEN void ch_native_end(void);
/* The branch waits in plain code: its innermost saved frame stands for a native stack. */
CH_HIDDEN bool ch_native_is_waiting(const struct ch_branch *);
/* Return addresses on that stack, innermost first; how many. For reports: also in a signal handler. */
CH_HIDDEN unsigned ch_native_backtrace(const struct ch_branch *, void **pcs, unsigned most);
/* Of a branch that is NATIVE: where it has been left; NULL: it runs. */
CH_HIDDEN const struct ch_stack *ch_native_stack_of(struct ch_branch *);
/* The code that runs stands on the thread's own stack. */
static inline bool ch_native_is_on_main_stack(void) { return ch_domain.stack == ch_domain.main_stack; }

#endif
