/* Timers against a model that is a plain list: whatever is registered and withdrawn, they fire in order of deadline,
 * equal ones in order of registration, none early, the earliest deadline is known, and nobody sleeps longer than
 * each of them may be late. */
#include "harness.h"
#include "reactor/reactor.h"
#include "reactor/timer.h"
#include "wait/several.h"
#include <malloc.h>

static int64_t clock_now;
static int64_t now(void) { return clock_now; }
static const struct ch_reactor still = {.name = "still", .now = now};

struct timer {
  struct ch_clause clause; /* first */
  int64_t deadline, latest;
  uint64_t order;
  bool registered;
};

/* By how much a timer of this duration may be late: timer.h. */
static int64_t slack(int64_t duration) { return duration / 1000 < 1000000 ? duration / 1000 : 1000000; }

static uint64_t registered_so_far;
static struct timer last_fired;
static unsigned long fired, again; /* again: so many of those that fire register once more at once */

static unsigned long state = 88172645463325252ul;
static unsigned long random_number(void) {
  state ^= state << 13;
  state ^= state >> 7;
  return state ^= state << 17;
}

static int64_t unit = 1;
static void start(struct timer *t, int64_t deadline);
static void fires(struct ch_clause *c) {
  struct timer *t = (struct timer *)c;
  EXPECT(t->registered && t->deadline <= clock_now);
  EXPECT(t->deadline > last_fired.deadline || (t->deadline == last_fired.deadline && t->order > last_fired.order));
  last_fired = *t;
  t->registered = false;
  fired++;
  if (again > 0) {
    again--;
    start(t, clock_now + 1 + unit * (int64_t)(random_number() % 100));
  }
}

static void start(struct timer *t, int64_t deadline) {
  t->clause = ch_deadline_clause(deadline);
  t->deadline = deadline;
  t->latest = deadline + slack(deadline - ch_now());
  t->order = registered_so_far++;
  t->registered = true;
  ch_clause_watch(&t->clause, fires);
}

static void stop(struct timer *t) {
  ch_clause_unwatch(&t->clause);
  t->registered = false;
}

static int64_t earliest(const struct timer *all, unsigned n, unsigned *count) {
  int64_t least = CH_FOREVER, latest = CH_FOREVER;
  *count = 0;
  for (unsigned i = 0; i < n; i++)
    if (all[i].registered) {
      ++*count;
      if (all[i].deadline < least)
        least = all[i].deadline;
      if (all[i].latest < latest)
        latest = all[i].latest;
    }
  EXPECT(ch_timers_latest() >= least && ch_timers_latest() <= latest);
  return least;
}

/* `kinds`: how many different durations there are; 0: any. They are so many of `unit`. */
static void at_random(unsigned kinds, unsigned n, unsigned steps) {
  static struct timer all[300];
  unsigned long begun = fired;
  EXPECT(n <= 300);
  ch_reactor = &still;
  for (unsigned step = 0; step < steps; step++) {
    struct timer *t = &all[random_number() % n];
    unsigned count;
    int64_t next;
    if (t->registered && random_number() % 4)
      stop(t);
    else if (!t->registered)
      start(t, clock_now + 1 + unit * (int64_t)(kinds ? random_number() % kinds * 500 : random_number() % 1000));
    ch_timers_check();
    next = earliest(all, n, &count);
    EXPECT(ch_timers_next() == next);
    if (random_number() % 8 == 0) {
      clock_now += unit * (int64_t)(random_number() % (random_number() % 8 ? 20 : 800));
      again = random_number() % 3;
      ch_timers_fire();
      ch_timers_check();
      EXPECT(ch_timers_next() > clock_now);
      EXPECT(earliest(all, n, &count) == ch_timers_next());
    }
  }
  EXPECT(fired > begun + steps / 100);
  again = 0;
  clock_now += 10000 * unit;
  ch_timers_fire();
  ch_timers_check();
  EXPECT(ch_timers_next() == CH_FOREVER);
}

TEST(timers_fire_in_order_one_duration) { at_random(1, 300, 100000); }
TEST(timers_fire_in_order_two_durations) { at_random(2, 300, 100000); }
TEST(timers_fire_in_order_seven_durations) { at_random(7, 300, 100000); }
TEST(timers_fire_in_order_any_duration) { at_random(0, 300, 100000); }
TEST(timers_fire_in_order_when_there_are_few) { at_random(0, 4, 100000); }

TEST(nobody_sleeps_longer_than_a_timer_may_be_late) {
  for (unsigned kinds = 0; kinds < 4; kinds++) {
    unit = kinds == 3 ? 10000000 : 100000; /* so that some are at the limit */
    at_random(kinds, 300, 30000);
    at_random(kinds, 3, 30000);
  }
}

TEST(those_who_sleep_long_are_woken_together) {
  enum { MANY = 1000, SECOND = 1000000000 };
  static struct timer all[MANY];
  int64_t begun;
  ch_reactor = &still;
  for (unsigned i = 0; i < MANY; i++) {
    clock_now += 100000;
    start(&all[i], clock_now + SECOND);
  }
  begun = clock_now;
  for (unsigned wakes = 0; fired < MANY; wakes++) {
    EXPECT(wakes < MANY / 10 + 2);
    EXPECT(ch_timers_latest() == ch_timers_next() + 1000000);
    clock_now = ch_timers_latest();
    ch_timers_fire();
  }
  EXPECT(clock_now <= begun + SECOND + 1000000);
}

TEST(who_sleeps_briefly_is_woken_on_time_and_then_forgotten) {
  enum { MANY = 100, SECOND = 1000000000, MOST = 1000000, BRIEF = 2000 };
  static struct timer all[2 * MANY], brief;
  ch_reactor = &still;
  for (unsigned i = 0; i < MANY; i++)
    start(&all[i], SECOND + i);
  EXPECT(ch_timers_latest() == SECOND + MOST);
  start(&brief, BRIEF); /* before the others; */
  EXPECT(ch_timers_latest() == brief.latest);
  stop(&brief);
  EXPECT(ch_timers_latest() == SECOND + MOST);
  clock_now = SECOND - BRIEF / 2; /* now in order behind them */
  start(&brief, clock_now + BRIEF);
  for (unsigned i = MANY; i < 2 * MANY; i++)
    start(&all[i], clock_now + SECOND + i);
  EXPECT(ch_timers_latest() <= brief.latest);
  clock_now = brief.latest;
  ch_timers_fire();
  EXPECT(fired == MANY + 1 && !brief.registered);
  EXPECT(ch_timers_latest() == ch_timers_next() + MOST);
}

TEST(a_timer_put_off_again_and_again_takes_no_room) {
  static struct timer all[100], far;
  ch_reactor = &still;
  start(&far, 1000000000);
  for (unsigned i = 0; i < 100; i++)
    start(&all[i], 2000000000 + i);
  for (unsigned k = 0; k < 1000000; k++) {
    struct timer *t = &all[random_number() % 100];
    stop(t);
    start(t, 2000000000 + k);
  }
  ch_timers_check();
  EXPECT(ch_timers_next() == 1000000000);
  EXPECT(mallinfo2().uordblks + mallinfo2().hblkhd < 200000);
  clock_now = 3000000000;
  ch_timers_fire();
  EXPECT(fired == 101);
}

TEST(a_million_timers) {
  enum { MANY = 1000000 };
  struct timer *all = calloc(MANY, sizeof *all);
  unsigned left = MANY;
  ch_reactor = &still;
  EXPECT(all);
  for (unsigned i = 0; i < MANY; i++) {
    clock_now++;
    start(&all[i], clock_now + (int64_t)(i % 3 == 0   ? MANY
                                         : i % 3 == 1 ? 30 * MANY
                                                      : MANY + random_number() % (30 * MANY)));
  }
  ch_timers_check();
  for (unsigned i = 0; i < MANY; i++)
    if (random_number() % 2) {
      stop(&all[i]);
      left--;
    }
  ch_timers_check();
  for (int64_t next; (next = ch_timers_next()) != CH_FOREVER;) {
    clock_now = next + 1000;
    ch_timers_fire();
  }
  EXPECT(fired == left);
  ch_timers_check();
  ch_timers_end();
  start(&all[0], clock_now + 1);
  EXPECT(ch_timers_next() == clock_now + 1);
}

/* How late a timer may be is a part of the time that is left when it is set, however long ago the domain looked at the
 * clock before. */
static void fires_once(struct ch_clause *c) { (void)c; }
enum { LONG = 100000000, SHORT = 2000000, LATE = SHORT / 1000 };
TEST(a_poll_after_a_long_computation_ends_as_exactly_as_any) {
  ch_reactor = &still;
  clock_now = ch_now() + LONG;
  struct ch_wait *w = ch_poll_wait(NULL, 0, clock_now + SHORT);
  ch_clause_watch((struct ch_clause *)(w + 1), fires_once);
  EXPECT(ch_timers_latest() == clock_now + SHORT + LATE);
  ch_clause_unwatch((struct ch_clause *)(w + 1));
  free(w);
}

TEST(a_scope_after_a_long_computation_is_cancelled_as_exactly_as_any) {
  struct ch_scope scope;
  struct ch_deadline memory;
  EXPECT(ch_is_in_branch()); /* the domain that this makes has chosen a reactor */
  ch_reactor = &still;
  clock_now = ch_now() + LONG;
  ch_scope_enter(&scope, 0, "here");
  ch_scope_deadline(&scope, &memory, clock_now + SHORT);
  EXPECT(ch_timers_latest() == clock_now + SHORT + LATE);
  ch_scope_leave(&scope);
}
