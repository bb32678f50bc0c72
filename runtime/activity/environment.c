#include "activity/environment.h"
#include "activity/activity.h"
#include "sched/domain.h"
#include <stdio.h>
#include <stdlib.h>

__thread __attribute__((tls_model("initial-exec"))) struct ch_environments ch_environments;

struct saved {
  struct saved *next;
  const struct ch_branch *activity;
  struct ch_environment environment;
};

#define BUCKETS 256
static __thread struct saved **buckets; /* NULL until the first */

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

static struct saved **find(const struct ch_branch *activity) {
  struct saved **at = &buckets[((uintptr_t)activity >> 4) % BUCKETS];
  while (*at && (*at)->activity != activity)
    at = &(*at)->next;
  return at;
}

void ch_environments_start(void) {
  uint32_t modes = ch_modes();
  ch_environments = (struct ch_environments){.usual = modes, .modes = modes, .own = get()};
}

void ch_environments_end(void) {
  free(buckets); /* whose lists are empty: nobody lives */
  buckets = NULL;
}

void ch_environment_enter_slow(struct ch_branch *b) {
  struct saved *s = *find(ch_activity_of(b));
  if (s)
    set(&s->environment);
}

CH_COLD static _Noreturn void out_of_memory(void) {
  fprintf(stderr, "charcoal: out of memory: no room for an activity's floating-point modes\n");
  abort();
}

void ch_environment_leave_slow(struct ch_branch *b, bool ends) {
  bool differs = ch_modes() != ch_environments.modes;
  if (!b) {
    set(&ch_environments.own);
    return;
  }
  struct ch_branch *activity = ends ? b : ch_activity_of(b);
  if (!buckets && !(buckets = calloc(BUCKETS, sizeof *buckets)))
    out_of_memory();
  struct saved **at = find(activity), *s = *at;
  if (differs && !ends) {
    if (!s) {
      s = malloc(sizeof *s);
      if (!s)
        out_of_memory();
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
  ch_environments.usual = ch_environments.saved ? ~UINT32_C(0) : ch_environments.modes;
  if (differs)
    set(&ch_environments.own);
}
