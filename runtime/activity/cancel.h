/* Cancels scopes and activities: marks them, and ends the waits in them. */
#ifndef CHARCOAL_ACTIVITY_CANCEL_H
#define CHARCOAL_ACTIVITY_CANCEL_H

#include "activity/scope.h"

/* Takes the item, whose link this is, off its list and calls it (wait/lowlevel.c). */
CH_HIDDEN void ch_cancel_item_call(struct ch_link *);
/* Calls the items that were added by an activity that has no scope open. */
CH_HIDDEN void ch_cancel_items_of(struct ch_branch *first);
CH_HIDDEN void ch_scope_withdraw_deadline(struct ch_finish *);
/* Its deadline has passed, and has cancelled it. */
CH_HIDDEN bool ch_scope_is_late(const struct ch_finish *);
/* Marks it and what is in it, and ends the waits there. */
CH_HIDDEN void ch_finish_cancel(struct ch_finish *);

/* Cancels b's activity; b is its first branch. */
CH_HIDDEN void ch_branch_cancel(struct ch_branch *b);

#endif
