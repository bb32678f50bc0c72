/* Waits over several clauses whose insides the caller need not know: for Charcoal C. */
#ifndef CHARCOAL_WAIT_SEVERAL_H
#define CHARCOAL_WAIT_SEVERAL_H

#include <poll.h>
#include <stdint.h>

struct ch_wait;
/* The index of the selected clause, or -ECANCELED (charcoal/clause.h). */
int ch_wait_any(struct ch_wait *);

/* A wait for each descriptor (never for the negative ones) and then for the deadline (on ch_now). malloc'd; NULL: no
 * memory, or too many. */
__attribute__((visibility("hidden"))) struct ch_wait *ch_poll_wait(const struct pollfd *, nfds_t n, int64_t deadline);

#endif
