/* Ends branches and activities that have called pthread_exit. See thread_exit.h. */
#include "sched/thread_exit.h"
#include "activity/extension.h"
#include "sched/no_yield.h"
#include "sched/open_blocks.h"
#include <pthread.h>

/* The scopes lie in frames, or on a stack, that are about to be left. */
void ch_exit_leaves_scopes(void) {
  struct ch_branch *b = ch_running_branch(); /* NULL: no code runs that could wait for them */
  if (!b || ch_tls.atomic_depth != 0)
    return;
  for (struct ch_finish *s; (s = b->scope) && s->owner == b;) {
    const bool is_freed_by_us = s->implicit && ch_scope_is_over(s);
    ch_scope_leave((struct ch_scope *)s);
    if (is_freed_by_us)
      ch_scope_free_implicit(s);
  }
}

int ch_exit_thread_too(void) {
  ch_blocks_take_back(0);
  ch_exit_leaves_scopes();
  ch_no_yield_drop();
  ch_tls.spawn_policy = 0;
  ch_tls.entry = NULL; /* the jump leads to no anchor */
  return CH_JUMPED;
}

int ch_exit_thread(intptr_t result) {
  ch_domain.exits = 1;
  ch_domain.result = result;
  return ch_exit_thread_too();
}

/* ---- the owner of a scope in which a branch has called it ---- */

static int resume(struct ch_frame *f) {
  ch_frame_free(f);
  return ch_exit_thread_too();
}
static const struct ch_frame_info info = {
    .resume = resume, .name = "pthread_exit", .size = CH_FRAME_HEADER, .align = 16};

void ch_exit_when_resumed(struct ch_branch *owner) {
  struct ch_frame *f = ch_frame_new(&info);
  f->parent = owner->top;
  owner->top = f;
}

int ch_exit_if_told(void) {
  struct ch_branch *b = ch_domain.current;
  struct ch_frame *f = b->top;
  if (CH_LIKELY(ch_is_chain_end(f) || f->info != &info))
    return CH_DONE;
  b->top = f->parent;
  return resume(f);
}

/* ---- the end ---- */

/* The functions that the activity is running for pthread_once will never return (posix/locks/once.c). */
CH_HIDDEN extern void ch_onces_left(struct ch_branch *first) __attribute__((weak));

static void leave_main(struct ch_branch *b) {
  struct ch_domain *d = &ch_domain;
  if (!d->host) {
    d->current = b;
    d->parent = b->top = ch_chain_end(b);
    ch_tls.link = &b->frame;
    pthread_exit((void *)d->result);
  }
  d->is_program = 0;
  ch_slice_main_leaves();
}

struct ch_branch *ch_exit_branch(struct ch_branch *b) {
  const struct ch_domain *d = &ch_domain;
  if (b->flags & CH_ASYNC) {
    ch_scope_exits(ch_async_of(b)->scope);
    return ch_async_end(b);
  }
  if (d->is_program && b == d->first)
    leave_main(b);
  if (ch_onces_left)
    ch_onces_left(b);
  ch_activity_end(b);
  return NULL;
}
