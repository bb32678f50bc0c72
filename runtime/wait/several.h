/* Waits over several clauses, for files in Charcoal C that do not include the structure of a clause. */
#ifndef CHARCOAL_WAIT_SEVERAL_H
#define CHARCOAL_WAIT_SEVERAL_H

#include "frames/attributes.h"
#include <poll.h>
#include <stdint.h>

struct ch_wait;
/* Waits, and returns the index of the selected clause or -ECANCELED (charcoal/clause.h). */
int ch_wait_any(struct ch_wait *);

/* Makes a wait with one clause for each descriptor and a last one for the deadline, on the clock of ch_now. A clause
 * for a negative descriptor is never selected. The caller frees the result by free(). NULL: there is no memory, or
 * there are too many descriptors. */
CH_HIDDEN struct ch_wait *ch_poll_wait(const struct pollfd *, nfds_t n, int64_t deadline);
/* What the reactor has told the selected clause, which is a descriptor's: events, or the negative of an error number.
 */
CH_HIDDEN int64_t ch_poll_wait_told(const struct ch_wait *, int selected);

#endif
