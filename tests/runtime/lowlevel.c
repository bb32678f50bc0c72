/* The low-level interface (charcoal/lowlevel.h): each test is named after what it shows. */
#include "by_hand.h"

#include "charcoal/lowlevel.h"
#include "sched/domain.h"
#include <pthread.h>

struct ch_int_result ch_yield_to_int(ch_waiter *) CH_INT_NAME(ch_yield_to);
static ch_waiter w;
static ch_spinlock lock;
static struct ch_scope S;
static ch_sem s, done;

FRAME_FUNCTION(suspended, { int i; }) {
  BEGIN(suspended)
  note("s1");
  CALL(5, ch_waiter_suspend_int(&w))
  EXPECT(value == 0);
  note("s2");
  ch_sem_post(&done);
  END
}
FRAME_FUNCTION(other, { int i; }) {
  BEGIN(other)
  note("o1");
  CALL(5, ch_reschedule_int())
  note("o2");
  CALL(6, ch_reschedule_int())
  note("o3");
  END
}

MAIN_FUNCTION(scheduled, { int i; }) {
  BEGIN(scheduled_body)
  SPAWN(NULL, suspended, NULL, 0);
  SPAWN(NULL, other, NULL, 0);
  CALL(5, ch_reschedule_int())
  ch_waiter_schedule(&w);
  ch_waiter_schedule(&w);
  note("m");
  CALL(6, ch_sem_wait_int(&done))
  /* the second schedule came while nobody was suspended: it is kept */
  CALL(7, ch_waiter_suspend_int(&w))
  note("kept");
  ch_waiter_schedule(&w);
  EXPECT(ch_waiter_suspend(&w) == 0);
  END
}
TEST(a_schedule_queues_and_one_that_comes_first_is_kept) {
  run_domain(scheduled);
  EXPECT_NOTES("s1 o1 m o2 s2 o3 kept");
}

/* A yield to `who`, which is suspended at w, while `other` is queued. */
#define DIRECTED_YIELD(test, who)                                                                                      \
  MAIN_FUNCTION(directed_to_##who, { int i; }) {                                                                       \
    BEGIN(directed_to_##who##_body)                                                                                    \
    SPAWN(NULL, who, NULL, 0);                                                                                         \
    SPAWN(NULL, other, NULL, 0);                                                                                       \
    CALL(5, ch_reschedule_int())                                                                                       \
    note("m1");                                                                                                        \
    CALL(6, ch_yield_to_int(&w))                                                                                       \
    note("m2");                                                                                                        \
    END                                                                                                                \
  }                                                                                                                    \
  TEST(test) {                                                                                                         \
    run_domain(directed_to_##who);                                                                                     \
    EXPECT_NOTES("s1 o1 m1 s2 o2 m2");                                                                                 \
  }
DIRECTED_YIELD(a_directed_yield_runs_the_suspended_one_before_the_queue, suspended)

/* One that waits in plain code runs before the queue as well. */
FRAME_FUNCTION(suspended_plainly, { int i; }) {
  BEGIN(suspended_plainly)
  note("s1");
  EXPECT(ch_waiter_suspend(&w) == 0);
  note("s2");
  END
}
DIRECTED_YIELD(a_directed_yield_runs_one_suspended_in_plain_code_before_the_queue, suspended_plainly)

/* To a sibling: it runs before those that are ready since earlier. */
FRAME_FUNCTION(ready_one, { int i; }) {
  BEGIN(ready_one)
  CALL(5, ch_sem_wait_int(&s))
  note("r");
  END
}
ASYNC_MAIN(directed_sibling, 4, { int i; }) {
  BEGIN(directed_sibling_body)
  SPAWN(NULL, other, NULL, 0);
  ENTER(&S);
  ASYNC(1, &S, suspended(NULL))
  ASYNC(2, &S, ready_one(NULL))
  ch_sem_post(&s);
  note("m1");
  CALL(5, ch_yield_to_int(&w))
  note("m2");
  LEAVE(6, &S)
  EXPECT(ch_domain.branches == 0);
  END
}
TEST(a_directed_yield_to_a_sibling_stays_within_the_activity) {
  run_domain(directed_sibling);
  EXPECT_NOTES("s1 m1 s2 r m2");
}

/* The caller stands in an async call itself: its continuation goes on, and it takes its turn. */
FRAME_FUNCTION(yields_to, { int i; }) {
  BEGIN(yields_to)
  note("y1");
  CALL(5, ch_yield_to_int(&w))
  note("y2");
  END
}
ASYNC_MAIN(directed_from_async, 4, { int i; }) {
  BEGIN(directed_from_async_body)
  ENTER(&S);
  ASYNC(1, &S, suspended(NULL))
  ASYNC(2, &S, yields_to(NULL))
  note("m");
  LEAVE(5, &S)
  EXPECT(ch_domain.branches == 0);
  END
}
TEST(law_2_a_directed_yield_in_an_async_call_lets_the_continuation_run) {
  run_domain(directed_from_async);
  EXPECT_NOTES("s1 y1 m s2 y2");
}

/* ---- cancel ---- */

static int calls;
static void on_cancel(void *argument) {
  EXPECT(argument == &calls);
  EXPECT(ch_cancelled());
  calls++;
  ch_waiter_schedule(&w);
}
static ch_cancel_item item, item2;
FRAME_FUNCTION(cancellable, { int i; }) {
  BEGIN(cancellable)
  EXPECT(ch_cancel_add(&item, on_cancel, &calls) == 0);
  CALL(5, ch_waiter_suspend_int(&w))
  ch_cancel_remove(&item);
  EXPECT(ch_cancelled());
  EXPECT(ch_cancel_add(&item, on_cancel, &calls) == ECANCELED);
  ch_cancel_remove(&item);
  note("c");
  END
}
ASYNC_MAIN(items, 4, { int i; }) {
  BEGIN(items_body)
  EXPECT(ch_cancel_add(&item2, on_cancel, NULL) == 0); /* of the activity: not called */
  ENTER(&S);
  ASYNC(1, &S, cancellable(NULL))
  EXPECT(calls == 0);
  ch_scope_cancel(&S);
  ch_scope_cancel(&S);
  EXPECT(calls == 1);
  LEAVE(5, &S)
  ch_cancel_remove(&item2);
  EXPECT(calls == 1);
  /* one that was removed is not called */
  ENTER(&S);
  EXPECT(ch_cancel_add(&item, on_cancel, &calls) == 0);
  ch_cancel_remove(&item);
  ch_scope_cancel(&S);
  LEAVE(6, &S)
  EXPECT(calls == 1);
  END
}
TEST(law_4_a_cancel_calls_each_item_in_its_scope_once) {
  run_domain(items);
  EXPECT_NOTES("c");
}

/* A suspension is not ended by a cancel of its own accord. */
ASYNC_MAIN(stays_suspended, 4, { int i; }) {
  BEGIN(stays_suspended_body)
  ENTER(&S);
  ASYNC(1, &S, suspended(NULL))
  ch_scope_cancel(&S);
  CALL(5, ch_reschedule_int())
  note("m");
  ch_waiter_schedule(&w);
  LEAVE(6, &S)
  END
}
TEST(law_4_a_suspension_waits_for_its_schedule_also_when_cancelled) {
  run_domain(stays_suspended);
  EXPECT_NOTES("s1 m s2");
}

static ch_activity a;
static void on_activity_cancel(void *argument) {
  calls++;
  ch_waiter_schedule(&w);
  (void)argument;
}
FRAME_FUNCTION(root_item, { int i; }) {
  BEGIN(root_item)
  EXPECT(ch_cancel_add(&item, on_activity_cancel, &calls) == 0);
  CALL(5, ch_waiter_suspend_int(&w))
  ch_cancel_remove(&item);
  note("c");
  END
}
MAIN_FUNCTION(activity_items, { int i; }) {
  BEGIN(activity_items_body)
  SPAWN(&a, root_item, NULL, 0);
  CALL(5, ch_reschedule_int())
  ch_activity_cancel(&a);
  EXPECT(calls == 1);
  CALL(6, ch_activity_wait_int(&a))
  END
}
TEST(law_4_an_activitys_cancel_calls_its_items) {
  run_domain(activity_items);
  EXPECT_NOTES("c");
}

/* ---- spinlocks ---- */

/* Waits with the lock held, for somebody to hand it over to. */
FRAME_FUNCTION(holds, { int i; }) {
  BEGIN(holds)
  ch_spin_acquire(&lock);
  note("h1");
  CALL(5, ch_reschedule_int())
  note("h2");
  CALL(6, ch_sem_wait_int(&s))
  note("h3");
  ch_spin_release(&lock);
  CALL(7, ch_waiter_suspend_int(&w))
  note("h4");
  END
}
int ch_spin_acquire_int(ch_spinlock *) CH_INT_NAME(ch_spin_acquire);
static int posts(void *record) { return note("p"), ch_sem_post(&s), 0; }
MAIN_FUNCTION(contended, { int i; }) {
  BEGIN(contended_body)
  SPAWN(NULL, holds, NULL, 0);
  CALL(5, ch_reschedule_int())
  note("m1");
  SPAWN(NULL, posts, NULL, 0);
  CALL(6, status_only(ch_spin_acquire_int(&lock)))
  note("m2");
  ch_spin_release(&lock);
  EXPECT(ch_domain.spinlocks == 0);
  ch_waiter_schedule(&w);
  CALL(7, ch_reschedule_int())
  END
}
TEST(law_1_there_are_no_yield_points_under_a_spinlock_but_its_waiters_give_way) {
  run_domain(contended);
  EXPECT_NOTES("h1 h2 m1 p h3 m2 h4");
}
MAIN_FUNCTION(never_free, { int i; }) {
  BEGIN(never_free_body)
  SPAWN(NULL, holds, NULL, 0);
  CALL(5, ch_reschedule_int())
  ch_spin_acquire(&lock);
  END
}
TEST_EXITS(a_spinlock_that_plain_code_would_spin_on_for_ever_is_reported, CH_EXIT_MISUSE, "release it before") {
  run_domain(never_free);
}

/* ---- from other threads ---- */

#define ROUNDS 20000
static ch_waiter here, there;
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t called = PTHREAD_COND_INITIALIZER;
static int turn, count;

static void *partner(void *unused) {
  for (int i = 0; i < ROUNDS; i++) {
    pthread_mutex_lock(&mutex);
    while (!turn)
      pthread_cond_wait(&called, &mutex);
    turn = 0;
    count++;
    pthread_mutex_unlock(&mutex);
    ch_waiter_schedule(&here);
  }
  return unused;
}
MAIN_FUNCTION(threads, { int i; }) {
  static pthread_t thread;
  BEGIN(threads_body)
  EXPECT(pthread_create(&thread, NULL, partner, NULL) == 0);
  pthread_detach(thread);
  for (v.i = 0; v.i < ROUNDS; v.i++) {
    pthread_mutex_lock(&mutex);
    turn = 1;
    pthread_cond_signal(&called);
    pthread_mutex_unlock(&mutex);
    CALL(5, ch_waiter_suspend_int(&here))
    EXPECT(value == 0 && count == v.i + 1);
  }
  END
}
TEST(a_thread_schedules_into_a_domain_that_sleeps_or_runs) {
  unsetenv("CHARCOAL_REACTOR");
  run_domain(threads);
}
static void *late(void *unused) {
  usleep(20000);
  ch_waiter_schedule(&there);
  return unused;
}
MAIN_FUNCTION(native_threads, { int i; }) {
  static pthread_t thread;
  BEGIN(native_threads_body)
  EXPECT(pthread_create(&thread, NULL, late, NULL) == 0);
  pthread_detach(thread);
  EXPECT(ch_waiter_suspend(&there) == 0);
  END
}
TEST(a_thread_ends_a_suspension_in_plain_code) {
  setenv("CHARCOAL_REACTOR", "epoll", 1);
  run_domain(native_threads);
}

/* ---- sources ---- */

static ch_source first_source, second_source, third_source;
static int looks;

static void post_at_the_third(void *argument) {
  EXPECT(argument == &s && !ch_domain.current);
  EXPECT(ch_sem_wait(&done) == EPERM); /* it must not wait */
  if (++looks == 3) {
    note("look");
    ch_sem_post(&s);
  }
}
MAIN_FUNCTION(looked_at, { int i; }) {
  BEGIN(looked_at_body)
  EXPECT(ch_source_add(&first_source, post_at_the_third, &s) == 0);
  CALL(5, ch_sem_wait_int(&s))
  note("m1");
  looks = 0;
  EXPECT(ch_sem_wait(&s) == 0); /* on the native stack */
  note("m2");
  looks = 0;
  ch_tls.atomic_depth++;
  EXPECT(ch_sem_wait(&s) == 0); /* in an atomic block */
  ch_tls.atomic_depth--;
  note("m3");
  ch_source_remove(&first_source);
  looks = 0;
  for (v.i = 0; v.i < 1000; v.i++)
    CALL(6, ch_reschedule_int())
  EXPECT(looks == 0);
  END
}
TEST(a_source_is_looked_at_while_nobody_can_run) {
  run_domain(looked_at);
  EXPECT_NOTES("look m1 look m2 look m3");
}
TEST(a_source_makes_a_domain) {
  EXPECT(ch_source_add(&first_source, post_at_the_third, &s) == 0);
  EXPECT(ch_sem_wait(&s) == 0 && looks == 3);
}

/* Also while there is always somebody who can run. */
MAIN_FUNCTION(beside_others, { int i; }) {
  BEGIN(beside_others_body)
  EXPECT(ch_source_add(&first_source, post_at_the_third, &s) == 0);
  while (ch_sem_trywait(&s) == EAGAIN)
    CALL(5, ch_reschedule_int())
  ch_source_remove(&first_source);
  END
}
TEST(law_12_a_source_is_looked_at_beside_others) { run_domain(beside_others); }

static void note_the_third(void *argument) { note(argument); }
static void remove_both(void *argument) {
  note(argument);
  ch_source_remove(&first_source);
  ch_source_remove(&second_source);
}
static void add_the_third(void *argument) {
  note(argument);
  EXPECT(ch_source_add(&third_source, note_the_third, "3") == 0);
  ch_sem_post(&s);
}
MAIN_FUNCTION(removing, { int i; }) {
  BEGIN(removing_body)
  EXPECT(ch_source_add(&first_source, remove_both, "1") == 0);
  EXPECT(ch_source_add(&second_source, note_the_third, "2") == 0);
  EXPECT(ch_source_add(&third_source, add_the_third, "add") == 0);
  ch_source_remove(&third_source);
  EXPECT(ch_source_add(&third_source, note_the_third, "3") == 0);
  ch_sources_look();
  ch_source_remove(&third_source);
  EXPECT(ch_source_add(&first_source, add_the_third, "a") == 0);
  CALL(5, ch_sem_wait_int(&s))
  EXPECT(ch_domain.base.outside == 2);
  ch_source_remove(&first_source);
  ch_source_remove(&third_source);
  EXPECT(ch_domain.base.outside == 0);
  END
}
TEST(a_look_may_add_and_remove_sources) {
  run_domain(removing);
  EXPECT_NOTES("1 3 a");
}

static void idle(void *argument) { (void)argument; }
MAIN_FUNCTION(timed_beside, { int i; }) {
  BEGIN(timed_beside_body)
  EXPECT(ch_source_add(&first_source, idle, NULL) == 0);
  CALL(5, ch_sem_timedwait_int(&s, 1000000))
  EXPECT(value == ETIMEDOUT);
  END /* and the domain ends with its source */
}
TEST(timers_go_on_beside_a_source) { run_domain(timed_beside); }

/* The last source is removed while the sources are called in a row: in the loop, and by a branch that waits in place.
 */
static void remove_itself(void *argument) {
  ch_source_remove(argument);
  note("gone");
}
FRAME_FUNCTION(posts_later, { int i; }) {
  BEGIN(posts_later)
  CALL(5, ch_sleep_int(1000000))
  ch_sem_post(&s);
  END
}
MAIN_FUNCTION(left_by_the_last, { int i; }) {
  BEGIN(left_by_the_last_body)
  EXPECT(ch_source_add(&first_source, remove_itself, &first_source) == 0);
  CALL(5, ch_sleep_int(1000000))
  EXPECT(ch_source_add(&first_source, remove_itself, &first_source) == 0);
  SPAWN(NULL, posts_later, NULL, 0);
  CALL(6, ch_reschedule_int())
  CALL(7, ch_sem_wait_int(&s))
  EXPECT(!ch_has_sources());
  END
}
TEST(the_last_source_may_go_while_it_is_looked_at) {
  run_domain(left_by_the_last);
  EXPECT_NOTES("gone gone");
}

/* ---- a branch that waits alone beside a source waits in place, on the native stack ---- */

static void post_and_spoil(void *argument) {
  looks++;
  errno = ERANGE;
  ch_sem_post(argument);
}
MAIN_FUNCTION(waiting_in_place, { int i; }) {
  BEGIN(waiting_in_place_body)
  EXPECT(ch_source_add(&first_source, post_and_spoil, &s) == 0);
  errno = EDOM;
  looks = 0;
  struct ch_int_result r = ch_sem_wait_int(&s);
  EXPECT((int)r.status == CH_DONE && r.value == 0 && looks == 1);
  EXPECT(errno == EDOM);
  EXPECT(ch_domain.current && ch_domain.current->state == CH_READY && !ch_domain.base.head);
  ENTER(&S);
  r = ch_sem_wait_int(&s); /* what calls it may be async */
  EXPECT((int)r.status == CH_BLOCKED);
  if ((int)r.status)
    return (struct ch_int_result){ch_suspend(info_, &v, CH_WHY(5, CH_BLOCKED)), 0};
case 5:
  EXPECT(ch_scope_leave_int(&S) == CH_DONE);
  ch_source_remove(&first_source);
  END
}
TEST(a_wait_that_a_source_ends_at_once_takes_no_frame) { run_domain(waiting_in_place); }

/* No branch waits in place while another can run; they run in the order in which they became ready. */
static void post_both(void *argument) {
  (void)argument;
  if (++looks == 2) {
    note("look");
    ch_sem_post(&done);
    ch_sem_post(&s);
  }
}
FRAME_FUNCTION(waits_first, { int i; }) {
  BEGIN(waits_first)
  CALL(5, ch_sem_wait_int(&done))
  note("first");
  END
}
FRAME_FUNCTION(runs, { int i; }) {
  BEGIN(runs)
  note("other");
  END
}
MAIN_FUNCTION(queued_behind, { int i; }) {
  BEGIN(queued_behind_body)
  looks = 0;
  SPAWN(NULL, waits_first, NULL, 0);
  CALL(5, ch_reschedule_int())
  SPAWN(NULL, runs, NULL, 0);
  EXPECT(ch_source_add(&first_source, post_both, NULL) == 0);
  CALL(6, ch_sem_wait_int(&s))
  note("main");
  ch_source_remove(&first_source);
  END
}
TEST(law_2_waiting_in_place_overtakes_nobody) {
  run_domain(queued_behind);
  EXPECT_NOTES("other look first main");
}

static bool timer_fired;
FRAME_FUNCTION(sleeper, { int i; }) {
  BEGIN(sleeper)
  CALL(5, ch_sleep_int(1000000))
  timer_fired = true;
  END
}
MAIN_FUNCTION(always_waits_in_place, { int i; }) {
  BEGIN(always_waits_in_place_body)
  timer_fired = false;
  SPAWN(NULL, sleeper, NULL, 0);
  EXPECT(ch_source_add(&first_source, post_and_spoil, &s) == 0);
  while (!timer_fired)
    CALL(5, ch_sem_wait_int(&s))
  ch_source_remove(&first_source);
  END
}
TEST(law_12_timers_fire_beside_a_wait_in_place) { run_domain(always_waits_in_place); }

static ch_activity victim;
static void cancel_it(void *argument) { ch_activity_cancel(argument); }
FRAME_FUNCTION(is_cancelled, { int i; }) {
  BEGIN(is_cancelled)
  EXPECT(ch_source_add(&first_source, cancel_it, &victim) == 0);
  struct ch_int_result r = ch_sem_wait_int(&s);
  EXPECT((int)r.status == CH_DONE && r.value == ECANCELED);
  EXPECT(ch_list_empty(&s.waiters));
  ch_source_remove(&first_source);
  END
}
MAIN_FUNCTION(cancels_while_waiting_in_place, { int i; }) {
  BEGIN(cancels_while_waiting_in_place_body)
  ch_sem_init(&s, 0);
  SPAWN(&victim, is_cancelled, NULL, 0);
  CALL(5, ch_activity_wait_int(&victim))
  END
}
TEST(law_4_a_look_may_cancel_a_wait_in_place) { run_domain(cancels_while_waiting_in_place); }

struct ch_int_result ch_waiter_suspend_unlock_int(ch_waiter *, ch_spinlock *) CH_INT_NAME(ch_waiter_suspend_unlock);
static void lock_and_schedule(void *argument) {
  ch_spin_acquire(&lock);
  ch_waiter_schedule(argument);
  ch_spin_release(&lock);
}
MAIN_FUNCTION(unlocks_first, { int i; }) {
  BEGIN(unlocks_first_body)
  EXPECT(ch_source_add(&first_source, lock_and_schedule, &w) == 0);
  ch_spin_acquire(&lock);
  CALL(5, ch_waiter_suspend_unlock_int(&w, &lock))
  EXPECT(value == 0 && !lock.holder);
  ch_source_remove(&first_source);
  END
}
TEST(nobody_waits_in_place_under_a_spinlock) { run_domain(unlocks_first); }

/* At the end of an activity's outermost scope its owner waits in place, and runs the branches on its own stack. */
static void post_each_in_turn(void *argument) {
  (void)argument;
  if (++looks % 2 == 0)
    ch_sem_post(looks % 4 ? &s : &done);
}
FRAME_FUNCTION(awaits, { int i; }) { /* record: a semaphore */
  BEGIN(awaits)
  CALL(5, ch_sem_wait_int(v.record))
  note(v.record == &s ? "s" : "d");
  CALL(6, ch_reschedule_int())
  note(v.record == &s ? "S" : "D");
  END
}
ASYNC_MAIN(waits_in_place_at_the_end, 4, { int i; }) {
  BEGIN(waits_in_place_at_the_end_body)
  looks = 0;
  EXPECT(ch_source_add(&first_source, post_each_in_turn, NULL) == 0);
  ENTER(&S);
  ASYNC(1, &S, awaits(&s))
  ASYNC(2, &S, awaits(&done))
  ASYNC(3, &S, awaits(&s))
  errno = EDOM;
  struct ch_frame *before = ch_domain.current->top;
  EXPECT(ch_scope_leave_int(&S) == CH_DONE);
  EXPECT(errno == EDOM && ch_domain.current->top == before && !ch_domain.current->scope && ch_domain.branches == 0);
  note("end");
  ch_source_remove(&first_source);
  END
}
TEST(at_the_end_of_a_scope_its_branches_run_on_the_owners_stack) {
  run_domain(waits_in_place_at_the_end);
  EXPECT_NOTES("s S d D s S end");
}

/* What is not over at once blocks after all: a timer's branch, one that waits in plain code, one that runs for long. */
static int waits_in_plain_code(void *record) {
  EXPECT(ch_sem_wait(record) == 0);
  note("plain");
  return CH_DONE;
}
static struct ch_int_result plain_waiter(void *record) { return status_only(waits_in_plain_code(record)); }
FRAME_FUNCTION(goes_to_plain_code, { int i; }){BEGIN(goes_to_plain_code) CALL(5, ch_sem_wait_int(&done))
                                                   CALL(6, plain_waiter(v.record))
                                                       END} FRAME_FUNCTION(runs_for_long, { int i; }) {
  BEGIN(runs_for_long)
  CALL(5, ch_sem_wait_int(&done))
  for (v.i = 0; v.i < 1000; v.i++)
    CALL(6, ch_reschedule_int())
  note("long");
  END
}
FRAME_FUNCTION(sleeps, { int i; }) {
  BEGIN(sleeps)
  CALL(5, ch_sleep_int(50000000))
  note("slept");
  END
}
ASYNC_MAIN(blocks_at_the_end, 4, { int i; }) {
  BEGIN(blocks_at_the_end_body)
  looks = 0;
  EXPECT(ch_source_add(&first_source, post_each_in_turn, NULL) == 0);
  ENTER(&S);
  ASYNC(1, &S, sleeps(NULL))
  ASYNC(2, &S, goes_to_plain_code(&s))
  ASYNC(3, &S, runs_for_long(NULL))
  LEAVE(5, &S)
  EXPECT(ch_domain.branches == 0 && !ch_domain.current->scope);
  note("end");
  ch_source_remove(&first_source);
  END
}
TEST(what_is_not_over_at_once_blocks_after_all) {
  run_domain(blocks_at_the_end);
  EXPECT_NOTES("plain long slept end");
}
