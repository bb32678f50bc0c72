/* sleep, usleep, nanosleep, clock_nanosleep, thrd_sleep; sched_yield and its like, which give way. */
#include "posix/sole.h"
#include "posix/twins/twins.h"
#include <threads.h>
#include <time.h>
#include <unistd.h>

/* What is left of the duration, when it was cut short. */
static struct timespec rest(int64_t deadline) {
  int64_t left = deadline - ch_now();
  if (left < 0)
    left = 0;
  return (struct timespec){left / 1000000000, left % 1000000000};
}

CH_TWIN(sleep) unsigned ch_posix_sleep(unsigned seconds) {
  CH_SOLE(sleep(seconds));
  int64_t deadline = ch_now() + seconds * INT64_C(1000000000);
  struct timespec left;
  if (ch_sleep(seconds * INT64_C(1000000000)) == 0)
    return 0;
  errno = ECANCELED;
  left = rest(deadline);
  return (unsigned)(left.tv_sec + (left.tv_nsec >= 500000000));
}

CH_TWIN(usleep) int ch_posix_usleep(useconds_t microseconds) {
  CH_SOLE(usleep(microseconds));
  int error = ch_sleep(microseconds * INT64_C(1000));
  return error ? (errno = error, -1) : 0;
}

CH_TWIN(sched_yield) int ch_posix_sched_yield(void) { return ch_reschedule(), 0; }
CH_TWIN(pthread_yield) int ch_posix_pthread_yield(void) { return ch_reschedule(), 0; }
CH_TWIN(thrd_yield) void ch_posix_thrd_yield(void) { ch_reschedule(); }

static inline int is_valid(const struct timespec *t) {
  return t->tv_sec >= 0 && t->tv_nsec >= 0 && t->tv_nsec < 1000000000;
}

static inline int64_t nanoseconds(const struct timespec *t) {
  int64_t ns;
  if (__builtin_mul_overflow((int64_t)t->tv_sec, INT64_C(1000000000), &ns))
    return CH_FOREVER;
  return __builtin_add_overflow(ns, (int64_t)t->tv_nsec, &ns) ? CH_FOREVER : ns;
}

/* 0 or ECANCELED. */
static int sleep_and_tell(int64_t duration, struct timespec *left) {
  int64_t now = ch_now(), deadline = duration > CH_FOREVER - now ? CH_FOREVER : now + duration;
  int error = ch_sleep(duration);
  if (error && left)
    *left = rest(deadline);
  return error;
}

CH_TWIN(nanosleep) int ch_posix_nanosleep(const struct timespec *duration, struct timespec *left) {
  CH_SOLE(nanosleep(duration, left));
  int error;
  if (!is_valid(duration))
    return errno = EINVAL, -1;
  error = sleep_and_tell(nanoseconds(duration), left);
  return error ? (errno = error, -1) : 0;
}

CH_TWIN(thrd_sleep) int ch_posix_thrd_sleep(const struct timespec *duration, struct timespec *left) {
  CH_SOLE(thrd_sleep(duration, left));
  if (!is_valid(duration))
    return -2;
  return sleep_and_tell(nanoseconds(duration), left) ? -1 : 0;
}

CH_TWIN(clock_nanosleep)
int ch_posix_clock_nanosleep(clockid_t clock, int flags, const struct timespec *time, struct timespec *left) {
  CH_SOLE(clock_nanosleep(clock, flags, time, left));
  struct timespec now;
  if (!is_valid(time))
    return EINVAL;
  if (clock != CLOCK_MONOTONIC && clock != CLOCK_REALTIME && clock != CLOCK_BOOTTIME && clock != CLOCK_TAI)
    return ch_plain_clock_nanosleep(clock, flags, time, left); /* CPU time, alarms: rare; or no clock at all */
  if (!(flags & TIMER_ABSTIME))
    return sleep_and_tell(nanoseconds(time), left);
  /* Again when the clock was set back meanwhile. */
  for (;;) {
    int64_t duration;
    int error;
    clock_gettime(clock, &now);
    duration = nanoseconds(time) - nanoseconds(&now);
    if (duration <= 0)
      return 0;
    error = ch_sleep(duration);
    if (error)
      return error;
  }
}
