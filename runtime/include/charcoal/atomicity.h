/* Annotations for the checker of -fcharcoal-atomicity, about what it cannot see by itself (docs/guide/tools.md).
 * Without that option none of them has an effect. charcoal.h includes this header.
 *
 * The functions return nothing; they never block. The caller owns all memory.
 * Cancel: has no effect on them.
 * Threads: any that runs a domain. */
#ifndef CHARCOAL_ATOMICITY_H
#define CHARCOAL_ATOMICITY_H

#include <charcoal.h>

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

/* Makes the checker forget what was done with these bytes. An allocator of the program's own calls this when it
 * returns the bytes to another caller. `size` is in bytes.
 * Threads: any. */
void ch_atomicity_forget(const void *memory, size_t size);

/* Describe a hand-over from one activity to another that the program has built by itself. The first activity calls
 * ch_atomicity_post before the call that wakes the other one. The second calls ch_atomicity_wait after the call that
 * waited; `failed` is non-zero if that call has failed, and then nothing was handed over. The checker then knows that
 * everything before the post happened before everything after the wait. `object` is any address, the same in both
 * calls; it only identifies the hand-over. */
void ch_atomicity_post(const void *object);
void ch_atomicity_wait(const void *object, int failed);

#else

CH_INLINE void ch_atomicity_forget(const void *memory, size_t size) { (void)memory, (void)size; }
CH_INLINE void ch_atomicity_post(const void *object) { (void)object; }
CH_INLINE void ch_atomicity_wait(const void *object, int failed) { (void)object, (void)failed; }

#endif

#ifdef __cplusplus
}
#endif

#endif
