/* Waits for signals beside other things, by a signalfd: it tells that a blocked signal is pending, and need not take
 * it.
 */
#ifndef CHARCOAL_POSIX_SIGNALS_H
#define CHARCOAL_POSIX_SIGNALS_H

#include "posix/nonblocking.h"
#include <signal.h>
#include <spawn.h>
#include <stdbool.h>

/* The slot (reactor/runtime_descriptors.h) of a new descriptor that is readable while one of the set is pending for
 * this thread; -1 with errno. */
CH_HIDDEN int ch_signals_open(const sigset_t *);
/* The signals that are blocked now and that a wait with this mask would let through; whether there are any. */
CH_HIDDEN int ch_signals_let_through(const sigset_t *mask, sigset_t *);
/* Holds, for an activity that is about to pause, the signals that have handlers and that the program does not block:
 * this thread blocks them meanwhile. *programs: the mask without those that are held; *held: what is to be released.
 * 0; or -1 with ENOMEM. */
CH_HIDDEN int ch_signals_hold(sigset_t *programs, sigset_t *held);
/* Takes what this thread holds out of its mask, for a process that it starts. A child of fork holds nothing. */
CH_HIDDEN void ch_signals_not_held(sigset_t *mask);
/* Lets the held ones through, once: whether a handler ran. */
CH_HIDDEN int ch_signals_deliver(const sigset_t *mask);
CH_HIDDEN void ch_signals_release(const sigset_t *held);

/* posix_spawn and posix_spawnp (`search`) with a mask in which nothing is held, unless `how` says which one. */
CH_HIDDEN int ch_plain_spawn(bool search, pid_t *, const char *file, const posix_spawn_file_actions_t *,
                             const posix_spawnattr_t *how, char *const arguments[], char *const environment[]);

#endif
