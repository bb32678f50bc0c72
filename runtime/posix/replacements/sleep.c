/* Replacements of sleep, usleep, nanosleep, clock_nanosleep and thrd_sleep, and of sched_yield and the like, which give
 * way. */
#include "charcoal_abi.h"
#include "posix/addresses.h"
#include "posix/children.h"
#include "posix/plain_waits.h"
#include "posix/single_activity.h"
#include "reactor/times.h"
#include "posix/replacements/replacement.h"
#include "posix/plain.h"
#include <sched.h>
#include <threads.h>
#include <time.h>
#include <unistd.h>

CH_REPLACES(sleep) unsigned ch_posix_sleep(unsigned seconds) {
  CH_SINGLE_ACTIVITY(sleep(seconds));
  int64_t deadline = ch_deadline_after(seconds * INT64_C(1000000000));
  if (ch_sleep(seconds * INT64_C(1000000000)) == 0)
    return 0;
  errno = ECANCELED;
  return (unsigned)((ch_time_left(deadline) + 500000000) / 1000000000);
}

CH_REPLACES(usleep) int ch_posix_usleep(useconds_t microseconds) {
  CH_SINGLE_ACTIVITY(usleep(microseconds));
  int error = ch_sleep(microseconds * INT64_C(1000));
  return error ? (errno = error, -1) : 0;
}

/* Whoever calls this in a loop waits for another activity or for another thread. If no activity of this domain can run
 * now, only the thread's processor is left to give. */
static void give_way(void) {
  if (!ch_group_now(ch_domain.group)->head)
    ch_plain_sched_yield();
  ch_reschedule();
}
CH_REPLACES(sched_yield) int ch_posix_sched_yield(void) {
  CH_SINGLE_ACTIVITY_NO_POINT(sched_yield());
  return give_way(), 0;
}
CH_REPLACES(pthread_yield) int ch_posix_pthread_yield(void) {
  CH_SINGLE_ACTIVITY_NO_POINT(sched_yield());
  return give_way(), 0;
}
CH_REPLACES(thrd_yield) void ch_posix_thrd_yield(void) {
  CH_SINGLE_ACTIVITY_NO_POINT(thrd_yield());
  give_way();
}

/* 0 or ECANCELED. */
static int sleep_and_tell(int64_t duration, struct timespec *left) {
  int64_t deadline = ch_deadline_after(duration);
  int error = ch_sleep(duration);
  if (error && left)
    *left = ch_timespec_of(ch_time_left(deadline));
  return error;
}

CH_REPLACES(nanosleep) int ch_posix_nanosleep(const struct timespec *duration, struct timespec *left) {
  CH_SINGLE_ACTIVITY(nanosleep(duration, left));
  if (ch_is_nowhere(duration))
    return errno = EFAULT, -1;
  int64_t ns = ch_duration(duration);
  int error;
  if (ns == CH_NO_TIME)
    return errno = EINVAL, -1;
  error = sleep_and_tell(ns, left);
  return error ? (errno = error, -1) : 0;
}

CH_REPLACES(thrd_sleep) int ch_posix_thrd_sleep(const struct timespec *duration, struct timespec *left) {
  CH_SINGLE_ACTIVITY(thrd_sleep(duration, left));
  int64_t ns = ch_is_nowhere(duration) ? CH_NO_TIME : ch_duration(duration);
  if (ns == CH_NO_TIME)
    return -2;
  return sleep_and_tell(ns, left) ? -1 : 0;
}

/* 0, or an error number. The clock may be set while somebody waits for it. */
static int sleep_until(clockid_t clock, const struct timespec *time) {
  int64_t left;
  while ((left = ch_time_until(clock, time)) > 0) {
    int steady, error, watch = ch_clock_watch(clock, time, &steady);
    if (watch < 0) {
      error = ch_sleep(steady || left < CH_CLOCK_LOOKS ? left : CH_CLOCK_LOOKS);
    } else {
      error = await_slot(watch, CH_FOREVER);
      error = error < 0 ? -error : 0;
      ch_close_waited_for(watch);
    }
    if (error)
      return error;
  }
  return 0;
}

static int sleep_on(clockid_t clock, int flags, const struct timespec *time, struct timespec *left) {
  if (clock != CLOCK_MONOTONIC && clock != CLOCK_REALTIME && clock != CLOCK_BOOTTIME && clock != CLOCK_TAI)
    return ch_plain_clock_nanosleep(clock, flags, time, left); /* CPU time, alarms: rare; or no clock at all */
  if (ch_is_nowhere(time))
    return EFAULT;
  int64_t ns = ch_duration(time);
  if (ns == CH_NO_TIME)
    return EINVAL;
  return flags & TIMER_ABSTIME ? sleep_until(clock, time) : sleep_and_tell(ns, left);
}
CH_REPLACES(clock_nanosleep)
int ch_posix_clock_nanosleep(clockid_t clock, int flags, const struct timespec *time, struct timespec *left) {
  CH_SINGLE_ACTIVITY(clock_nanosleep(clock, flags, time, left));
  return sleep_on(clock, flags, time, left);
}

/* In plain code, which knows nothing of scopes that are cancelled. */
int ch_wait_for_clock(clockid_t clock, int flags, const struct timespec *time, struct timespec *left) {
  struct ch_scope barrier;
  ch_scope_enter(&barrier, CH_SCOPE_BARRIER, "clock_nanosleep");
  int error = sleep_on(clock, flags, time, left);
  ch_scope_leave(&barrier);
  return error;
}

int ch_sleep_until(int64_t time) {
  int64_t left, now = ch_now();
  return ch_sleep(__builtin_sub_overflow(time, now, &left) ? (time < now ? 0 : CH_FOREVER) : left);
}

int ch_tick(ch_ticker *t) {
  int error = t->next <= ch_now() ? ch_sleep(0) : 0;
  if (error)
    return error;
  struct ch_tick__clause c;
  ch_tick__clause(&c, t);
  return (int)ch_wait_plain(&c.clause, ECANCELED);
}
