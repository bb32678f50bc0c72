/* Blocks that no class holds: too large, too aligned, or any block in malloc mode. Each is a malloc block that begins
 * with a header on one doubly linked list, so that a walk finds them. */
#ifndef CHARCOAL_FRAMES_LARGE_H
#define CHARCOAL_FRAMES_LARGE_H

#include "frames/allocator.h"

CH_HIDDEN void *ch_large_take(enum ch_kind, size_t size, size_t align); /* NULL: no memory */
CH_HIDDEN void ch_large_give(void *block);
CH_HIDDEN void ch_large_walk(enum ch_kind, void (*visit)(void *, void *), void *data);
CH_HIDDEN void ch_large_sums(enum ch_kind, uint64_t *blocks, uint64_t *bytes); /* adds to both */
CH_HIDDEN uint64_t ch_large_bytes(void);
/* Where the list begins: for debuggers. */
CH_HIDDEN void *ch_large_list(void);

#endif
