/* A program without a second activity is an ordinary C program, and its calls are the C library's: nobody else could
 * run while they wait, and nobody could cancel them (docs/decisions/interrupted-calls.md). */
#ifndef CHARCOAL_POSIX_SINGLE_ACTIVITY_H
#define CHARCOAL_POSIX_SINGLE_ACTIVITY_H

#include "sched/domain.h"

/* Nobody but the running activity, which has no scope open, can do anything in this domain until it goes on. */
CH_HIDDEN bool ch_is_single_activity(void);

/* At the head of a replacement that may wait: makes the plain call then. In an atomic block (these are the marks of
 * one, which the compiler's own words leave) a name means the plain function. */
void __charcoal_atomic_enter(void);
void __charcoal_atomic_leave(int *);
#define CH_SINGLE_ACTIVITY(call)                                                                                       \
  do {                                                                                                                 \
    if (ch_domain.live == 1 && ch_is_single_activity()) {                                                              \
      int in_atomic __attribute__((cleanup(__charcoal_atomic_leave)));                                                 \
      __charcoal_atomic_enter();                                                                                       \
      return (call);                                                                                                   \
    }                                                                                                                  \
  } while (0)

#endif
