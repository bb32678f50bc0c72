/* A call on a shared object that would have to wait is made again a few times before it waits.
 *
 * What keeps it waiting is often over in less than a microsecond: another domain holds a lock for a few instructions,
 * or is about to send the next message. A wait costs two letters, and each of them moves several cache lines from one
 * core to another. Between the tries the thread pauses, longer each time, so that the other domain can work; what
 * several domains do to an object is then done in batches. All tries together take one to five microseconds, or up to
 * 18 at a lock where that has been worth it (gate.c).
 *
 * A call is made again only if there is a processor for each domain that is awake, if no activity of this domain could
 * run instead, and if this has been worth it lately (reactor/looking.h). Those who wait already are served first, as
 * ever: a call that is made again has not come yet. */
#ifndef CHARCOAL_SYNC_RETRY_H
#define CHARCOAL_SYNC_RETRY_H

#include "reactor/looking.h"
#include "sched/domain.h"

struct ch_retry {
  unsigned first, most;   /* set by the caller: how many pauses before the first retry; each time twice as many, up to
                             these */
  unsigned pauses;        /* before the last retry; 0 before the first */
  struct ch_worth before; /* what was known when this call was made for the first time */
};

/* Pauses, and tells whether the call is to be made again. */
CH_HIDDEN CH_RARE bool ch_retry(struct ch_retry *);

/* Pauses for a quarter of a microsecond, under the same conditions, so that another domain can work at the object
 * undisturbed meanwhile. */
CH_HIDDEN CH_RARE void ch_let_others_go_ahead(void);

#endif
