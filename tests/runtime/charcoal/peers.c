/* What other systems with structured concurrency settle in their tests, with the answers that our laws give: Trio
 * (cancel scopes, nurseries, shields), asyncio (TaskGroup, timeout), Kotlin's coroutines, Go (context, errgroup,
 * semaphores) and libdill (bundles). Where ours differs from one of them the comment says why. Virtual time. */
#include "simulated.h"
#include <charcoal/lowlevel.h>
#include <search.h>

static ch_sem s;
static ch_waiter w;

#define RUN(body)                                                                                                      \
  begin = ch_now();                                                                                                    \
  body();

/* ---- deadlines (Trio, asyncio.timeout, Kotlin's withTimeout, Go's context) ---- */

/* As in Trio, and unlike Kotlin and asyncio: what does not wait runs although the time is over. */
static void over_before_it_begins(void) {
  by(ch_now() - 1) do {
    note("runs");
    EXPECT(ch_cancelled());
    says("a", ch_sleep(5));
    says("b", ch_sleep(0));
    ch_sem_post(&s);
    says("c", ch_sem_wait(&s)); /* also if it would not have to wait; asyncio's acquire would succeed */
    EXPECT(ch_sem_trywait(&s) == 0);
  }
  finish;
  within(-7) do says("d", ch_sleep(5));
  finish;
  within(0) do says("e", ch_sleep(5));
  finish;
  EXPECT(!ch_cancelled());
  AFTER(0);
}
TEST(law_4_a_deadline_that_has_passed_cancels_from_the_beginning) {
  RUN(over_before_it_begins)
  EXPECT_NOTES("runs a! b! c! d! e!");
}

static void nested_deadlines(void) {
  within(10) do {
    within(50) do {
      says("outer first", ch_sleep(100));
      EXPECT(ch_cancelled());
    }
    finish;
    EXPECT(ch_cancelled()); /* whose it was shows behind the inner one */
    AFTER(10);
  }
  finish;
  within(50) do {
    within(10) do says("inner first", ch_sleep(100));
    finish;
    EXPECT(!ch_cancelled());
    says("goes on", ch_sleep(1));
    AFTER(21);
  }
  finish;
}
TEST(law_4_of_nested_deadlines_the_earlier_one_counts) {
  RUN(nested_deadlines)
  EXPECT_NOTES("outer first! inner first! goes on");
}

static int many_deadlines(int depth, int64_t each) {
  int result = 0;
  within(each * depth + 5) do result = depth ? many_deadlines(depth - 1, each) : ch_sleep(CH_FOREVER);
  finish;
  return result;
}
static void deep_deadlines(void) {
  EXPECT(many_deadlines(500, 3) == ECANCELED);
  AFTER(5); /* the innermost */
  begin = ch_now();
  EXPECT(many_deadlines(500, 0) == ECANCELED);
  AFTER(5); /* all at once */
}
TEST(law_4_five_hundred_deadlines_inside_each_other) { RUN(deep_deadlines) }

/* asyncio.timeout raises then; here a call that has had its effect says so, and who is done in time was not late. */
static void same_moment(void) {
  int result = -1;
  within(10) do {
    async {
      ch_sleep(10); /* registered behind the deadline */
      note("sleeper");
    }
    async { result = ch_sem_timedwait(&s, 10); /* as well */ }
    says("owner", ch_sleep(9));
  }
  finish;
  EXPECT(result == ECANCELED);
  within(10) do {
    async {
      ch_sleep(9);
      ch_sem_post(&s);
      cancel; /* the unit has been handed over */
    }
    says("has it", ch_sem_wait(&s));
    EXPECT(ch_cancelled());
  }
  finish;
  AFTER(19);
}
TEST(law_8_of_timers_of_one_moment_the_first_registered_fires_first) {
  RUN(same_moment)
  EXPECT_NOTES("owner sleeper has it");
}

static void left_early(void) {
  for (int i = 0; i < 1000; i++)
    within(100) do ch_sleep(1);
  finish;
  AFTER(1000);
  says("a", ch_sleep(200));
}
TEST(law_4_a_deadline_ends_with_its_scope) {
  RUN(left_early)
  EXPECT_NOTES("a");
}

/* ---- shields (Trio's shield, Kotlin's NonCancellable) ---- */

static void shields(void) {
  within(10) do {
    noncancellable {
      says("a", ch_sleep(30));
      EXPECT(!ch_cancelled());
      within(5) do says("b", ch_sleep(30));
      finish;
      EXPECT(!ch_cancelled());
      says("c", ch_sleep(1));
    }
    EXPECT(ch_cancelled());
    says("d", ch_sleep(30));
    noncancellable says("e", ch_sleep(4)); /* begun in a marked scope */
    noncancellable {
      do {
        async says("f", ch_sleep(2));
        noncancellable says("g", ch_sleep(1));
      }
      finish;
    }
  }
  finish;
  AFTER(30 + 5 + 1 + 4 + 2);
}
TEST(law_4_a_shield_holds_until_its_end_and_no_longer) {
  RUN(shields)
  EXPECT_NOTES("a b! c d! e g f");
}

static void shielded_branch(void) {
outer:
  do {
    async noncancellable says("shielded", ch_sleep(20));
    async {
      says("bare", ch_sleep(20));
      noncancellable says("cleanup", ch_sleep(5));
    }
    ch_sleep(1);
    cancel outer;
    AFTER(1);
  }
  finish;
  AFTER(20);
}
TEST(law_3_a_cancelled_finish_waits_for_shielded_branches_and_for_cleanup) {
  RUN(shielded_branch)
  EXPECT_NOTES("bare! cleanup shielded");
}

/* ---- a level, not an edge ---- */

/* asyncio delivers one CancelledError, and who swallows it goes on; here, as in Trio, every wait is told. */
static void swallows(void) {
  do {
    async {
      for (int i = 0; i < 3; i++)
        says("again", ch_sleep(10));
    }
    cancel;
  }
  finish;
  AFTER(0);
}
TEST(law_4_whoever_ignores_a_cancel_is_told_again) {
  RUN(swallows)
  EXPECT_NOTES("again! again! again!");
}

static void starts_late(void) {
  do {
    cancel;
    async {
      note("begins"); /* Trio, too: up to its first wait. asyncio's TaskGroup would refuse */
      says("a", ch_sleep(10));
    }
    do
      async says("b", ch_sleep(10));
    finish;
  }
  finish;
}
TEST(law_4_branches_of_a_cancelled_scope_begin_and_find_it_cancelled) {
  RUN(starts_late)
  EXPECT_NOTES("begins a! b!");
}

/* Not upwards: a child's trouble is its parent's only if somebody says so (Go's errgroup, Kotlin's supervisor). */
static void inner_only(void) {
outer:
  do {
    async {
      do {
        async says("inner", ch_sleep(10));
        cancel;
      }
      finish;
      says("around", ch_sleep(10));
    }
    says("outer", ch_sleep(5));
    (void)&&outer;
  }
  finish;
  AFTER(10);
}
TEST(law_4_a_cancel_goes_inwards_only) {
  RUN(inner_only)
  EXPECT_NOTES("inner! outer around");
}

/* errgroup: the first error cancels the others, and is the result. */
static int fails_after(int64_t ns, int error) {
  int cancelled = ch_sleep(ns);
  return cancelled ? cancelled : error;
}
static int first_error(void) {
  int first = 0;
group:
  do {
    for (int i = 3; i > 0; i--)
      async(i) {
        int error = fails_after(10 * i, EIO + i);
        says("ends", error == ECANCELED ? error : 0);
        if (error && !first) {
          first = error;
          cancel group;
        }
      }
  }
  finish;
  return first;
}
TEST(law_4_the_first_error_cancels_the_others_and_is_the_result) {
  begin = ch_now();
  EXPECT(first_error() == EIO + 1);
  AFTER(10);
  EXPECT_NOTES("ends ends! ends!");
}

/* The end itself cannot be cancelled (asyncio's TaskGroup gives up waiting at a second cancel). */
static void stubborn(void) {
  within(5) do {
    do {
      async {
        noncancellable ch_sleep(50);
        note("done");
      }
    }
    finish;
    note("behind");
  }
  finish;
  AFTER(50);
}
TEST(law_3_the_end_of_a_finish_cannot_be_cancelled) {
  RUN(stubborn)
  EXPECT_NOTES("done behind");
}

/* ---- exact (asyncio.wait_for lost such units; Kotlin's withTimeoutOrNull loses the resource) ---- */

static void handed_over(void) {
  do {
    async says("waiter", ch_sem_wait(&s));
    ch_sem_post(&s);
    cancel; /* too late: it has the unit */
  }
  finish;
  EXPECT(ch_sem_trywait(&s) == EAGAIN);
  do {
    async says("waiter", ch_sem_wait(&s));
    cancel;
    ch_sem_post(&s); /* too late: it has not */
  }
  finish;
  EXPECT(ch_sem_trywait(&s) == 0);
}
TEST(law_4_a_unit_is_handed_over_or_not_and_never_lost) {
  RUN(handed_over)
  EXPECT_NOTES("waiter waiter!");
}

static void gives_up_in_the_queue(void) {
middle:
  do {
    async says("1", ch_sem_wait(&s));
    async {
      within(5) do says("2", ch_sem_wait(&s));
      finish;
    }
    async says("3", ch_sem_timedwait(&s, 7));
    async says("4", ch_sem_wait(&s));
    async {
      ch_sleep(10);
      for (int i = 0; i < 2; i++)
        ch_sem_post(&s);
      EXPECT(ch_sem_trywait(&s) == EAGAIN); /* no barging: the units belong to who waited */
    }
    (void)&&middle;
  }
  finish;
}
TEST(law_8_who_gives_up_leaves_the_order_of_the_others) {
  RUN(gives_up_in_the_queue)
  EXPECT_NOTES("2! 3? 1 4");
}

static void destroyed(void) {
  ch_activity h;
  int result = 0;
  activate[&h] { result = ch_sem_wait(&s); }
  ch_reschedule();
  do {
    async says("branch", ch_sem_wait(&s));
    async says("timed", ch_sem_timedwait(&s, 100));
    async { noncancellable says("shielded", ch_sem_wait(&s)); /* not a cancel: the semaphore has gone */ }
    EXPECT(ch_sem_destroy(&s) == EBUSY);
    EXPECT(ch_sem_destroy(&s) == 0);
    EXPECT(!ch_cancelled());
  }
  finish;
  ch_activity_wait(&h);
  EXPECT(result == ECANCELED);
  AFTER(0);
}
TEST(law_8_a_destroyed_semaphore_wakes_all_in_order) {
  RUN(destroyed)
  EXPECT_NOTES("branch! timed! shielded!");
}

static void waiters(void) {
  do {
    async says("scheduled", ch_waiter_wait(&w));
    ch_waiter_schedule(&w);
    cancel;
  }
  finish;
  do {
    async says("cancelled", ch_waiter_wait(&w));
    cancel;
    ch_waiter_schedule(&w); /* kept */
  }
  finish;
  says("kept", ch_waiter_wait(&w));
  do {
    async says("firm", ch_waiter_suspend(&w)); /* which a cancel alone does not end */
    cancel;
    note("still");
    ch_waiter_schedule(&w);
  }
  finish;
}
TEST(law_4_a_schedule_and_a_cancel_of_a_waiter_are_exact) {
  RUN(waiters)
  EXPECT_NOTES("scheduled cancelled! kept still firm");
}

/* ---- cancel items (Go's context.AfterFunc, Kotlin's invokeOnCompletion) ---- */

static void item(void *text) { note(text); }
static void items(void) {
  ch_cancel_item a, b, c, d;
  do {
    EXPECT(ch_cancel_add(&a, item, "a") == 0);
    EXPECT(ch_cancel_add(&b, item, "b") == 0);
    EXPECT(ch_cancel_add(&c, item, "c") == 0);
    ch_cancel_remove(&b);
    cancel;
    cancel; /* once */
    /* Go's AfterFunc would call it now; here ECANCELED says that it will not be called, and nothing runs unasked. */
    EXPECT(ch_cancel_add(&d, item, "d") == ECANCELED);
    ch_cancel_remove(&a);
    ch_cancel_remove(&c);
    ch_cancel_remove(&d);
  }
  finish;
}
TEST(law_4_a_cancel_item_is_called_once_or_was_removed) {
  RUN(items)
  EXPECT_NOTES("a c");
}

static void inner_items(void) {
  ch_cancel_item a, b;
  do {
    ch_cancel_add(&a, item, "outer");
    async {
      do {
        ch_cancel_add(&b, item, "inner");
        says("wait", ch_sem_wait(&s));
        ch_cancel_remove(&b);
      }
      finish;
    }
    cancel;
    note("cancelled");
    ch_cancel_remove(&a);
  }
  finish;
}
TEST(law_4_items_are_called_innermost_first_before_anybody_goes_on) {
  RUN(inner_items)
  EXPECT_NOTES("inner outer cancelled wait!");
}

/* ---- activities (asyncio's and Trio's tasks, libdill's bundles) ---- */

/* asyncio drops a task that is cancelled before it has begun; then nobody would give back what it was handed. */
static void before_it_begins(void) {
  ch_activity h;
  activate[&h] {
    note("begins");
    says("a", ch_sleep(10));
    noncancellable says("b", ch_sleep(1));
  }
  EXPECT(ch_activity_cancel(&h) == 0);
  EXPECT(ch_activity_cancel(&h) == 0);
  EXPECT(!ch_activity_finished(&h));
  says("join", ch_activity_wait(&h));
  EXPECT(ch_activity_cancel(&h) == 0);
  says("again", ch_activity_wait(&h));
}
TEST(law_4_an_activity_that_is_cancelled_before_it_begins_begins) {
  RUN(before_it_begins)
  EXPECT_NOTES("begins a! b join again");
}

static void itself(void) {
  ch_activity h;
  activate[&h] {
    ch_activity_cancel(ch_self());
    note("goes on");
    says("a", ch_sleep(1));
  }
  ch_activity_wait(&h);
}
TEST(law_4_an_activity_may_cancel_itself) {
  RUN(itself)
  EXPECT_NOTES("goes on a!");
}

/* In asyncio the awaited task would be cancelled with its waiter; here an activity belongs to whoever has the handle.
 */
static void joiner(void) {
  ch_activity worker, waiter;
  activate[&worker] { says("worker", ch_sleep(10)); }
  activate[&waiter] { says("waiter", ch_activity_wait(&worker)); }
  ch_sleep(1);
  ch_activity_cancel(&waiter);
  within(2) do says("also I", ch_activity_wait(&worker));
  finish;
  AFTER(3);
  says("again", ch_activity_wait(&worker));
  ch_activity_wait(&waiter);
  AFTER(10);
}
TEST(law_4_to_cancel_who_waits_for_an_activity_does_not_cancel_the_activity) {
  RUN(joiner)
  EXPECT_NOTES("waiter! also I! worker again");
}

/* A scope owns branches, not activities (in Trio and Kotlin a task belongs to the nursery where it was started; that is
 * what `async` is for). */
static void spawned_inside(void) {
  ch_activity h;
  do {
    activate[&h] {
      EXPECT(!ch_cancelled());
      says("activity", ch_sleep(10));
    }
    cancel;
  }
  finish;
  AFTER(0);
  ch_activity_wait(&h);
}
TEST(law_4_activities_spawned_in_a_cancelled_scope_are_not_cancelled) {
  RUN(spawned_inside)
  EXPECT_NOTES("activity");
}

static void bundle(void) {
  ch_activity h[50];
  int ended = 0;
  for (int i = 0; i < 50; i++)
    activate[&h[i]] {
      while (ch_sleep(7) == 0)
        ;
      ended++;
    }
  ch_sleep(20);
  atomic {
    for (int i = 0; i < 50; i++)
      ch_activity_cancel(&h[i]);
    EXPECT(ended == 0); /* libdill's hclose waits here; ours never switches, and is waited for with the handle */
  }
  for (int i = 0; i < 50; i++)
    ch_activity_wait(&h[i]);
  EXPECT(ended == 50);
  AFTER(20);
}
TEST(law_4_a_bundle_of_activities_is_cancelled_and_joined) { RUN(bundle) }

static void cycle(void) {
  static ch_activity a, b;
  activate[&a] { ch_activity_wait(&b); }
  activate[&b] { ch_activity_wait(&a); }
  ch_activity_wait(&a);
}
TEST_EXITS(law_5_activities_that_join_each_other_are_a_deadlock, CH_EXIT_DEADLOCK, "no activity can run") { cycle(); }

/* ---- ways out ---- */

static int value_first(void) {
  int x = 1;
  do {
    async {
      ch_sleep(10);
      x = 2;
    }
    return x; /* computed before the wait */
  }
  finish;
}
static int out_of_three(void) {
  int n = 0;
  do {
    async {
      ch_sleep(3);
      n++;
    }
    do {
      async {
        ch_sleep(1);
        n++;
      }
      for (int i = 0;; i++) {
        async {
          ch_sleep(2);
          n++;
        }
        if (i == 2)
          goto out;
      }
    }
    finish;
  }
  finish;
out:
  return n;
}
TEST(law_3_every_way_out_waits_for_the_branches) {
  begin = ch_now();
  EXPECT(value_first() == 1);
  AFTER(10);
  EXPECT(out_of_three() == 5);
  AFTER(13);
}

static int fibonacci(int n) {
  if (n < 2)
    return n;
  int a, b;
  do {
    async a = fibonacci(n - 1);
    async b = fibonacci(n - 2);
    ch_sleep(1);
  }
  finish;
  return a + b;
}
TEST(law_3_finish_in_recursion) {
  begin = ch_now();
  EXPECT(fibonacci(12) == 144);
  AFTER(1);
}

/* ---- errno ---- */

static void errnos(void) {
  do {
    async {
      errno = 11;
      says("a", ch_sleep(10));
      EXPECT(errno == 11);
    }
    errno = 22;
    cancel;
    EXPECT(errno == 22);
  }
  finish;
  EXPECT(errno == 22);
}
TEST(law_12_a_cancel_leaves_everybody_his_errno) { RUN(errnos) }

/* ---- plain code (no peer has it) ---- */

static int waits_plainly(const void *key, const void *element) {
  (void)element;
  says(key, ch_sem_wait(&s));
  return 0;
}
static void plainly(const char *name) {
  size_t n = 1;
  lfind(name, &n, &n, sizeof n, waits_plainly);
}
static void deadline_around_plain(void) {
  within(10) do plainly("deadline");
  finish;
  AFTER(10);
  do {
    async {
      ch_sleep(5);
      cancel;
    }
    plainly("cancel");
  }
  finish;
  AFTER(15);
  within(10) do atomic says("atomic", ch_sem_wait(&s));
  finish;
  AFTER(25);
  within(10) do {
    noncancellable {
      within(3) do atomic plainly("its own");
      finish;
    }
  }
  finish;
  AFTER(28);
}
TEST(law_4_a_deadline_ends_waits_in_plain_and_atomic_code) {
  RUN(deadline_around_plain)
  EXPECT_NOTES("deadline! cancel! atomic! its own!");
}

static void behind_a_barrier(void) {
  within(10) do { noncancellable atomic ch_sem_wait(&s); /* the deadline cannot reach it */ }
  finish;
}
TEST_EXITS(law_5_a_deadline_that_cannot_end_a_wait_in_atomic_saves_nobody, CH_EXIT_DEADLOCK, "inside an atomic block") {
  behind_a_barrier();
}

/* Who has given way to a sibling is ready at once, also if the code behind its async then waits in plain code. */
static void directed(void) {
  do {
    async says("suspended", ch_waiter_suspend(&w));
    async {
      ch_yield_to(&w);
      note("back");
      ch_sem_post(&s);
    }
    plainly("plain");
  }
  finish;
}
TEST(law_8_who_gives_way_to_a_sibling_is_not_lost_while_the_activity_waits_in_plain_code) {
  RUN(directed)
  EXPECT_NOTES("suspended back plain");
}
