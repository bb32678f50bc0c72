/* The slice timer: a thread that limits how long an activity runs while others are runnable, or wait for something
 * outside the program that only the scheduler would notice. One serves all domains.
 *
 * It looks at a domain twice in a slice. If the domain has not switched between two looks, it sets ch_tls.slice_over
 * there, and the running activity gives way at its next yield check; then the scheduler looks outside. So an activity
 * runs for one slice to one and a half. While no domain has a second runnable activity the timer looks less often, so
 * that a server which mostly sleeps does not pay for it; a slice that begins then may last up to two slices longer.
 * After a while the timer no longer looks at such a domain, until an activity there becomes runnable beside another
 * one.
 *
 * `slicing` is set by the domain's thread, cleared by this one. The queue is read without a lock: so after clearing
 * `slicing` the thread looks once more a full interval later, when what the domain's thread wrote has long become
 * visible.
 *
 * Invariant: a domain is on the list, which the lock protects, from its first start to its end. */
#define _GNU_SOURCE
#include "frames/forks.h"
#include "sched/child.h"
#include "sched/domain.h"
#include "sched/schedule.h"
#include "sched/external_wakers.h"
#include "sched/runtime_thread.h"
#include "sched/tsan.h"
#include "frames/runtime_calls.h"
#include "frames/settings.h"
#include <errno.h>
#include <linux/futex.h>
#include <pthread.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#define DEFAULT_SLICE_US 10000

struct watch {
  struct watch *next;
  struct ch_domain *domain;
  __typeof__(ch_tls) *tls;
  uint64_t seen;
  unsigned same, alone;
  bool again; /* look once more, because `slicing` was cleared at the last look */
};

static __thread struct watch *own; /* is in the list of watches; NULL: this thread has none */
static struct watch *watches;
CH_FORK_LOCK(lock, CH_OUTER_LOCK)
static uint32_t wakeups; /* a futex, which every start increments */
static bool has_thread, hooked;
static pthread_t thread;   /* valid if has_thread */
static bool main_has_left; /* by pthread_exit: the thread ends with the last domain, so that the process can end */
static long interval_us;
/* When to try again, in ms, after there was no memory for the thread or for a watch. Until then there are no slices. */
static int64_t next_attempt;
#define ATTEMPTS_MS 10

/* After how many looks at a domain without a second runnable activity the thread stops. It is more than one, so that a
 * server that is woken often does not start the thread each time. */
#define LOOKS_ALONE 8
/* The longest time between two looks, in intervals. */
#define LAZIEST 4

/* Whether another activity is queued, or may be while the current one runs. */
CH_LOOKS_AT_OTHERS static bool has_company(const struct ch_domain *d) {
  return __atomic_load_n(&d->group, __ATOMIC_RELAXED) && (__atomic_load_n(&d->base.head, __ATOMIC_RELAXED) != NULL ||
                                                          (__atomic_load_n(&d->current, __ATOMIC_RELAXED) != NULL &&
                                                           __atomic_load_n(&d->base.outside, __ATOMIC_RELAXED) != 0));
}

/* The running activity gives way, and then the scheduler looks around. The domain's thread changes both words, too; a
 * store that is lost by that is repeated if there is no switch. */
CH_LOOKS_AT_OTHERS static void end_slice(struct watch *w) {
  __atomic_store_n(&w->domain->runs_left, 1, __ATOMIC_RELAXED);
  __atomic_store_n(&w->tls->slice_over, 1, __ATOMIC_RELEASE);
}

/* Whether it has to be looked at again. */
CH_LOOKS_AT_OTHERS static bool look(struct watch *w) {
  struct ch_domain *d = w->domain;
  if (w->again) {
    w->again = false;
    if (has_company(d))
      __atomic_store_n(&d->slicing, 1, __ATOMIC_SEQ_CST);
  }
  if (!__atomic_load_n(&d->slicing, __ATOMIC_ACQUIRE)) {
    w->same = w->alone = 0;
    return false;
  }
  uint64_t switches = __atomic_load_n(&d->switches, __ATOMIC_RELAXED);
  w->same = switches == w->seen ? w->same + 1 : 0;
  w->seen = switches;
  if (w->same >= 2)
    end_slice(w);
  w->alone = has_company(d) ? 0 : w->alone + 1;
  if (w->alone >= LOOKS_ALONE) {
    w->alone = 0;
    w->again = true;
    __atomic_store_n(&d->slicing, 0, __ATOMIC_SEQ_CST);
  }
  return true;
}

static void sleep_for(long us) { ch_runtime_sleep(&(struct timespec){us / 1000000, us % 1000000 * 1000}); }

static void *work(void *unused) {
  for (long pause = interval_us;;) {
    uint32_t seen_wakeups = __atomic_load_n(&wakeups, __ATOMIC_ACQUIRE);
    bool watching = false, company = false;
    pthread_mutex_lock(&lock);
    for (struct watch *w = watches; w; w = w->next)
      if (look(w)) {
        watching = true;
        company |= w->alone == 0 && !w->again;
      }
    bool over = !has_thread || !pthread_equal(thread, pthread_self());
    pthread_mutex_unlock(&lock);
    if (over)
      return unused;
    if (company)
      pause = interval_us;
    else if (pause < LAZIEST * interval_us)
      pause *= 2;
    if (watching) {
      sleep_for(pause);
    } else {
      syscall(SYS_futex, &wakeups, FUTEX_WAIT_PRIVATE, seen_wakeups, NULL, NULL, 0);
      pause = interval_us;
    }
  }
}

/* In a child only the domain that forked exists. */
static void in_child(void) {
  has_thread = false;
  watches = own;
  if (own)
    own->next = NULL;
  ch_domain.slicing = 0;
  ch_tls.attention = 0;
  ch_domain.forked = 1;
  ch_domain.forked_switches = ch_domain.switches;
  ch_domain.forked_spawned = ch_domain.spawned;
}

static void start_thread(void) {
  /* With a random schedule the time must not decide, so slices are long. */
  const long otherwise = ch_schedule_random ? 1000000 : DEFAULT_SLICE_US;
  interval_us = ch_setting_number("CHARCOAL_SLICE_US", 1, 1000000000, otherwise) / 2;
  if (interval_us <= 0)
    interval_us = 1;
  if (!hooked)
    ch_child_hook(in_child);
  hooked = true;
  const bool detached = ch_tsan_watches(); /* ThreadSanitizer would report a thread that nobody joins */
  has_thread = ch_runtime_thread(&thread, detached, 65536, work, NULL) == 0;
}

static int64_t now_ms(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC_COARSE, &t);
  return t.tv_sec * INT64_C(1000) + t.tv_nsec / 1000000;
}

static void wake_thread(void) {
  __atomic_add_fetch(&wakeups, 1, __ATOMIC_RELEASE);
  syscall(SYS_futex, &wakeups, FUTEX_WAKE_PRIVATE, 1, NULL, NULL, 0);
}

CH_COLD void ch_slice_start(void) {
  int64_t again = __atomic_load_n(&next_attempt, __ATOMIC_RELAXED);
  if (CH_UNLIKELY(again != 0) && now_ms() < again)
    return;
  int saved = errno;
  ch_domain.slicing = 1;
  if (!own || !__atomic_load_n(&has_thread, __ATOMIC_RELAXED)) {
    pthread_mutex_lock(&lock);
    if (!own && (own = malloc(sizeof *own))) {
      *own = (struct watch){.next = watches, .domain = &ch_domain, .tls = &ch_tls};
      watches = own;
    }
    if (own && !has_thread)
      start_thread();
    const bool watched = own && has_thread;
    __atomic_store_n(&next_attempt, watched ? 0 : now_ms() + ATTEMPTS_MS, __ATOMIC_RELAXED);
    if (!watched)
      ch_domain.slicing = 0;
    pthread_mutex_unlock(&lock);
  }
  wake_thread();
  errno = saved;
}

void ch_slice_main_leaves(void) {
  pthread_mutex_lock(&lock);
  main_has_left = true;
  pthread_mutex_unlock(&lock);
}

void ch_slice_end(void) {
  if (!own)
    return;
  pthread_mutex_lock(&lock);
  struct watch **at = &watches;
  while (*at != own)
    at = &(*at)->next;
  *at = own->next;
  const bool over = has_thread && !watches && main_has_left;
  const pthread_t ends = thread;
  if (over) {
    has_thread = false;
    ch_count_runtime_thread(-1);
  }
  pthread_mutex_unlock(&lock);
  if (over) {
    wake_thread();
    if (!ch_tsan_watches())
      pthread_join(ends, NULL);
  }
  free(own);
  own = NULL;
}
