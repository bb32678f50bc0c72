/* An activity's birth and end. The handle's state, exactly one of:
 *   0          never spawned (zeroed memory)
 *   LIVE       branch is its first branch; waiters: those who wait for its end
 *   FINISHED   error: 0, why it never ran, or ESRCH: it is not in this child of fork
 *   DETACHED   forgotten
 */
#ifndef CHARCOAL_ACTIVITY_ACTIVITY_H
#define CHARCOAL_ACTIVITY_ACTIVITY_H

#include "sched/domain.h"

enum { CH_HANDLE_LIVE = 0x11fe, CH_HANDLE_FINISHED = 0xf1a1, CH_HANDLE_DETACHED = 0xde7a };

/* The activity is alive: ends the program with a message if it is another domain's. */
CH_HIDDEN void ch_activity_is_ours(const ch_activity *);

/* What waiting for it would say now; EINPROGRESS: it is alive, and somebody other than the caller. */
CH_HIDDEN int ch_activity_state(const ch_activity *);

/* It is not in this child of fork, and has been set aside for ever (sched/child.h). */
CH_HIDDEN void ch_activity_drop(struct ch_branch *);

/* Is called with each activity that ends while ch_checks is set, if somebody above wants to look at it. */
extern CH_HIDDEN void (*ch_activity_checked_end)(struct ch_branch *);

CH_HIDDEN const char *ch_branch_name(struct ch_branch *);
CH_HIDDEN void ch_branch_forget_name(struct ch_branch *);
/* The thread's table goes: nobody has a name any more. */
CH_HIDDEN void ch_names_end(void);
/* Where the table is: for debuggers. */
CH_HIDDEN void *ch_names_table(void);
/* The branch's name in the table of its domain; NULL: it has none there. */
struct ch_name;
CH_HIDDEN const char *ch_name_in(struct ch_name **table, const struct ch_branch *);

#endif
