/* Who could make an activity of this domain runnable, besides the domain itself and what it asks of the kernel: another
 * thread, or a signal handler. They can post a semaphore, signal a condition, unlock a mutex. Asked only when nobody in
 * the domain can run: before a deadlock is reported. */
#ifndef CHARCOAL_SCHED_STRANGERS_H
#define CHARCOAL_SCHED_STRANGERS_H

#include "frames/allocator.h"
#include <stdbool.h>

/* The program has a signal handler, or a thread that is neither this one nor the runtime's own. */
CH_HIDDEN bool ch_has_strangers(void);

/* A thread of the runtime's own begins (+1) or has ended (-1). */
CH_HIDDEN void ch_own_thread(int by);
/* A signal handler of the runtime's own. */
CH_HIDDEN void ch_own_handler(void (*)(int));

#endif
