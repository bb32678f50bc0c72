/* Looks for letters before the domain sleeps. looking.h says when, and for how long. */
#define _GNU_SOURCE
#include "reactor/looking.h"
#include "reactor/reactor.h"
#include "reactor/timer.h"
#include "reactor/times.h"
#include "sched/external_wakers.h"
#include "wait/atomics.h"
#include "frames/settings.h"
#include <errno.h>
#include <sched.h>
#include <stdlib.h>

#define DEFAULT_LOOK_US 20
/* A look may last so many times longer while more domains are awake than there are processors. */
#define TIMES_CROWDED 5
/* After this time a look gives way also where there is a processor for each domain: the kernel may have put two of them
 * on one. */
#define ALONE_NS 2000
/* A look is set aside if the thread had no processor for so many times the basic length of a look. */
#define TIMES_SET_ASIDE 10
#define MOST_IN_VAIN 9
/* How many sleeps begin without a look after one was set aside: at the first time these, and each further time eight
 * times as many, up to 2048. After so many looks that paid it is a first time again. */
#define LEFT_OUT_AFTER_SET_ASIDE 32
#define MOST_TIMES_SET_ASIDE 2
#define FORGETS_AFTER 1024
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

/* What CHARCOAL_LOOK_US says, in nanoseconds; -1: nothing. */
static int64_t demanded(void) {
  enum { UNREAD = -2 };
  static int64_t cached = UNREAD;
  int64_t ns = __atomic_load_n(&cached, __ATOMIC_RELAXED);
  if (CH_UNLIKELY(ns == UNREAD)) {
    const int64_t us = ch_setting_number("CHARCOAL_LOOK_US", 0, 1000000000, -1);
    ns = us < 0 ? -1 : 1000 * us;
    __atomic_store_n(&cached, ns, __ATOMIC_RELAXED);
  }
  return ns;
}

/* How long a look may last where each domain has a processor, unless wake-ups take long. */
static int64_t basic_length(void) { return demanded() >= 0 ? demanded() : 1000 * DEFAULT_LOOK_US; }
static int64_t length(bool crowded) {
  int64_t sleep = 2 * ch_inbox_wake_up_time();
  return (crowded ? TIMES_CROWDED : 1) * (demanded() < 0 && basic_length() < sleep ? sleep : basic_length());
}

static bool are_several(void) {
  return __atomic_load_n(&ch_domains_alive, __ATOMIC_RELAXED) > 1 && ch_reactor != &ch_reactor_simulated;
}
static bool has_processor(void) {
  return __atomic_load_n(&ch_domains_awake, __ATOMIC_RELAXED) <= __atomic_load_n(&processors, __ATOMIC_RELAXED);
}

bool ch_has_processor(void) {
  if (!are_several() || basic_length() == 0)
    return false;
  count_processors();
  return has_processor();
}

void ch_was_in_vain(struct ch_worth *w) {
  if (w->in_vain < MOST_IN_VAIN)
    w->in_vain++;
  w->left_out = (uint16_t)(1U << (w->in_vain - 1));
}

/* By the clock, because the time of a pause differs by a factor of ten between processors. */
#define LOOK_ON_NS 2000

bool ch_look_on_begins(struct ch_look_on *l, struct ch_worth *w) {
  const struct ch_group *g = ch_domain.group;
  *l = (struct ch_look_on){.worth = w};
  return g && !g->head && ch_has_processor() && ch_is_worth(w);
}

bool ch_look_on_lasts(struct ch_look_on *l) {
  if (l->glances++ % GLANCES == 0) {
    const int64_t now = ch_monotonic_now();
    if (l->glances == 1)
      l->until = now + LOOK_ON_NS;
    if (!ch_inbox_is_empty())
      return false;
    if (now >= l->until) {
      ch_was_in_vain(l->worth);
      return false;
    }
  }
  ch_atomic_pause();
  return true;
}

void ch_look_on_paid(struct ch_look_on *l) { *l->worth = (struct ch_worth){0}; }

/* The letters in a row that came after this thread had given way, up to MOST_TOGETHER: their senders are on the same
 * processor. The kernel may leave two threads that give way to each other there for seconds, while another processor is
 * idle; but when it wakes a thread, it looks for an idle processor. After `enough` such letters the domain sleeps. */
#define LEAST_TOGETHER 32
#define MOST_TOGETHER 16384
static __thread uint16_t together, enough = LEAST_TOGETHER;

static bool wants_to_be_moved(void) {
  if (together < enough || !has_processor())
    return false;
  together = 0;
  if (enough < MOST_TOGETHER)
    enough *= 2;
  return true;
}

static bool may_look(void) {
  if (!are_several() || !ch_is_worth(&worth))
    return false;
  count_processors();
  return basic_length() > 0 && !wants_to_be_moved();
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

static enum outcome look(int64_t due) {
  const int64_t began = ch_monotonic_now();
  bool crowded = !has_processor(), gives_way = false;
  for (int64_t now = began; !glance(crowded || gives_way); crowded = !has_processor()) {
    int64_t before = now;
    if (ch_reactor->has_news() || now >= due || now - began >= length(crowded))
      return IN_VAIN;
    gives_way = crowded || together > 0 || now - began >= ALONE_NS;
    if (gives_way)
      sched_yield();
    now = ch_monotonic_now();
    if (now - before > TIMES_SET_ASIDE * basic_length())
      return SET_ASIDE;
  }
  if (!gives_way) {
    together = 0;
    enough = LEAST_TOGETHER;
  } else if (together < MOST_TOGETHER) {
    together++;
  }
  return PAID;
}

static void learn(enum outcome outcome) {
  static __thread uint16_t paid_since;
  static __thread uint8_t times_set_aside;
  ch_looks++;
  ch_looks_paid += outcome == PAID;
  if (outcome == PAID) {
    worth = (struct ch_worth){0};
    if (CH_UNLIKELY(++paid_since == FORGETS_AFTER))
      times_set_aside = 0;
    return;
  }
  ch_was_in_vain(&worth);
  if (outcome == SET_ASIDE) {
    worth.left_out = (uint16_t)(LEFT_OUT_AFTER_SET_ASIDE << 3 * times_set_aside);
    times_set_aside += times_set_aside < MOST_TIMES_SET_ASIDE;
    paid_since = 0;
  }
}

bool ch_look_for_letters_slow(void) {
  if (!ch_inbox_is_empty())
    return ch_inbox_open();
  if (!may_look())
    return false;
  ch_inbox_looks();
  enum outcome outcome = look(ch_timers_latest());
  if (outcome == PAID)
    ch_inbox_fetch();
  learn(outcome);
  ch_inbox_wakes();
  return ch_inbox_open();
}
