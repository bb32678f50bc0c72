/* The signal by which the runtime takes a thread out of a system call: a call that a thread of the pool makes, or the
 * sleep of a domain that has no descriptor by which it could be woken.
 *
 * It is SIGURG, which is ignored by default and hardly anybody's tool; or SIGRTMAX - 1, if the program ignores or
 * handles SIGURG, or blocks it, because it may wait for it (sigwait, signalfd), and a thread of the pool that lets it
 * through would take it. The program should not meet it: with a handler SIGURG would end the program's own calls, too,
 * whoever sends it. So SIGURG has a handler only while a thread may have to be interrupted. (SIGRTMAX - 1 would end the
 * program without a handler. Nobody else sends that, and its handler stays.) */
#ifndef CHARCOAL_SCHED_INTERRUPTS_H
#define CHARCOAL_SCHED_INTERRUPTS_H

#include "frames/attributes.h"
#include <signal.h>
#include <stdbool.h>

/* Returns the signal that could interrupt a call that this thread asks for now; 0: the program has taken both. */
CH_HIDDEN int ch_interrupt_signal(void);
/* Makes sure that this signal interrupts calls, until ch_interrupts_end has been called as often. False: it does not,
 * because the program has begun to use it. */
CH_HIDDEN bool ch_interrupts_begin(int signal);
CH_HIDDEN void ch_interrupts_end(void);
/* Makes sure of it once more, between the two. */
CH_HIDDEN bool ch_interrupts_still(int signal);

#endif
