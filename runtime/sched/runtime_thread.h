/* Threads of the runtime's own: the timer of slices, and those of the pool. */
#ifndef CHARCOAL_SCHED_RUNTIME_THREAD_H
#define CHARCOAL_SCHED_RUNTIME_THREAD_H

#include "frames/attributes.h"
#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>

/* Starts a thread, which blocks all signals and is not counted as one of the program's. `stack`: what its own code
 * needs at most; 0: it runs the program's code, and gets what a thread of the program gets. 0 or an error number.
 * Whoever ends the thread calls ch_count_runtime_thread(-1). */
CH_HIDDEN int ch_runtime_thread(pthread_t *, bool detached, size_t stack, void *(*run)(void *), void *argument);

#endif
