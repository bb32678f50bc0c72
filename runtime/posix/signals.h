/* Waits for signals beside other things, by a signalfd: it tells that a blocked signal is pending, and need not take
 * it.
 */
#ifndef CHARCOAL_POSIX_SIGNALS_H
#define CHARCOAL_POSIX_SIGNALS_H

#include "posix/nonblocking.h"
#include <signal.h>

/* A new descriptor that is readable while one of the set is pending for this thread; -1 with errno. */
CH_HIDDEN int ch_signals_open(const sigset_t *);
/* The signals that are blocked now and that a wait with this mask would let through; whether there are any. */
CH_HIDDEN int ch_signals_let_through(const sigset_t *mask, sigset_t *);
/* Blocks those signals that have handlers and are not blocked. What was blocked before: *before. */
CH_HIDDEN void ch_signals_hold(sigset_t *before, sigset_t *held);
/* Lets the held ones through, once: whether a handler ran. */
CH_HIDDEN int ch_signals_deliver(const sigset_t *mask);
CH_HIDDEN void ch_signals_release(const sigset_t *held);

#endif
