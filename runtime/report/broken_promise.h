/* Ends the program with a message if code is set aside that states that it does not wait: a block `assert_no_yield`
 * (sched/no_yield.h), or a function declared `ch_never_waits` in a module that was compiled with checks. Such a
 * function is recognized by its frame (CH_FRAME_NEVER_WAITS) among the frames of the branch that waits; its yield
 * points are allowed. In plain code there are no frames, so a function that waits there is not found. */
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
