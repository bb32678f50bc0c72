/* Conversions between the C library's times and nanoseconds. See times.h. */
#define _GNU_SOURCE
#include "reactor/times.h"
#include "frames/runtime_calls.h"
#include "reactor/reactor.h"
#include "reactor/runtime_descriptors.h"
#include <errno.h>
#include <sys/timerfd.h>
#include <unistd.h>

enum { SECOND = 1000000000 };

/* a seconds and b ns, b in its second. */
static int64_t nanoseconds(int64_t a, int64_t b) {
  int64_t ns;
  if (__builtin_mul_overflow(a, (int64_t)SECOND, &ns) || __builtin_add_overflow(ns, b, &ns))
    return a < 0 ? -CH_FOREVER : CH_FOREVER;
  return ns;
}

static bool has_fraction(const struct timespec *t) { return t->tv_nsec >= 0 && t->tv_nsec < SECOND; }

int64_t ch_duration(const struct timespec *t) {
  if (!t)
    return CH_FOREVER;
  return t->tv_sec < 0 || !has_fraction(t) ? CH_NO_TIME : nanoseconds(t->tv_sec, t->tv_nsec);
}

int64_t ch_duration_of_timeval(const struct timeval *t) {
  int64_t seconds;
  if (!t)
    return CH_FOREVER;
  if (t->tv_sec < 0 || t->tv_usec < 0)
    return CH_NO_TIME;
  if (__builtin_add_overflow((int64_t)t->tv_sec, (int64_t)t->tv_usec / 1000000, &seconds))
    return CH_FOREVER;
  return nanoseconds(seconds, (int64_t)t->tv_usec % 1000000 * 1000);
}

struct timespec ch_timespec_of(int64_t duration) { return (struct timespec){duration / SECOND, duration % SECOND}; }
struct timeval ch_timeval_of(int64_t duration) { return (struct timeval){duration / SECOND, duration % SECOND / 1000}; }

int64_t ch_monotonic_now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return t.tv_sec * INT64_C(1000000000) + t.tv_nsec;
}

int64_t ch_deadline_after(int64_t duration) {
  int64_t deadline;
  if (duration == CH_FOREVER || duration == CH_NO_TIME)
    return duration;
  return __builtin_add_overflow(ch_reactor->now(), duration, &deadline) ? CH_FOREVER : deadline;
}

int64_t ch_time_left(int64_t deadline) {
  int64_t now = ch_reactor->now();
  return deadline == CH_FOREVER ? CH_FOREVER : deadline > now ? deadline - now : 0;
}

int64_t ch_time_until(clockid_t clock, const struct timespec *t) {
  struct timespec now;
  int64_t seconds;
  if (!has_fraction(t) || clock_gettime(clock, &now) < 0)
    return CH_NO_TIME;
  if (__builtin_sub_overflow((int64_t)t->tv_sec, (int64_t)now.tv_sec, &seconds))
    return t->tv_sec < 0 ? 0 : CH_FOREVER;
  int64_t ns = nanoseconds(seconds, t->tv_nsec - now.tv_nsec);
  return ns < 0 ? 0 : ns;
}

int ch_clock_watch(clockid_t clock, const struct timespec *t, int *steady) {
  *steady = clock == CLOCK_MONOTONIC || ch_reactor == &ch_reactor_simulated;
  if (*steady || (clock != CLOCK_REALTIME && clock != CLOCK_BOOTTIME))
    return -1;
  CH_NO_CANCELLATION;
  int saved = errno, fd = timerfd_create(clock, TFD_NONBLOCK | TFD_CLOEXEC);
  struct itimerspec at = {.it_value = *t};
  int flags = TFD_TIMER_ABSTIME | (clock == CLOCK_REALTIME ? TFD_TIMER_CANCEL_ON_SET : 0);
  if (fd >= 0 && timerfd_settime(fd, flags, &at, NULL) < 0) {
    close(fd);
    fd = -1;
  }
  int slot = ch_add_runtime_descriptor(fd);
  errno = saved;
  return slot;
}
