/* pthread_exit in interruptible code. It ends the activity that calls it. The thread ends with this result when its
 * other activities have ended, too.
 *
 * The branch first waits for the branches in the scopes that it has opened. Then its functions return CH_JUMPED, as for
 * a jump that leads to none of them, so their frames are freed. What happens at the branch's end depends on the branch:
 *
 *   an activity's first branch      the activity ends
 *   main                            the C library's pthread_exit is called, and host.c does the rest
 *   a branch of an `async`          it ends, and the owner of its scope calls pthread_exit when it has come to the
 *                                   scope's end and the scope's other branches have ended
 *
 * pthread_exit in plain code waits for the same branches. Then it is the C library's. host.c learns of it when the
 * stack has been left, and treats the branch in the same way. */
#ifndef CHARCOAL_SCHED_THREAD_EXIT_H
#define CHARCOAL_SCHED_THREAD_EXIT_H

#include "sched/domain.h"

/* The running code, which is interruptible, calls pthread_exit: the caller returns this status at once. */
CH_HIDDEN int ch_exit_thread(intptr_t result);
/* Plain code does so: waits for the branches in the scopes that the running branch has opened. */
CH_HIDDEN void ch_exit_leaves_scopes(void);
/* The same for the owner of a scope that has just been closed, because a branch in it has called pthread_exit. */
CH_HIDDEN int ch_exit_thread_too(void);
/* The owner of such a scope waits at its end, which has been reached: it calls pthread_exit when it runs. */
CH_HIDDEN void ch_exit_when_resumed(struct ch_branch *owner);
/* The running branch has waited in place: CH_DONE, or the status if it was told so. */
CH_HIDDEN int ch_exit_if_told(void);
/* What the branch was running has been left. Returns the branch that runs next because the activity keeps its turn; or
 * NULL. */
CH_HIDDEN struct ch_branch *ch_exit_branch(struct ch_branch *b);

#endif
