/* A child of fork has only the activity that called fork, with its branches, as it has only one thread (POSIX).
 *
 * The memory of the other activities stays, because pointers may lead to it. These activities no longer wait for
 * anything, and nobody waits for them. A wait that could not be withdrawn may still end; the activity is then set aside
 * again at once. Clauses that nobody withdraws stay on their lists, but cannot be claimed: those that shared objects
 * have, because another thread of the parent may have had the object's lock; and those of a wait with `and` whose
 * activity is not blocked in it. Their handles say ESRCH, and reports leave them out. Locks that they held stay locked
 * for ever, like the locks of a parent's other threads.
 *
 * This is done after the hooks (frames/forks.h), so that all parts of the runtime are the child's before waits are
 * withdrawn; and before the program's handlers of pthread_atfork, whose activities are the child's.
 */
#ifndef CHARCOAL_SCHED_CHILD_H
#define CHARCOAL_SCHED_CHILD_H

#include "activity/branch.h"
#include "frames/forks.h"

/* Looks whether this process is an unnoticed child (frames/forks.h), and if so makes of it what a child of fork is. It
 * is called by the code of a branch before it waits for something outside, closes a descriptor, spawns, or cancels;
 * when a branch has been set aside; and before the process ends. */
CH_HIDDEN CH_RARE void ch_child_notice(void);
static inline void ch_look_whether_child(void) {
  if (ch_child_is_unnoticed())
    ch_child_notice();
}

/* The branch is none of this child's. False for one that runs. */
CH_HIDDEN bool ch_is_gone(const struct ch_branch *);

/* What a thread of this process writes into the lock of a shared object while it has it. In a child of fork it is
 * another number than in the parent, so a lock that another thread of the parent had at the moment of the fork can be
 * told: nobody will give it back, and what it guards may be half changed. */
extern CH_HIDDEN uint32_t ch_lock_mark;

/* The process is a child of fork, and some activities of its parent are not in it. */
extern CH_HIDDEN bool ch_some_are_gone;
/* Then: takes those who are not in this child and were about to run off the queues. They need no turn any more, and the
 * activity that stays may be alone now: its first wait is then a call of the C library's, which a signal ends. */
CH_HIDDEN CH_RARE void ch_child_clear_queues(void);
/* Then: the wait is that of an activity that is not there, and none of its clauses may be claimed. */
CH_HIDDEN CH_RARE bool ch_wait_is_gone(const struct ch_wait *);

#endif
