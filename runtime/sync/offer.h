/* How a wait begins with an offer: see wait/offer.h. */
#ifndef CHARCOAL_SYNC_OFFER_H
#define CHARCOAL_SYNC_OFFER_H

#include "wait/offer.h"

/* The member `begin` of each struct ch_offer_type. */
CH_HIDDEN bool ch_offer_begin(struct ch_wait *, struct ch_clause *);

#endif
