/* Open blocks: statements of which other objects know something while the statement's code runs, so that the code at
 * the statement's end has to take it back. The bodies of a `waituntil` with `and` are such blocks, because its other
 * clauses are on the lists of their objects meanwhile. So are blocks with a rendezvous, and blocks with variables into
 * which events store values.
 *
 * A longjmp leaves a block without that code. In interruptible code the jump takes back what the blocks have that it
 * leaves. In plain code the C library jumps at once, and the memory of what has been left may be overwritten when the
 * runtime learns of it. Then a kind of blocks that can take everything back without that memory does so; for another
 * kind the program ends with a message.
 *
 * A domain has a table of its open blocks. It leads to them from memory of its own, because it has to be right after
 * such a jump. A branch's blocks are found by its hash.
 *
 * Invariants: 1. a block's `branch` is the one whose chain of calls the block belongs to; 2. of two blocks the one that
 * was opened later has the higher number; 3. an entry in use is on the list of its branch's hash, where a branch's
 * entries are in the reverse order of their numbers. In a child of fork the table also has blocks of branches that are
 * not in this process. These never run again, so nothing leaves their blocks. */
#ifndef CHARCOAL_SCHED_OPEN_BLOCKS_H
#define CHARCOAL_SCHED_OPEN_BLOCKS_H

#include "sched/domain.h"

struct ch_block_kind {
  const char *what, *remedy;      /* of a message: "longjmp in plain code out of WHAT at SITE ...; REMEDY" */
  void (*take_back)(void *block); /* calls ch_block_close */
  /* Takes back what blocks of this kind have whose memory was from `low` to `high`, and is gone. It must not use that
   * memory, and does not call ch_block_close. NULL: that is not possible. */
  void (*forget)(uintptr_t low, uintptr_t high);
};

struct ch_open_block {
  void *block; /* NULL: the entry is free */
  struct ch_branch *branch;
  uint32_t next; /* on the list of its hash, or of the free entries: the number of the next one + 1; 0: there is none */
  const struct ch_stack *stack; /* on which the code ran that has opened it */
  const struct ch_block_kind *kind;
  const char *site; /* "file:line", or NULL */
  uint64_t number;
};

struct ch_open_blocks {
  uint64_t opened; /* how many there have been; the last one has this number */
  uint32_t open;   /* how many are open */
  uint32_t used, size, first_free;
  unsigned shift;  /* of a branch's hash */
  uint32_t *heads; /* as many as there are entries: for each hash the first entry's number + 1, or 0 */
  struct ch_open_block all[];
};

/* The running branch begins a block.
 * Result: what ch_block_close wants to know; not 0. */
CH_HIDDEN uint16_t ch_block_open(void *block, const struct ch_block_kind *, const char *site);
CH_HIDDEN void ch_block_close(void *block, uint16_t remembered);

/* The running code calls setjmp, so that from now on blocks may be left by a jump to it. Before the first setjmp of a
 * domain a kind of blocks need not be opened that only a jump makes necessary. */
CH_HIDDEN CH_COLD void ch_blocks_expect_jumps(void);
static inline bool ch_blocks_may_be_left(void) { return CH_UNLIKELY(ch_domain.open_blocks != NULL); }

/* How many blocks have been opened until now. */
static inline uint64_t ch_blocks_opened(void) {
  return CH_UNLIKELY(ch_domain.open_blocks != NULL) ? ch_domain.open_blocks->opened : 0;
}
/* The open blocks of the running branch that were opened after so many: takes back what they have, innermost first;
 * returns the innermost one, or NULL. */
CH_HIDDEN void ch_blocks_take_back(uint64_t opened);
CH_HIDDEN const struct ch_open_block *ch_block_left(uint64_t opened);
/* Those that a jump in plain code has left, as far as their kind can do without their memory: takes back what they
 * have. The jump has arrived on the stack `to`, which is in use above `in_use`; NULL: all stacks of the branch are
 * gone. To be called before the memory of frames and stacks that the jump has left is given back. */
CH_HIDDEN void ch_blocks_forget(uint64_t opened, const struct ch_stack *to, const char *in_use);

/* A part of the chain of `from` has become the chain of `to`, with the blocks in it. */
CH_HIDDEN CH_RARE void ch_blocks_split(struct ch_branch *from, struct ch_branch *to);

/* The domain ends. */
CH_HIDDEN void ch_blocks_end(void);

#endif
