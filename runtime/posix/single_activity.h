/* A program without a second activity is an ordinary C program. Its calls are those of the C library, because nobody
 * else could run while they wait, and nobody could cancel them (docs/decisions/interrupted-calls.md). */
#ifndef CHARCOAL_POSIX_SINGLE_ACTIVITY_H
#define CHARCOAL_POSIX_SINGLE_ACTIVITY_H

#include "sched/domain.h"
#include "sched/host.h"
#include <pthread.h>

/* Nobody but the running activity, which has no scope open, can do anything in this domain until it goes on. */
CH_HIDDEN bool ch_is_single_activity(void);

/* pthread_cancel has ended the thread, whose other activities go on: the activity that it was about ends here. */
static inline void ch_cancellation_point(void) {
  if (CH_UNLIKELY(ch_domain.is_cancelled != 0) && ch_host_exits_at_call())
    pthread_exit(PTHREAD_CANCELED);
}

/* At the head of a replacement that may wait, which is a cancellation point: makes the plain call then. In an atomic
 * block (these are the marks of one, which the compiler's own words leave) a name means the plain function. */
void __charcoal_atomic_enter(void);
void __charcoal_atomic_leave(int *);
#define CH_SINGLE_ACTIVITY(call)                                                                                       \
  do {                                                                                                                 \
    ch_cancellation_point();                                                                                           \
    CH_SINGLE_ACTIVITY_NO_POINT(call);                                                                                 \
  } while (0)
/* The same for a call that is no cancellation point of POSIX. */
#define CH_SINGLE_ACTIVITY_NO_POINT(call)                                                                              \
  do {                                                                                                                 \
    if (ch_domain.live == 1 && ch_is_single_activity()) {                                                              \
      int in_atomic __attribute__((cleanup(__charcoal_atomic_leave)));                                                 \
      __charcoal_atomic_enter();                                                                                       \
      return (call);                                                                                                   \
    }                                                                                                                  \
  } while (0)
/* The same for calls that a lone activity of main, or of a domain of Charcoal's, had better make here: if nobody can
 * ever end its wait, that is reported. In a thread of the program's own the plain call is a cancellation point as POSIX
 * has it, with the handlers of pthread_cleanup_push. */
#define CH_SINGLE_ACTIVITY_OF_THREAD(call)                                                                             \
  do {                                                                                                                 \
    if (ch_in_programs_thread)                                                                                         \
      CH_SINGLE_ACTIVITY(call);                                                                                        \
  } while (0)

#endif
