/* Locks of the process whose data a child of fork goes on using. The thread that forks holds such a lock meanwhile, so
 * that the child does not see another thread's change half done.
 *
 * Invariant: fork takes these locks after those that the program's handlers take, because pthread_atfork calls the
 * latest handlers first, and these are registered earliest. So a thread may take such a lock while it holds a lock of
 * the program, but not the other way round.
 */
#ifndef CHARCOAL_FRAMES_FORKS_H
#define CHARCOAL_FRAMES_FORKS_H

#include <pthread.h>

/* Of two that one thread may hold together, the one that it takes first is the outer one. */
enum { CH_INNER_LOCK = 101, CH_OUTER_LOCK };

#define CH_FREE_IN_CHILDREN(lock, order)                                                                               \
  static void before_fork(void) { pthread_mutex_lock(&lock); }                                                         \
  static void after_fork(void) { pthread_mutex_unlock(&lock); }                                                        \
  __attribute__((constructor(order))) static void hook_fork(void) {                                                    \
    pthread_atfork(before_fork, after_fork, after_fork);                                                               \
  }

#endif
