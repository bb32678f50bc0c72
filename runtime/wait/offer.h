/* Offers: a wait for shared objects looks on for a moment before it joins their queues.
 *
 * A clause in a queue costs the other domain several cache lines, one after the other: the clause, its wait, the
 * message, and the inbox to which the letter goes; and the waiter then takes its other clauses off their queues. So a
 * wait begins with an *offer* of its first clause for a shared object, which lies in the object itself and takes no
 * claim: whoever holds the object's lock may take the offer, because no other domain can claim the wait. The clauses
 * before it in order are enlisted, and none of them was ready; those of local objects, which only this domain could
 * make ready, and those of the world outside, of which it hears when it looks. Meanwhile the domain looks on, that is,
 * it reads the offer, and what would make a later clause ready, again and again. If nobody takes the offer within a few
 * microseconds, or if another clause may be ready, it is withdrawn, and this clause and the later ones are enlisted.
 *
 * An object that keeps what passes needs no offer: the domain only looks on, and makes the call when it can be made.
 *
 * reactor/looking.h says when a domain looks on. An offer is made only if nobody waits for the same, so it is the
 * first; but who has made it has not joined the queue, as a call that is made again has not (sync/retry.h). */
#ifndef CHARCOAL_WAIT_OFFER_H
#define CHARCOAL_WAIT_OFFER_H

#include "charcoal/clause.h"
#include "frames/attributes.h"
#include <stdbool.h>

enum ch_offered {
  CH_OFFERED,        /* the offer stands */
  CH_OFFER_READY,    /* the clause was ready, and has had its effect */
  CH_OFFER_NEEDLESS, /* it is not ready; others need not meet it, because the object keeps what passes, so it may be
                        made again as soon as it may be ready */
  CH_NOT_OFFERED     /* somebody waits for the same, or the object takes no offers; nothing has been done */
};
struct ch_offer_type {
  enum ch_offered (*make)(struct ch_clause *);
  /* Tells whether somebody has taken the offer. If so, the clause has had its effect, and there is no offer any more.
   */
  bool (*ended)(struct ch_clause *);
  /* False: somebody has taken it, as above. */
  bool (*withdraw)(struct ch_clause *);
  /* Tells whether the clause may be ready. It looks without the object's lock, so it may be wrong. */
  bool (*may_be_ready)(const struct ch_clause *);
};

/* Offers this clause, whose type has an offer, before it is enlisted in a wait that selects one clause and is not
 * exposed. True: the clause has had its effect, and has been selected. False: nothing has been done. */
CH_HIDDEN bool ch_offer_begin(struct ch_wait *, struct ch_clause *);

#endif
