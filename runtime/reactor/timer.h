/* Timers: a heap of clauses by deadline. Invariants: 1. no entry is earlier than its parent; 2. clause->slot is the
 * clause's place. */
#ifndef CHARCOAL_REACTOR_TIMER_H
#define CHARCOAL_REACTOR_TIMER_H

#include "wait/wait.h"

extern CH_HIDDEN const struct ch_clause_type ch_timer_clause_type;

/* A clause that fires `duration` ns from now; never for CH_FOREVER. */
CH_HIDDEN struct ch_clause ch_timer_clause(int64_t duration);
/* The same at a deadline. */
CH_HIDDEN struct ch_clause ch_deadline_clause(int64_t deadline);
/* A clause that never fires. */
CH_HIDDEN struct ch_clause ch_never_clause(void);
/* Fires what is due, in order of deadline, equal ones in order of registration. */
CH_HIDDEN void ch_timers_fire(void);
/* The earliest deadline; CH_FOREVER if there is none. */
CH_HIDDEN int64_t ch_timers_next(void);
CH_HIDDEN void ch_timers_check(void);

#endif
