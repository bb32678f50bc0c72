/* Open blocks: statements of which other objects know something while the statement's code runs, so that the code at
 * the statement's end has to take it back. The bodies of a `waituntil` with `and` are such blocks, because its other
 * clauses are on the lists of their objects meanwhile.
 *
 * A longjmp leaves a block without that code. In interruptible code the jump takes back what the blocks have that it
 * leaves. In plain code the C library jumps at once, and the memory of what has been left may be overwritten when the
 * runtime learns of it; then the program ends with a message.
 *
 * A domain has a table of its open blocks. It leads to them from memory of its own, because it has to be right after
 * such a jump.
 *
 * Invariants: 1. a block's `branch` is the one whose chain of calls the block belongs to; 2. of two blocks the one that
 * was opened later has the higher number. In a child of fork the table also has blocks of branches that are not
 * in this process. These never run again, so nothing leaves their blocks. */
#ifndef CHARCOAL_SCHED_OPEN_BLOCKS_H
#define CHARCOAL_SCHED_OPEN_BLOCKS_H

#include "sched/domain.h"

struct ch_block_kind {
  const char *what, *remedy;      /* of a message: "longjmp in plain code out of WHAT at SITE ...; REMEDY" */
  void (*take_back)(void *block); /* calls ch_block_close */
};

struct ch_open_block {
  void *block; /* NULL: the entry is free */
  union {
    struct ch_branch *branch;
    uint32_t next_free; /* of a free entry: the number of the next one + 1; 0: there is none */
  };
  const struct ch_stack *stack; /* on which the code ran that has opened it */
  const struct ch_block_kind *kind;
  const char *site; /* "file:line", or NULL */
  uint64_t number;
};

struct ch_open_blocks {
  uint64_t opened; /* how many there have been; the last one has this number */
  uint32_t open;   /* how many are open */
  uint32_t used, size, first_free;
  struct ch_open_block all[];
};

/* The running branch begins a block.
 * Result: what ch_block_close wants to know; not 0. */
CH_HIDDEN uint16_t ch_block_open(void *block, const struct ch_block_kind *, const char *site);
CH_HIDDEN void ch_block_close(void *block, uint16_t remembered);

/* How many blocks have been opened until now. */
static inline uint64_t ch_blocks_opened(void) {
  return CH_UNLIKELY(ch_domain.open_blocks != NULL) ? ch_domain.open_blocks->opened : 0;
}
/* The open blocks of the running branch that were opened after so many: takes back what they have, innermost first;
 * returns the innermost one, or NULL. */
CH_HIDDEN void ch_blocks_take_back(uint64_t opened);
CH_HIDDEN const struct ch_open_block *ch_block_left(uint64_t opened);

/* A part of the chain of `from` has become the chain of `to`, with the blocks in it. */
CH_HIDDEN CH_RARE void ch_blocks_split(struct ch_branch *from, struct ch_branch *to);

/* The domain ends. */
CH_HIDDEN void ch_blocks_end(void);

#endif
