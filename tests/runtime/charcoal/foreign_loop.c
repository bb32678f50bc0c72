/* A domain inside somebody else's loop: charcoal/loop.h. The loop's own waits are plain ones, in atomic blocks, and
 * longer than a test may take: who is not woken fails. */
#include "harness.h"
#include <charcoal/channel.h>
#include <charcoal/events.h>
#include <charcoal/loop.h>
#include <poll.h>
#include <pthread.h>
#include <stdint.h>
#include <sys/eventfd.h>
#include <unistd.h>

enum { LONG_MS = 60000 };

/* poll itself; who calls it in an atomic block lets nobody run before. Whether the loop's descriptor is readable. */
static int plain_poll(int fd, int64_t ns) {
  struct pollfd one = {fd, POLLIN, 0};
  int64_t ms = ns < 0 || ns > INT64_C(1000000) * LONG_MS ? LONG_MS : (ns + 999999) / 1000000;
  int n;
  atomic { n = poll(&one, 1, (int)ms); }
  return n;
}
/* The loop, as a program would write it. Returns how often it has gone around. */
static unsigned loop_until(const int *done) {
  unsigned rounds = 0;
  const int fd = ch_loop_fd();
  for (; !*done && rounds < 100000; rounds++) {
    EXPECT(ch_loop_step() == 0);
    if (*done)
      break;
    atomic {
      int64_t ns = ch_loop_timeout();
      int n = plain_poll(fd, ns);
      EXPECT(ns >= 0 && (n > 0 || ns < CH_FOREVER)); /* else nobody has woken it */
    }
  }
  return rounds;
}
/* One step may end early on a busy machine, because a step has a limit. */
static void settle(void) {
  do
    EXPECT(ch_loop_step() == 0);
  while (ch_loop_timeout() == 0);
}

TEST(a_step_runs_everybody_until_all_wait) {
  int ran = 0;
  for (int i = 0; i < 3; i++)
    activate {
      ran++;
      yield;
      ran++;
    }
  EXPECT(ch_loop_timeout() == 0);
  settle();
  EXPECT(ran == 6 && ch_loop_timeout() == CH_FOREVER);
}

static void each_write_wakes_the_loop(int from, int to) {
  int done = 0;
  uint64_t number = 0;
  const int fd = ch_loop_fd();
  EXPECT(fd >= 0);
  activate {
    for (int i = 0; i < 50; i++)
      EXPECT(read(from, &number, sizeof number) == sizeof number);
    done = 1;
  }
  settle();
  unsigned rounds = 0;
  for (int i = 0; i < 50; i++) {
    atomic {
      EXPECT(plain_poll(fd, 0) == 0); /* it is quiet while nothing has happened */
      EXPECT(write(to, &(uint64_t){7}, sizeof number) == sizeof number);
      EXPECT(plain_poll(fd, CH_FOREVER) == 1);
    }
    do
      EXPECT(ch_loop_step() == 0 && ++rounds < 1000);
    while (ch_loop_timeout() == 0);
  }
  EXPECT(done && number == 7);
}
TEST(a_descriptor_that_becomes_ready_wakes_the_loop) {
  int ends[2];
  EXPECT(pipe(ends) == 0);
  each_write_wakes_the_loop(ends[0], ends[1]);
}
TEST(an_eventfd_wakes_the_loop_each_time_it_is_written) {
  int fd = eventfd(0, 0);
  EXPECT(fd >= 0);
  each_write_wakes_the_loop(fd, fd);
}

static ch_sem posted;
static void *post(void *unused) {
  usleep(2000);
  ch_sem_post(&posted);
  return unused;
}
TEST(a_letter_from_another_thread_wakes_the_loop) {
  int done = 0;
  pthread_t thread;
  activate {
    ch_sem_wait(&posted);
    done = 1;
  }
  atomic { EXPECT(pthread_create(&thread, NULL, post, NULL) == 0); }
  EXPECT(ch_loop_fd() >= 0 && loop_until(&done) < 1000);
  atomic { pthread_join(thread, NULL); }
}

TEST(each_letter_wakes_the_loop_and_its_descriptor_is_not_ready_afterwards) {
  const int fd = ch_loop_fd();
  for (int i = 0; i < 3; i++) {
    int done = 0;
    pthread_t thread;
    activate {
      ch_sem_wait(&posted);
      done = 1;
    }
    settle();
    atomic { EXPECT(pthread_create(&thread, NULL, post, NULL) == 0); }
    EXPECT(fd >= 0 && loop_until(&done) < 1000);
    settle();
    EXPECT(plain_poll(fd, 0) == 0);
    atomic { pthread_join(thread, NULL); }
  }
}

TEST(a_timer_is_the_loops_time_out) {
  int done = 0;
  activate {
    ch_sleep(20000000);
    done = 1;
  }
  settle();
  int64_t ns = ch_loop_timeout(), begin = ch_now();
  EXPECT(ns > 0 && ns <= 30000000);
  loop_until(&done);
  EXPECT(ch_now() - begin + 1000000 >= ns / 2);
}

TEST(what_the_loops_code_triggers_runs_in_the_next_step) {
  int value = 0, done = 0;
  event(int) happened = NULL;
  activate {
    twait { happened = mkevent(&value); }
    done = value;
  }
  settle();
  EXPECT(ch_loop_timeout() == CH_FOREVER && !done); /* and that is no deadlock: the loop may trigger it */
  EXPECT(ch_trigger(happened, 7) == 0 && !done);
  EXPECT(ch_loop_timeout() == 0);
  settle();
  EXPECT(done == 7);
}

TEST(branches_of_the_loops_own_activity_run_in_steps) {
  int done = 0;
  do {
    async {
      ch_sleep(1000000);
      done = 1;
    }
    EXPECT(ch_loop_fd() >= 0);
    loop_until(&done);
  }
  finish;
}

/* Law 1: a branch that is set aside at a yield point goes on before its siblings. */
static volatile int turns_of_another, inside;
__attribute__((noinline)) static void do_nothing(void) { __asm__ volatile(""); }
static void until_another_activity_has_run(void) {
  const int before = turns_of_another;
  while (turns_of_another == before)
    do_nothing();
}
TEST(branches_of_the_loops_own_activity_are_not_interrupted_by_each_other) {
  int done = 0;
  activate {
    for (; done < 2; turns_of_another++)
      yield;
  }
  do {
    for (int i = 0; i < 2; i++)
      async {
        ch_sleep(50000000);
        EXPECT(!inside);
        inside = 1;
        until_another_activity_has_run();
        inside = 0;
        done++;
      }
    EXPECT(ch_loop_step() == 0); /* a step in which the other one runs, and none of the branches */
    atomic usleep(60000);
    while (done < 2)
      EXPECT(ch_loop_step() == 0);
  }
  finish;
}

TEST(a_step_ends_although_somebody_can_always_run) {
  int stop = 0;
  activate {
    while (!stop)
      yield;
  }
  EXPECT(ch_loop_step() == 0 && ch_loop_timeout() == 0);
  stop = 1;
  settle();
}

TEST(code_of_the_loop_may_wait_and_then_go_on) {
  int ran = 0, done = 0;
  activate {
    for (; ran < 5; ran++)
      ch_sleep(ran == 0 ? 100000000 : 1000000); /* the first lasts beyond the step below, also on a busy machine */
    done = 1;
  }
  EXPECT(ch_loop_fd() >= 0);
  settle();
  ch_sleep(2000000); /* the activities go on meanwhile */
  loop_until(&done);
  EXPECT(ran == 5);
}

/* In stress mode either of the two may begin its step first. */
static int steps_refused, times_refused;
static void step_until_refused(void) {
  while (!steps_refused || !times_refused) {
    steps_refused += ch_loop_step() == EBUSY;
    times_refused += ch_loop_timeout() == -EBUSY;
  }
}
TEST(a_step_in_a_step_is_refused) {
  alarm(60);
  activate step_until_refused();
  step_until_refused();
}

TEST(a_step_in_an_atomic_block_is_refused) {
  int error;
  atomic { error = ch_loop_step(); }
  EXPECT(error == EPERM);
}

TEST_EXITS(code_of_the_loop_that_waits_for_nobody_is_a_deadlock, CH_EXIT_DEADLOCK, "deadlock") {
  channel(int) never = {0};
  int x;
  settle();
  EXPECT(ch_loop_timeout() == CH_FOREVER);
  ch_recv(&never, &x);
}

TEST(a_child_of_fork_has_a_descriptor_of_its_own) {
  int status, done = 0;
  EXPECT(ch_loop_fd() >= 0 && ch_loop_step() == 0);
  pid_t child = fork();
  if (child == 0) {
    activate {
      ch_sleep(1000000);
      done = 1;
    }
    EXPECT(ch_loop_fd() >= 0);
    loop_until(&done);
    _exit(0);
  }
  EXPECT(waitpid(child, &status, 0) == child && status == 0);
  settle();
  EXPECT(plain_poll(ch_loop_fd(), 0) == 0);
}
