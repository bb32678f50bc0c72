/* The control modes of the floating-point unit (rounding, traps, flushing of denormals) belong to the activity.
 *
 * All activities begin with the modes that the domain began with. Whoever has changed them keeps them: they are saved
 * out of line while it is set aside. The exception flags are the thread's, except for one that has modes of its own
 * (docs/decisions/floating-point-modes.md).
 *
 * Invariant: while the scheduler runs, the modes are the domain's. */
#ifndef CHARCOAL_ACTIVITY_ENVIRONMENT_H
#define CHARCOAL_ACTIVITY_ENVIRONMENT_H

#include "activity/branch.h"

#ifdef __x86_64__
/* Without the exception flags. x87, which long double uses, has modes of its own; <fenv.h> changes both alike. */
static inline uint32_t ch_modes(void) { return __builtin_ia32_stmxcsr() & ~UINT32_C(0x3f); }
struct ch_environment {
  uint32_t sse;
  uint16_t x87;
};
#elif defined(__aarch64__)
static inline uint32_t ch_modes(void) {
  uint64_t fpcr;
  __asm__ volatile("mrs %0, fpcr" : "=r"(fpcr));
  return (uint32_t)fpcr;
}
struct ch_environment {
  uint32_t fpcr;
};
#else
#include <fenv.h>
static inline uint32_t ch_modes(void) { return (uint32_t)fegetround(); }
struct ch_environment {
  fenv_t all;
};
#endif

struct ch_environments {
  uint32_t usual; /* the domain's modes; while some activity has its own, ~0, which no modes are */
  uint32_t saved; /* activities that have modes of their own */
  uint32_t modes; /* the domain's */
  struct ch_environment own;
};
extern CH_HIDDEN __thread __attribute__((tls_model("initial-exec"))) struct ch_environments ch_environments;

CH_HIDDEN void ch_environments_start(void);
CH_HIDDEN void ch_environments_end(void);
CH_HIDDEN CH_RARE void ch_environment_enter_slow(struct ch_branch *);
CH_HIDDEN CH_RARE void ch_environment_leave_slow(struct ch_branch *, bool ends);

/* The branch is about to run. */
static inline void ch_environment_enter(struct ch_branch *b) {
  if (CH_UNLIKELY(ch_environments.saved != 0))
    ch_environment_enter_slow(b);
}
/* The branch has been set aside; or the activity whose first branch it is has ended. NULL: a stack on which it had
 * begun to go on is the scheduler's again (sched/native.h). */
static inline void ch_environment_leave(struct ch_branch *b, bool ends) {
  if (CH_UNLIKELY(ch_modes() != ch_environments.usual))
    ch_environment_leave_slow(b, ends);
}

#endif
