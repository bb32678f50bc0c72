/* What the text of a dump (dump.c) and its JSON (json.c) have in common. */
#ifndef CHARCOAL_REPORT_DUMP_H
#define CHARCOAL_REPORT_DUMP_H

#include "report/about.h"

/* Calls visit for the activity's own branch at depth 0, and for each scope and branch below it: under each branch its
 * own scopes, innermost first; under each scope, one deeper, the branches that were started in it. Exactly one of
 * `branch` and `scope` is not NULL. Without recursion, for the tree may be deep. */
CH_HIDDEN void ch_dump_tree(struct ch_branch *activity,
                            void (*visit)(struct ch_branch *, struct ch_finish *, unsigned depth, void *), void *data);
/* Since when it has been in its state, in ns; -1: not known. */
CH_HIDDEN int64_t ch_dump_age(const struct ch_branch *);
/* The native frames of a branch that waits in plain code, innermost first. */
#define CH_NATIVE_FRAMES 32
CH_HIDDEN unsigned ch_dump_native(const struct ch_branch *, void **pcs);
/* Visits each activity of this domain. */
CH_HIDDEN void ch_dump_activities(void (*visit)(struct ch_branch *, void *), void *data);
/* On standard error, when nobody can run: a circle of those who wait for each other, and ch_dump; `of_all`: of the
 * other domains, too, which have come to a stand as well. The process is about to end. */
CH_HIDDEN void ch_dump_deadlock(bool of_all);
CH_HIDDEN void ch_dump_json_of_domain(struct ch_writer *);

#endif
