/* Law 7, checked: a function that captured its locals by reference for an activity must not return before that has
 * finished.
 *
 * Only while ch_checks is set. Each word of a new activity's record (and its handle's address) that points into a frame
 * taken at entry, or into the native stack, is a *capture*. A frame's `held` counts the captures into it, so a
 * frame that ends with captures is found by the one test that ch_frame_free makes anyway; a native one is found when
 * the activity is next run from below the place where the local was. Modules compiled with checks say themselves, at
 * each return, which locals go; that finds both at once. A pointer that was captured by value and happens
 * to point to a local counts, too: whoever hands one on owes the same care.
 */
#ifndef CHARCOAL_FRAMES_CAPTURES_H
#define CHARCOAL_FRAMES_CAPTURES_H

#include "activity/branch.h"

CH_HIDDEN void ch_captures_spawned(struct ch_branch *, size_t size, const char *site, const void *spawner);
CH_HIDDEN void ch_captures_activity_ends(struct ch_branch *);
CH_HIDDEN void ch_captures_forget(struct ch_branch *, const void *pointer);
CH_HIDDEN void ch_captures_before_run(struct ch_branch *);
CH_HIDDEN void ch_captures_frame_ends(struct ch_frame *);
struct ch_stack;
CH_HIDDEN void ch_captures_stack_ends(const struct ch_stack *);
/* The live frame that p points into, or NULL (allocator.c). */
CH_HIDDEN struct ch_frame *ch_heap_frame_of(const void *p);

#endif
