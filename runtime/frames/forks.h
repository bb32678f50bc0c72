/* A lock of the process's whose data a child of fork goes on using: the thread that forks holds it meanwhile, so that
 * no other thread's change is cut off in the middle.
 *
 * Invariant: fork takes it after what the program's own handlers take (pthread_atfork calls the latest first, and these
 * are the earliest). So a thread may want it while it holds a lock of the program's, and not the other way round.
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
