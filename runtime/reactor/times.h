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
#include <stdint.h>
#include <sys/time.h>
#include <time.h>

#define CH_NO_TIME INT64_MIN

/* ---- durations ---- */

/* Without a time: CH_FOREVER. */
CH_HIDDEN int64_t ch_duration(const struct timespec *);
/* As the kernel reads it: more than a second of microseconds is valid. */
CH_HIDDEN int64_t ch_duration_of_timeval(const struct timeval *);
/* poll's: below 0 is CH_FOREVER. */
static inline int64_t ch_duration_of_ms(int ms) { return ms < 0 ? CH_FOREVER : ms * INT64_C(1000000); }

/* For what is left of a duration; of CH_FOREVER as much as there is room for. */
CH_HIDDEN struct timespec ch_timespec_of(int64_t duration);
CH_HIDDEN struct timeval ch_timeval_of(int64_t duration);

/* ---- deadlines ---- */

/* The clock of all reactors but the simulated one. */
CH_HIDDEN int64_t ch_monotonic_now(void);

/* So long from now, CH_FOREVER for that; CH_NO_TIME for that. */
CH_HIDDEN int64_t ch_deadline_after(int64_t duration);
/* How long until then: at least 0. */
CH_HIDDEN int64_t ch_time_left(int64_t deadline);

/* ---- a time on another clock ---- */

/* How long until then, at least 0, as that clock goes now; CH_NO_TIME: its fraction is outside of its second, or there
 * is no such clock. */
CH_HIDDEN int64_t ch_time_until(clockid_t, const struct timespec *);
/* Such a clock may be set, or go on while the machine sleeps: a descriptor that becomes readable at that time by that
 * clock, or when the clock has been set (look again then). -1: there is none to be had; look every so often
 * (CH_CLOCK_LOOKS). For clocks that only go on, and in virtual time, -1 with *steady: the duration is right. */
CH_HIDDEN int ch_clock_watch(clockid_t, const struct timespec *, int *steady);
#define CH_CLOCK_LOOKS INT64_C(500000000)

#endif
