/* The atomic operations of runtime/wait and of shared objects. The tests in tests/runtime/explore, which try all
 * interleavings, replace them by operations of their own. */
#ifndef CHARCOAL_WAIT_ATOMICS_H
#define CHARCOAL_WAIT_ATOMICS_H

#ifdef CHARCOAL_EXPLORED
#include CHARCOAL_EXPLORED
#else

#include <sched.h>
#include <stdbool.h>

#define ch_atomic_load(at) __atomic_load_n((at), __ATOMIC_ACQUIRE)
#define ch_atomic_store(at, value) __atomic_store_n((at), (value), __ATOMIC_RELEASE)
/* These have one order, which is the same for all threads. */
#define ch_atomic_load_in_order(at) __atomic_load_n((at), __ATOMIC_SEQ_CST)
#define ch_atomic_exchange(at, value) __atomic_exchange_n((at), (value), __ATOMIC_SEQ_CST)
/* Adds, and returns what was there before. */
#define ch_atomic_add(at, value) __atomic_fetch_add((at), (value), __ATOMIC_SEQ_CST)
/* Changes *at from *is to `to`. If *at is something else, it stores that in *is and returns false. */
#define ch_atomic_change(at, is, to)                                                                                   \
  __atomic_compare_exchange_n((at), (is), (to), false, __ATOMIC_SEQ_CST, __ATOMIC_ACQUIRE)

/* Is called between two reads of a word that another thread is to change. */
static inline void ch_atomic_pause(void) {
#if defined(__x86_64__) || defined(__i386__)
  __builtin_ia32_pause();
#elif defined(__aarch64__)
  __asm__ volatile("yield");
#endif
}

/* How often in a row somebody looks whether another thread has changed a word, before he does something else. */
#define CH_ATOMIC_GLANCES 8

/* Begins to bring the cache line of this address to this core, to be written. Several lines that other cores have come
 * in the time of one, if they are asked for before the first is used. The address may be anything. */
static inline void ch_atomic_fetch(const void *at) {
#if defined(__x86_64__) || defined(__i386__)
  __asm__ volatile("prefetchw %0" : : "m"(*(const char *)at)); /* processors that lack it do nothing */
#else
  __builtin_prefetch(at, 1, 3);
#endif
}

/* Is called in a loop that waits until another thread has changed a word, which it is about to do. `tries` counts the
 * rounds of the loop from 1. */
static inline void ch_atomic_relax(unsigned tries) {
  if (tries % 64 == 0)
    sched_yield(); /* the other thread may need this processor */
  else
    ch_atomic_pause();
}

#endif
#endif
