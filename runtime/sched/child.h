/* A child of fork has the activity that called it, with its branches, and no other: as it has one thread (POSIX).
 *
 * The memory of the others stays, since pointers may lead to it. They wait for nothing any more, hold nobody up, and
 * are set aside at once should they get a turn: for a wait that cannot be withdrawn may still end. Their handles say
 * ESRCH, and reports leave them out. What they held they hold for ever, as threads do.
 */
#ifndef CHARCOAL_SCHED_CHILD_H
#define CHARCOAL_SCHED_CHILD_H

#include "activity/branch.h"

/* pthread_atfork(NULL, NULL, in_child), for a part of the runtime that has to be right before waits are withdrawn. */
CH_HIDDEN void ch_child_hook(void (*in_child)(void));

/* The branch is none of this child's. False for one that runs. */
CH_HIDDEN bool ch_is_gone(const struct ch_branch *);

#endif
