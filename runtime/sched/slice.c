/* The slice timer: a thread that limits how long an activity runs while others are runnable, or wait for something
 * outside the program that only the scheduler would notice.
 *
 * It looks twice a slice. If the domain has not switched between two looks in a row, it sets ch_tls.slice_over, and the
 * running activity gives way at its next yield check: after between one slice and one and a half. When it has
 * found nobody for a while it stops; the next activity that has, or gets, company starts it again.
 *
 * `slicing` is set by the domain's thread, cleared by this one. The queue is read without a lock: so after clearing
 * `slicing` the thread looks once more a full interval later, when what the domain's thread wrote has long become
 * visible. */
#define _GNU_SOURCE
#include "sched/domain.h"
#include <errno.h>
#include <limits.h>
#include <linux/futex.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#define DEFAULT_SLICE_US 10000

static struct ch_domain *domain;
static struct ch_tls *tls;
static uint32_t wakeups; /* futex: moves with every start */
static bool has_thread;
static long interval_us;

/* Looks without company before the thread stops: so a server that is woken often does not start it each time. */
#define QUIET_LOOKS 20

/* Somebody else is queued, or may become so while the current activity runs. */
static bool has_company(void) {
  return __atomic_load_n(&domain->group, __ATOMIC_RELAXED) &&
         (__atomic_load_n(&domain->base.head, __ATOMIC_RELAXED) != NULL ||
          (__atomic_load_n(&domain->current, __ATOMIC_RELAXED) != NULL &&
           __atomic_load_n(&domain->base.outside, __ATOMIC_RELAXED) != 0));
}

static void *work(void *unused) {
  struct timespec interval = {interval_us / 1000000, interval_us % 1000000 * 1000};
  for (;;) {
    uint32_t seen_wakeups = __atomic_load_n(&wakeups, __ATOMIC_ACQUIRE);
    uint64_t seen = 0;
    unsigned same = 0, quiet = 0;
    while (__atomic_load_n(&domain->slicing, __ATOMIC_ACQUIRE)) {
      nanosleep(&interval, NULL);
      uint64_t switches = __atomic_load_n(&domain->switches, __ATOMIC_RELAXED);
      same = switches == seen ? same + 1 : 0;
      seen = switches;
      if (same >= 2)
        tls->slice_over = 1;
      quiet = has_company() ? 0 : quiet + 1;
      if (quiet >= QUIET_LOOKS) {
        __atomic_store_n(&domain->slicing, 0, __ATOMIC_SEQ_CST);
        nanosleep(&interval, NULL);
        if (has_company())
          __atomic_store_n(&domain->slicing, 1, __ATOMIC_SEQ_CST);
      }
    }
    syscall(SYS_futex, &wakeups, FUTEX_WAIT_PRIVATE, seen_wakeups, NULL, NULL, 0);
  }
  return unused;
}

static void in_child(void) {
  has_thread = false;
  if (domain)
    domain->slicing = 0;
}

CH_COLD void ch_slice_start(void) {
  int saved = errno;
  ch_domain.slicing = 1;
  if (!has_thread) {
    const char *us = getenv("CHARCOAL_SLICE_US");
    interval_us = us ? atol(us) / 2 : DEFAULT_SLICE_US / 2;
    if (interval_us <= 0)
      interval_us = 1;
    if (!domain)
      pthread_atfork(NULL, NULL, in_child);
    domain = &ch_domain;
    tls = &ch_tls;
    sigset_t all, old;
    sigfillset(&all);
    pthread_attr_t attr;
    pthread_attr_init(&attr);
    pthread_attr_setdetachstate(&attr, PTHREAD_CREATE_DETACHED);
    pthread_attr_setstacksize(&attr, PTHREAD_STACK_MIN > 65536 ? PTHREAD_STACK_MIN : 65536);
    pthread_t thread;
    pthread_sigmask(SIG_SETMASK, &all, &old);
    has_thread = pthread_create(&thread, &attr, work, NULL) == 0; /* if not: no slices, until there is room for it */
    pthread_sigmask(SIG_SETMASK, &old, NULL);
    pthread_attr_destroy(&attr);
  }
  __atomic_add_fetch(&wakeups, 1, __ATOMIC_RELEASE);
  syscall(SYS_futex, &wakeups, FUTEX_WAKE_PRIVATE, 1, NULL, NULL, 0);
  errno = saved;
}
