/* Saves and restores the floating-point modes of activities. environment.h says to whom they belong. */
#include "activity/environment.h"
#include "activity/activity.h"
#include "sched/domain.h"
#include "sched/throw.h"
#include "frames/out_of_memory.h"
#include <stdio.h>
#include <stdlib.h>

__thread __attribute__((tls_model("initial-exec"))) struct ch_environments ch_environments;
int32_t ch_mxcsr_changes;
extern int32_t ch_mxcsr_changes_here __attribute__((alias("ch_mxcsr_changes")));

struct saved {
  struct saved *next;
  const struct ch_branch *activity;
  struct ch_environment environment;
};

#define BUCKETS 256
static __thread struct saved **buckets; /* NULL until an activity has modes of its own */

static struct ch_environment get(void) {
  struct ch_environment e;
#ifdef __x86_64__
  e.sse = __builtin_ia32_stmxcsr();
  __asm__ volatile("fnstcw %0" : "=m"(e.x87));
#elif defined(__aarch64__)
  e.fpcr = ch_modes();
#else
  fegetenv(&e.all);
#endif
  return e;
}

static void set(const struct ch_environment *e) {
#ifdef __x86_64__
  __builtin_ia32_ldmxcsr(e->sse);
  __asm__ volatile("fldcw %0" ::"m"(e->x87));
#elif defined(__aarch64__)
  __asm__ volatile("msr fpcr, %0" ::"r"((uint64_t)e->fpcr));
#else
  fesetenv(&e->all);
#endif
}

#ifdef __x86_64__
#define SSE_FLAGS UINT32_C(0x3f) /* the exception flags in MXCSR are no modes */
#define SSE_USUAL UINT32_C(0x1f80)
static bool differs(void) {
  struct ch_environment e = get();
  return e.x87 != ch_environments.own.x87 || ((e.sse ^ ch_environments.own.sse) & ~SSE_FLAGS) != 0;
}
/* If MXCSR does not have the default value of <fenv.h>, FE_DFL_ENV changes MXCSR alone. */
static bool is_usual(const struct ch_environment *e) { return (e->sse & ~SSE_FLAGS) == SSE_USUAL; }
#else
static bool differs(void) { return ch_modes() != ch_environments.modes; }
static bool is_usual(const struct ch_environment *e) { return (void)e, true; }
#endif

static void read_mxcsr_from_now_on(void) { __atomic_store_n(&ch_mxcsr_changes, 1, __ATOMIC_RELAXED); }

static struct saved **find(const struct ch_branch *activity) {
  struct saved **at = &buckets[((uintptr_t)activity >> 4) % BUCKETS];
  while (*at && (*at)->activity != activity)
    at = &(*at)->next;
  return at;
}

void ch_environments_start(void) {
  uint32_t modes = ch_modes();
  ch_environments = (struct ch_environments){.modes = modes, .own = get()};
  ch_domain.usual_modes = modes;
  /* After each run of a C++ program the scheduler looks whether an exception is being handled. */
  if (!is_usual(&ch_environments.own) || __cxa_get_globals)
    read_mxcsr_from_now_on();
}

void ch_environments_end(void) {
  free(buckets); /* their lists are empty, because no activity is alive */
  buckets = NULL;
}

void ch_environments_look(void) {
  if (CH_LIKELY(!differs()))
    return;
  read_mxcsr_from_now_on();
  set(&ch_environments.own);
}

void ch_environment_enter_slow(struct ch_branch *b) {
  struct saved *s = *find(ch_activity_of(b));
  if (s)
    set(&s->environment);
}

void ch_environment_leave_slow(struct ch_branch *b, bool ends) {
  bool changed = differs();
  if (!changed && ch_environments.saved == 0)
    return;
  if (!b) {
    set(&ch_environments.own);
    return;
  }
  struct ch_branch *activity = ends ? b : ch_activity_of(b);
  if (!buckets && !(buckets = calloc(BUCKETS, sizeof *buckets)))
    ch_out_of_memory("an activity's floating-point modes");
  struct saved **at = find(activity), *s = *at;
  if (changed && !ends) {
    if (!s) {
      s = malloc(sizeof *s);
      if (!s)
        ch_out_of_memory("an activity's floating-point modes");
      *s = (struct saved){.activity = activity};
      *at = s;
      ch_environments.saved++;
    }
    s->environment = get();
  } else if (s) {
    *at = s->next;
    free(s);
    ch_environments.saved--;
  }
  ch_domain.usual_modes = ch_environments.saved ? ~UINT32_C(0) : ch_environments.modes;
  if (changed)
    set(&ch_environments.own);
}
