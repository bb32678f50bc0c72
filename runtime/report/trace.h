/* Traces for measure/ (measure/FORMAT.md, version 1): CHARCOAL_TRACE=FILE writes one record for each run of a branch.
 */
#ifndef CHARCOAL_REPORT_TRACE_H
#define CHARCOAL_REPORT_TRACE_H

#include "activity/branch.h"

/* This thread runs a domain from now on. The first call looks at the environment, and makes us watch (report/watch.h):
 * from then on the functions below are called by watch.c. */
CH_HIDDEN void ch_trace_start(void);
/* Writes what is left, also of who runs now. `reason`: as in the format. Nothing is written after it. */
CH_HIDDEN void ch_trace_end(const char *reason);

CH_HIDDEN CH_RARE void ch_trace_spawned(struct ch_branch *, const char *site);
CH_HIDDEN CH_RARE void ch_trace_activity_ends(struct ch_branch *);
/* The wait that `from` has just begun is `to`'s, a branch of the same activity. */
CH_HIDDEN CH_RARE void ch_trace_split(const struct ch_branch *from, struct ch_branch *to);
CH_HIDDEN CH_RARE void ch_trace_branch_ends(struct ch_branch *);

/* A branch has the thread, from begin to end. */
CH_HIDDEN CH_RARE void ch_trace_run_begins(struct ch_branch *);
CH_HIDDEN CH_RARE void ch_trace_run_ends(void);

#endif
