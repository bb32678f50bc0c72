/* What the runtime does at a fork: its handlers of pthread_atfork, and locks whose data a child goes on using. The
 * thread that forks holds such a lock meanwhile, so that the child does not see another thread's change half done.
 *
 * In a child, the locks are freed first, then the *hooks* run (sched/child.h), and then the program's handlers, which
 * may wait and spawn.
 *
 * No handler runs for a child that is made by _Fork, or by a system call of the program's own (clone, clone3). Such a
 * child is *unnoticed* until the runtime looks at ch_process_is_known, a word of which the kernel gives each child a
 * copy that is 0. It looks before what the child waits for gets mixed with its parent's (sched/child.h), and then does
 * late what the handlers would have done. A child of vfork or posix_spawn has its parent's memory, the word included.
 *
 * Invariant: fork takes these locks after those that the program's handlers take, because pthread_atfork calls the
 * latest handlers first, and these are registered earliest. So a thread may take such a lock while it holds a lock of
 * the program, but not the other way round.
 */
#ifndef CHARCOAL_FRAMES_FORKS_H
#define CHARCOAL_FRAMES_FORKS_H

#include "frames/attributes.h"
#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>

/* The priorities of the constructors that register handlers. Of two locks that one thread may hold together, the one
 * that it takes first is the outer one. */
enum { CH_INNER_LOCK = 101, CH_OUTER_LOCK, CH_AFTER_LOCKS };

/* For a lock: `before` takes it, and `after` frees it, in the parent and in the child. In a child for which no handler
 * ran, `late` is called instead of the two; it must not rely on `before`. Only for constructors with a priority of the
 * enumeration above. */
CH_HIDDEN void ch_lock_at_fork(void (*before)(void), void (*after)(void), void (*late)(void));
/* `hook` is called in each child, after those that were registered before it. */
CH_HIDDEN void ch_child_hook(void (*hook)(void));
/* Calls the hooks. */
CH_HIDDEN CH_COLD void ch_run_child_hooks(void);

/* The first word is 0 in a child that the runtime does not know of yet. */
extern CH_HIDDEN uint32_t ch_process_is_known[];
static inline bool ch_child_is_unnoticed(void) { return CH_UNLIKELY(*ch_process_is_known == 0); }
/* Frees the locks and calls the hooks of an unnoticed child. */
CH_HIDDEN CH_COLD void ch_fork_run_late(void);

/* Defines a lock that a fork holds and then frees. They lie together: fork writes them in the parent and in the child,
 * and the kernel copies each page that either of the two writes. */
#define CH_FORK_LOCK(lock, order)                                                                                      \
  static pthread_mutex_t lock __attribute__((section("charcoal_locks"))) = PTHREAD_MUTEX_INITIALIZER;                  \
  static void before_fork(void) { pthread_mutex_lock(&lock); }                                                         \
  static void after_fork(void) { pthread_mutex_unlock(&lock); }                                                        \
  static void free_lock_late(void) { pthread_mutex_init(&lock, NULL); }                                                \
  __attribute__((constructor(order))) static void hook_fork(void) {                                                    \
    ch_lock_at_fork(before_fork, after_fork, free_lock_late);                                                          \
  }

#endif
