/* Saves and restores what stands around a call of setjmp. See around.h. */
#include "sched/around.h"
#include "activity/activity.h"
#include "sched/no_yield.h"
#include "sched/open_blocks.h"
#include <stdio.h>
#include <stdlib.h>

/* The scope that the runtime has opened around the activity's body is left by no jump. */
static struct ch_finish *scope_now(void) {
  struct ch_finish *s = ch_domain.current ? ch_domain.current->scope : NULL;
  return s && s->implicit ? NULL : s;
}

struct around ch_around_now(void) {
  if (CH_UNLIKELY(!ch_blocks_may_be_left()))
    ch_blocks_expect_jumps();
  return (struct around){scope_now(), ch_blocks_opened(), ch_no_yield_block.site, ch_tls.atomic_depth,
                         ch_tls.spawn_policy};
}

void ch_around_refuse(struct ch_branch *b, const char *what, const char *site, const char *remedy) {
  const struct ch_branch *activity = b ? ch_activity_of(b) : NULL;
  const char *name = activity ? ch_branch_name(ch_activity_of(b)) : NULL;
  if (!name && activity && activity->flags & CH_MAIN)
    name = ch_domain.is_program ? "main" : "the thread's first";
  fflush(stdout);
  fprintf(stderr, "charcoal: %s%s%s", what, site ? " at " : "", site ? site : "");
  if (activity)
    fprintf(stderr, ", in activity %p", (const void *)activity);
  if (name)
    fprintf(stderr, " \"%s\"", name);
  fprintf(stderr, "; %s\n", remedy);
  fflush(NULL);
  abort();
}

void ch_around_interrupts_scheduler(void) {
  ch_around_refuse(
      NULL,
      "longjmp to a setjmp whose function does not stand on this stack: it has returned, or it waits and the jump "
      "comes out of a signal handler",
      NULL, "jump before that function returns; let the handler set a flag, or use signalfd");
}

void ch_around_check_that_it_runs(void) {
  if (CH_UNLIKELY(!ch_running_branch()))
    ch_around_interrupts_scheduler();
}

CH_COLD static void check_blocks(uint64_t opened) {
  const struct ch_open_block *left = ch_block_left(opened);
  if (!left)
    return;
  char what[100];
  snprintf(what, sizeof what, "longjmp in plain code out of %s", left->kind->what);
  ch_around_refuse(ch_domain.current, what, left->site, left->kind->remedy);
}

void ch_around_check(const struct around *a) {
  const struct ch_finish *now = scope_now();
  /* The C library's pthread_exit jumps to the calls of pthread_cleanup_push when the scopes have been left already. */
  if (CH_UNLIKELY(a->scope != now) && !ch_domain.exiting)
    ch_around_refuse(ch_domain.current, "longjmp " CH_OUT_OF_A_SCOPE, now ? now->site : NULL,
                     "leave the block by 'return' or 'goto'");
  if (CH_UNLIKELY(ch_domain.open_blocks != NULL))
    check_blocks(a->opened);
}

void ch_around_leave_blocks(const struct around *a) {
  ch_tls.spawn_policy = a->policy;
  if (CH_UNLIKELY(ch_no_yield_block.site != a->no_yield))
    (void)ch_no_yield(a->no_yield);
}

void ch_around_leave_atomic(uint32_t depth) {
  if (CH_LIKELY(ch_tls.atomic_depth == depth))
    return;
  ch_tls.atomic_depth = depth;
  if (ch_tls.atomic_pending)
    ch_atomic_settle();
}

/* ---- called by generated code ---- */

struct noted {
  struct around around;
  const struct ch_stack *stack; /* the plain code runs on it; NULL: no branch runs the code */
};
_Static_assert(sizeof(struct noted) <= sizeof(struct ch_around), "it fits into what the compiler reserves");

void ch_around_note(struct ch_around *public) {
  *(struct noted *)public = (struct noted){ch_around_now(), ch_domain.current ? ch_domain.stack : NULL};
}

void ch_around_restore(const struct ch_around *public) {
  const struct noted *n = (const struct noted *)public;
  if (n->stack && ch_domain.stack) {
    if (CH_UNLIKELY(n->stack != ch_domain.stack))
      ch_around_interrupts_scheduler();
    ch_around_check_that_it_runs();
  }
  if (CH_UNLIKELY(ch_domain.open_blocks != NULL))
    ch_blocks_forget(n->around.opened, ch_domain.stack, CH_CALLERS_STACK);
  ch_around_check(&n->around);
  ch_around_leave_blocks(&n->around);
  ch_around_leave_atomic(n->around.depth);
}
