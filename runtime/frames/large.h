/* Blocks that no class holds: too large, too aligned, or any block in malloc mode. Each is a malloc block that begins
 * with a header on one doubly linked list, so that a walk finds them. */
#ifndef CHARCOAL_FRAMES_LARGE_H
#define CHARCOAL_FRAMES_LARGE_H

#include "frames/allocator.h"

struct ch_large {
  _Alignas(16) struct ch_large *next; /* the list of all of this thread's */
  struct ch_large *prev;
  void *raw;                      /* what malloc returned */
  size_t size, total;             /* what was asked for; what malloc was asked for */
  const struct ch_guards *guards; /* in a frame that has them; else NULL */
  uint32_t kind;                  /* enum ch_kind */
  uint32_t magic;                 /* CH_LARGE_MAGIC, also after it was freed: so that a report can tell it */
  struct ch_large *beside;        /* the next in the same place of the index by addresses */
};
#define CH_LARGE_MAGIC UINT32_C(0x6c61c0a1)
static inline struct ch_large *ch_large_of(void *block) { return (struct ch_large *)block - 1; }

CH_HIDDEN void *ch_large_take(enum ch_kind, size_t size, size_t align); /* NULL: no memory */
CH_HIDDEN void ch_large_give(void *block);
CH_HIDDEN void ch_large_end(void);         /* the thread's domain is no more */
CH_HIDDEN void *ch_large_at(const void *); /* the block that the pointer points into; NULL: none of this thread's */
CH_HIDDEN void ch_large_walk(enum ch_kind, void (*visit)(void *, void *), void *data);
CH_HIDDEN void ch_large_sums(enum ch_kind, uint64_t *blocks, uint64_t *bytes); /* adds to both */
CH_HIDDEN uint64_t ch_large_bytes(void);
/* Where the list begins: for debuggers. */
CH_HIDDEN void *ch_large_list(void);

#endif
