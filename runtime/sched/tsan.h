/* Tells ThreadSanitizer when one thread hands something over to another. The sanitizer cannot see this by itself,
 * because the runtime is not instrumented. Without the sanitizer these functions do nothing. */
#ifndef CHARCOAL_SCHED_TSAN_H
#define CHARCOAL_SCHED_TSAN_H

#include <stdbool.h>

extern void __tsan_acquire(void *) __attribute__((weak));
extern void __tsan_release(void *) __attribute__((weak));

/* The program is one for ThreadSanitizer. */
static inline bool ch_tsan_watches(void) { return __builtin_expect(__tsan_release != 0, 0); }

/* Before what others see there: all that this thread has done precedes it. */
static inline void ch_tsan_release(const volatile void *at) {
  if (ch_tsan_watches())
    __tsan_release((void *)at);
}
/* After it was seen: what preceded it precedes all that this thread does. */
static inline void ch_tsan_acquire(const volatile void *at) {
  if (ch_tsan_watches())
    __tsan_acquire((void *)at);
}

/* A function that looks at what another thread changes, and may see what was. Only where the runtime itself is
 * instrumented, in tests, does it mean something. */
#define CH_LOOKS_AT_OTHERS __attribute__((disable_sanitizer_instrumentation))

#endif
