/* The control modes of the floating-point unit (rounding, traps, flushing of denormals) belong to the activity.
 *
 * All activities begin with the modes that the domain began with. If an activity changes its modes it keeps them; they
 * are saved in memory of their own while the activity is set aside. The exception flags belong to the thread, but an
 * activity with modes of its own also has its own flags (docs/decisions/floating-point-modes.md).
 *
 * Invariant: while the scheduler runs, the modes are the domain's. */
#ifndef CHARCOAL_ACTIVITY_ENVIRONMENT_H
#define CHARCOAL_ACTIVITY_ENVIRONMENT_H

#include "sched/domain.h"

#ifdef __x86_64__
/* x87, which long double uses, has modes of its own. <fenv.h> changes them together with those in MXCSR; so it is the
 * x87 control word that is looked at, which is read ten times as fast as MXCSR. */
static inline uint32_t ch_modes(void) {
  uint16_t x87;
  __asm__ volatile("fnstcw %0" : "=m"(x87));
  return x87;
}
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
  uint32_t saved; /* how many activities have modes of their own */
  uint32_t modes; /* the domain's modes */
  struct ch_environment own;
};
extern CH_HIDDEN __thread __attribute__((tls_model("initial-exec"))) struct ch_environments ch_environments;
/* ch_mxcsr_changes under a name of the runtime's own, whose place is a constant. */
extern CH_HIDDEN int32_t ch_mxcsr_changes_here;

CH_HIDDEN void ch_environments_start(void);
CH_HIDDEN void ch_environments_end(void);
/* Between two runs: a library may have changed MXCSR alone, unseen, during one of those since the last look. */
CH_HIDDEN void ch_environments_look(void);
CH_HIDDEN CH_RARE void ch_environment_enter_slow(struct ch_branch *);
/* As ch_environment_leave does, but looks at all modes. */
CH_HIDDEN CH_RARE void ch_environment_leave_slow(struct ch_branch *, bool ends);

/* The branch is about to run. */
static inline void ch_environment_enter(struct ch_branch *b) {
  if (CH_UNLIKELY(ch_environments.saved != 0))
    ch_environment_enter_slow(b);
}
/* 0: the modes are the domain's, as far as one has to look. */
static inline uint32_t ch_environment_differs(void) {
  return (ch_modes() ^ ch_domain.usual_modes) | (uint32_t)ch_mxcsr_changes_here;
}
/* The branch has been set aside; or the activity whose first branch it is has ended. NULL: a stack on which it had
 * begun to go on is the scheduler's again (sched/native.h). */
static inline void ch_environment_leave(struct ch_branch *b, bool ends) {
  if (CH_UNLIKELY(ch_environment_differs() != 0))
    ch_environment_leave_slow(b, ends);
}

#endif
