/* Timers against a model that is a plain list: whatever is registered and withdrawn, they fire in order of deadline,
 * equal ones in order of registration, none early, and the earliest deadline is known. */
#include "harness.h"
#include "reactor/reactor.h"
#include "reactor/timer.h"
#include <malloc.h>

static int64_t clock_now;
static int64_t now(void) { return clock_now; }
static const struct ch_reactor still = {.name = "still", .now = now};

struct timer {
  struct ch_clause clause; /* first */
  int64_t deadline;
  uint64_t order;
  bool registered;
};

static uint64_t registered_so_far;
static struct timer last_fired;
static unsigned long fired, again; /* again: so many of those that fire register once more at once */

static unsigned long state = 88172645463325252ul;
static unsigned long random_number(void) {
  state ^= state << 13;
  state ^= state >> 7;
  return state ^= state << 17;
}

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
    start(t, clock_now + 1 + (int64_t)(random_number() % 100));
  }
}

static void start(struct timer *t, int64_t deadline) {
  t->clause = ch_deadline_clause(deadline);
  t->deadline = deadline;
  t->order = registered_so_far++;
  t->registered = true;
  ch_clause_watch(&t->clause, fires);
}

static void stop(struct timer *t) {
  ch_clause_unwatch(&t->clause);
  t->registered = false;
}

static int64_t earliest(const struct timer *all, unsigned n, unsigned *count) {
  int64_t least = CH_FOREVER;
  *count = 0;
  for (unsigned i = 0; i < n; i++)
    if (all[i].registered) {
      ++*count;
      if (all[i].deadline < least)
        least = all[i].deadline;
    }
  return least;
}

/* `kinds`: how many different durations there are; 0: any. */
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
      start(t, clock_now + 1 + (int64_t)(kinds ? random_number() % kinds * 500 : random_number() % 1000));
    ch_timers_check();
    next = earliest(all, n, &count);
    EXPECT(ch_timers_next() == next);
    if (random_number() % 8 == 0) {
      clock_now += (int64_t)(random_number() % (random_number() % 8 ? 20 : 800));
      again = random_number() % 3;
      ch_timers_fire();
      ch_timers_check();
      EXPECT(ch_timers_next() > clock_now);
      EXPECT(earliest(all, n, &count) == ch_timers_next());
    }
  }
  EXPECT(fired > begun + steps / 100);
  again = 0;
  clock_now += 10000;
  ch_timers_fire();
  ch_timers_check();
  EXPECT(ch_timers_next() == CH_FOREVER);
}

TEST(timers_fire_in_order_one_duration) { at_random(1, 300, 100000); }
TEST(timers_fire_in_order_two_durations) { at_random(2, 300, 100000); }
TEST(timers_fire_in_order_seven_durations) { at_random(7, 300, 100000); }
TEST(timers_fire_in_order_any_duration) { at_random(0, 300, 100000); }
TEST(timers_fire_in_order_when_there_are_few) { at_random(0, 4, 100000); }

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
