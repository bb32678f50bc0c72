/* Code that states that it does not wait, and is set aside all the same, ends the program with a message: a block
 * `assert_no_yield` (sched/no_yield.h), and a function declared `ch_never_waits` in a module that was compiled with
 * checks. Such a function is known by its frame (CH_FRAME_NEVER_WAITS), which is among those of the branch that waits.
 * Yield points in it are taken as elsewhere. In plain code there are no frames, so nothing is found there. */
#ifndef CHARCOAL_REPORT_BROKEN_PROMISE_H
#define CHARCOAL_REPORT_BROKEN_PROMISE_H

#include "report/watch.h"

/* See ch_watch_run_ends and ch_watch_split. They don't return if a promise was broken. */
CH_HIDDEN CH_RARE void ch_no_yield_run_ends(int status);
CH_HIDDEN CH_RARE void ch_no_yield_split(struct ch_branch *to);
CH_HIDDEN CH_RARE void ch_never_waits_run_begins(struct ch_branch *);
CH_HIDDEN CH_RARE void ch_never_waits_run_ends(int status);
CH_HIDDEN CH_RARE void ch_never_waits_split(struct ch_branch *to);

#endif
