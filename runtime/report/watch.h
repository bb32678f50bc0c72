/* The hooks by which the scheduler tells others what it does: the trace (report/trace.h), the times (report/times.h),
 * the detector of unserialisable interleavings (atomicity/atomicity.h) and the checks of code that must not wait
 * (report/broken_promise.h). While none of them is on, each hook costs one test of ch_watched. */
#ifndef CHARCOAL_REPORT_WATCH_H
#define CHARCOAL_REPORT_WATCH_H

#include "activity/branch.h"
#include <string.h>

/* Who watches, any of these together; the functions below are to be called while it is not 0, on the thread that runs
 * the branch's domain. */
enum {
  CH_WATCH_TRACE = 1,
  CH_WATCH_ATOMICITY = 2,
  CH_WATCH_TIMES = 4,
  CH_WATCH_NO_YIELD = 8,
  CH_WATCH_NEVER_WAITS = 16
};
extern CH_HIDDEN int ch_watched;

/* A frame of a library call's replacement, or of the runtime's own: no place that the program's author knows. */
static inline bool ch_frame_is_ours(const struct ch_frame_info *info) {
  return !info->file || strncmp(info->file, "runtime/posix/replacements/", 27) == 0;
}

/* This thread runs a domain from now on. */
CH_HIDDEN void ch_watch_start(void);

CH_HIDDEN CH_RARE void ch_watch_spawned(struct ch_branch *, const char *site);
CH_HIDDEN CH_RARE void ch_watch_activity_ends(struct ch_branch *);
/* The wait that `from` has just begun is `to`'s, a branch of the same activity. */
CH_HIDDEN CH_RARE void ch_watch_split(struct ch_branch *from, struct ch_branch *to);
CH_HIDDEN CH_RARE void ch_watch_branch_ends(struct ch_branch *);

/* A branch has the thread, from begin to end. `status`: with which it gives the thread up: enum ch_status, or CH_MOVED
 * (sched/native.h) when it waits on its native stack. */
CH_HIDDEN CH_RARE void ch_watch_run_begins(struct ch_branch *);
CH_HIDDEN CH_RARE void ch_watch_run_ends(int status);

#endif
