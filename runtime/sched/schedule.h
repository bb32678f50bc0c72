/* The adversarial scheduler: CHARCOAL_SCHEDULE=random:SEED. Private to the runtime.
 *
 * Two decisions are drawn from the seed, in each domain by itself: which activity runs next, and whether an activity
 * gives way at a yield point. If the program fails the seed is printed. Nothing else is drawn: branches of one
 * activity, and waiters of one object, keep their order. */
#ifndef CHARCOAL_SCHED_SCHEDULE_H
#define CHARCOAL_SCHED_SCHEDULE_H

#include "sched/domain.h"

extern CH_HIDDEN bool ch_schedule_random; /* set before the first activity, and never again */

/* Looks at the environment; in each domain, before its first activity. */
CH_HIDDEN void ch_schedule_start(void);
/* Puts one of the group's queue, which is not empty, before all others. */
CH_HIDDEN CH_RARE void ch_schedule_choose(struct ch_group *);
/* Whether the activity gives way at the yield point that it has come to. */
CH_HIDDEN CH_RARE bool ch_schedule_gives_way(void);
/* The program fails: prints the seed, once. Also from signal handlers. */
CH_HIDDEN void ch_schedule_failed(void);

#endif
