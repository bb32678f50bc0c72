/* Bad input and misuse: each has one defined outcome. */
#include "by_hand.h"
#include <limits.h>
#include <sys/resource.h>

static ch_sem s, done;
static ch_activity a;
static int waited[2];

static int nothing(void *record) { return (void)record, 0; }

FRAME_FUNCTION(waits_for_a, { long i; }) {
  BEGIN(waits_for_a)
  v.i = *(long *)v.record;
  CALL(1, ch_activity_wait_int(&a))
  waited[v.i] = (int)value;
  ch_sem_post(&done);
  END
}
FRAME_FUNCTION(waits_for_s, { long i; }) {
  BEGIN(waits_for_s)
  v.i = *(long *)v.record;
  CALL(1, ch_sem_wait_int(&s))
  waited[v.i] = (int)value;
  ch_sem_post(&done);
  END
}

MAIN_FUNCTION(twice, { int i; }) {
  BEGIN(twice_body)
  waited[0] = waited[1] = -1;
  SPAWN(&a, nothing, NULL, 0);
  EXPECT(!ch_activity_finished(&a));
  SPAWN(NULL, waits_for_a, &(long){0}, 8);
  SPAWN(NULL, waits_for_a, &(long){1}, 8);
  CALL(1, ch_sem_wait_int(&done))
  CALL(2, ch_sem_wait_int(&done))
  EXPECT(waited[0] == 0 && waited[1] == 0 && ch_activity_finished(&a));
  CALL(3, ch_activity_wait_int(&a))
  EXPECT(value == 0);
  END
}
TEST(a_handle_may_be_waited_for_twice_and_by_many) { run_domain(twice); }

FRAME_FUNCTION(waits_for_itself, { int i; }) {
  BEGIN(waits_for_itself)
  EXPECT(ch_self() == &a);
  EXPECT(ch_activity_wait(&a) == EDEADLK);
  CALL(1, ch_activity_wait_int(&a))
  EXPECT(value == EDEADLK);
  note("refused");
  END
}
MAIN_FUNCTION(self_wait, { int i; }) {
  BEGIN(self_wait_body)
  EXPECT(ch_self() == NULL);
  SPAWN(&a, waits_for_itself, NULL, 0);
  CALL(1, ch_activity_wait_int(&a))
  END
}
TEST(waiting_for_oneself_is_refused) {
  run_domain(self_wait);
  EXPECT_NOTES("refused");
}

MAIN_FUNCTION(never_spawned, { int i; }){BEGIN(never_spawned_body){ch_activity zero = {0};
EXPECT(ch_activity_wait(&zero) == EINVAL);
EXPECT(ch_activity_detach(&zero) == EINVAL);
}
END
}
TEST(a_handle_that_was_never_spawned_is_refused) { run_domain(never_spawned); }

MAIN_FUNCTION(detaches, { int i; }) {
  BEGIN(detaches_body)
  SPAWN(&a, waits_for_s, &(long){0}, 8);
  SPAWN(NULL, waits_for_a, &(long){1}, 8);
  CALL(1, ch_reschedule_int())
  EXPECT(ch_activity_detach(&a) == 0);
  EXPECT(ch_activity_detach(&a) == EINVAL);
  memset(&a, 0xff, sizeof a);
  CALL(2, ch_sem_wait_int(&done))
  EXPECT(waited[1] == EINVAL);
  ch_sem_post(&s);
  CALL(3, ch_sem_wait_int(&done))
  EXPECT(waited[0] == 0);
  END
}
TEST(a_detached_activity_goes_on_and_its_waiters_are_told) { run_domain(detaches); }

MAIN_FUNCTION(destroyed, { int i; }) {
  BEGIN(destroyed_body)
  SPAWN(NULL, waits_for_s, &(long){0}, 8);
  SPAWN(NULL, waits_for_s, &(long){1}, 8);
  CALL(1, ch_reschedule_int())
  EXPECT(ch_sem_destroy(&s) == EBUSY);
  CALL(2, ch_sem_wait_int(&done))
  CALL(3, ch_sem_wait_int(&done))
  EXPECT(waited[0] == ECANCELED && waited[1] == ECANCELED);
  EXPECT(ch_sem_destroy(&s) == 0);
  END
}
TEST(destroying_a_semaphore_wakes_its_waiters_and_says_so) { run_domain(destroyed); }

TEST(a_semaphore_has_at_most_long_max_units) {
  static ch_sem made = CH_SEM_INIT(ULONG_MAX);
  ch_sem_init(&s, ULONG_MAX);
  for (ch_sem *one = &s;; one = &made) {
    EXPECT(ch_sem_post(one) == EOVERFLOW && ch_sem_post_from_handler(one) == EOVERFLOW);
    EXPECT(ch_sem_trywait(one) == 0 && ch_sem_post(one) == 0 && ch_sem_post(one) == EOVERFLOW);
    EXPECT(ch_sem_destroy(one) == 0);
    if (one == &made)
      break;
  }
}

FRAME_FUNCTION(never_again, { int i; }) {
  BEGIN(never_again)
  CALL(1, ch_sem_wait_int(&s))
  note("impossible");
  END
}
static int noted(void *record) { return (void)record, note("noted"), 0; }
static int at_exit_saw;
static void at_exit(void) {
  EXPECT(ch_sem_wait(&s) == EPERM); /* the domain is gone: nobody could post */
  EXPECT(ch_spawn(&a, (void *)nothing, NULL, 0, 0, NULL) == EPERM && ch_activity_wait(&a) == EPERM);
  at_exit_saw = 1;
}
MAIN_FUNCTION(returns_early, { int i; }) {
  BEGIN(returns_early_body)
  SPAWN(NULL, never_again, NULL, 0);
  CALL(1, ch_reschedule_int())
  SPAWN(NULL, nothing, NULL, 0);
  RETURN(5);
  END
}
TEST(main_returning_drops_what_still_runs) {
  EXPECT(run_domain(returns_early) == 5);
  EXPECT_NOTES("");
  at_exit();
  EXPECT(at_exit_saw);
}

static int waits_plainly(void *record) { return (void)record, ch_sem_wait(&s), note("impossible"), 0; }
MAIN_FUNCTION(returns_above, { int i; }) {
  BEGIN(returns_above_body)
  SPAWN(NULL, waits_plainly, NULL, 0);
  CALL(1, ch_reschedule_int())
  RETURN(6);
  END
}
TEST_EXITS(main_returning_above_a_plain_wait_ends_the_program, 6, "at exit") {
  atexit(at_exit);
  if (write(2, "at exit", 7) != 7)
    _exit(1);
  run_domain(returns_above);
}

MAIN_FUNCTION(stuck, { int i; }) {
  BEGIN(stuck_body)
  SPAWN(NULL, never_again, NULL, 0);
  CALL(1, ch_sem_wait_int(&done))
  END
}
TEST_EXITS(a_deadlock_is_reported_with_every_activity, CH_EXIT_DEADLOCK, "  #0 never_again at hand.c:101\n") {
  run_domain(stuck);
}
TEST_EXITS(a_deadlock_is_reported_with_where_main_waits, CH_EXIT_DEADLOCK, "  #0 stuck_body at hand.c:101\n") {
  run_domain(stuck);
}
TEST_EXITS(a_deadlock_is_reported_with_the_name_of_the_semaphore, CH_EXIT_DEADLOCK,
           "\"main\": waits for a semaphore done 0x") {
  run_domain(stuck);
}
TEST_EXITS(a_deadlock_is_reported_with_what_could_be_done, CH_EXIT_DEADLOCK,
           "let another activity end one of these waits") {
  run_domain(stuck);
}

/* ---- out of memory at a spawn ---- */

static long spawned, finished;
FRAME_FUNCTION(waits_and_counts, { int i; }) {
  BEGIN(waits_and_counts)
  CALL(1, ch_sem_wait_int(&s))
  if (++finished == spawned)
    ch_sem_post(&done);
  END
}
MAIN_FUNCTION(until_memory_ends, {
  long i;
  int error;
}) {
  BEGIN(until_memory_ends_body) {
    struct rlimit limit = {96 << 20, 96 << 20};
    EXPECT(setrlimit(RLIMIT_AS, &limit) == 0);
  }
  for (;;) {
    v.error = SPAWN(NULL, waits_and_counts, NULL, 0);
    if (v.error)
      break;
    if (++spawned % 1024 == 0) {
      CALL(1, ch_reschedule_int())
    }
  }
  EXPECT(v.error == ENOMEM);
  EXPECT(ch_spawn(&a, (void *)nothing, NULL, 0, 0, NULL) == ENOMEM);
  CALL(2, ch_activity_wait_int(&a))
  EXPECT(value == ENOMEM);
  {
    struct ch_stats st;
    ch_stats(&st);
    EXPECT(st.activities == (uint64_t)spawned + 1 && spawned > 100000);
  }
  for (v.i = 0; v.i < spawned; v.i++)
    ch_sem_post(&s);
  CALL(3, ch_sem_wait_int(&done))
  EXPECT(finished == spawned);
  EXPECT(SPAWN(&a, nothing, NULL, 0) == 0);
  CALL(4, ch_activity_wait_int(&a))
  EXPECT(value == 0);
  END
}
TEST(running_out_of_memory_at_a_spawn_is_an_error_and_nothing_is_lost) { run_domain(until_memory_ends); }

TEST(code_outside_a_domain_becomes_an_activity_of_one) {
  EXPECT(ch_name() == NULL && ch_self() == NULL);
  EXPECT(ch_spawn(&a, (void *)noted, NULL, 0, 0, NULL) == 0);
  note("spawned");
  EXPECT(ch_sleep(1) == 0);
  EXPECT_NOTES("spawned noted");
  EXPECT(ch_activity_wait(&a) == 0);
  EXPECT(ch_set_name("x") == 0 && strcmp(ch_name(), "x") == 0 && ch_self() == NULL);
  EXPECT(ch_domain_leave() == EINVAL && ch_domain_enter() == 0 && ch_domain_enter() == 0);
  EXPECT(ch_spawn(&a, (void *)noted, NULL, 0, 0, NULL) == 0);
  EXPECT(ch_domain_leave() == 0 && !ch_activity_finished(&a));
  EXPECT(ch_domain_leave() == 0 && ch_activity_finished(&a) && ch_activity_wait(&a) == 0);
  EXPECT(ch_name() == NULL && ch_domain_leave() == EINVAL);
  EXPECT(ch_sleep(1) == 0); /* once more */
}
TEST_EXITS(outside_a_domain_a_wait_that_nothing_can_end_is_reported, CH_EXIT_DEADLOCK, "of the thread's own code") {
  ch_sem_wait(&s);
}
