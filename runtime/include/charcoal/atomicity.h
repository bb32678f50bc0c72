/* What -fcharcoal-atomicity cannot see by itself (docs/guide/tools.md). Without that option all of it means nothing.
 *
 * Included by charcoal.h. */
#ifndef CHARCOAL_ATOMICITY_H
#define CHARCOAL_ATOMICITY_H

#include <stddef.h>

/* On a variable at file level, or a function: that activities interleave there is meant, and not reported. For counters
 * of which nobody takes the value for exact, and for code that looks again after each wait. */
#if defined(__clang__)
#define ch_may_interleave __attribute__((__annotate__("charcoal.may_interleave")))
#else
#define ch_may_interleave
#endif

#ifdef __cplusplus
extern "C" {
#endif

#if defined(__CHARCOAL__) || defined(CHARCOAL_RUNTIME)

/* An allocator of the program's own gives out these bytes anew: what was done with them before concerns nobody. From
 * any thread. */
void ch_atomicity_forget(const void *memory, size_t size);

/* A hand-over by means of the program's own: what the caller has done so far is known to whoever then waits for the
 * same object (any address), unless its wait `failed`. A post stands before what wakes the other, a wait behind what
 * waited. */
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
