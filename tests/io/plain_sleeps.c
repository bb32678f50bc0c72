/* Tests the sleeps of plain code, here of a comparison function that the C library's qsort calls: other activities go
 * on meanwhile, but not in an atomic block, and results are those of the plain calls. */
#include "harness.h"
#include <charcoal/lowlevel.h>
#include <pthread.h>
#include <signal.h>
#include <threads.h>
#include <time.h>

#define MILLISECOND INT64_C(1000000)
static const struct timespec moment = {0, 20 * MILLISECOND}, wrong = {0, 1000 * 1000 * 1000};

static struct timespec soon(clockid_t clock) {
  struct timespec t;
  clock_gettime(clock, &t);
  t.tv_nsec += moment.tv_nsec;
  if (t.tv_nsec >= 1000 * MILLISECOND)
    t.tv_sec++, t.tv_nsec -= 1000 * MILLISECOND;
  return t;
}
static int until(clockid_t clock) {
  struct timespec t = soon(clock);
  return clock_nanosleep(clock, TIMER_ABSTIME, &t, NULL);
}

static int by_usleep(void) { return usleep((useconds_t)(moment.tv_nsec / 1000)); }
static int by_nanosleep(void) { return nanosleep(&moment, NULL); }
static int by_clock(void) { return clock_nanosleep(CLOCK_MONOTONIC, 0, &moment, NULL); }
static int by_moment(void) { return until(CLOCK_MONOTONIC); }
static int by_time_of_day(void) { return until(CLOCK_REALTIME); }
static int by_c11(void) { return thrd_sleep(&moment, NULL); }
static int (*const sleeps[])(void) = {by_usleep, by_nanosleep, by_clock, by_moment, by_time_of_day, by_c11};
enum { NUMBER = sizeof sleeps / sizeof *sleeps };

static int (*to_call)(void); /* once: sanitizers compare more often */
static int result;
static int compares(const void *a, const void *b) {
  int (*call)(void) = to_call;
  (void)a, (void)b;
  to_call = NULL;
  if (call)
    result = call();
  return 0;
}
static int in_a_callback(int (*call)(void)) {
  int numbers[2] = {1, 2};
  to_call = call;
  qsort(numbers, 2, sizeof *numbers, compares);
  return result;
}

static int turns, over;
static void takes_turns(void) {
  while (!over) {
    turns++;
    ch_sleep(MILLISECOND);
  }
}
#define TURNS_DURING(statement)                                                                                        \
  ({                                                                                                                   \
    int before = turns;                                                                                                \
    statement;                                                                                                         \
    turns - before;                                                                                                    \
  })

/* A sanitizer may have functions of its own for these, which know of no activities. */
#if !__has_feature(thread_sanitizer) && !__has_feature(memory_sanitizer)
TEST(others_go_on_while_plain_code_sleeps) {
  activate takes_turns();
  for (int i = 0; i < NUMBER; i++) {
    int64_t begin = ch_now();
    EXPECT(TURNS_DURING(EXPECT(in_a_callback(sleeps[i]) == 0)) > 0);
    EXPECT(ch_now() - begin >= moment.tv_nsec);
  }
  over = 1;
}
#endif

/* A handler may have interrupted anything. */
static int turns_in_handler, result_in_handler;
static void sleeps_in_handler(int number) {
  (void)number;
  turns_in_handler = TURNS_DURING(result_in_handler = to_call());
}
TEST(a_sleep_in_a_signal_handler_blocks_the_thread) {
  activate takes_turns();
  signal(SIGUSR1, sleeps_in_handler);
  ch_sleep(MILLISECOND);
  for (int i = 0; i < NUMBER; i++) {
    to_call = sleeps[i];
    EXPECT(raise(SIGUSR1) == 0 && result_in_handler == 0 && turns_in_handler == 0);
  }
  over = 1;
}

TEST(law_5_a_sleep_in_an_atomic_block_blocks_the_thread) {
  activate takes_turns();
  ch_sleep(MILLISECOND);
  for (int i = 0; i < NUMBER; i++) {
    atomic EXPECT(TURNS_DURING(EXPECT(sleeps[i]() == 0)) == 0);
    atomic EXPECT(TURNS_DURING(EXPECT(in_a_callback(sleeps[i]) == 0)) == 0);
  }
  over = 1;
}

TEST(a_sleep_of_plain_code_in_assert_no_yield_blocks_the_thread) {
  activate takes_turns();
  ch_sleep(MILLISECOND);
  for (int i = 0; i < NUMBER; i++) {
    int n = 0, r = 1;
    assert_no_yield {
      int before = turns;
      r = in_a_callback(sleeps[i]);
      n = turns - before;
    }
    EXPECT(r == 0 && n == 0);
  }
  over = 1;
}

static int wrongly(void) {
  errno = 0;
  EXPECT(nanosleep(&wrong, NULL) == -1 && errno == EINVAL);
  EXPECT(clock_nanosleep(CLOCK_MONOTONIC, 0, &wrong, NULL) == EINVAL);
  EXPECT(clock_nanosleep(77, 0, &moment, NULL) == EINVAL);
  EXPECT(clock_nanosleep(CLOCK_THREAD_CPUTIME_ID, 0, &moment, NULL) == EINVAL);
  EXPECT(thrd_sleep(&wrong, NULL) == -2);
  errno = 33;
  EXPECT(usleep(1) == 0 && nanosleep(&(struct timespec){0, 1}, NULL) == 0 && errno == 33);
  return 5;
}
TEST(mistakes_in_a_sleep_of_plain_code_are_the_plain_calls) {
  EXPECT(in_a_callback(wrongly) == 5);
  activate takes_turns();
  EXPECT(in_a_callback(wrongly) == 5);
  EXPECT(wrongly() == 5);
  over = 1;
}

/* A scope that is cancelled means nothing to plain code. */
TEST(a_cancelled_scope_does_not_end_a_sleep_of_plain_code) {
  activate takes_turns();
  int64_t begin = ch_now();
  do {
    cancel;
    EXPECT(in_a_callback(by_usleep) == 0);
  }
  finish;
  EXPECT(ch_now() - begin >= moment.tv_nsec);
  over = 1;
}

static int for_long(void) { return usleep(100 * 1000 * 1000); }
static int cleaned;
static void cleans(void *unused) {
  (void)unused;
  cleaned = 1;
}
static int for_long_with_a_handler(void) {
  pthread_cleanup_push(cleans, NULL);
  for_long();
  pthread_cleanup_pop(0);
  return 0;
}
static volatile int sleeping;
static void *thread(void *unused) {
  activate {
    while (!over) {
      sleeping = 1;
      ch_sleep(MILLISECOND);
    }
  }
  in_a_callback(for_long_with_a_handler);
  return unused;
}
TEST(pthread_cancel_ends_a_sleep_of_plain_code) {
  pthread_t t;
  void *r = NULL;
  EXPECT(pthread_create(&t, NULL, thread, NULL) == 0);
  while (!sleeping)
    ch_sleep(MILLISECOND);
  over = 1;
  EXPECT(pthread_cancel(t) == 0 && pthread_join(t, &r) == 0 && r == PTHREAD_CANCELED && cleaned);
}
