/* The face of wait.h for Charcoal C: waits over clauses whose insides the caller need not know. */
#ifndef CHARCOAL_WAIT_SELECT_H
#define CHARCOAL_WAIT_SELECT_H

#include <poll.h>
#include <stdint.h>

struct ch_clause;
/* The index of the selected clause, or -ECANCELED. */
int ch_wait(struct ch_clause *clauses, unsigned n);

/* A clause for each descriptor (one that never fires for the negative ones) and then one for the deadline (on ch_now).
 * malloc'd; NULL: no memory, or too many. */
__attribute__((visibility("hidden"))) struct ch_clause *ch_poll_clauses(const struct pollfd *, nfds_t n,
                                                                        int64_t deadline);

#endif
