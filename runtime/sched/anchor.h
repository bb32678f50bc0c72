/* The interruptible versions of functions that call setjmp: see struct ch_anchor in the ABI.
 *
 * Such an activation never leaves the native stack. The functions that it calls are interruptible as usual. While one
 * of its calls is suspended, a frame in the branch's chain stands for the stack that has been set aside (native.h), and
 * resuming that frame tells the activation that the call has ended.
 *
 *   the stack that was set aside:  loop -> body -> f, which calls setjmp
 *   the branch's chain:            read <- g <- (the frame of that stack) <- what saved callers there are
 *
 * A longjmp to it in interruptible code is a status, CH_JUMPED: each function in between returns it, as if it were
 * suspended, so that its memory can be freed. A longjmp in plain code is the C library's; if it leaves a stack on which
 * the scheduler ran, the loop on that stack is given up.
 *
 * Invariants: 1. a buffer leads to its anchor (`struct token`) until other code calls setjmp with it; 2. the anchor
 * of a jump that is under way stands in ch_tls.entry, because nothing is entered meanwhile; 3. while an activation's
 * stack is set aside, its frame, or that of one that it has called on the same stack, is in the branch's chain. */
#ifndef CHARCOAL_SCHED_ANCHOR_H
#define CHARCOAL_SCHED_ANCHOR_H

#include "sched/domain.h"
#include <setjmp.h>

/* The running code jumps. True: return CH_JUMPED. False: the buffer was set by plain code, so the C library jumps. */
CH_HIDDEN bool ch_anchor_jumps(const struct __jmp_buf_tag *buffer, int value);
/* The buffer was set on a stack other than the one on which the scheduler runs. */
CH_HIDDEN bool ch_anchor_is_elsewhere(const struct __jmp_buf_tag *buffer);
/* A jump has arrived at plain code, which cannot return: the C library jumps, or ends the thread. */
CH_HIDDEN _Noreturn void ch_anchor_jump_on(void);
/* A jump has arrived at the loop: b goes on with it where its innermost activation with an anchor stands. A jump that
 * leads to no anchor, ch_tls.entry being NULL, ends b (thread_exit.h). */
CH_HIDDEN CH_RARE struct ch_branch *ch_anchor_jump(struct ch_branch *b);
/* An exception has arrived at the running code, which may handle it: drops the frames that were saved since that code
 * was entered. */
CH_HIDDEN void ch_anchor_throw_here(void);
/* An exception has arrived at the loop: b goes on with it where its innermost activation stands that may handle it, or
 * its innermost one with an anchor, which hands it on. False: there is none. */
CH_HIDDEN bool ch_anchor_throw(struct ch_branch *b);

#endif
