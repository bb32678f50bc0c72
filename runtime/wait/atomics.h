/* The atomic operations of the wait core and of shared objects. The tests that explore all interleavings (tests/wait)
 * put their own in their place. */
#ifndef CHARCOAL_WAIT_ATOMICS_H
#define CHARCOAL_WAIT_ATOMICS_H

#ifdef CHARCOAL_EXPLORED
#include CHARCOAL_EXPLORED
#else

#include <sched.h>
#include <stdbool.h>

#define ch_atomic_load(at) __atomic_load_n((at), __ATOMIC_ACQUIRE)
#define ch_atomic_store(at, value) __atomic_store_n((at), (value), __ATOMIC_RELEASE)
/* These have one order, in which all threads see them. */
#define ch_atomic_load_in_order(at) __atomic_load_n((at), __ATOMIC_SEQ_CST)
#define ch_atomic_exchange(at, value) __atomic_exchange_n((at), (value), __ATOMIC_SEQ_CST)
/* *is: what it is expected to be; when this fails, what it was. */
#define ch_atomic_change(at, is, to)                                                                                   \
  __atomic_compare_exchange_n((at), (is), (to), false, __ATOMIC_SEQ_CST, __ATOMIC_ACQUIRE)

/* Between two looks at what another thread is to change. */
static inline void ch_atomic_pause(void) {
#if defined(__x86_64__) || defined(__i386__)
  __builtin_ia32_pause();
#elif defined(__aarch64__)
  __asm__ volatile("yield");
#endif
}

/* Another thread is about to change what the caller looks at. `tries` counts from 1. */
static inline void ch_atomic_relax(unsigned tries) {
  if (tries % 64 == 0)
    sched_yield(); /* it may want this very processor */
  else
    ch_atomic_pause();
}

#endif
#endif
