/* External wakers: whoever else could make an activity of this domain runnable, beside the domain itself and the
 * kernel. They are other domains, other threads and signal handlers, which can post a semaphore, signal a condition or
 * schedule a waiter. The domain asks for them only when none of its activities can run, before it reports a deadlock.
 */
#ifndef CHARCOAL_SCHED_EXTERNAL_WAKERS_H
#define CHARCOAL_SCHED_EXTERNAL_WAKERS_H

#include "frames/allocator.h"
#include <stdbool.h>

/* Is called when no activity of the domain can run, and only somebody outside of it can change that. False: there is
 * nobody: the program has no signal handler and no thread but the runtime's, and no domain can run anything. True: the
 * domain is to sleep, at most until `until` (on ch_now), and then to ask again. The caller calls ch_awake after the
 * sleep. */
CH_HIDDEN bool ch_may_be_woken(int64_t *until);
CH_HIDDEN void ch_awake(void);

/* The domains of this process, and those of them that do not sleep in their inbox. For looking (reactor/looking.h). */
CH_HIDDEN extern unsigned ch_domains_alive, ch_domains_awake;
static inline void ch_domain_sleeps(void) { __atomic_sub_fetch(&ch_domains_awake, 1, __ATOMIC_RELAXED); }
static inline void ch_domain_wakes(void) { __atomic_add_fetch(&ch_domains_awake, 1, __ATOMIC_RELAXED); }

/* This thread begins, and ends, to run a domain. */
CH_HIDDEN void ch_external_wakers_start(void);
CH_HIDDEN void ch_external_wakers_end(void);

/* A thread of the runtime begins (+1) or has ended (-1). */
CH_HIDDEN void ch_count_runtime_thread(int by);
/* Tells of a signal handler of the runtime: it is none of the program's. */
CH_HIDDEN void ch_add_runtime_handler(void (*)(int));
/* Whether the signal has a handler of the program's. */
CH_HIDDEN bool ch_program_handles(int signal);

#endif
