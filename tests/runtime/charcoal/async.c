/* async, finish, cancel and domains in Charcoal C, where it takes more than one thread, or time that passes.
 * What does not is in tests/semantics. */
#include "harness.h"
#include <charcoal/lowlevel.h>
#include <search.h>

/* ---- law 1 ---- */

static ch_sem ping, pong;
static volatile int enough;
static long volleys;

static void player(ch_sem *mine, ch_sem *other) {
  while (!enough) {
    if (ch_sem_wait(mine))
      return;
    volleys++;
    ch_sem_post(other);
  }
  ch_sem_post(other);
}
static int other_turn(void) {
  activate { enough = 1; }
  do {
    ch_sem_post(&ping);
    async player(&ping, &pong);
    async player(&pong, &ping);
  } finish;
  return 0;
}
TEST(law_1_branches_that_keep_an_activity_busy_do_not_keep_the_turn_for_ever) {
  EXPECT(other_turn() == 0);
  EXPECT(enough);
}

static int timed_out;
static int timer_beside(void) {
  do {
    ch_sem_post(&ping);
    async player(&ping, &pong);
    async player(&pong, &ping);
    async {
      ch_sleep(20000000);
      timed_out = 1;
      enough = 1;
    }
  } finish;
  return 0;
}
TEST(law_2_a_timer_fires_beside_branches_that_are_always_ready) {
  EXPECT(timer_beside() == 0);
  EXPECT(timed_out);
}

/* ---- plain code between ---- */

static ch_sem gate, s;
static int compare(const void *a, const void *b) {
  note("c");
  ch_sem_wait(&gate); /* in plain code: on the native stack, beside its siblings */
  return *(const int *)a - *(const int *)b;
}
static void finds(int *key) {
  int number = 7;
  size_t n = 1;
  EXPECT(lfind(key, &number, &n, sizeof number, compare) == &number);
}
static void helps(void) {
  ch_sem_wait(&s);
  note("h");
  ch_sem_post(&gate);
}
static int callbacks(void) {
  int key = 7;
  do {
    async helps();
    ch_sem_post(&s);
    async finds(&key);
    note("m");
  } finish;
  return 0;
}
TEST(law_1_a_wait_in_a_callback_lets_siblings_run) {
  EXPECT(callbacks() == 0);
  EXPECT_NOTES("c h m");
}

/* async in plain code is the call. */
static int in_callback(const void *a, const void *b) {
  do {
    async { note("1"); }
    note("2");
  } finish;
  return *(const int *)a - *(const int *)b;
}
static int async_in_callback(void) {
  int key = 7, number = 7;
  size_t n = 1;
  return lfind(&key, &number, &n, sizeof number, in_callback) != &number;
}
TEST(law_11_async_in_plain_code_is_a_call) {
  EXPECT(async_in_callback() == 0);
  EXPECT_NOTES("1 2");
}

/* ---- contained activities have scopes, too ---- */

static int contained_scopes(void) {
  int sum = 0;
  atomic {
    activate contained {
      do {
        async {
          ch_sem_wait(&gate);
          sum += 1;
        }
        async {
          ch_sem_wait(&gate);
          sum += 10;
        }
        ch_sem_post(&gate);
        ch_sem_post(&gate);
        async {
          ch_sleep(5);
          sum += 100;
        }
      } finish;
    }
    activate contained {
      within(20) do {
        ch_sem_wait(&s);
        sum += ch_cancelled() ? 1000 : 0;
      } finish;
    }
  }
  EXPECT(sum == 1111);
  return 0;
}
TEST(law_6_contained_activities_have_branches_and_deadlines) { EXPECT(contained_scopes() == 0); }

/* ---- many ---- */

#define MANY 100000
static int many_branches(void) {
  struct ch_stats stats;
  int ended = 0;
  do {
    for (int i = 0; i < MANY; i++)
      async {
        ch_sem_wait(&gate);
        ended++;
      }
    ch_stats(&stats);
    EXPECT(stats.branches == MANY);
    cancel;
  } finish;
  EXPECT(ended == MANY);
  ch_stats(&stats);
  EXPECT(stats.branches == 0);
  return 0;
}
TEST(law_4_a_hundred_thousand_branches_are_cancelled_at_once) { EXPECT(many_branches() == 0); }

static int nested(int depth) {
  int result = 0;
  do {
    async result = depth ? nested(depth - 1) : ch_sem_wait(&gate);
  } finish;
  return result;
}
static int deep(void) {
  int result = 0;
  do {
    async result = nested(1000);
    cancel;
  } finish;
  EXPECT(result == ECANCELED);
  return 0;
}
TEST(law_4_a_thousand_nested_finishes_are_cancelled_from_outside) { EXPECT(deep() == 0); }

/* ---- errno ---- */

static void keeps(int mine) {
  errno = mine;
  ch_sem_wait(&gate);
  EXPECT(errno == mine);
}
static int errnos(void) {
  do {
    for (int i = 1; i < 50; i++)
      async keeps(i);
    errno = 77;
    for (int i = 1; i < 50; i++)
      ch_sem_post(&gate);
    EXPECT(errno == 77);
  } finish;
  EXPECT(errno == 77);
  return 0;
}
TEST(law_12_errno_belongs_to_the_branch) { EXPECT(errnos() == 0); }

/* ---- domains ---- */

static ch_waiter there, here;
static long ball;
#define ROUNDS 2000
static void returns(void *unused) {
  for (long i = 0; i < ROUNDS; i++) {
    ch_waiter_suspend(&there);
    EXPECT(ball == i);
    ball++;
    ch_waiter_schedule(&here);
  }
  (void)unused;
}
static int two_domains(void) {
  ch_thread thread;
  int slept = 0;
  EXPECT(ch_domain_start(&thread, returns, NULL) == 0);
  do {
    async {
      ch_sleep(1000000);
      slept = 1;
    }
    for (long i = 0; i < ROUNDS; i++) {
      ch_waiter_schedule(&there);
      ch_waiter_suspend(&here);
      EXPECT(ball == i + 1);
    }
    EXPECT(ch_domain_join(&thread) == 0);
  } finish;
  EXPECT(slept);
  return 0;
}
TEST(law_1_domains_run_beside_each_other) { EXPECT(two_domains() == 0); }
