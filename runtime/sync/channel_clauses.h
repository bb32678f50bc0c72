/* The clause types of a channel, for channel_clauses.c, and for channel_some.c, which gives them another result. */
#ifndef CHARCOAL_SYNC_CHANNEL_CLAUSES_H
#define CHARCOAL_SYNC_CHANNEL_CLAUSES_H

#include "sync/channel_offer.h"
#include "sync/plain.h"

CH_HIDDEN int ch_channel_enlist_local_send(struct ch_clause *);
CH_HIDDEN int ch_channel_enlist_local_receive(struct ch_clause *);
CH_HIDDEN int ch_channel_enlist_shared_send(struct ch_clause *);
CH_HIDDEN int ch_channel_enlist_shared_receive(struct ch_clause *);
CH_HIDDEN bool ch_channel_send_now(struct ch_clause *);
CH_HIDDEN bool ch_channel_receive_now(struct ch_clause *);
CH_HIDDEN bool ch_channel_can_send(const struct ch_clause *);
CH_HIDDEN bool ch_channel_can_receive(const struct ch_clause *);

/* For a local channel and for a shared one; `result` is the member `selected`. */
#define CH_SEND_TYPES(result)                                                                                          \
  CH_OP_TYPES_OFFERED("sending to a channel", ch_channel_enlist_local_send, ch_channel_enlist_shared_send,             \
                      &ch_channel_offers[SENDERS], .ready = ch_channel_can_send, .at_once = ch_channel_send_now,       \
                      .selected = (result))
#define CH_RECEIVE_TYPES(result)                                                                                       \
  CH_OP_TYPES_OFFERED("receiving from a channel", ch_channel_enlist_local_receive, ch_channel_enlist_shared_receive,   \
                      &ch_channel_offers[RECEIVERS], .ready = ch_channel_can_receive,                                  \
                      .at_once = ch_channel_receive_now, .selected = (result))

#endif
