/* sleep, usleep, nanosleep, clock_nanosleep */
#include "posix/twins/twins.h"
#include <time.h>
#include <unistd.h>

CH_TWIN(sleep) unsigned ch_posix_sleep(unsigned seconds) {
  ch_sleep(seconds * INT64_C(1000000000));
  return 0;
}

CH_TWIN(usleep) int ch_posix_usleep(useconds_t microseconds) {
  ch_sleep(microseconds * INT64_C(1000));
  return 0;
}

static inline int is_valid(const struct timespec *t) {
  return t->tv_sec >= 0 && t->tv_nsec >= 0 && t->tv_nsec < 1000000000;
}

static inline int64_t nanoseconds(const struct timespec *t) {
  int64_t ns;
  if (__builtin_mul_overflow((int64_t)t->tv_sec, INT64_C(1000000000), &ns))
    return CH_FOREVER;
  return __builtin_add_overflow(ns, (int64_t)t->tv_nsec, &ns) ? CH_FOREVER : ns;
}

CH_TWIN(nanosleep) int ch_posix_nanosleep(const struct timespec *duration, struct timespec *left) {
  (void)left; /* means something only after EINTR */
  if (!is_valid(duration))
    return errno = EINVAL, -1;
  ch_sleep(nanoseconds(duration));
  return 0;
}

CH_TWIN(clock_nanosleep)
int ch_posix_clock_nanosleep(clockid_t clock, int flags, const struct timespec *time, struct timespec *left) {
  struct timespec now;
  (void)left;
  if (!is_valid(time))
    return EINVAL;
  if (clock != CLOCK_MONOTONIC && clock != CLOCK_REALTIME && clock != CLOCK_BOOTTIME && clock != CLOCK_TAI)
    return ch_plain_clock_nanosleep(clock, flags, time, left); /* CPU time, alarms: rare; or no clock at all */
  if (!(flags & TIMER_ABSTIME)) {
    ch_sleep(nanoseconds(time));
    return 0;
  }
  /* Again when the clock was set back meanwhile. */
  for (;;) {
    int64_t duration;
    clock_gettime(clock, &now);
    duration = nanoseconds(time) - nanoseconds(&now);
    if (duration <= 0)
      return 0;
    ch_sleep(duration);
  }
}
