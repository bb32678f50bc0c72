/* A child of fork has only the activity that called fork, with its branches, as it has only one thread (POSIX).
 *
 * The memory of the other activities stays, because pointers may lead to it. These activities no longer wait for
 * anything, and nobody waits for them. A wait that could not be withdrawn may still end; the activity is then set aside
 * again at once. Their handles say ESRCH, and reports leave them out. Locks that they held stay locked for ever, like
 * the locks of a parent's other threads.
 */
#ifndef CHARCOAL_SCHED_CHILD_H
#define CHARCOAL_SCHED_CHILD_H

#include "activity/branch.h"

/* pthread_atfork(NULL, NULL, in_child), for a part of the runtime that has to be right before waits are withdrawn. */
CH_HIDDEN void ch_child_hook(void (*in_child)(void));

/* The branch is none of this child's. False for one that runs. */
CH_HIDDEN bool ch_is_gone(const struct ch_branch *);

#endif
