/* The laws as a program meets them: Charcoal C on the real scheduler. Each test is named after what it shows. */
#include "harness.h"
#include <charcoal/channel.h>
#include <charcoal/future.h>
#include <charcoal/locks.h>
#include <charcoal/lowlevel.h>
#include <charcoal_abi.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <threads.h>
#include <time.h>

static int work(int n) { return n * 2 + 1; }

TEST(law_1_an_activity_that_never_blocks_gives_way_when_its_slice_is_over) {
  volatile int stop = 0;
  volatile long turns = 0;
  ch_activity spinner;
  activate[&spinner] {
    while (!stop)
      turns += work(1) > 0;
  }
  ch_activity stopper;
  activate[&stopper] { stop = 1; }
  EXPECT(ch_activity_wait(&spinner) == 0 && turns > 0);
  ch_activity_wait(&stopper);
}

/* Calls that could wait, and never need to: each of these loops ends only if the other activity gets its turn. */
#define UNTIL_ANOTHER_HAS_RUN(...)                                                                                     \
  do {                                                                                                                 \
    volatile int stop = 0;                                                                                             \
    ch_activity other;                                                                                                 \
    activate[&other] { stop = 1; }                                                                                     \
    while (!stop) {                                                                                                    \
      __VA_ARGS__;                                                                                                     \
    }                                                                                                                  \
    ch_activity_wait(&other);                                                                                          \
  } while (0)
TEST(law_1_waits_that_are_over_at_once_give_way_when_the_slice_is_over) {
  int x = 1, y = 0;
  channel(int) c;
  future(int) f = {0};
  ch_latch open;
  ch_sem units;
  ch_spinlock spin = {0};
  ch_activity ended;
  activate[&ended] {}
  EXPECT(ch_activity_wait(&ended) == 0);
  ch_channel_init(&c, 2);
  ch_future_set(&f, x);
  ch_latch_init(&open, 0, 0);
  ch_sem_init(&units, 1UL << 40);
  UNTIL_ANOTHER_HAS_RUN(ch_send(&c, &x); ch_recv(&c, &y));
  UNTIL_ANOTHER_HAS_RUN(ch_get(&f, &y));
  UNTIL_ANOTHER_HAS_RUN(ch_latch_wait(&open));
  UNTIL_ANOTHER_HAS_RUN(ch_sem_wait(&units));
  UNTIL_ANOTHER_HAS_RUN(ch_sem_timedwait(&units, 1000));
  UNTIL_ANOTHER_HAS_RUN(waituntil(ch_get(&f, &y)) {} or waituntil(ch_sleep(1000)){});
  UNTIL_ANOTHER_HAS_RUN(do { async y++; } finish);
  UNTIL_ANOTHER_HAS_RUN(EXPECT(ch_activity_wait(&ended) == 0));
  UNTIL_ANOTHER_HAS_RUN(EXPECT(ch_fd_wait(-1, POLLIN, CH_FOREVER) == -EBADF));
  UNTIL_ANOTHER_HAS_RUN(ch_spin_acquire(&spin); ch_spin_release(&spin));
  EXPECT(y > 0);
  ch_channel_destroy(&c);
}

/* Functions of another module, with versions that are written by hand: the name tells nothing. */
int by_hand(int), ch_by_hand(int);
static __attribute__((used)) int plainly(int x) { return x + 1; }
static __attribute__((used)) struct ch_int_result interruptibly(int x) { return ch_done(x + 1); }
__asm__(".globl by_hand, ch_by_hand, by_hand.int, ch_by_hand.int\n"
        ".set by_hand, plainly\n .set ch_by_hand, plainly\n"
        ".set by_hand.int, interruptibly\n .set ch_by_hand.int, interruptibly");
TEST(law_1_so_do_replacements_by_hand) {
  UNTIL_ANOTHER_HAS_RUN(EXPECT(by_hand(3) == 4));
  UNTIL_ANOTHER_HAS_RUN(EXPECT(ch_by_hand(3) == 4));
}

TEST(law_1_so_do_locks_that_are_not_had_in_time) {
  const struct timespec past = {0, 0};
  pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
  pthread_rwlock_t rw = PTHREAD_RWLOCK_INITIALIZER;
  pthread_barrier_t alone;
  mtx_t c11;
  EXPECT(pthread_mutex_lock(&m) == 0 && pthread_rwlock_wrlock(&rw) == 0);
  EXPECT(mtx_init(&c11, mtx_timed) == thrd_success && mtx_lock(&c11) == thrd_success);
  EXPECT(pthread_barrier_init(&alone, NULL, 1) == 0);
  UNTIL_ANOTHER_HAS_RUN(EXPECT(pthread_mutex_timedlock(&m, &past) == ETIMEDOUT));
  UNTIL_ANOTHER_HAS_RUN(EXPECT(pthread_rwlock_timedrdlock(&rw, &past) != 0));
  UNTIL_ANOTHER_HAS_RUN(EXPECT(mtx_timedlock(&c11, &past) == thrd_timedout));
  UNTIL_ANOTHER_HAS_RUN(EXPECT(pthread_barrier_wait(&alone) == PTHREAD_BARRIER_SERIAL_THREAD));
}

/* "Between calls and explicit yield invocations, code is guaranteed to execute atomically" (seed 000, section 5.1): for
 * several slices, and although it looks at shared memory. */
TEST(law_1_code_between_calls_is_not_interrupted) {
  static volatile int others, stop;
  static volatile long turns;
  ch_activity other;
  activate[&other] {
    while (!stop) {
      others++;
      ch_reschedule();
    }
  }
  ch_reschedule();
  int before = others;
  while (!stop && turns < 30000000)
    turns++;
  int after = others;
  EXPECT(before > 0 && after == before);
  stop = 1;
  ch_activity_wait(&other);
}

/* Only who waits in a loop for somebody, and does nothing else there, would never end. */
TEST(law_1_a_loop_that_only_waits_gives_way) {
  static volatile int ready;
  static int held = 1;
  ch_activity other;
  activate[&other] {
    ready = 1;
    ch_reschedule();
    __atomic_store_n(&held, 0, __ATOMIC_RELEASE);
  }
  while (!ready) {
  }
  int expected = 0;
  while (!__atomic_compare_exchange_n(&held, &expected, 1, 0, __ATOMIC_ACQUIRE, __ATOMIC_RELAXED))
    expected = 0;
  EXPECT(held == 1);
  ch_activity_wait(&other);
}

TEST(law_1_a_loop_that_counts_its_turns_while_it_waits_gives_way) {
  static volatile int ready;
  static int held = 1;
  ch_activity other;
  activate[&other] {
    ready = 1;
    ch_reschedule();
    __atomic_store_n(&held, 0, __ATOMIC_RELEASE);
  }
  long turns = 0;
  while (!ready)
    turns++;
  for (int pauses = 1;; pauses = pauses < 64 ? 2 * pauses : pauses) {
    for (int i = 0; i < pauses; i++)
      turns++;
    if (!__atomic_exchange_n(&held, 1, __ATOMIC_ACQUIRE))
      break;
  }
  EXPECT(turns > 1 && held == 1);
  ch_activity_wait(&other);
}

static int spawned;
static void spawns(void) {
  activate {
    ch_reschedule();
    spawned++;
  }
}
static void expect_later(int n) {
  ch_reschedule();
  ch_reschedule();
  EXPECT(spawned == n);
}

TEST(law_6_a_block_may_contain_all_that_is_spawned_in_it) {
  spawned = 0;
  atomic contained {
    spawns();
    atomic { spawns(); }
    EXPECT(spawned == 1); // the inner block has waited for its own
  }
  EXPECT(spawned == 2);
}

TEST(law_6_the_innermost_block_that_names_a_policy_decides) {
  spawned = 0;
  atomic contained {
    atomic delay {
      spawns();
      activate contained { spawned += 10; }
    }
    EXPECT(spawned == 10);
    spawns();
  }
  EXPECT(spawned == 11);
  expect_later(12);
}

TEST(law_6_a_policy_ends_on_every_way_out_of_its_block) {
  spawned = 0;
  for (int turn = 0; turn < 2; turn++) {
    atomic error {
      if (turn)
        break;
      continue;
    }
  }
  atomic contained { goto out; }
out:
  spawns();
  EXPECT(spawned == 0);
  expect_later(1);
}

TEST(law_6_the_policy_of_a_block_is_not_that_of_activities_that_run_while_it_waits) {
  spawned = 0;
  ch_activity inside;
  atomic contained {
    activate[&inside] {
      atomic { spawns(); } // delayed: the policy is that of the code around, not of this activity
    }
    ch_activity_wait(&inside);
    EXPECT(ch_activity_finished(&inside));
  }
  EXPECT(spawned == 0);
  expect_later(1);
}

TEST_EXITS(law_6_a_block_may_refuse_that_anything_is_spawned_in_it, CH_EXIT_MISUSE, "inside 'atomic error'") {
  atomic error { spawns(); }
}

TEST(law_5_nothing_else_runs_inside_atomic) {
  static int other;
  activate { other = 1; }
  atomic {
    for (int i = 0; i < 1000; i++) {
      work(i);
      ch_reschedule();
    }
    EXPECT(!other);
  }
  ch_reschedule();
  EXPECT(other);
}

TEST(law_5_a_wait_in_atomic_runs_contained_activities_only) {
  ch_sem s = CH_SEM_INIT(0);
  static int outside;
  activate { outside = 1; }
  atomic {
    activate contained { ch_sem_post(&s); }
    EXPECT(ch_sem_wait(&s) == 0 && !outside);
  }
  EXPECT(!outside);
}

TEST_EXITS(law_5_a_deadlock_in_atomic_is_reported_and_ends_the_program, CH_EXIT_DEADLOCK, "inside an atomic block") {
  ch_sem s = CH_SEM_INIT(0);
  activate { ch_sem_post(&s); }
  atomic { ch_sem_wait(&s); }
}

TEST(law_6_spawning_in_atomic_is_delayed_or_contained) {
  atomic {
    activate { note("delayed"); }
    activate contained {
      note("contained");
      ch_reschedule();
      note("goes on");
    }
    note("block");
  }
  note("after");
  ch_reschedule();
  EXPECT_NOTES("block contained goes on after delayed");
}

static int leaves(ch_sem *s) {
  atomic {
    activate contained { ch_sem_post(s); }
    return 5;
  }
}
TEST(law_6_leaving_the_block_by_return_waits_for_contained_activities) {
  ch_sem s = CH_SEM_INIT(0);
  EXPECT(leaves(&s) == 5 && s.count == 1);
}

TEST(law_7_activate_queues) {
  activate { note("body"); }
  note("statement");
  ch_reschedule();
  EXPECT_NOTES("statement body");
}

/* The processor time of this thread in ns: what other programs use does not count. */
static int64_t used(void) {
  struct timespec t;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
  return t.tv_sec * INT64_C(1000000000) + t.tv_nsec;
}

/* That of 20,000 activities that know a local. */
static int64_t time_of_activities(int checks) {
  enum { MANY = 20000 };
  ch_sem gate = CH_SEM_INIT(0);
  ch_activity *all = calloc(MANY, sizeof *all);
  EXPECT(all);
  ch_checks = checks;
  int64_t begin = used();
  for (int i = 0; i < MANY; i++)
    activate[&all[i]] { ch_sem_wait(&gate); }
  ch_reschedule();
  for (int i = 0; i < MANY; i++)
    ch_sem_post(&gate);
  for (int i = 0; i < MANY; i++)
    ch_activity_wait(&all[i]);
  free(all);
  return used() - begin;
}
TEST(checking_law_7_costs_a_small_factor_however_many_activities_there_are) {
  int64_t checked = INT64_MAX, unchecked = INT64_MAX;
  for (int tries = 0; tries < 3 || (checked > 100 * unchecked && tries < 8); tries++) {
    int64_t with = time_of_activities(1), without = time_of_activities(0);
    checked = with < checked ? with : checked;
    unchecked = without < unchecked ? without : unchecked;
  }
  EXPECT(checked <= 100 * unchecked); /* some 15 to 35; hundreds if each looks at all captures */
}

static ch_sem gate;
static int compare(const void *a, const void *b) {
  ch_sem_wait(&gate); /* called by qsort: waits on the native stack, and others run above it */
  return *(const int *)a - *(const int *)b;
}
TEST(law_8_a_callback_of_foreign_code_may_wait) {
  int numbers[] = {3, 1, 2};
  static int posts;
  activate {
    for (;;) {
      ch_sem_post(&gate);
      posts++;
      ch_reschedule();
    }
  }
  qsort(numbers, 3, sizeof *numbers, compare);
  EXPECT(numbers[0] == 1 && numbers[2] == 3 && posts > 0);
}

TEST(law_12_errno_belongs_to_the_activity) {
  ch_activity other;
  errno = 1;
  activate[&other] {
    EXPECT(errno == 0);
    errno = 2;
    ch_reschedule();
    EXPECT(errno == 2);
  }
  ch_reschedule();
  EXPECT(errno == 1);
  ch_activity_wait(&other);
  EXPECT(errno == 1);
}

/* ---- and what is no law, but promised ---- */

TEST(ten_thousand_activities_count_themselves) {
  enum { MANY = 10000 };
  ch_sem all = CH_SEM_INIT(0);
  long sum = 0;
  for (int i = 0; i < MANY; i++)
    activate(i) {
      ch_reschedule();
      sum += i;
      ch_sem_post(&all);
    }
  for (int i = 0; i < MANY; i++)
    EXPECT(ch_sem_wait(&all) == 0);
  EXPECT(sum == (long)MANY * (MANY - 1) / 2);
}
