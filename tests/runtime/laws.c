/* The laws of the one model, as far as the runtime alone keeps them. Each test is named after what it shows. */
#include "by_hand.h"

#include "wait/wait.h"
#include "reactor/timer.h"

static ch_sem s, t, done;
static ch_activity a;

/* ---- law 2: when a branch blocks, the next activity runs, first in, first out ---- */

FRAME_FUNCTION(steps, { char *name; }) {
  BEGIN(steps)
  v.name = *(char **)v.record;
  note(v.name);
  CALL(1, ch_reschedule_int())
  note(v.name);
  CALL(2, ch_reschedule_int())
  note(v.name);
  ch_sem_post(&done);
  END
}
MAIN_FUNCTION(three_in_turn, { int i; }) {
  BEGIN(three_in_turn_body)
  SPAWN(NULL, steps, &(char *){"a"}, 8);
  SPAWN(NULL, steps, &(char *){"b"}, 8);
  SPAWN(NULL, steps, &(char *){"c"}, 8);
  note("m");
  for (v.i = 0; v.i < 3; v.i++) {
    CALL(1, ch_sem_wait_int(&done))
  }
  note("m");
  END
}
TEST(law_2_activities_take_turns_first_in_first_out) {
  run_domain(three_in_turn);
  EXPECT_NOTES("m a b c a b c a b c m");
}

/* ---- law 5: inside atomic, a wait lets only contained activities run ---- */

static int posting(void *record) { return note(*(char **)record), ch_sem_post(&s), 0; }
static int noting(void *record) { return note(*(char **)record), 0; }

MAIN_FUNCTION(contained_runs_outside_waits, { int i; }) {
  BEGIN(contained_runs_outside_waits_body)
  SPAWN(NULL, noting, &(char *){"outside"}, 8);
  ATOMIC_ENTER();
  SPAWN_CONTAINED(NULL, posting, &(char *){"contained"}, 8);
  EXPECT(ch_sem_wait(&s) == 0);
  note("woken");
  ATOMIC_LEAVE();
  note("end");
  CALL(1, ch_reschedule_int())
  END
}
TEST(law_5_a_wait_in_atomic_runs_contained_activities_only) {
  run_domain(contained_runs_outside_waits);
  EXPECT_NOTES("contained woken end outside");
}

MAIN_FUNCTION(waits_for_the_outside, { int i; }) {
  BEGIN(waits_for_the_outside_body)
  SPAWN(NULL, posting, &(char *){"outside"}, 8);
  ATOMIC_ENTER();
  ch_sem_wait(&s);
  ATOMIC_LEAVE();
  END
}
TEST_EXITS(law_5_a_wait_in_atomic_for_the_outside_is_a_reported_deadlock, CH_EXIT_DEADLOCK, "inside an atomic block") {
  run_domain(waits_for_the_outside);
}

FRAME_FUNCTION(sleeper, { int i; }) {
  BEGIN(sleeper)
  CALL(1, ch_sleep_int(1000))
  note("slept");
  ch_sem_post(&s);
  END
}
MAIN_FUNCTION(outside_sleeps, { int i; }) {
  BEGIN(outside_sleeps_body)
  SPAWN(NULL, sleeper, NULL, 0);
  CALL(1, ch_reschedule_int())
  ATOMIC_ENTER();
  ch_sem_wait(&s);
  ATOMIC_LEAVE();
  END
}
TEST_EXITS(law_5_an_event_pending_for_others_does_not_hide_a_deadlock, CH_EXIT_DEADLOCK, "inside an atomic block") {
  run_domain(outside_sleeps);
}

MAIN_FUNCTION(contained_sleeps, { int64_t before; }) {
  BEGIN(contained_sleeps_body)
  v.before = ch_now();
  ATOMIC_ENTER();
  SPAWN_CONTAINED(NULL, sleeper, NULL, 0);
  EXPECT(ch_sem_wait(&s) == 0);
  ATOMIC_LEAVE();
  EXPECT(ch_now() == v.before + 1000);
  EXPECT(ch_sleep(5) == 0);
  ATOMIC_ENTER();
  EXPECT(ch_sleep(5) == 0);
  EXPECT(ch_sem_timedwait(&s, 7) == ETIMEDOUT);
  ATOMIC_LEAVE();
  EXPECT(ch_now() == v.before + 1017);
  END
}
TEST(law_5_outside_events_still_complete_inside_atomic) {
  run_domain(contained_sleeps);
  EXPECT_NOTES("slept");
}

/* ---- law 6: spawning inside atomic ---- */

MAIN_FUNCTION(spawns_in_atomic, { int i; }) {
  BEGIN(spawns_in_atomic_body)
  ATOMIC_ENTER();
  ATOMIC_ENTER();
  SPAWN(NULL, noting, &(char *){"delayed1"}, 8);
  SPAWN_CONTAINED(NULL, noting, &(char *){"inner"}, 8);
  note("in");
  ATOMIC_LEAVE();
  note("between");
  SPAWN_CONTAINED(NULL, noting, &(char *){"outer"}, 8);
  SPAWN(NULL, noting, &(char *){"delayed2"}, 8);
  ATOMIC_LEAVE();
  note("after");
  CALL(1, ch_reschedule_int())
  note("end");
  END
}
TEST(law_6_spawns_in_atomic_are_delayed_and_contained_ones_end_with_their_block) {
  run_domain(spawns_in_atomic);
  EXPECT_NOTES("in inner between outer after delayed1 delayed2 end");
}

FRAME_FUNCTION(two_steps, { char *name; }) {
  BEGIN(two_steps)
  v.name = *(char **)v.record;
  note(v.name);
  CALL(1, ch_reschedule_int())
  note(v.name);
  END
}
FRAME_FUNCTION(spawns_more, { int i; }) {
  BEGIN(spawns_more)
  note("x");
  SPAWN_CONTAINED(NULL, two_steps, &(char *){"beside"}, 8);
  SPAWN(NULL, noting, &(char *){"delayed"}, 8);
  ATOMIC_ENTER();
  SPAWN_CONTAINED(NULL, two_steps, &(char *){"nested"}, 8);
  ATOMIC_LEAVE();
  note("y");
  CALL(1, ch_reschedule_int())
  note("z");
  END
}
MAIN_FUNCTION(stack_of_groups, { int i; }) {
  BEGIN(stack_of_groups_body)
  ATOMIC_ENTER();
  SPAWN_CONTAINED(NULL, spawns_more, NULL, 0);
  SPAWN_CONTAINED(NULL, two_steps, &(char *){"sibling"}, 8);
  ATOMIC_LEAVE();
  note("after");
  CALL(1, ch_reschedule_int())
  END
}
TEST(law_6_the_activities_that_may_run_are_a_stack) {
  run_domain(stack_of_groups);
  EXPECT_NOTES("x nested nested y sibling beside z sibling beside after delayed");
}

MAIN_FUNCTION(contained_never_ends, { int i; }) {
  BEGIN(contained_never_ends_body)
  ATOMIC_ENTER();
  SPAWN_CONTAINED(&a, sleeper, NULL, 0);
  SPAWN_CONTAINED(NULL, two_steps, &(char *){"c"}, 8);
  ATOMIC_LEAVE();
  EXPECT(ch_activity_finished(&a));
  CALL(1, ch_activity_wait_int(&a))
  EXPECT(value == 0);
  END
}
TEST(law_6_a_block_ends_after_its_contained_activities_have_slept) {
  run_domain(contained_never_ends);
  EXPECT_NOTES("c c slept");
}

/* ---- law 7: the body of activate never runs before the statement has ended ---- */

MAIN_FUNCTION(spawn_only_queues, { int i; }) {
  BEGIN(spawn_only_queues_body)
  SPAWN(NULL, noting, &(char *){"body"}, 8);
  note("spawned");
  CALL(1, ch_reschedule_int())
  END
}
TEST(law_7_activate_queues) {
  run_domain(spawn_only_queues);
  EXPECT_NOTES("spawned body");
}

static int copies(void *record) {
  long sum = 0;
  for (int i = 0; i < 1000; i++)
    sum += ((long *)record)[i];
  EXPECT((uintptr_t)record % 16 == 0);
  EXPECT(sum == 499500);
  return note("sum"), 0;
}
MAIN_FUNCTION(big_record, { int i; }) {
  static long numbers[1000];
  BEGIN(big_record_body)
  for (int i = 0; i < 1000; i++)
    numbers[i] = i;
  SPAWN(NULL, copies, numbers, sizeof numbers);
  SPAWN(&a, copies, numbers, sizeof numbers);
  memset(numbers, 0, sizeof numbers);
  CALL(1, ch_activity_wait_int(&a))
  END
}
TEST(law_7_captured_values_are_copied_at_the_spawn) {
  run_domain(big_record);
  EXPECT_NOTES("sum sum");
}

static int ends(void *record) { return (void)record, 0; }
static uint64_t activity_bytes(void) {
  struct ch_stats st;
  ch_stats(&st);
  return st.activity_bytes;
}
MAIN_FUNCTION(records_of_many_sizes, {
  uint64_t before;
  size_t size;
}) {
  static char captured[2200];
  BEGIN(records_of_many_sizes_body)
  v.before = activity_bytes();
  for (v.size = 0; v.size <= sizeof captured; v.size += 8) {
    SPAWN(NULL, ends, captured, v.size);
    SPAWN(&a, ends, captured, v.size);
    CALL(1, ch_activity_wait_int(&a))
    EXPECT(activity_bytes() == v.before);
  }
  END
}
TEST(the_memory_of_an_activity_goes_back_whatever_it_captures) { run_domain(records_of_many_sizes); }

/* A function whose local is captured by reference, and which returns too early. */
static struct ch_int_result leaves_early(void *);
static const struct ch_frame_info leaves_info = {
    resume_by_hand, (void *)leaves_early, "leaves_early", "early.c", NULL, 1, 64, 8, 16, CH_FRAME_HOME, 0, 0, NULL};
static struct ch_int_result leaves_early(void *record) {
  (void)record;
  struct ch_frame *home = ch_frame_new(&leaves_info);
  char *local = (char *)home + 40;
  ch_spawn(NULL, (void *)noting, &local, sizeof local, 0, "early.c:12");
  ch_frame_free(home);
  RETURN(0);
}
MAIN_FUNCTION(dangling, { int i; }){
    BEGIN(dangling_body) CALL(1, leaves_early(NULL))
        END} TEST_EXITS(law_7_a_dangling_capture_is_reported_with_both_places, CH_EXIT_MISUSE,
                        "leaves_early returned while an activity that knows the address of one of its locals is alive\n"
                        "charcoal: the activity was spawned at early.c:12") {
  ch_checks = 1;
  run_domain(dangling);
}

static void __attribute__((noinline)) plain_leaves_early(void) {
  char local[64], *pointer = local;
  ch_spawn(NULL, (void *)noting, &pointer, sizeof pointer, 0, "plain.c:3");
}
MAIN_FUNCTION(plain_dangling, { int i; }) {
  BEGIN(plain_dangling_body)
  plain_leaves_early();
  CALL(1, ch_reschedule_int())
  END
}
TEST_EXITS(law_7_a_dangling_capture_of_a_plain_function_is_reported, CH_EXIT_MISUSE, "spawned at plain.c:3") {
  ch_checks = 1;
  run_domain(plain_dangling);
}

FRAME_FUNCTION(waits_first, { struct ch_frame *home; }) {
  BEGIN(waits_first)
  v.home = ch_frame_new(&leaves_info);
  {
    char *local = (char *)v.home + 40;
    strcpy(local, "ok");
    ch_spawn(&a, (void *)noting, &local, sizeof local, 0, "fine.c:1");
  }
  CALL(1, ch_activity_wait_int(&a))
  ch_frame_free(v.home);
  END
}
MAIN_FUNCTION(not_dangling, { int i; }){BEGIN(not_dangling_body) CALL(1, waits_first(NULL))
                                            END} TEST(law_7_who_waits_before_returning_is_not_reported) {
  ch_checks = 1;
  run_domain(not_dangling);
  EXPECT_NOTES("ok");
}

/* ---- law 8: one way to block ---- */

/* Clauses must not move while they are waited on, and hand-written frames are copied: so they live in static memory
 * here. */
static struct ch_clause clauses[3];
static struct ch_wait wait_over;
static struct ch_wait *over(unsigned n) {
  ch_wait_enter(&wait_over, 0, NULL);
  ch_wait_add_all(&wait_over, clauses, n);
  return &wait_over;
}
MAIN_FUNCTION(selects, { int i; }) {
  BEGIN(selects_body)
  for (v.i = 0; v.i < 3; v.i++) {
    clauses[0] = (struct ch_clause){.type = &ch_sem_clause_type, .object = &s};
    clauses[1] = (struct ch_clause){.type = &ch_sem_clause_type, .object = &t};
    clauses[2] = ch_timer_clause(100);
    if (v.i == 1)
      SPAWN(NULL, posting, &(char *){"post"}, 8);
    if (v.i == 2)
      ch_sem_post(&t);
    CALL(1, ch_wait_any_int(over(3)))
    note(value == 0 ? "s" : value == 1 ? "t" : "clock");
    EXPECT(ch_list_empty(&s.waiters) && ch_list_empty(&t.waiters) && ch_timers_next() == CH_FOREVER);
  }
  EXPECT(s.count == 0 && t.count == 0 && ch_now() == 100);
  END
}
TEST(law_8_the_first_ready_clause_is_selected_and_all_others_are_withdrawn) {
  run_domain(selects);
  EXPECT_NOTES("clock post s t");
}

MAIN_FUNCTION(textual_order, { int i; }) {
  BEGIN(textual_order_body)
  ch_sem_post(&s);
  ch_sem_post(&t);
  clauses[0] = ch_timer_clause(100);
  clauses[1] = (struct ch_clause){.type = &ch_sem_clause_type, .object = &t};
  clauses[2] = (struct ch_clause){.type = &ch_sem_clause_type, .object = &s};
  CALL(1, ch_wait_any_int(over(3)))
  EXPECT(value == 1 && s.count == 1 && t.count == 0);
  END
}
TEST(law_8_of_several_ready_clauses_the_first_wins_and_the_others_have_no_effect) { run_domain(textual_order); }

static int selecting_plainly(void *record) {
  (void)record;
  clauses[0] = (struct ch_clause){.type = &ch_sem_clause_type, .object = &s};
  clauses[1] = ch_timer_clause(50);
  EXPECT(ch_wait_any(over(2)) == 1);
  EXPECT(ch_list_empty(&s.waiters));
  return 0;
}
MAIN_FUNCTION(plain_selects, { int i; }) {
  BEGIN(plain_selects_body)
  SPAWN(&a, selecting_plainly, NULL, 0);
  CALL(1, ch_activity_wait_int(&a))
  END
}
TEST(law_8_plain_code_waits_over_clauses_too) { run_domain(plain_selects); }

static int posts_all(void *record) {
  (void)record;
  for (int i = 0; i < 3; i++)
    ch_sem_post(&s);
  return 0;
}
FRAME_FUNCTION(waits_and_notes, { char *name; }) {
  BEGIN(waits_and_notes)
  v.name = *(char **)v.record;
  CALL(1, ch_sem_wait_int(&s))
  note(v.name);
  ch_sem_post(&done);
  END
}
MAIN_FUNCTION(in_order_of_arrival, { int i; }) {
  BEGIN(in_order_of_arrival_body)
  SPAWN(NULL, waits_and_notes, &(char *){"a"}, 8);
  SPAWN(NULL, waits_and_notes, &(char *){"b"}, 8);
  SPAWN(NULL, waits_and_notes, &(char *){"c"}, 8);
  SPAWN(NULL, posts_all, NULL, 0);
  for (v.i = 0; v.i < 3; v.i++) {
    CALL(1, ch_sem_wait_int(&done))
  }
  EXPECT(s.count == 0);
  END
}
TEST(law_8_waiters_are_served_in_order_of_arrival) {
  run_domain(in_order_of_arrival);
  EXPECT_NOTES("a b c");
}

/* ---- law 12: errno belongs to the branch ---- */

FRAME_FUNCTION(keeps_errno, { long e; }) {
  BEGIN(keeps_errno)
  v.e = *(long *)v.record;
  EXPECT(errno == 0);
  errno = (int)v.e;
  CALL(1, ch_reschedule_int())
  EXPECT(errno == v.e);
  errno = (int)v.e + 100;
  CALL(2, ch_sleep_int(10))
  EXPECT(errno == v.e + 100);
  EXPECT(ch_sleep(v.e * 5) == 0); /* plain: others run above this one */
  EXPECT(errno == v.e + 100);
  ch_sem_post(&done);
  END
}
MAIN_FUNCTION(errnos, { int i; }) {
  BEGIN(errnos_body)
  errno = 77;
  SPAWN(NULL, keeps_errno, &(long){1}, 8);
  SPAWN(NULL, keeps_errno, &(long){2}, 8);
  SPAWN(NULL, keeps_errno, &(long){3}, 8);
  for (v.i = 0; v.i < 3; v.i++) {
    CALL(1, ch_sem_wait_int(&done))
  }
  EXPECT(errno == 77);
  END
}
TEST(law_12_errno_survives_every_switch) { run_domain(errnos); }
