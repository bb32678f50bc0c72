/* A domain inside somebody else's event loop: libuv's, GLib's, a game's. The thread belongs to that loop, which waits
 * in the kernel for what it knows; these functions tell it what the domain waits for, and when to let its activities
 * run.
 *
 *   int fd = ch_loop_fd();                        once: the loop has to watch it for reading
 *   for (;;) {
 *     ch_loop_step();                             whoever can run runs, until all of them wait
 *     poll(..., in_ms(ch_loop_timeout()));        the loop's own wait
 *   }
 *
 * While the loop runs its own callbacks, no activity runs. Such a callback may activate, trigger events, send and post;
 * who becomes ready by that runs in the next step. A callback may also wait, as all plain code may: then the activities
 * run and the loop stands still until the wait is over. A deadlock of the activities among themselves is not reported
 * while the loop has the thread, since what they wait for may come from it.
 *
 * Threads: any that runs a domain; where none runs yet, it begins as for any other call. */
#ifndef CHARCOAL_LOOP_H
#define CHARCOAL_LOOP_H

#include <charcoal.h>

#if defined(__CHARCOAL__) || defined(CHARCOAL_RUNTIME) || defined(CHARCOAL_LIBRARY)

#ifdef __cplusplus
extern "C" {
#endif

/* Returns a descriptor that is readable when a step is due for another reason than time. It stays the same, and the
 * runtime's: the caller only polls it. A child of fork asks again. Never blocks.
 * Result: the descriptor; -1 and errno: ENOTSUP: in the simulated world, or with io_uring before Linux 6.3
 * (CHARCOAL_REACTOR=epoll helps); EMFILE; ENFILE; ENOMEM. */
int ch_loop_fd(void);

/* Runs the activities that can run, until all wait. It ends early, after some 10 ms, if there is always one that can
 * run; ch_loop_timeout is 0 then. It does not wait, unless an activity waits in an atomic block, which nobody can
 * leave. Result: 0; EBUSY: a step is under way, and the caller runs in it; EPERM: the caller is in an atomic block;
 * ENOTSUP: in the simulated world. Nothing has been done then. */
int ch_loop_step(void);

/* Says how long the loop may wait before the next step, unless the descriptor becomes readable. The loop has to ask
 * right before it waits, after its other callbacks: what they have begun is handed to the kernel here, and the domain
 * is asleep from then on. Code that charcoal-cc has compiled does both in one atomic block, unless the loop calls it
 * back. Never blocks. Result: nanoseconds; 0: a step is due; CH_FOREVER; -EBUSY: a step is under way; -ENOTSUP; -EPERM.
 */
int64_t ch_loop_timeout(void);

#ifdef __cplusplus
}
#endif

#endif
#endif
