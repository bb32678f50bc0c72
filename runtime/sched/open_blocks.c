/* The table of open blocks. See open_blocks.h. */
#include "sched/open_blocks.h"
#include "frames/out_of_memory.h"
#include "sched/native.h"
#include <errno.h>
#include <stdlib.h>

typedef struct ch_open_blocks table_t;
typedef struct ch_open_block entry_t;

/* ---- the table ---- */

static uint32_t *head_of(const table_t *t, const struct ch_branch *b) {
  return &t->heads[(uint32_t)((uintptr_t)b * UINT64_C(0x9e3779b97f4a7c15) >> t->shift)];
}
static void push(table_t *t, uint32_t *head, entry_t *e) {
  e->next = *head;
  *head = (uint32_t)(e - t->all) + 1;
}
/* Moves the entries of a list to the lists of their branches, in reverse order. */
static void put_all(table_t *t, uint32_t list) {
  while (list) {
    entry_t *e = &t->all[list - 1];
    list = e->next;
    push(t, head_of(t, e->branch), e);
  }
}
static uint32_t reversed(table_t *t, uint32_t list) {
  uint32_t result = 0;
  while (list) {
    entry_t *e = &t->all[list - 1];
    list = e->next;
    push(t, &result, e);
  }
  return result;
}

CH_COLD static void grow(void) {
  table_t *old = ch_domain.open_blocks;
  const uint32_t old_size = old ? old->size : 0, size = old ? 2 * old->size : 8;
  table_t *t = realloc(old, sizeof *t + size * sizeof *t->all);
  uint32_t *heads = calloc(size, sizeof *heads);
  if (!t || !heads)
    ch_out_of_memory("the table of blocks that a longjmp may leave");
  if (!old)
    *t = (table_t){.shift = 62};
  uint32_t *old_heads = t->heads;
  t->size = size;
  t->shift--;
  t->heads = heads;
  for (uint32_t i = 0; i < old_size; i++)
    put_all(t, reversed(t, old_heads[i]));
  free(old_heads);
  ch_domain.open_blocks = t;
}
CH_COLD static uint16_t open_in_larger_table(void *block, const struct ch_block_kind *kind, const char *site) {
  grow();
  return ch_block_open(block, kind, site);
}

void ch_blocks_expect_jumps(void) {
  if (ch_domain.group && !ch_domain.open_blocks)
    grow();
}

/* A block remembers the number of its entry + 1, or as much of it as it has room for. */
uint16_t ch_block_open(void *block, const struct ch_block_kind *kind, const char *site) {
  table_t *t = ch_domain.open_blocks;
  uint32_t entry;
  if (CH_UNLIKELY(!t) || CH_UNLIKELY(!t->first_free && t->used == t->size))
    CH_JUMP_TO open_in_larger_table(block, kind, site);
  if (CH_UNLIKELY(t->first_free != 0)) {
    entry = t->first_free - 1;
    t->first_free = t->all[entry].next;
  } else {
    entry = t->used++;
  }
  t->open++;
  uint32_t *head = head_of(t, ch_domain.current);
  t->all[entry] = (entry_t){.block = block,
                            .branch = ch_domain.current,
                            .next = *head,
                            .stack = ch_domain.stack,
                            .kind = kind,
                            .site = site,
                            .number = ++t->opened};
  *head = entry + 1;
  return (uint16_t)(entry % UINT16_MAX + 1);
}

static void close_entry(table_t *t, uint32_t entry) {
  uint32_t *at = head_of(t, t->all[entry].branch);
  while (*at != entry + 1)
    at = &t->all[*at - 1].next;
  *at = t->all[entry].next;
  t->all[entry].block = NULL;
  t->all[entry].next = t->first_free;
  t->first_free = entry + 1;
  if (--t->open == 0)
    t->used = t->first_free = 0;
}

void ch_block_close(void *block, uint16_t remembered) {
  table_t *t = ch_domain.open_blocks;
  uint32_t entry = remembered - 1u;
  while (CH_UNLIKELY(t->all[entry].block != block))
    entry += UINT16_MAX;
  close_entry(t, entry);
}

void ch_blocks_end(void) {
  if (ch_domain.open_blocks)
    free(ch_domain.open_blocks->heads);
  free(ch_domain.open_blocks);
  ch_domain.open_blocks = NULL;
}

/* ---- jumps ---- */

static entry_t *next_of(table_t *t, uint32_t at, uint64_t opened) {
  for (; at; at = t->all[at - 1].next) {
    entry_t *e = &t->all[at - 1];
    if (e->branch == ch_domain.current)
      return e->number > opened ? e : NULL;
  }
  return NULL;
}
static entry_t *innermost(uint64_t opened) {
  table_t *t = ch_domain.open_blocks;
  return t && t->open && ch_domain.current ? next_of(t, *head_of(t, ch_domain.current), opened) : NULL;
}

const struct ch_open_block *ch_block_left(uint64_t opened) { return innermost(opened); }

void ch_blocks_take_back(uint64_t opened) {
  const int saved = errno;
  for (entry_t *e; (e = innermost(opened));)
    e->kind->take_back(e->block);
  errno = saved;
}

static bool lies_on(const struct ch_stack *stack, const void *block) {
  if (stack && !stack->low)
    ch_stack_last_quarter((struct ch_stack *)(uintptr_t)stack); /* computes where it ends */
  return stack && (const char *)block >= stack->low && (const char *)block < stack->high;
}

/* What stands in a frame is still there: a jump of plain code leaves it, or the caller gives it back later. */
void ch_blocks_forget(uint64_t opened, const struct ch_stack *to, const char *in_use) {
  const struct ch_stack *forgotten = NULL;
  const int saved = errno;
  for (entry_t *e = innermost(opened); e;) {
    table_t *t = ch_domain.open_blocks;
    entry_t was = *e;
    if (!was.kind->forget) {
      e = next_of(t, was.next, opened);
      continue;
    }
    if (lies_on(was.stack, was.block)) {
      close_entry(t, (uint32_t)(e - t->all));
      if (was.stack != forgotten)
        was.kind->forget((uintptr_t)was.stack->low, (uintptr_t)(was.stack == to ? in_use : was.stack->high));
      forgotten = was.stack;
    } else {
      was.kind->take_back(was.block);
    }
    e = ch_domain.open_blocks->open ? next_of(ch_domain.open_blocks, was.next, opened) : NULL;
  }
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
  uint32_t moved = 0; /* in reverse order */
  for (uint32_t *at = head_of(t, from); *at;) {
    entry_t *e = &t->all[*at - 1];
    if (e->branch == from && belongs_to(e, to, from)) {
      *at = e->next;
      e->branch = to;
      push(t, &moved, e);
    } else {
      at = &e->next;
    }
  }
  put_all(t, moved);
}
