/* Replacements of sigwait, sigwaitinfo, sigtimedwait, pause and sigsuspend, and of posix_spawn and posix_spawnp, whose
 * children inherit the signal mask.
 *
 * The signals of sigwait have to be blocked, so a signalfd shows when one is pending. While an activity is in pause or
 * sigsuspend, signals with handlers are blocked, so that none is missed between two checks. When one is pending it is
 * unblocked, its handler runs, and the call returns EINTR. */
#define _GNU_SOURCE
#include "charcoal_abi.h"
#include "posix/addresses.h"
#include "posix/children.h"
#include "posix/plain.h"
#include "posix/plain_waits.h"
#include "posix/signals.h"
#include "posix/single_activity.h"
#include "reactor/times.h"
#include "posix/replacements/replacement.h"

static const struct timespec at_once = {0, 0};

/* Until one of the set may be pending, or the time is over. `slot`: of a signalfd of the set; -1: no descriptor was to
 * be had, and the caller looks from time to time. *look: 0 at first. As ch_fd_wait. */
static int await_signal(int slot, int64_t left, int64_t *look) {
  int error;
  if (slot >= 0)
    return await_slot(slot, left);
  if (left == 0)
    return 0;
  *look = ch_time_until_look(*look);
  error = ch_sleep(left < *look ? left : *look);
  return error ? -error : POLLIN;
}

CH_SHARED_BODY int wait_for_signal(const sigset_t *set, siginfo_t *info, int64_t timeout) {
  int before = errno, r, slot, ready;
  int64_t deadline = ch_deadline_after(timeout), look = 0;
  if (ch_is_refused(timeout != 0))
    return -1;
  r = ch_plain_sigtimedwait(set, info, &at_once);
  if (r >= 0 || errno != EAGAIN || timeout == 0)
    return r;
  slot = ch_signals_open(set);
  if (slot < 0 && !ch_lacks_descriptors(errno))
    return -1;
  do {
    ready = await_signal(slot, ch_time_left(deadline), &look);
    if (ready < 0) {
      errno = -ready;
      break;
    }
    r = ch_plain_sigtimedwait(set, info, &at_once);
  } while (r < 0 && errno == EAGAIN && ready > 0);
  if (slot >= 0)
    ch_close_waited_for(slot);
  if (r >= 0)
    errno = before;
  return r;
}

/* In plain code, which knows nothing of scopes that are cancelled. */
int ch_wait_for_signals(const sigset_t *set, siginfo_t *info, const struct timespec *timeout) {
  if (ch_is_wrong(timeout))
    return errno = EFAULT, -1;
  int64_t duration = ch_duration(timeout);
  if (duration == CH_NO_TIME)
    return errno = EINVAL, -1;
  struct ch_scope barrier;
  ch_scope_enter(&barrier, CH_SCOPE_BARRIER, "sigtimedwait");
  int r = wait_for_signal(set, info, duration);
  ch_scope_leave(&barrier);
  return r;
}

CH_REPLACES(sigwaitinfo) int ch_posix_sigwaitinfo(const sigset_t *set, siginfo_t *info) {
  CH_SINGLE_ACTIVITY(ch_library_sigwaitinfo(set, info));
  return wait_for_signal(set, info, CH_FOREVER);
}
CH_REPLACES(sigtimedwait)
int ch_posix_sigtimedwait(const sigset_t *set, siginfo_t *info, const struct timespec *timeout) {
  CH_SINGLE_ACTIVITY(ch_library_sigtimedwait(set, info, timeout));
  if (ch_is_wrong(timeout))
    return errno = EFAULT, -1;
  int64_t duration = ch_duration(timeout);
  if (duration == CH_NO_TIME)
    return errno = EINVAL, -1;
  return wait_for_signal(set, info, duration);
}
CH_REPLACES(sigwait) int ch_posix_sigwait(const sigset_t *set, int *signal) {
  CH_SINGLE_ACTIVITY(ch_library_sigwait(set, signal));
  int saved = errno, error = 0, r = wait_for_signal(set, NULL, CH_FOREVER);
  if (r < 0)
    error = errno;
  else
    *signal = r;
  errno = saved;
  return error;
}

/* The held ones stay as they were for sigsuspend's mask. */
static int suspend_with(const sigset_t *mask) {
  sigset_t programs, held, through;
  int slot, ready, error = EINTR;
  int64_t look = 0;
  if (ch_is_refused(1))
    return -1;
  if (ch_is_wrong(mask))
    return errno = EFAULT, -1;
  if (ch_signals_hold(&programs, &held) < 0)
    return -1;
  if (!mask)
    mask = &programs;
  ch_signals_let_through(mask, &through);
  slot = ch_signals_open(&through);
  if (slot < 0 && !ch_lacks_descriptors(errno)) {
    ch_signals_release(&held);
    return -1;
  }
  while (!ch_signals_deliver(mask)) {
    ready = await_signal(slot, CH_FOREVER, &look);
    if (ready < 0) {
      error = -ready;
      break;
    }
  }
  if (slot >= 0)
    ch_close_waited_for(slot);
  ch_signals_release(&held);
  return errno = error, -1;
}

CH_REPLACES(pause) int ch_posix_pause(void) {
  CH_SINGLE_ACTIVITY(pause());
  return suspend_with(NULL);
}
CH_REPLACES(sigsuspend) int ch_posix_sigsuspend(const sigset_t *mask) {
  CH_SINGLE_ACTIVITY(sigsuspend(mask));
  return suspend_with(mask);
}

CH_REPLACES(posix_spawn)
int ch_posix_spawn(pid_t *process, const char *path, const posix_spawn_file_actions_t *actions,
                   const posix_spawnattr_t *how, char *const arguments[], char *const environment[]) {
  return ch_plain_spawn(false, process, path, actions, how, arguments, environment);
}
CH_REPLACES(posix_spawnp)
int ch_posix_spawnp(pid_t *process, const char *file, const posix_spawn_file_actions_t *actions,
                    const posix_spawnattr_t *how, char *const arguments[], char *const environment[]) {
  return ch_plain_spawn(true, process, file, actions, how, arguments, environment);
}
