/* Looks for letters before the domain sleeps. looking.h says when, and for how long. */
#define _GNU_SOURCE
#include "reactor/looking.h"
#include "reactor/reactor.h"
#include "reactor/timer.h"
#include "reactor/times.h"
#include "sched/external_wakers.h"
#include "wait/atomics.h"
#include <errno.h>
#include <sched.h>
#include <stdlib.h>

#define DEFAULT_LOOK_US 20
/* A look may last so many times longer while more domains are awake than there are processors. */
#define TIMES_CROWDED 5
/* After this time a look gives way also where there is a processor for each domain: the kernel may have put two of them
 * on one. */
#define ALONE_NS 2000
/* A look is set aside if the thread had no processor for so many times the length of a look. */
#define TIMES_SET_ASIDE 10
#define MOST_LEFT_OUT 255
#define LEFT_OUT_AFTER_SET_ASIDE 1023
/* How often a look reads the inbox before it reads the clock again. */
#define GLANCES 16

__thread uint64_t ch_looks, ch_looks_paid;

static __thread struct ch_worth worth;

/* The processors that may be used by the domains that have looked so far, and the number of these processors. */
enum { WORDS = 1024 / (8 * sizeof(unsigned long)) };
static unsigned long allowed[WORDS];
static unsigned processors;

/* Adds the processors of this thread, at its first call. */
static void count_processors(void) {
  static __thread bool counted;
  unsigned long own[WORDS] = {0};
  unsigned sum = 0;
  int saved = errno;
  if (counted)
    return;
  counted = true;
  sched_getaffinity(0, sizeof own, (cpu_set_t *)own);
  for (unsigned i = 0; i < WORDS; i++)
    sum += (unsigned)__builtin_popcountl(__atomic_or_fetch(&allowed[i], own[i], __ATOMIC_RELAXED));
  __atomic_store_n(&processors, sum, __ATOMIC_RELAXED);
  errno = saved;
}

static int64_t longest(void) {
  static int64_t cached = -1;
  int64_t ns = __atomic_load_n(&cached, __ATOMIC_RELAXED);
  if (CH_UNLIKELY(ns < 0)) {
    const char *us = getenv("CHARCOAL_LOOK_US");
    ns = 1000 * (us ? strtol(us, NULL, 10) : DEFAULT_LOOK_US);
    __atomic_store_n(&cached, ns < 0 ? 0 : ns, __ATOMIC_RELAXED);
  }
  return ns;
}

static bool are_several(void) {
  return __atomic_load_n(&ch_domains_alive, __ATOMIC_RELAXED) > 1 && ch_reactor != &ch_reactor_simulated;
}
static bool has_processor(void) {
  return __atomic_load_n(&ch_domains_awake, __ATOMIC_RELAXED) <= __atomic_load_n(&processors, __ATOMIC_RELAXED);
}

bool ch_has_processor(void) {
  if (!are_several() || longest() == 0)
    return false;
  count_processors();
  return has_processor();
}

void ch_was_in_vain(struct ch_worth *w) {
  w->penalty = w->penalty == 0 ? 1 : 2 * w->penalty < MOST_LEFT_OUT ? 2 * w->penalty : MOST_LEFT_OUT;
  w->left_out = w->penalty;
}

static bool may_look(void) {
  if (!are_several() || !ch_is_worth(&worth))
    return false;
  count_processors();
  return longest() > 0;
}

/* A thread that has just given way does not pause, because only others on its processor could have brought a letter. */
static bool glance(bool has_given_way) {
  for (unsigned i = 1; i <= GLANCES; i++) {
    if (!ch_inbox_is_empty())
      return true;
    if (has_given_way)
      return false;
    ch_atomic_pause();
  }
  return false;
}

enum outcome { IN_VAIN, PAID, SET_ASIDE };

/* The last letter came after this thread had given way: its sender is on the same processor. */
static __thread bool shares_processor;

static enum outcome look(int64_t due) {
  const int64_t began = ch_monotonic_now();
  bool crowded = !has_processor(), gives_way = false;
  for (int64_t now = began; !glance(crowded || gives_way); crowded = !has_processor()) {
    int64_t before = now;
    if (ch_reactor->has_news() || now >= due || now - began >= (crowded ? TIMES_CROWDED : 1) * longest())
      return IN_VAIN;
    gives_way = crowded || shares_processor || now - began >= ALONE_NS;
    if (gives_way)
      sched_yield();
    now = ch_monotonic_now();
    if (now - before > TIMES_SET_ASIDE * longest())
      return SET_ASIDE;
  }
  shares_processor = gives_way;
  return PAID;
}

static void learn(enum outcome outcome) {
  ch_looks++;
  ch_looks_paid += outcome == PAID;
  if (outcome == PAID) {
    worth = (struct ch_worth){0};
    return;
  }
  ch_was_in_vain(&worth);
  if (outcome == SET_ASIDE)
    worth.left_out = LEFT_OUT_AFTER_SET_ASIDE;
}

bool ch_look_for_letters_slow(void) {
  if (!ch_inbox_is_empty())
    return ch_inbox_open();
  if (!may_look())
    return false;
  ch_inbox_looks();
  learn(look(ch_timers_latest()));
  ch_inbox_wakes();
  return ch_inbox_open();
}
