/* Tells the checker of -fcharcoal-atomicity what it cannot see by itself (docs/guide/tools.md). Without that option
 * none of this has an effect.
 *
 * Included by charcoal.h. */
#ifndef CHARCOAL_ATOMICITY_H
#define CHARCOAL_ATOMICITY_H

#include <stddef.h>

/* Stands on a variable at file level or on a function, and says that activities may interleave there: the checker does
 * not report it. It is meant for counters whose value nobody takes for exact, and for code that looks again after each
 * wait. */
#if defined(__clang__)
#define ch_may_interleave __attribute__((__annotate__("charcoal.may_interleave")))
#else
#define ch_may_interleave
#endif

#ifdef __cplusplus
extern "C" {
#endif

#if defined(__CHARCOAL__) || defined(CHARCOAL_RUNTIME)

/* Makes the checker forget what was done with these bytes. An allocator of the program's own calls this when it gives
 * the bytes out again. `size` is in bytes. Never blocks.
 * Threads: any. */
void ch_atomicity_forget(const void *memory, size_t size);

/* Describe a hand-over from one activity to another by means of the program's own. After ch_atomicity_post(object),
 * whatever the caller has done so far counts as known to everybody who then calls ch_atomicity_wait with the same
 * object and with `failed` 0. `object` is any address; it only identifies the hand-over. The post stands before the
 * call that wakes the other activity, the wait behind the call that waited; `failed` says that this call failed. Never
 * block. */
void ch_atomicity_post(const void *object);
void ch_atomicity_wait(const void *object, int failed);

#else

static inline void ch_atomicity_forget(const void *memory, size_t size) { (void)memory, (void)size; }
static inline void ch_atomicity_post(const void *object) { (void)object; }
static inline void ch_atomicity_wait(const void *object, int failed) { (void)object, (void)failed; }

#endif

#ifdef __cplusplus
}
#endif

#endif
