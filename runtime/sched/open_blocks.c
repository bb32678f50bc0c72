/* The table of open blocks. See open_blocks.h. */
#include "sched/open_blocks.h"
#include "frames/out_of_memory.h"
#include "sched/native.h"
#include <errno.h>
#include <stdlib.h>

typedef struct ch_open_blocks table_t;
typedef struct ch_open_block entry_t;

/* ---- the table ---- */

CH_COLD static uint16_t open_in_larger_table(void *block, const struct ch_block_kind *kind, const char *site) {
  table_t *old = ch_domain.open_blocks;
  const uint32_t size = old ? 2 * old->size : 8;
  table_t *t = realloc(old, sizeof *t + size * sizeof *t->all);
  if (!t)
    ch_out_of_memory("the table of blocks that a longjmp may leave");
  if (!old)
    *t = (table_t){0};
  t->size = size;
  ch_domain.open_blocks = t;
  return ch_block_open(block, kind, site);
}

/* A block remembers the number of its entry + 1, or as much of it as it has room for. */
uint16_t ch_block_open(void *block, const struct ch_block_kind *kind, const char *site) {
  table_t *t = ch_domain.open_blocks;
  uint32_t entry;
  if (CH_UNLIKELY(!t) || CH_UNLIKELY(!t->first_free && t->used == t->size))
    CH_JUMP_TO open_in_larger_table(block, kind, site);
  if (CH_UNLIKELY(t->first_free != 0)) {
    entry = t->first_free - 1;
    t->first_free = t->all[entry].next_free;
  } else {
    entry = t->used++;
  }
  t->open++;
  t->all[entry] = (entry_t){.block = block,
                            .branch = ch_domain.current,
                            .stack = ch_domain.stack,
                            .kind = kind,
                            .site = site,
                            .number = ++t->opened};
  return (uint16_t)(entry % UINT16_MAX + 1);
}

void ch_block_close(void *block, uint16_t remembered) {
  table_t *t = ch_domain.open_blocks;
  uint32_t entry = remembered - 1u;
  while (CH_UNLIKELY(t->all[entry].block != block))
    entry += UINT16_MAX;
  t->all[entry].block = NULL;
  t->all[entry].next_free = t->first_free;
  t->first_free = entry + 1;
  if (--t->open == 0)
    t->used = t->first_free = 0;
}

void ch_blocks_end(void) {
  free(ch_domain.open_blocks);
  ch_domain.open_blocks = NULL;
}

/* ---- jumps ---- */

static entry_t *innermost(uint64_t opened) {
  table_t *t = ch_domain.open_blocks;
  entry_t *found = NULL;
  if (!t || !t->open || !ch_domain.current)
    return NULL;
  for (entry_t *e = t->all; e < t->all + t->used; e++)
    if (e->block && e->branch == ch_domain.current && e->number > opened) {
      found = e;
      opened = e->number;
    }
  return found;
}

const struct ch_open_block *ch_block_left(uint64_t opened) { return innermost(opened); }

void ch_blocks_take_back(uint64_t opened) {
  const int saved = errno;
  for (entry_t *e; (e = innermost(opened));)
    e->kind->take_back(e->block);
  errno = saved;
}

/* ---- a branch is divided ---- */

static bool is_native(const struct ch_frame *f) {
  return f->info->resume == ch_anchor_resume || f->info->resume == ch_native_go_on;
}
static bool lies_in_a_frame(const void *block, const struct ch_branch *b) {
  for (const struct ch_frame *f = b->top; !ch_is_chain_end(f); f = f->parent)
    if (!is_native(f) && (uintptr_t)block - (uintptr_t)f < f->info->size)
      return true;
  return false;
}
static bool has_stack(struct ch_branch *b, const struct ch_stack *stack) {
  for (struct ch_frame *f = b->top; !ch_is_chain_end(f); f = f->parent)
    if (is_native(f) && ch_native_of(f)->stack == stack)
      return true;
  return false;
}

/* A block lies in a frame, or in an activation on a native stack. The place of a block in a frame is no sign of it if
 * the frame has been resumed on another stack, so the frames are asked first. */
static bool belongs_to(const entry_t *e, struct ch_branch *part, struct ch_branch *rest) {
  return lies_in_a_frame(e->block, part) || (has_stack(part, e->stack) && !lies_in_a_frame(e->block, rest));
}

void ch_blocks_split(struct ch_branch *from, struct ch_branch *to) {
  table_t *t = ch_domain.open_blocks;
  if (!t->open)
    return;
  for (entry_t *e = t->all; e < t->all + t->used; e++)
    if (e->block && e->branch == from && belongs_to(e, to, from))
      e->branch = to;
}
