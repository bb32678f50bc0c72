/* Who could make an activity of this domain runnable, besides the domain itself and what it asks of the kernel: another
 * domain, another thread, or a signal handler. They can post a semaphore, signal a condition, schedule a waiter. Asked
 * only when nobody in the domain can run: before a deadlock is reported. */
#ifndef CHARCOAL_SCHED_STRANGERS_H
#define CHARCOAL_SCHED_STRANGERS_H

#include "frames/allocator.h"
#include <stdbool.h>

/* Nobody here can run, and only strangers can change that. False: there are none who could: the program has no signal
 * handler, no thread but the runtime's own, and all domains have come to a stand. True: the domain is to sleep, but no
 * longer than until then (on ch_now), and to ask again. ch_awake follows the sleep. */
CH_HIDDEN bool ch_may_be_woken(int64_t *until);
CH_HIDDEN void ch_awake(void);

/* The domains of this process, and those of them that do not sleep in their inbox. For looking (reactor/looking.h). */
CH_HIDDEN extern unsigned ch_domains_alive, ch_domains_awake;
static inline void ch_domain_sleeps(void) { __atomic_sub_fetch(&ch_domains_awake, 1, __ATOMIC_RELAXED); }
static inline void ch_domain_wakes(void) { __atomic_add_fetch(&ch_domains_awake, 1, __ATOMIC_RELAXED); }

/* This thread runs a domain from now on; no longer. */
CH_HIDDEN void ch_strangers_start(void);
CH_HIDDEN void ch_strangers_end(void);

/* A thread of the runtime's own begins (+1) or has ended (-1). */
CH_HIDDEN void ch_own_thread(int by);
/* A signal handler of the runtime's own. */
CH_HIDDEN void ch_own_handler(void (*)(int));

#endif
