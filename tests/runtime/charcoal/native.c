/* Waits in plain code: in callbacks of foreign code and in atomic blocks (runtime/sched/native.h). */
#include "simulated.h"
#include <fcntl.h>
#include <search.h>
#include <signal.h>
#include <sys/stat.h>
#include <time.h>

/* Calls `waits` from foreign code, which calls back once. */
static void plainly(int (*waits)(const void *, const void *), void *argument) {
  size_t one = 1;
  lfind(argument, argument, &one, 1, waits);
}
static int for_semaphore(const void *s, const void *same) { return (void)same, ch_sem_wait((ch_sem *)s); }
static int for_time(const void *ns, const void *same) { return (void)same, ch_sleep(*(const int64_t *)ns); }

/* ---- any order ---- */

static int wait_above_marks(const void *gate, const void *same) {
  volatile unsigned char marks[700];
  (void)same;
  for (size_t i = 0; i < sizeof marks; i++)
    marks[i] = (unsigned char)((uintptr_t)gate + i);
  EXPECT(ch_sem_wait((ch_sem *)gate) == 0);
  for (size_t i = 0; i < sizeof marks; i++)
    EXPECT(marks[i] == (unsigned char)((uintptr_t)gate + i));
  return 0;
}

/* n activities begin to wait in plain code, and are let go in the order given. */
static void end_in_order(int n, const int *order) {
  ch_sem gates[40] = {0}, waiting = CH_SEM_INIT(0);
  ch_activity all[40];
  int ended[40], count = 0;
  for (int i = 0; i < n; i++)
    activate[&all[i]](i) {
      ch_sem_post(&waiting);
      plainly(wait_above_marks, &gates[i]);
      ended[count++] = i;
    }
  for (int i = 0; i < n; i++)
    EXPECT(ch_sem_wait(&waiting) == 0);
  ch_sleep(1); /* in virtual time: until nobody can run */
  for (int i = 0; i < n; i++) {
    ch_sem_post(&gates[order[i]]);
    EXPECT(ch_activity_wait(&all[order[i]]) == 0);
    EXPECT(count == i + 1 && ended[i] == order[i]);
  }
}

TEST(plain_waits_end_in_any_order) {
  for (int a = 0; a < 4; a++)
    for (int b = 0; b < 4; b++)
      for (int c = 0; c < 4; c++)
        if (a != b && a != c && b != c)
          end_in_order(4, (int[]){a, b, c, 6 - a - b - c});
}

TEST(many_plain_waits_end_in_random_orders) {
  unsigned seed = 7;
  for (int round = 0; round < 20; round++) {
    int order[40];
    for (int i = 0; i < 40; i++) {
      int at = rand_r(&seed) % (i + 1);
      order[i] = order[at];
      order[at] = i;
    }
    end_in_order(40, order);
  }
}

static int posts_behind_wait(const void *pair, const void *same) {
  ch_sem *s = *(ch_sem *const *)pair;
  (void)same;
  EXPECT(ch_sem_wait(&s[0]) == 0);
  ch_sem_post(&s[1]);
  return 0;
}
static int posts_before_wait(const void *pair, const void *same) {
  ch_sem *s = *(ch_sem *const *)pair;
  (void)same;
  ch_sem_post(&s[0]);
  EXPECT(ch_sem_wait(&s[1]) == 0);
  return 0;
}
TEST(two_plain_waits_may_need_each_other) {
  ch_sem pair[2] = {CH_SEM_INIT(0), CH_SEM_INIT(0)}, *p = pair;
  ch_activity a, b;
  activate[&a] { plainly(posts_behind_wait, &p); }
  activate[&b] { plainly(posts_before_wait, &p); }
  EXPECT(ch_activity_wait(&a) == 0 && ch_activity_wait(&b) == 0);
}

TEST(a_plain_wait_takes_no_longer_than_it_says) {
  int64_t times[3] = {20, 1000, 300};
  STARTS
  do {
    for (int i = 0; i < 3; i++)
      activate(i) {
        plainly(for_time, &times[i]);
        AFTER(times[i]);
        note(i == 0 ? "20" : i == 1 ? "1000" : "300");
      }
    ch_sleep(2000);
  }
  finish;
  EXPECT_NOTES("20 300 1000");
}

static int by_nanosleep(const void *ns, const void *same) {
  return (void)same, nanosleep(&(struct timespec){0, *(const int64_t *)ns}, NULL);
}
TEST(a_sleep_of_the_c_library_in_plain_code_takes_no_longer_than_it_says) {
  int64_t times[3] = {30, 10, 20};
  STARTS
  do {
    for (int i = 0; i < 3; i++)
      activate(i) {
        plainly(by_nanosleep, &times[i]);
        AFTER(times[i]);
        note(i == 0 ? "30" : i == 1 ? "10" : "20");
      }
    ch_sleep(2000);
  }
  finish;
  EXPECT_NOTES("10 20 30");
}

TEST(plain_waits_may_be_many_and_leave_no_stack_behind) {
  static ch_sem gate;
  static int ended;
  for (int round = 0; round < 3; round++) {
    ended = 0;
    for (int i = 0; i < 400; i++)
      activate {
        plainly(for_semaphore, &gate);
        ended++;
      }
    ch_sleep(1);
    for (int i = 0; i < 400; i++)
      ch_sem_post(&gate);
    ch_sleep(1);
    EXPECT(ended == 400);
  }
#if !__has_feature(address_sanitizer)
  char line[300];
  int maps = 0;
  FILE *f = fopen("/proc/self/maps", "r");
  while (fgets(line, sizeof line, f))
    maps++;
  fclose(f);
  EXPECT(maps < 200);
#endif
}

/* ---- what else can run, and what cannot ---- */

TEST(a_plain_waiter_that_is_ready_counts_as_somebody_who_can_run) {
  static ch_sem s;
  char folder[] = "/tmp/charcoal-native-XXXXXX", path[64];
  ch_activity writer, reader;
  EXPECT(mkdtemp(folder));
  snprintf(path, sizeof path, "%s/fifo", folder);
  EXPECT(mkfifo(path, 0600) == 0);
  activate[&writer] {
    plainly(for_semaphore, &s);
    int f = open(path, O_WRONLY);
    EXPECT(f >= 0 && close(f) == 0);
  }
  activate[&reader] {
    ch_sem_post(&s); /* nobody else is on the way; but without the writer this never ends: */
    int f = open(path, O_RDONLY);
    EXPECT(f >= 0 && close(f) == 0);
  }
  EXPECT(ch_activity_wait(&writer) == 0 && ch_activity_wait(&reader) == 0);
  unlink(path);
  rmdir(folder);
}

TEST(law_5_a_block_that_waits_keeps_out_plain_waiters_that_are_ready) {
  static ch_sem mine, theirs, both;
  activate {
    plainly(for_semaphore, &theirs);
    note("outside");
    ch_sem_post(&both);
  }
  ch_sleep(1);
  atomic {
    ch_sem_post(&theirs);
    activate contained {
      ch_sleep(5);
      note("inside");
      ch_sem_post(&mine);
    }
    EXPECT(ch_sem_wait(&mine) == 0);
    note("waited");
  }
  EXPECT(ch_sem_wait(&both) == 0);
  EXPECT_NOTES("inside waited outside");
}

TEST(law_6_contained_activities_wait_in_plain_code_in_any_order) {
  static ch_sem gates[3];
  atomic {
    for (int i = 0; i < 3; i++)
      activate contained(i) {
        plainly(for_semaphore, &gates[i]);
        note(i == 0 ? "0" : i == 1 ? "1" : "2");
      }
    activate contained {
      static const int order[] = {1, 0, 2};
      for (int i = 0; i < 3; i++) {
        ch_sleep(1);
        ch_sem_post(&gates[order[i]]);
      }
    }
    note("end");
  }
  EXPECT_NOTES("end 1 0 2");
}

static int atomically(const void *gate, const void *same) {
  (void)same;
  atomic {
    activate contained {
      plainly(for_semaphore, (void *)gate);
      note("innermost");
    }
    activate contained {
      atomic {
        activate contained { ch_sem_post((ch_sem *)gate); }
      }
      note("posted");
    }
  }
  return 0;
}
TEST(law_6_blocks_in_plain_code_in_blocks) {
  static ch_sem gate;
  atomic {
    activate contained {
      plainly(atomically, &gate);
      note("inner");
    }
  }
  EXPECT_NOTES("posted innermost inner");
}

TEST(law_4_cancel_ends_plain_waits_whoever_began_last) {
  static ch_sem never;
  int64_t moment = 10, longer = 100;
  STARTS
  activate {
    ch_sleep(1);
    plainly(for_time, &longer);
    note("later");
  }
  within(5) do {
    plainly(for_semaphore, &never);
    AFTER(5);
  }
  finish;
  plainly(for_time, &moment);
  AFTER(15);
  note("earlier");
  ch_sleep(1000);
  EXPECT_NOTES("earlier later");
}

TEST_EXITS(law_5_plain_waits_that_nothing_can_end_are_reported, CH_EXIT_DEADLOCK,
           "waits for a semaphore") {
  static ch_sem never_posted;
  plainly(for_semaphore, &never_posted);
}
TEST_EXITS(a_deadlock_is_reported_with_the_native_frames_of_waits_in_plain_code, CH_EXIT_DEADLOCK, " lfind (") {
  static ch_sem never;
  activate { plainly(for_semaphore, &never); }
  plainly(for_semaphore, &never);
}

/* ---- what belongs to whom ---- */

TEST(law_12_errno_survives_a_plain_wait) {
  static ch_sem gate;
  ch_activity a;
  activate[&a] {
    errno = 5;
    plainly(for_semaphore, &gate);
    EXPECT(errno == 5);
  }
  ch_sleep(1);
  errno = 7;
  ch_sem_post(&gate);
  ch_activity_wait(&a);
  EXPECT(errno == 7);
}

TEST(the_signal_mask_is_the_thread_s_whichever_stack_runs) {
  static ch_sem gate;
  ch_activity a;
  sigset_t usr1, now;
  sigemptyset(&usr1);
  sigaddset(&usr1, SIGUSR1);
  activate[&a] {
    plainly(for_semaphore, &gate);
    EXPECT(sigprocmask(SIG_BLOCK, NULL, &now) == 0 && sigismember(&now, SIGUSR1));
    EXPECT(sigprocmask(SIG_UNBLOCK, &usr1, NULL) == 0);
  }
  ch_sleep(1);
  EXPECT(sigprocmask(SIG_BLOCK, &usr1, NULL) == 0);
  ch_sem_post(&gate);
  ch_activity_wait(&a);
  EXPECT(sigprocmask(SIG_BLOCK, NULL, &now) == 0 && !sigismember(&now, SIGUSR1));
}

__attribute__((noinline)) static int deep(int n) {
  volatile char room[1000];
  room[0] = (char)n;
  return n == 0 ? room[0] : deep(n - 1) + (room[0] == (char)n);
}
static int deeply(const void *depth, const void *same) { return (void)same, deep(*(const int *)depth) == 0; }
TEST(other_stacks_are_as_large_as_the_thread_s) {
  static ch_sem gate;
  int depth = 3000;
  activate { plainly(for_semaphore, &gate); }
  ch_sleep(1);
  ch_activity a;
  activate[&a] { plainly(deeply, &depth); }
  EXPECT(ch_activity_wait(&a) == 0);
}

TEST(a_child_of_fork_goes_on_on_whichever_stack_it_was) {
  static ch_sem gate, second;
  int64_t moment = 3;
  ch_activity a;
  activate { plainly(for_semaphore, &second); } /* from here on the others run on another stack */
  activate[&a] {
    pid_t child = fork();
    if (child == 0) {
      plainly(for_time, &moment);
      ch_sem_post(&second);
      ch_sem_post(&gate);
      ch_reschedule();
      exit(9);
    }
    int status;
    atomic EXPECT(waitpid(child, &status, 0) == child && WIFEXITED(status) && WEXITSTATUS(status) == 9);
  }
  EXPECT(ch_activity_wait(&a) == 0);
}

static void leaves_a_word(void) { EXPECT(write(2, "at exit", 7) == 7); }
TEST_EXITS(exit_on_another_stack_runs_the_handlers, 6, "at exit") {
  static ch_sem never;
  atexit(leaves_a_word);
  activate { plainly(for_semaphore, &never); }
  activate { exit(6); }
  ch_sem_wait(&never);
}
