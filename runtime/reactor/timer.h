/* Timers are clauses that fire in the order of their deadlines; those with equal deadlines in the order of
 * registration.
 *
 * The durations in a program are few, so most deadlines come in order: a new timer goes to the end of one of a few
 * runs, each of which is in order already, and only where it fits none on a heap. A run takes and gives in constant
 * time, and moves nothing; the heap takes logarithmic time, and writes to each clause that it moves.
 *
 * A timer never fires early. It may fire late by a thousandth of its duration, at most by 1 ms, if that lets the domain
 * sleep until others are due, too: so ten thousand who each sleep for a second wake it a thousand times a second, as
 * epoll_wait's whole milliseconds would, and not ten thousand times. (Linux lets poll() be late by the same part.) A
 * run remembers the least slack of its entries, in two parts, so that the short-lived do not count for ever. While the
 * domain is awake anyway, and under the simulated clock, timers fire on time.
 *
 * A clause with an object shares an event with others that have the same object: a tick. The object begins with the
 * time at which the event is due, `ready` says whether it is, and `at_once` has it.
 *
 * Invariants: 1. a run is in order, and withdrawn timers leave gaps in it, though not at its ends; 2. no entry of the
 * heap is earlier than its parent; 3. clause->slot is the clause's place; 4. the earliest deadline is known. */
#ifndef CHARCOAL_REACTOR_TIMER_H
#define CHARCOAL_REACTOR_TIMER_H

#include "wait/wait.h"

extern CH_HIDDEN const struct ch_clause_type ch_timer_clause_type;
/* The type of the clause that never fires, so that only a cancel ends it. */
extern CH_HIDDEN const struct ch_clause_type ch_never_clause_type;

/* Makes a clause that fires `duration` ns from now, or never if that is CH_FOREVER. */
CH_HIDDEN struct ch_clause ch_timer_clause(int64_t duration);
/* Makes a clause that fires at the deadline. How late that may be depends on the time that is left; so the caller has
 * looked at the clock by ch_now just before, also where it knew the deadline for long. */
CH_HIDDEN struct ch_clause ch_deadline_clause(int64_t deadline);
/* Makes a clause that never fires. */
CH_HIDDEN struct ch_clause ch_never_clause(void);
/* Fires the timers that are due, in the order of their deadlines; those with equal ones in the order of registration.
 */
CH_HIDDEN void ch_timers_fire(void);
/* Returns the earliest deadline; CH_FOREVER if there is none. */
CH_HIDDEN int64_t ch_timers_next(void);
/* Returns the time until which the domain may sleep without making any timer later than it may be; CH_FOREVER if there
 * is no timer. */
CH_HIDDEN int64_t ch_timers_latest(void);
/* The domain of this thread ends: no timer is registered any more, and none will be. */
CH_HIDDEN void ch_timers_end(void);
#ifdef CHARCOAL_CHECKED
CH_HIDDEN void ch_timers_check(void); /* asserts the invariants */
#endif

#endif
