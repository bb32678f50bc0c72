/* Reports the overflow of a native stack, which would otherwise end the program with a bare SIGSEGV.
 *
 * A domain's thread gets an alternate stack, unless the program has given it one, and the program a handler of SIGSEGV,
 * unless it has one already. The handler speaks only where the address lies just below the stack that the domain's
 * thread runs on; every other fault is what it would be without it. A handler that the program sets later replaces it.
 * sigaltstack does not show the program the runtime's stack.
 */
#ifndef CHARCOAL_SCHED_OVERFLOW_H
#define CHARCOAL_SCHED_OVERFLOW_H

#include "frames/allocator.h"

/* For this thread, whose domain begins and ends. */
CH_HIDDEN void ch_overflow_start(void);
CH_HIDDEN void ch_overflow_end(void);
/* How large the thread's own stack may become, below where the domain begins. 0: there is no limit. */
CH_HIDDEN uint64_t ch_overflow_stack_size(void);
/* So many bytes of frames are too many: what is reported at the fault that follows. */
extern CH_HIDDEN uint64_t ch_overflow_of_frames;

#endif
