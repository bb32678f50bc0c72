/* Lists the memory that a conservative garbage collector has to scan beside the stack of the thread. */
#include "charcoal/lowlevel.h"
#include "frames/large.h"
#include "sched/native.h"
#include "sched/stack.h"
#include <errno.h>

struct search {
  void (*visit)(void *begin, size_t size, void *data);
  void *data;
};

static void visit_frame(void *block, void *search) {
  struct search *s = search;
  s->visit(block, ((struct ch_frame *)block)->info->size, s->data);
}

static void visit_stack(const struct ch_stack *stack, struct search *s) {
  s->visit(stack->context, (size_t)(stack->high - (char *)stack->context), s->data);
}

/* What waits in plain code, or below a function that calls setjmp, has left its variables on a native stack, and its
 * registers below them. */
static void visit_stacks(struct ch_branch *b, struct search *s) {
  const struct ch_stack *stack = b->flags & CH_NATIVE ? ch_native_stack_of(b) : NULL;
  if (stack)
    visit_stack(stack, s);
  if (b->state == CH_NEW)
    return;
  for (struct ch_frame *f = b->top; !ch_is_chain_end(f); f = f->parent)
    if (f->info->resume == ch_anchor_resume)
      visit_stack(ch_native_of(f)->stack, s);
}

static void visit_activity(void *block, struct ch_branch *b, struct search *s) {
  s->visit(block, ch_heap_size_of(block), s->data);
  visit_stacks(b, s);
}
static void visit_short(void *block, void *search) { visit_activity(block, block, search); }
static void visit_long(void *block, void *search) {
  visit_activity(block, (struct ch_branch *)((struct ch_prefix *)block + 1), search);
}
static void visit_async(void *block, void *search) {
  struct search *s = search;
  s->visit(block, sizeof(struct ch_async), s->data);
  visit_stacks(block, s);
}

static void visit_dynamic(void *block, void *search) {
  struct search *s = search;
  s->visit(block, ch_heap_size_of(block), s->data);
}

int ch_roots_visit(void (*visit)(void *begin, size_t size, void *data), void *data) {
  struct search s = {visit, data};
  if (!ch_domain.group)
    return EPERM;
  ch_heap_walk(CH_KIND_FRAME, visit_frame, &s);
  ch_heap_walk(CH_KIND_ACTIVITY, visit_short, &s);
  ch_heap_walk(CH_KIND_LONG, visit_long, &s);
  ch_heap_walk(CH_KIND_ASYNC, visit_async, &s);
  ch_heap_walk(CH_KIND_DYNAMIC, visit_dynamic, &s);
  return 0;
}
