/* Code that never waits, in a domain where nobody else runs: what happens outside reaches it all the same. Each of
 * these tests would go on for ever if it did not. */
#include "harness.h"
#include "charcoal/lowlevel.h"
#include "charcoal/offload.h"
#include <pthread.h>
#include <search.h>

enum { MS = 1000000 };

static volatile long steps;
static __attribute__((noinline)) void step(void) { steps++; }

/* ---- deadlines ---- */

TEST(a_computation_that_asks_hears_of_its_deadline) {
  within(2 * MS) do {
    while (!ch_cancelled())
      step();
    EXPECT(ch_sleep(1) == ECANCELED);
  }
  finish;
  EXPECT(!ch_cancelled());
}

static int until_cancelled(const void *unused, const void *same) {
  (void)unused, (void)same;
  while (!ch_cancelled())
    step();
  return 0;
}
TEST(a_computation_in_plain_code_that_asks_hears_of_its_deadline) {
  within(2 * MS) do {
    size_t one = 1;
    int element = 0;
    lfind(&element, &element, &one, sizeof element, until_cancelled);
    EXPECT(ch_cancelled());
  }
  finish;
}

TEST(a_computation_in_an_atomic_block_that_asks_hears_of_its_deadline) {
  within(2 * MS) do {
    atomic until_cancelled(NULL, NULL);
    EXPECT(ch_sleep(1) == ECANCELED);
  }
  finish;
}

TEST(waits_that_never_have_to_wait_end_at_the_deadline) {
  ch_sem units = CH_SEM_INIT(0);
  int error = 0;
  within(2 * MS) do {
    while (!error) {
      ch_sem_post(&units);
      error = ch_sem_wait(&units);
    }
  }
  finish;
  EXPECT(error == ECANCELED && ch_sem_trywait(&units) == 0 && ch_sem_trywait(&units) == EAGAIN);
}

TEST(calls_on_descriptors_that_never_have_to_wait_end_at_the_deadline) {
  int ends[2];
  char c = 'c';
  EXPECT(pipe(ends) == 0);
  within(2 * MS) do {
    while (write(ends[1], &c, 1) == 1 && read(ends[0], &c, 1) == 1)
      step();
    EXPECT(errno == ECANCELED);
  }
  finish;
}

TEST(who_asks_behind_a_barrier_does_not_hear_of_the_deadline_before_it) {
  within(2 * MS) do {
    int64_t end = ch_now() + 3 * MS;
    noncancellable {
      while (ch_now() < end)
        EXPECT(!ch_cancelled());
    }
    EXPECT(ch_cancelled());
  }
  finish;
}

TEST(who_asks_hears_of_the_deadline_of_a_scope_further_out) {
  within(2 * MS) do {
    within(3600 * (int64_t)1000 * MS) do {
      while (!ch_cancelled())
        step();
    }
    finish;
    EXPECT(ch_cancelled());
    do {
      EXPECT(ch_cancelled());
    }
    finish;
  }
  finish;
  EXPECT(!ch_cancelled());
}

TEST(who_asks_hears_of_a_deadline_where_it_was_moved_to) {
  int64_t begun = ch_now();
  within(3600 * (int64_t)1000 * MS) do {
    EXPECT(ch_deadline_move(ch_scope_here(), begun + 2 * MS) == 0);
    while (!ch_cancelled())
      EXPECT(ch_now() - begun < 3600 * (int64_t)1000 * MS);
  }
  finish;
  within(MS) do {
    EXPECT(ch_deadline_move(ch_scope_here(), begun + 3600 * (int64_t)1000 * MS) == 0);
    for (int64_t end = ch_now() + 2 * MS; ch_now() < end;)
      EXPECT(!ch_cancelled());
  }
  finish;
}

/* ---- other threads, and sources ---- */

static void sets(void *flag) { *(volatile int *)flag = 1; }
static volatile int letter_opened;
static void *posts(void *inbox) {
  ch_post(inbox, sets, (void *)&letter_opened);
  return NULL;
}

TEST(letters_of_other_threads_are_opened_while_an_activity_computes) {
  pthread_t thread;
  EXPECT(pthread_create(&thread, NULL, posts, ch_inbox()) == 0);
  while (!letter_opened)
    step();
  EXPECT(pthread_join(thread, NULL) == 0);
}

TEST(sources_are_looked_at_while_an_activity_computes) {
  ch_source source;
  volatile int seen = 0;
  EXPECT(ch_source_add(&source, sets, (void *)&seen) == 0);
  while (!seen)
    step();
  ch_source_remove(&source);
}
