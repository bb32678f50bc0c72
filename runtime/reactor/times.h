/* Converts times of the C library to those of the runtime and back. No other file does that.
 *
 * The runtime has nanoseconds in an int64_t: a duration, or a deadline on the domain's clock (ch_now). CH_FOREVER is no
 * limit. A time that is too long for the type (292 years) becomes CH_FOREVER, and never wraps. A time that POSIX calls
 * invalid becomes CH_NO_TIME: one whose fraction is not below a second, and a negative duration.
 */
#ifndef CHARCOAL_REACTOR_TIMES_H
#define CHARCOAL_REACTOR_TIMES_H

#include "frames/attributes.h"
#include "charcoal.h"
#include <errno.h>
#include <stdint.h>
#include <sys/time.h>
#include <time.h>

#define CH_NO_TIME INT64_MIN

/* ---- durations ---- */

/* Converts a duration; NULL is CH_FOREVER. */
CH_HIDDEN int64_t ch_duration(const struct timespec *);
/* Converts a duration as the kernel does, for which a second or more of microseconds is valid. */
CH_HIDDEN int64_t ch_duration_of_timeval(const struct timeval *);
/* Converts a timeout of poll; below 0 is CH_FOREVER. */
static inline int64_t ch_duration_of_ms(int ms) { return ms < 0 ? CH_FOREVER : ms * INT64_C(1000000); }

/* Convert what is left of a duration back. CH_FOREVER becomes the longest time that the type can hold. */
CH_HIDDEN struct timespec ch_timespec_of(int64_t duration);
CH_HIDDEN struct timeval ch_timeval_of(int64_t duration);

/* ---- deadlines ---- */

/* Returns the time on the clock of all reactors but the simulated one. */
CH_HIDDEN int64_t ch_monotonic_now(void);

/* Returns the deadline that is so long from now. CH_FOREVER and CH_NO_TIME stay what they are. */
CH_HIDDEN int64_t ch_deadline_after(int64_t duration);
/* Returns how long it is until the deadline, at least 0. */
CH_HIDDEN int64_t ch_time_left(int64_t deadline);

/* ---- looking from time to time ---- */

/* A wait for which there is no descriptor, because the program is at its limit, looks from time to time whether its
 * event has come, or whether there is a descriptor now. Returns the time until the next look; `last`: the time before
 * the previous look, at first 0. It grows with the time that has passed, because many such waits would otherwise keep a
 * processor busy: to a quarter of a second, in some two seconds. */
static inline int64_t ch_time_until_look(int64_t last) {
  const int64_t first = 2000000, longest = 250000000, next = last + last / 8;
  return last == 0 ? first : next < longest ? next : longest;
}

/* Tells whether a call that makes a descriptor has failed with this error because none is left, so that a later call
 * may succeed. */
static inline int ch_lacks_descriptors(int error) { return error == EMFILE || error == ENFILE || error == ENOMEM; }

/* ---- a time on another clock ---- */

/* Returns how long it is until that time, at least 0, by the present state of that clock. CH_NO_TIME: the time's
 * fraction is not below a second, or there is no such clock. */
CH_HIDDEN int64_t ch_time_until(clockid_t, const struct timespec *);
/* A clock may be set, or go on while the machine sleeps. Returns the slot (runtime_descriptors.h) of a
 * descriptor that becomes readable at that time by that clock, and also when the clock has been set; the caller then
 * computes the duration again. -1: there is no such descriptor. If *steady is set, none is needed, because the clock is
 * never set or time is virtual, and the duration is right; otherwise the caller looks at the clock every CH_CLOCK_LOOKS
 * ns. */
CH_HIDDEN int ch_clock_watch(clockid_t, const struct timespec *, int *steady);
#define CH_CLOCK_LOOKS INT64_C(500000000)

#endif
