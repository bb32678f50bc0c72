/* Checks law 7: a function whose locals an activity has captured by reference must not return before that activity has
 * finished. Two cases are harmless. With main the program ends. And an activity that has been made ready may have
 * nothing more to do than to return, as one that has just sent its last message: it is reported only when it waits once
 * more.
 *
 * The check is made only while ch_checks is set. Each word of a new activity's record (and the address of its handle)
 * that points into a frame taken at entry, or into the native stack, is a *capture*. A frame's `held` counts the
 * captures into it, so the one test that ch_frame_free makes anyway finds a frame that ends with captures. A native
 * function that has returned is found when the activity next runs from a lower place in the stack than the local was.
 * Modules compiled with checks tell at each return which locals end, and find both at once. A pointer to a local that
 * was captured by value counts as well, because it must not outlive the local, either.
 *
 * The handles of the live activities are noted wherever they lie, and none may serve for two activities.
 */
#ifndef CHARCOAL_FRAMES_CAPTURES_H
#define CHARCOAL_FRAMES_CAPTURES_H

#include "activity/branch.h"

CH_HIDDEN void ch_captures_spawned(struct ch_branch *, size_t size, const char *site, const void *spawner);
CH_HIDDEN void ch_captures_activity_ends(struct ch_branch *);
CH_HIDDEN void ch_captures_forget(struct ch_branch *, const void *pointer);
CH_HIDDEN void ch_captures_before_run(struct ch_branch *);
CH_HIDDEN void ch_captures_frame_ends(struct ch_frame *);
/* Reports an activity that waits although a local that it knows is gone. Is called while ch_domain.escaped is set. */
CH_HIDDEN void ch_captures_look(void);
struct ch_stack;
CH_HIDDEN void ch_captures_stack_ends(const struct ch_stack *);
/* The live frame that p points into, or NULL (allocator.c). */
CH_HIDDEN struct ch_frame *ch_heap_frame_of(const void *p);

#endif
