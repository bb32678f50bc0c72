/* Scopes that are handed over: members, errors that are collected, deadlines that are moved, results. In virtual time.
 */
#include "simulated.h"
#include <search.h>

enum { MS = 1000000 };

/* ---- members ---- */

static void sleeps_and_says(int64_t duration, const char *text) { says(text, ch_sleep(duration)); }

/* A function that gets a scope as an argument, and has returned long before those whom it has begun. */
static void begin_two(ch_scope *in) {
  activate[ch_in(in)] sleeps_and_says(20 * MS, "late");
  activate[ch_in(in)] sleeps_and_says(10 * MS, "early");
}

TEST(a_scope_ends_after_the_activities_that_were_spawned_into_it) {
  STARTS
  do {
    begin_two(ch_scope_here());
    note("begun");
  }
  finish;
  note("end");
  AFTER(20 * MS);
  EXPECT_NOTES("begun early late end");
}

TEST(a_scope_ends_after_its_branches_and_its_members_whichever_are_last) {
  STARTS
  do {
    activate[ch_in(ch_scope_here())] sleeps_and_says(10 * MS, "member");
    async sleeps_and_says(20 * MS, "branch");
  }
  finish;
  AFTER(20 * MS);
  do {
    activate[ch_in(ch_scope_here())] sleeps_and_says(20 * MS, "member");
    async sleeps_and_says(10 * MS, "branch");
  }
  finish;
  AFTER(40 * MS);
  EXPECT_NOTES("member branch branch member");
}

TEST(an_activity_that_is_spawned_as_usual_is_no_part_of_the_scope) {
  ch_activity other;
  do {
    activate[&other] sleeps_and_says(10 * MS, "other");
    cancel;
  }
  finish;
  note("end");
  ch_activity_wait(&other);
  EXPECT_NOTES("end other");
}

TEST(members_are_cancelled_with_their_scope_and_begin_cancelled_in_a_cancelled_one) {
  STARTS
  do {
    ch_scope *here = ch_scope_here();
    begin_two(here);
    async {
      ch_sleep(5 * MS);
      cancel;
      activate[ch_in(here)] sleeps_and_says(MS, "too late");
    }
  }
  finish;
  AFTER(5 * MS);
  EXPECT_NOTES("late! early! too late!");
}

TEST(a_cancel_from_outside_reaches_members_of_members_and_stops_at_a_barrier) {
  STARTS
  ch_activity tree;
  activate[&tree] {
    do {
      activate[ch_in(ch_scope_here())] {
        do {
          begin_two(ch_scope_here());
          noncancellable { activate[ch_in(ch_scope_here())] sleeps_and_says(7 * MS, "protected"); }
        }
        finish;
      }
    }
    finish;
  }
  ch_sleep(5 * MS);
  ch_activity_cancel(&tree);
  ch_activity_wait(&tree);
  AFTER(7 * MS);
  EXPECT_NOTES("late! early! protected");
}

static void nest(int depth, ch_scope *in) {
  if (depth == 0) {
    activate[ch_in(in)] sleeps_and_says(MS, "innermost");
    return;
  }
  activate[ch_in(in)](depth) {
    do
      nest(depth - 1, ch_scope_here());
    finish;
  }
}
TEST(members_of_members_are_cancelled_without_recursion) {
  enum { DEEP = 100000 };
  do {
    nest(DEEP, ch_scope_here());
    ch_sleep(1000);
    cancel;
  }
  finish;
  EXPECT_NOTES("innermost!");
}

/* A member spawns more into the scope while its owner waits at the end. */
static void spawn_on(ch_scope *in, int n) {
  ch_sleep(MS);
  if (n > 0)
    activate[ch_in(in)] spawn_on(in, n - 1);
}
TEST(a_scope_whose_owner_waits_at_its_end_still_takes_members) {
  STARTS
  do
    spawn_on(ch_scope_here(), 9);
  finish;
  AFTER(10 * MS);
}

TEST(a_scope_that_was_handed_over_is_cancelled_by_whoever_has_it) {
  STARTS
  do {
    ch_scope *outer = ch_scope_here();
    activate[ch_in(outer)] {
      ch_sleep(3 * MS);
      ch_scope_cancel(outer);
    }
    do
      says("inner", ch_sleep(10 * MS));
    finish;
  }
  finish;
  AFTER(3 * MS);
  EXPECT_NOTES("inner!");
}

TEST(in_no_scope_there_is_none_and_ch_in_means_none) {
  EXPECT(ch_scope_here() == NULL);
  activate[ch_in(ch_scope_here())] note("free");
  ch_sleep(0);
  EXPECT_NOTES("free");
}

TEST(a_member_is_not_detached_by_itself) {
  do
    activate[ch_in(ch_scope_here())] { EXPECT(ch_self() && ch_activity_detach(ch_self()) == EBUSY); }
  finish;
}

TEST(a_member_that_was_spawned_in_atomic_begins_behind_it_and_is_joined) {
  do {
    atomic {
      begin_two(ch_scope_here());
      note("atomic");
    }
  }
  finish;
  EXPECT_NOTES("atomic early late");
}

TEST(contained_members_are_joined_within_the_atomic_block) {
  atomic {
    do
      activate contained[ch_in(ch_scope_here())] {
        ch_sleep(MS);
        note("contained");
      }
    finish;
    note("end");
  }
  EXPECT_NOTES("contained end");
}

TEST_EXITS(a_scope_in_atomic_that_waits_for_delayed_members_is_reported, CH_EXIT_DEADLOCK, "inside an atomic block") {
  atomic {
    do
      begin_two(ch_scope_here());
    finish;
  }
}

/* Whoever waits at the end on the native stack, in plain code. */
static int compare(const void *a, const void *b) {
  do
    begin_two(ch_scope_here());
  finish;
  note("compared");
  return *(const int *)a - *(const int *)b;
}
TEST(plain_code_waits_for_members_too) {
  int one = 1;
  size_t n = 1;
  EXPECT(lfind(&one, &one, &n, sizeof one, compare));
  EXPECT_NOTES("early late compared");
}

/* ---- errors ---- */

static int fails_after(int64_t duration, int error) {
  int r = ch_sleep(duration);
  return r ? r : error;
}

TEST(the_first_failure_cancels_and_all_are_kept_in_order) {
  STARTS
  struct ch_error all[4];
  ch_errors errors = {.all = all, .room = 4};
  do {
    ch_collect(&errors);
    async ch_fail(fails_after(10 * MS, EIO));
    async ch_fail(fails_after(5 * MS, 0));
    async {
      ch_sleep(20 * MS); /* cancelled, and what it does then fails in its own way */
      ch_fail(ENOSPC);
    }
    async ch_fail(fails_after(30 * MS, EPERM));
  }
  finish;
  AFTER(10 * MS);
  EXPECT(errors.count == 2 && errors.first == EIO && all[0].error == EIO && all[1].error == ENOSPC);
  EXPECT(strstr(all[1].place, "scopes.c:"));
  EXPECT(ch_cancelled() == 0);
}

TEST(without_room_failures_are_counted_and_the_first_is_known) {
  ch_errors errors = {0};
  do {
    ch_collect(&errors);
    for (int i = 1; i <= 3; i++)
      ch_fail(i);
  }
  finish;
  EXPECT(errors.count == 3 && errors.first == 1);
}

TEST(no_failure_no_cancel) {
  ch_errors errors = {0};
  do {
    ch_collect(&errors);
    async EXPECT(ch_fail(fails_after(MS, 0)) == 0);
    EXPECT(ch_sleep(2 * MS) == 0);
  }
  finish;
  EXPECT(errors.count == 0 && errors.first == 0);
}

TEST(the_innermost_scope_that_collects_takes_the_failure) {
  ch_errors outer = {0}, inner = {0};
  do {
    ch_collect(&outer);
    do {
      ch_collect(&inner);
      do
        ch_fail(EIO);
      finish;
    }
    finish;
    EXPECT(ch_sleep(MS) == 0);
    EXPECT(inner.first == EIO && outer.count == 0);
    ch_fail(inner.first);
    EXPECT(ch_sleep(MS) == ECANCELED);
  }
  finish;
  EXPECT(outer.count == 1);
}

TEST(a_members_failure_is_its_scopes) {
  STARTS
  struct ch_error all[1];
  ch_errors errors = {.all = all, .room = 1};
  do {
    ch_collect(&errors);
    ch_scope *group = ch_scope_here();
    activate[ch_in(group)] {
      do
        activate[ch_in(ch_scope_here())] ch_fail(fails_after(3 * MS, EIO));
      finish;
    }
    activate[ch_in(group)] says("other", ch_sleep(10 * MS));
  }
  finish;
  AFTER(3 * MS);
  EXPECT(errors.count == 1 && all[0].error == EIO);
  EXPECT_NOTES("other!");
}

TEST(a_failure_that_nobody_collects_is_the_activitys_own_and_cancels_it) {
  ch_activity a, b;
  activate[&a] {
    do {
      async says("sibling", ch_sleep(10 * MS));
      ch_fail(EIO);
      ch_fail(EPERM);
    }
    finish;
  }
  activate[&b] ch_sleep(MS);
  EXPECT(ch_activity_error(&a) == EINVAL);
  EXPECT(ch_activity_wait(&a) == 0 && ch_activity_error(&a) == EIO);
  EXPECT(ch_activity_wait(&b) == 0 && ch_activity_error(&b) == 0);
  EXPECT_NOTES("sibling!");
}

TEST(a_deadline_that_has_passed_before_failures_are_collected_is_the_first_of_them) {
  struct ch_error all[2];
  ch_errors errors = {.all = all, .room = 2};
  within(0) do {
    ch_collect(&errors);
    EXPECT(ch_fail(ch_sleep(MS)) == ECANCELED);
    EXPECT(ch_fail(EIO) == EIO);
  }
  finish;
  EXPECT(errors.count == 2 && errors.first == ETIMEDOUT && all[0].error == ETIMEDOUT && all[1].error == EIO);
  within(MS) do {
    EXPECT(ch_sleep(2 * MS) == ECANCELED);
    ch_collect(&errors);
  }
  finish;
  EXPECT(errors.count == 1 && errors.first == ETIMEDOUT);
  do {
    cancel;
    within(MS) do ch_collect(&errors);
    finish;
  }
  finish;
  EXPECT(errors.count == 0);
}

TEST(inside_noncancellable_a_failure_is_collected_and_not_seen) {
  ch_errors errors = {0};
  do {
    ch_collect(&errors);
    noncancellable {
      ch_fail(EIO);
      EXPECT(ch_sleep(MS) == 0);
    }
    EXPECT(ch_sleep(MS) == ECANCELED);
  }
  finish;
  EXPECT(errors.first == EIO);
}

/* ---- deadlines ---- */

TEST(a_deadline_can_be_read_and_is_the_earliest_of_all_around) {
  STARTS
  EXPECT(ch_deadline(NULL) == CH_FOREVER);
  within(30 * MS) do {
    ch_scope *outer = ch_scope_here();
    within(50 * MS) do {
      EXPECT(ch_deadline(ch_scope_here()) == begin + 50 * MS && ch_deadline(outer) == begin + 30 * MS);
      EXPECT(ch_deadline(NULL) == begin + 30 * MS);
      do {
        EXPECT(ch_deadline(ch_scope_here()) == CH_FOREVER && ch_deadline(NULL) == begin + 30 * MS);
        activate[ch_in(ch_scope_here())] { EXPECT(ch_deadline(NULL) == begin + 30 * MS); }
        activate { EXPECT(ch_deadline(NULL) == CH_FOREVER); }
      }
      finish;
      noncancellable { EXPECT(ch_deadline(NULL) == CH_FOREVER); }
    }
    finish;
  }
  finish;
}

/* An idle timeout without a watchdog: each byte moves it. */
TEST(a_deadline_that_is_moved_on_lets_work_go_on) {
  STARTS
  within(10 * MS) do {
    for (int i = 0; i < 5; i++) {
      EXPECT(ch_sleep(8 * MS) == 0);
      EXPECT(ch_deadline_move(ch_scope_here(), ch_now() + 10 * MS) == 0);
    }
    EXPECT(ch_sleep(20 * MS) == ECANCELED);
    EXPECT(ch_deadline_move(ch_scope_here(), CH_FOREVER) == ECANCELED);
    EXPECT(ch_deadline(ch_scope_here()) == begin + 50 * MS);
  }
  finish;
  AFTER(50 * MS);
}

TEST(a_deadline_is_given_taken_and_given_again) {
  STARTS
  do {
    ch_scope *here = ch_scope_here();
    EXPECT(ch_deadline_move(here, begin + 10 * MS) == 0);
    EXPECT(ch_deadline_move(here, CH_FOREVER) == 0);
    EXPECT(ch_sleep(20 * MS) == 0);
    async {
      ch_sleep(5 * MS);
      EXPECT(ch_deadline_move(here, begin + 30 * MS) == 0);
    }
    EXPECT(ch_deadline_move(here, begin + 40 * MS) == 0);
    EXPECT(ch_sleep(100 * MS) == ECANCELED);
  }
  finish;
  AFTER(30 * MS);
  do {
    EXPECT(ch_deadline_move(ch_scope_here(), begin + 5 * MS) == 0); /* long past */
    EXPECT(ch_sleep(MS) == ECANCELED);
  }
  finish;
  within(MS) do EXPECT(ch_deadline_move(ch_scope_here(), CH_FOREVER) == 0 && ch_sleep(5 * MS) == 0);
  finish;
}

TEST(a_deadline_is_a_failure_where_those_are_collected) {
  ch_errors errors = {0};
  within(MS) do {
    ch_collect(&errors);
    async ch_fail(fails_after(5 * MS, EIO));
  }
  finish;
  EXPECT(errors.count == 1 && errors.first == ETIMEDOUT);
}

/* ---- results ---- */

TEST(an_activity_leaves_a_result_with_its_handle) {
  ch_activity adders[3];
  intptr_t sum = 0;
  for (int i = 0; i < 3; i++)
    activate[&adders[i]](i) {
      ch_sleep((3 - i) * MS);
      EXPECT(ch_activity_set_result(i + 1) == 0);
    }
  EXPECT(ch_activity_result(&adders[0]) == 0);
  for (int i = 0; i < 3; i++) {
    EXPECT(ch_activity_wait(&adders[i]) == 0);
    sum += ch_activity_result(&adders[i]);
  }
  EXPECT(sum == 6);
  EXPECT(ch_activity_set_result(1) == EPERM);
}
