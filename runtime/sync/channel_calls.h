/* What the calls for several messages use of those for one. */
#ifndef CHARCOAL_SYNC_CHANNEL_CALLS_H
#define CHARCOAL_SYNC_CHANNEL_CALLS_H

#include "sync/channel_offer.h"

/* Sends or receives if that need not wait; CH_OP_WAITS (plain.h): it would have to. */
CH_HIDDEN int ch_channel_pass_at_once(struct ch_channel *, enum side, void *message, size_t size);
/* Does the same as the beginning of a call that may wait. */
CH_HIDDEN int ch_channel_pass_soon(struct ch_channel *, enum side, void *message, size_t size);

#endif
