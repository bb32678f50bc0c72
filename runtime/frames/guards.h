/* For AddressSanitizer: poisons the red zones in memory that the runtime gives out, and tells reports in which frame an
 * address lies.
 *
 * The runtime is not instrumented, so it may touch poisoned memory itself. But memory that it passes to functions of
 * the C library (memcpy of many bytes, read) must not be poisoned. Without AddressSanitizer these functions do nothing.
 */
#ifndef CHARCOAL_FRAMES_GUARDS_H
#define CHARCOAL_FRAMES_GUARDS_H

#include "frames/allocator.h"

/* True if the program runs under AddressSanitizer; its reports then say what lies in a frame on the heap. */
CH_HIDDEN bool ch_guards_start(void);
/* The locals of a new frame. */
CH_HIDDEN void ch_guard_frame(struct ch_frame *, const struct ch_guards *);
/* A variable-length local, in a block of its own: what is on both sides of it. */
CH_HIDDEN void ch_guard_dynamic(void *local, size_t size);
/* The rest of a block. */
CH_HIDDEN void ch_guard_heap(void *begin, void *end);

#endif
