/* setjmp and longjmp in interruptible code. anchor.h explains the anchors. */
#include "sched/anchor.h"
#include "activity/environment.h"
#include "frames/allocator.h"
#include "frames/out_of_memory.h"
#include "report/watch.h"
#include "sched/around.h"
#include "sched/native.h"
#include "sched/no_yield.h"
#include "sched/open_blocks.h"
#include "sched/thread_exit.h"
#include "sched/throw.h"
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct anchor {
  const struct ch_frame_info *info;
  int left; /* it is resumed because of a jump or an exception: CH_JUMPED, CH_THROWN; else CH_DONE */
  struct ch_stack *stack;
};
_Static_assert(sizeof(struct anchor) <= sizeof(struct ch_anchor), "it fits into what the compiler reserves");

static struct anchor *of(struct ch_anchor *public) { return (struct anchor *)public; }

/* Stands for an anchor's stack while that is set aside. It has memory of its own: a jump from elsewhere to a caller on
 * the same stack overwrites the activation before it finds out which activations it has left. */
struct parked {
  struct anchor *anchor;
  struct ch_native native;
};
static struct parked *parked_of(struct ch_frame *f) {
  return (struct parked *)((char *)ch_native_of(f) - offsetof(struct parked, native));
}
static struct parked *new_parked(struct anchor *a) {
  struct parked *p = malloc(sizeof *p);
  if (!p)
    ch_out_of_memory("a wait below setjmp");
  p->anchor = a;
  return p;
}

/* ---- whose buffer it is ---- */

/* Stands at the end of a buffer: there is room for a mask of 1,024 signals, of which the kernel fills only the first
 * eight bytes. So a copy of the buffer leads to the anchor, too. */
struct token {
  struct anchor *anchor;
  struct around around; /* what was around the call of setjmp */
  uint64_t check;       /* computed from the saved registers, so it is wrong after a setjmp by other code */
};

static void *place_of_token(const struct __jmp_buf_tag *buffer) {
  return (char *)buffer + sizeof(jmp_buf) - sizeof(struct token);
}

static uint64_t check_of(const struct __jmp_buf_tag *buffer, const struct anchor *a) {
  uint64_t words[sizeof(buffer[0].__jmpbuf) / sizeof(uint64_t)], sum = (uintptr_t)a;
  memcpy(words, buffer[0].__jmpbuf, sizeof words);
  for (unsigned i = 0; i < sizeof words / sizeof *words; i++)
    sum = (sum ^ words[i]) * UINT64_C(0x9e3779b97f4a7c15) + 1;
  return sum;
}

/* False: the buffer was set by code that has no anchor. */
static bool read_token(const struct __jmp_buf_tag *buffer, struct token *t) {
  memcpy(t, place_of_token(buffer), sizeof *t);
  return t->anchor && t->check == check_of(buffer, t->anchor);
}

static void write_token(struct __jmp_buf_tag *buffer, struct anchor *a) {
  struct token t = {a, ch_around_now(), check_of(buffer, a)};
  memcpy(place_of_token(buffer), &t, sizeof t);
}

/* ---- jumps ---- */

bool ch_anchor_jumps(const struct __jmp_buf_tag *buffer, int value) {
  struct token t;
  if (!read_token(buffer, &t))
    return false;
  struct ch_stack_jump *jump = &ch_domain.main_stack->jump;
  memcpy(jump->buffer, buffer, sizeof jump->buffer);
  jump->value = value;
  if (CH_UNLIKELY(ch_domain.open_blocks != NULL))
    ch_blocks_take_back(t.around.opened); /* as long as their memory is there */
  ch_tls.entry = t.anchor;
  ch_around_leave_blocks(&t.around); /* leaves assert_no_yield first, because the jump itself may pass the scheduler */
  return true;
}

bool ch_anchor_is_elsewhere(const struct __jmp_buf_tag *buffer) {
  struct token t;
  return read_token(buffer, &t) && t.anchor->stack != ch_domain.stack;
}

static struct anchor *target(void) { return ch_tls.entry; }

static bool stands_for_stack(const struct ch_frame *f) {
  return ch_is_chain_end(f) || f->info->resume == ch_anchor_resume;
}

/* Frees a saved frame. Returns the next one. */
static struct ch_frame *drop_one(struct ch_frame *f) {
  struct ch_frame *parent = f->parent;
  if (f->info->flags & CH_FRAME_DYNAMIC)
    ch_alloca_release((void **)(f->image + f->info->image) - 1, NULL);
  ch_frame_free(f);
  return parent;
}

/* Frees the saved frames from f up to the first that stands for a stack. The result: that one, or the chain's end. */
static struct ch_frame *drop(struct ch_frame *f) {
  while (!stands_for_stack(f))
    f = drop_one(f);
  return f;
}

/* Does the same for an exception, also up to the first that may handle it. The branches in a scope still have to be
 * waited for, and its memory is in the frame of the function that has opened it. */
static struct ch_frame *drop_for_exception(struct ch_branch *b, struct ch_frame *f) {
  while (!stands_for_stack(f) && !(f->info->flags & CH_FRAME_CATCHES)) {
    const struct ch_finish *s = b->scope;
    if (CH_UNLIKELY((uintptr_t)s - (uintptr_t)f < f->info->size))
      ch_around_refuse(b, "an exception goes " CH_OUT_OF_A_SCOPE, s->site, "catch it in the block");
    f = drop_one(f);
  }
  return f;
}

static _Noreturn void to_nowhere(struct ch_branch *b) {
  ch_around_refuse(b, "longjmp to a setjmp that no caller of this activity has called", NULL,
                   "the function that called it has returned, or runs in another activity: jump before that");
}

/* setjmp returns once more. */
static _Noreturn void land(void) {
  const struct ch_stack_jump *jump = &ch_domain.main_stack->jump;
  struct __jmp_buf_tag buffer;
  memcpy(&buffer, jump->buffer, sizeof jump->buffer);
  siglongjmp(&buffer, jump->value);
}

/* The frames that were saved since the code that runs here was entered are the branch's no more. Returns the first. */
static struct ch_frame *take_saved(void) {
  struct ch_branch *b = ch_domain.current;
  *ch_tls.link = ch_chain_end(b);
  struct ch_frame *first = b->top;
  b->top = ch_domain.parent;
  ch_tls.link = &b->frame;
  return first;
}

static void drop_saved(void) { drop(take_saved()); }

void ch_anchor_throw_here(void) {
  drop_for_exception(ch_domain.current, take_saved());
  ch_around_leave_atomic(0); /* where a function of C has been left in an atomic block: here is none */
}

void ch_anchor_jump_on(void) {
  drop_saved();
  if (!target())
    pthread_exit((void *)ch_domain.result);
  land();
}

static void goes_on_at(struct ch_branch *b, struct ch_frame *f) {
  b->top = f;
  b->error = *ch_domain.error;
  b->state = CH_READY;
  b->link.prev = NULL;
}

struct ch_branch *ch_anchor_jump(struct ch_branch *b) {
  struct ch_frame *f = drop(b->top);
  if (ch_is_chain_end(f)) {
    if (target())
      to_nowhere(b);
    return ch_exit_branch(b);
  }
  parked_of(f)->anchor->left = CH_JUMPED;
  goes_on_at(b, f);
  return b;
}

bool ch_anchor_throw(struct ch_branch *b) {
  struct ch_frame *f = drop_for_exception(b, b->top);
  if (ch_is_chain_end(f))
    return false;
  if (f->info->resume == ch_anchor_resume)
    parked_of(f)->anchor->left = CH_THROWN;
  else
    f->point |= CH_POINT_THROWN;
  goes_on_at(b, f);
  return true;
}

/* The C library's longjmp, called by plain code, has left the stack on which that code ran. The stack of the activation
 * had been set aside by itself or by one that it has called. So had the stacks of others in between, which are given
 * up. */
static void come_back(struct anchor *a, const char *in_use) {
  struct ch_domain *d = &ch_domain;
  struct ch_branch *b = d->current;
  struct ch_stack *left = d->stack;
  if (!b)
    ch_around_interrupts_scheduler();
  struct ch_frame *f = drop(b->top);
  while (!ch_is_chain_end(f) && ch_native_of(f)->stack != a->stack) {
    struct ch_frame *parent = f->parent;
    d->natives--;
    ch_native_give_up(ch_native_of(f)->stack);
    free(parked_of(f));
    f = drop(parent);
  }
  if (ch_is_chain_end(f))
    to_nowhere(b);
  ch_stack_jumped(left, a->stack, in_use);
  d->stack = a->stack;
  ch_native_give_up(left);
  d->parent = b->top = f->parent;
  ch_tls.link = &b->frame;
  ch_native_back(ch_native_of(f));
  free(parked_of(f));
}

/* ---- called by generated code ---- */

/* Whether the stack is nearly full and the activity does not have many stacks yet. Without further stacks, a recursion
 * through functions that call setjmp would end far earlier than in the program as clang compiles it, whose activations
 * are smaller. */
static bool needs_room(void) {
  struct ch_domain *d = &ch_domain;
  if (CH_LIKELY(!ch_stack_is_nearly_full(d->stack)))
    return false;
  unsigned stacks = 0, frames = 0;
  for (struct ch_frame *f = d->parent; !ch_is_chain_end(f) && frames < 1024; f = f->parent, frames++)
    stacks += f->info->resume == ch_anchor_resume;
  return stacks < 16;
}

int ch_anchor_steps_aside(void) {
  struct ch_branch *b = ch_domain.current;
  const bool looked_for = ch_watched & CH_WATCH_NEVER_WAITS; /* which only finds callers that are saved */
  if (!b || !(b->scope || looked_for || needs_room()))
    return 0;
  ch_domain.steps_aside = 1;
  return 1;
}

void ch_anchor_begin(struct ch_anchor *public, const struct ch_frame_info *info) {
  struct anchor *a = of(public);
  a->info = info;
  a->stack = ch_domain.stack;
  a->left = CH_DONE;
}

int ch_anchor_resume(struct ch_frame *f) { return ch_native_go_on(f); }

int ch_anchor_wait(struct ch_anchor *public, uint32_t point, int status) {
  struct ch_domain *d = &ch_domain;
  struct ch_branch *b = d->current;
  struct anchor *a = of(public);
  if (status == CH_THROWN) /* to a caller: who calls setjmp handles no exceptions */
    return CH_THROWN;
  if (status == CH_JUMPED) {
    if (target() != a)
      return CH_JUMPED;
    drop_saved();
    land();
  }
  struct parked *p = new_parked(a);
  p->native.stack = d->stack;
  p->native.frame = (struct ch_frame){.info = a->info, .parent = d->parent, .point = point};
  *ch_tls.link = &p->native.frame;
  ch_exceptions_set_aside(b); /* not with this stack: what goes on first is a call below */
  const bool meant = d->gives_way || status == CH_YIELDED;
  struct ch_branch *next = ch_set_aside(b, status);
  if (CH_UNLIKELY(ch_no_yield_block.site != NULL))
    d->gives_way = meant; /* so that assert_no_yield reports that the stack is left */
  if (next)
    ch_enqueue_first(next);
  ch_native_park(&p->native, d->group);
  free(p);
  const int left = a->left;
  a->left = CH_DONE;
  if (left != CH_JUMPED)
    return left;
  if (target() != a)
    return CH_JUMPED;
  land();
}

void ch_anchor_set(struct ch_anchor *public, void *buffer, int value, uint32_t depth) {
  struct anchor *a = of(public);
  if (value == 0) {
    write_token(buffer, a);
    return;
  }
  struct token t;
  const bool is_its_own = read_token(buffer, &t) && t.anchor == a;
  if (CH_UNLIKELY(ch_domain.open_blocks != NULL) && is_its_own)
    ch_blocks_forget(t.around.opened, a->stack, CH_CALLERS_STACK);
  if (ch_domain.stack != a->stack)
    come_back(a, CH_CALLERS_STACK);
  else if (a->stack)
    ch_around_check_that_it_runs();
  if (is_its_own) {
    ch_around_check(&t.around);
    ch_around_leave_blocks(&t.around);
  }
  ch_around_leave_atomic(depth);
}
