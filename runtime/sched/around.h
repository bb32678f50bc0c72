/* Saves and restores the state of the blocks around a call of setjmp: the depth and the policy of atomic blocks,
 * `assert_no_yield`, the scope, and which blocks are open.
 *
 * A longjmp leaves blocks without the code at their ends, so this state is restored where the jump arrives. A jump
 * cannot leave a scope, because the scope's branches still have to be waited for: such a jump ends the program with a
 * message. So does a jump that has left an open block which nobody has taken back (open_blocks.h). */
#ifndef CHARCOAL_SCHED_AROUND_H
#define CHARCOAL_SCHED_AROUND_H

#include "sched/domain.h"

struct around {
  struct ch_finish *scope; /* the innermost one */
  uint64_t opened;         /* how many blocks had been opened (open_blocks.h) */
  const char *no_yield;    /* of struct ch_no_yield_block */
  uint32_t depth, policy;  /* of struct ch_tls */
};

/* The stack pointer of the function's caller, or on AArch64 a place below it. */
#define CH_CALLERS_STACK ((char *)__builtin_frame_address(0) + 2 * sizeof(void *))

/* Returns what is around the running code. */
CH_HIDDEN struct around ch_around_now(void);
/* Ends the program with a message if the jump has left a scope or an open block (that nobody could take back). */
CH_HIDDEN void ch_around_check(const struct around *);
/* Sets again what is around: the policy of atomic blocks and `assert_no_yield`; the number of atomic blocks, where
 * those that are left may have to wait for contained activities. */
CH_HIDDEN void ch_around_leave_blocks(const struct around *);
CH_HIDDEN void ch_around_leave_atomic(uint32_t depth);
/* The program ends: the jump has come out of a signal handler that interrupted the scheduler. */
CH_HIDDEN _Noreturn void ch_around_interrupts_scheduler(void);
/* Does the same if the jump has arrived on the stack of a branch that was just being set aside. */
CH_HIDDEN void ch_around_check_that_it_runs(void);
#define CH_OUT_OF_A_SCOPE "out of a 'do ... finish', 'within' or 'noncancellable' block"
/* Ends the program with the message that a jump or an exception cannot go on: "WHAT at SITE, in activity B. REMEDY".
 * `b` and `site` may be NULL. */
CH_HIDDEN _Noreturn void ch_around_refuse(struct ch_branch *b, const char *what, const char *site, const char *remedy);

#endif
