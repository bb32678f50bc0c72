/* A domain inside a foreign event loop, such as libuv's, GLib's or a game's. The loop owns the thread and waits in the
 * kernel for its own descriptors; these functions tell it what the domain waits for, and when its activities should
 * run.
 *
 *   int fd = ch_loop_fd();                        once: the loop has to watch it for reading
 *   for (;;) {
 *     ch_loop_step();                             the activities run until all of them wait
 *     poll(..., in_ms(ch_loop_timeout()));        the loop's own wait
 *   }
 *
 * While the loop runs its own callbacks, no activity runs. Such a callback may spawn activities, trigger events, send
 * and post; the activities that become ready by this run in the next step. A callback may also wait, as all plain code
 * may: then the activities run and the loop stands still until the wait is over. A deadlock of the activities among
 * themselves is not reported while the loop has the thread, since what they wait for may come from the loop.
 *
 * Cancel: has no effect on these functions.
 * Threads: any; one that has no domain yet gets one, as described for ch_domain_enter. */
#ifndef CHARCOAL_LOOP_H
#define CHARCOAL_LOOP_H

#include <charcoal.h>

#if defined(__CHARCOAL__) || defined(CHARCOAL_RUNTIME) || defined(CHARCOAL_LIBRARY)

#ifdef __cplusplus
extern "C" {
#endif

/* Returns a descriptor that is readable when a step is due for another reason than time. All calls in a domain return
 * the same one. The runtime owns it: the caller polls it, and does not read or close it. After fork the child has to
 * call the function again. Never blocks.
 * Result: the descriptor; -1 and errno: ENOTSUP: in the simulated world, or with io_uring before Linux 6.3
 * (CHARCOAL_REACTOR=epoll helps); EMFILE; ENFILE; ENOMEM. */
int ch_loop_fd(void);

/* Runs the activities that can run, until all wait. It ends early, after some 10 ms, if there is always one that can
 * run; ch_loop_timeout is 0 then. It does not wait, except when an activity waits in an atomic block, since no other
 * activity may run before that block has ended.
 * Result: 0; EBUSY: a step is under way, and the caller runs in it; EPERM: the caller is in an atomic block; ENOTSUP:
 * in the simulated world. With an error, nothing has been done. */
int ch_loop_step(void);

/* Returns how long the loop may wait before the next step, unless the descriptor becomes readable. The loop has to call
 * it right before it waits, after its other callbacks: this function hands to the kernel what they have begun, and from
 * then on the domain is asleep. Interruptible code, unless the loop has called it back, has to make this call and wait
 * in one atomic block. Never blocks.
 * Result: the time in nanoseconds; 0: a step is due; CH_FOREVER: no step is due; or the negative of an error number:
 * -EBUSY: a step is under way; -ENOTSUP and -EPERM as for ch_loop_step. */
int64_t ch_loop_timeout(void);

#ifdef __cplusplus
}
#endif

#endif
#endif
