/* The detector of unserialisable interleavings: the run-time half of -fcharcoal-atomicity
 * (docs/decisions/atomicity-at-run-time.md).
 *
 * Code that was compiled with the option reports each of its accesses to memory that others may see. An activity's
 * branches are what is told apart here; between two points at which it is set aside, a branch has a *run*. Two accesses
 * of one branch to one location in different runs, with an access of another branch between them, are unserialisable
 * when no order of the two branches, one after the other, would have had the same effect (AVIO's four cases):
 *
 *     this branch   another   this branch
 *     reads         writes    writes        lost update
 *     reads         writes    reads         unrepeatable read; a stale check where a write follows in the same run
 *     writes        writes    reads         overwritten
 *     writes        reads     writes        dirty read
 *
 * One finding is about two locations: a branch writes the first, another reads both, the branch writes the second.
 *
 * watcher.h has the state of a domain; shadow.c what is known of each location, accesses.c what each branch knows of
 * its own last accesses, and the rule; order.c who waited for whom; findings.c the reports; settings.c what the user
 * asked for. Everything is of the domain's own thread, but the findings. While no module was compiled with the option
 * nothing of this is called. */
#ifndef CHARCOAL_ATOMICITY_ATOMICITY_H
#define CHARCOAL_ATOMICITY_ATOMICITY_H

#include "activity/branch.h"
#include <stdio.h>

/* Called by report/watch.c, as described there. */
CH_HIDDEN CH_RARE void ch_atomicity_spawned(struct ch_branch *, const char *site);
CH_HIDDEN CH_RARE void ch_atomicity_activity_ends(struct ch_branch *);
CH_HIDDEN CH_RARE void ch_atomicity_split(struct ch_branch *from, struct ch_branch *to);
CH_HIDDEN CH_RARE void ch_atomicity_branch_ends(struct ch_branch *);
CH_HIDDEN CH_RARE void ch_atomicity_run_begins(struct ch_branch *);
CH_HIDDEN CH_RARE void ch_atomicity_run_ends(int status);

/* Called by each finding, once, for the trace. */
struct ch_finding_in_words {
  const char *kind, *variable;
  const struct ch_access_place *first, *other, *second;
  const struct ch_access_place *wait; /* where the first was set aside in between; its file is NULL: unknown */
  unsigned long count;
};
CH_HIDDEN void ch_atomicity_findings(void (*)(const struct ch_finding_in_words *, void *), void *);

#endif
