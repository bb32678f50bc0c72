/* async, finish and cancel, as far as the runtime alone makes them: laws 1 to 4, 11 and 12. Each test is named after
 * what it shows. */
#include "by_hand.h"

#include "activity/scope.h"
#include "wait/wait.h"

static ch_sem s, t, u;
static ch_activity a;
static struct ch_scope S, T, U;

static uint64_t branches(void) { return ch_domain.branches; }

/* Clauses that something outside can fire; a source is none. */
static uint64_t outside(void) { return ch_domain.base.outside - ch_has_sources(); }

static void expect_nothing_left(void) {
  struct ch_stats stats;
  ch_stats(&stats);
  EXPECT(branches() == 0);
  EXPECT(ch_domain.marked_count == 0);
  EXPECT(outside() == 0);
  EXPECT(!ch_domain.current->scope);
}

/* Notes its name, waits for `on`, notes its name again; `result` is what the wait said. */
struct step {
  const char *name;
  ch_sem *on;
  int result;
};
FRAME_FUNCTION(step, { int dummy; }) {
  BEGIN(step)
  note(((struct step *)v.record)->name);
  CALL(5, ch_sem_wait_int(((struct step *)v.record)->on))((struct step *)v.record)->result = (int)value;
  note(((struct step *)v.record)->name);
  END
}
static struct step A = {"a", &s, -1}, B = {"b", &t, -1}, C = {"c", &u, -1};

/* ---- laws 2 and 3 ---- */

ASYNC_MAIN(two_steps, 4, { int i; }) {
  BEGIN(two_steps_body)
  ENTER(&S);
  ASYNC(1, &S, step(&A))
  note("m");
  ASYNC(2, &S, step(&B))
  note("m");
  EXPECT(branches() == 2);
  ch_sem_post(&t);
  ch_sem_post(&s);
  note("posted");
  LEAVE(5, &S)
  note("end");
  expect_nothing_left();
  END
}
TEST(law_2_the_continuation_runs_when_an_async_call_blocks) {
  run_domain(two_steps);
  EXPECT_NOTES("a m b m posted b a end");
}

ASYNC_MAIN(nothing_blocks, 4, { int i; }) {
  BEGIN(nothing_blocks_body)
  ch_sem_post(&s);
  struct ch_stats before, after;
  ch_sem_post(&t);
  ENTER(&S);
  ch_stats(&before);
  ASYNC(1, &S, step(&A))
  ASYNC(2, &S, step(&B))
  ch_stats(&after);
  EXPECT(branches() == 0);
  EXPECT(after.activity_bytes == before.activity_bytes);
  LEAVE(5, &S)
  expect_nothing_left();
  END
}
TEST(law_11_an_async_call_that_does_not_block_is_a_call) {
  run_domain(nothing_blocks);
  EXPECT_NOTES("a a b b");
  EXPECT(A.result == 0 && B.result == 0);
}

/* A branch whose last act is to block: it has no frame at all. */
ASYNC_MAIN(frameless, 4, { int i; }) {
  BEGIN(frameless_body)
  ENTER(&S);
  ASYNC(1, &S, ch_sem_wait_int(&s))
  ASYNC(2, &S, ch_sleep_int(5))
  ASYNC(3, &S, ch_sem_wait_int(&s))
  EXPECT(branches() == 3);
  ch_sem_post(&s);
  ch_sem_post(&s);
  LEAVE(5, &S)
  EXPECT(ch_now() == 5);
  expect_nothing_left();
  END
}
TEST(law_3_branches_without_frames_end_too) { run_domain(frameless); }

static int posts(void *record) { return ch_sem_post(*(ch_sem **)record), 0; }

/* The finish waits although its body is done long before; the owner's own frames go on only then. */
ASYNC_MAIN(waits_for_all, 4, { int i; }) {
  BEGIN(waits_for_all_body)
  ENTER(&S);
  for (v.i = 0; v.i < 100; v.i++) {
    ASYNC(1, &S, step(&A))
  }
  EXPECT(branches() == 100);
  for (v.i = 0; v.i < 100; v.i++)
    SPAWN(NULL, posts, &(ch_sem *){&s}, sizeof(ch_sem *));
  LEAVE(5, &S)
  EXPECT(s.count == 0);
  expect_nothing_left();
  END
}
TEST(law_3_finish_waits_for_every_branch) { run_domain(waits_for_all); }

/* ---- nested: a finish inside an async call ---- */

ASYNC_FUNCTION(inner, 4, { int i; }) {
  BEGIN(inner)
  ENTER(&T);
  ASYNC(1, &T, step(&A))
  note("i");
  ASYNC(2, &T, step(&B))
  note("i");
  LEAVE(5, &T)
  note("inner");
  END
}
ASYNC_MAIN(nested_finish, 4, { int i; }) {
  BEGIN(nested_finish_body)
  ENTER(&S);
  ASYNC(1, &S, inner(NULL))
  note("m");
  ASYNC(2, &S, step(&C))
  EXPECT(branches() == 4);
  ch_sem_post(&u);
  ch_sem_post(&t);
  ch_sem_post(&s);
  LEAVE(5, &S)
  note("end");
  expect_nothing_left();
  END
}
TEST(law_3_a_finish_within_an_async_call_waits_for_its_own) {
  run_domain(nested_finish);
  EXPECT_NOTES("a i b i m c c b a inner end");
}

/* An async in the body of an async belongs to the same finish. */
ASYNC_FUNCTION(outer_async, 4, { int i; }) {
  BEGIN(outer_async)
  ASYNC(1, &S, step(&A))
  note("o");
  CALL(5, ch_sem_wait_int(&t))
  note("o");
  ASYNC(2, &S, step(&C))
  note("o");
  END
}
ASYNC_MAIN(async_in_async, 4, { int i; }) {
  BEGIN(async_in_async_body)
  ENTER(&S);
  ASYNC(1, &S, outer_async(NULL))
  note("m");
  EXPECT(branches() == 2);
  ch_sem_post(&t);
  LEAVE(5, &S)
  note("end");
  expect_nothing_left();
  END
}
static int post_a_and_c(void *record) { return ch_sem_post(&s), ch_sem_post(&u), 0; }
ASYNC_MAIN(async_in_async_main, 4, { int i; }) {
  BEGIN(async_in_async_main_body)
  SPAWN(NULL, post_a_and_c, NULL, 0);
  CALL(5, async_in_async(0, NULL, NULL))
  END
}
TEST(law_3_an_async_in_an_async_belongs_to_the_same_finish) {
  run_domain(async_in_async_main);
  EXPECT_NOTES("a o m o c o a c end");
}

/* ---- law 1 ---- */

/* Yields between its notes: nobody of its activity may come between, others may. */
FRAME_FUNCTION(yielding, { int i; }) {
  BEGIN(yielding)
  note("y1");
  CALL(5, ch_reschedule_int())
  note("y2");
  CALL(6, ch_reschedule_int())
  note("y3");
  CALL(7, ch_sem_wait_int(&s))
  note("y4");
  CALL(8, ch_reschedule_int())
  note("y5");
  END
}
FRAME_FUNCTION(other, { int i; }) {
  BEGIN(other)
  for (v.i = 0; v.i < 4; v.i++) {
    note("x");
    CALL(5, ch_reschedule_int())
  }
  END
}
ASYNC_MAIN(yields_within, 4, { int i; }) {
  BEGIN(yields_within_body)
  SPAWN(NULL, other, NULL, 0);
  ENTER(&S);
  ASYNC(1, &S, yielding(NULL))
  note("m");
  ASYNC(2, &S, step(&B))
  ch_sem_post(&s);
  ch_sem_post(&t);
  LEAVE(5, &S)
  note("end");
  expect_nothing_left();
  END
}
TEST(law_1_no_sibling_runs_while_a_branch_is_set_aside_at_a_yield_point) {
  run_domain(yields_within);
  /* y3 blocks: the continuation at once; y4 yields: b, ready since before, waits until y5 has ended. */
  EXPECT_NOTES("y1 x y2 x y3 m b y4 x y5 b end");
}

/* A yield in an async call that then never blocks: the continuation runs behind it, once, as if async were not there.
 */
FRAME_FUNCTION(only_yields, { int i; }) {
  BEGIN(only_yields)
  note("y1");
  CALL(5, ch_reschedule_int())
  note("y2");
  END
}
ASYNC_MAIN(yield_without_block, 4, { int i; }) {
  BEGIN(yield_without_block_body)
  SPAWN(NULL, other, NULL, 0);
  ENTER(&S);
  ASYNC(1, &S, only_yields(NULL))
  note("m");
  EXPECT(branches() == 0);
  LEAVE(5, &S)
  note("end");
  expect_nothing_left();
  END
}
TEST(law_1_an_async_call_that_only_yields_is_a_call) {
  run_domain(yield_without_block);
  EXPECT_NOTES("y1 x y2 m end");
}

/* Continuations of three nested async calls are due when the innermost blocks after a yield: innermost first. */
ASYNC_FUNCTION(level3, 4, { int i; }) {
  BEGIN(level3)
  ENTER(&U);
  ASYNC(1, &U, yielding(NULL))
  note("l3");
  LEAVE(5, &U)
  note("u");
  END
}
ASYNC_FUNCTION(level2, 4, { int i; }) {
  BEGIN(level2)
  ENTER(&T);
  ASYNC(1, &T, level3(NULL))
  note("l2");
  LEAVE(5, &T)
  note("t");
  END
}
ASYNC_MAIN(three_due, 4, { int i; }) {
  BEGIN(three_due_body)
  ENTER(&S);
  ASYNC(1, &S, level2(NULL))
  note("l1");
  EXPECT(branches() == 3);
  ch_sem_post(&s);
  LEAVE(5, &S)
  note("end");
  expect_nothing_left();
  END
}
TEST(law_2_of_several_continuations_that_are_due_the_innermost_goes_first) {
  run_domain(three_due);
  EXPECT_NOTES("y1 y2 y3 l3 l2 l1 y4 y5 u t end");
}

/* A branch that was cut off is cancelled before its parent has said where it belongs: the slice is over, and
 * another activity comes in between. */
FRAME_FUNCTION(yields_and_blocks, { int i; }) {
  BEGIN(yields_and_blocks)
  CALL(5, ch_reschedule_int())
  ch_tls.slice_over = 1;
  CALL(6, ch_sem_wait_int(&s))
  A.result = (int)value;
  note("y");
  END
}
ASYNC_MAIN(cancelled_before_settled, 4, { int i; }) {
  BEGIN(cancelled_before_settled_body)
  ENTER(&S);
  ASYNC(1, &S, yields_and_blocks(NULL))
  note("m");
  LEAVE(5, &S)
  expect_nothing_left();
  END
}
FRAME_FUNCTION(cancels_later, { int i; }) {
  BEGIN(cancels_later)
  CALL(5, ch_reschedule_int())
  note("x");
  ch_scope_cancel(&S);
  END
}
MAIN_FUNCTION(cancelled_before_settled_main, { int i; }) {
  BEGIN(cancelled_before_settled_main_body)
  SPAWN(NULL, cancels_later, NULL, 0);
  CALL(5, cancelled_before_settled(0, NULL, NULL))
  END
}
TEST(law_4_cancel_finds_a_branch_whose_scope_is_not_settled_yet) {
  run_domain(cancelled_before_settled_main);
  EXPECT_NOTES("x m y");
  EXPECT(A.result == ECANCELED);
}

/* ---- a native wait with siblings ---- */

static ch_sem native;
FRAME_FUNCTION(natively, { int i; }) {
  BEGIN(natively)
  note("n1");
  ch_sem_post(&s);
  EXPECT(ch_sem_wait(&native) == 0); /* plain code: on the native stack */
  note("n2");
  END
}
FRAME_FUNCTION(helps, { int i; }) {
  BEGIN(helps)
  CALL(5, ch_sem_wait_int(&s))
  note("h1");
  ch_sem_post(&native);
  CALL(6, ch_reschedule_int())
  note("h2");
  END
}
ASYNC_MAIN(native_wait, 4, { int i; }) {
  BEGIN(native_wait_body)
  SPAWN(NULL, other, NULL, 0);
  ENTER(&S);
  ASYNC(1, &S, helps(NULL))
  ASYNC(2, &S, natively(NULL))
  note("m");
  LEAVE(5, &S)
  note("end");
  expect_nothing_left();
  END
}
TEST(law_1_a_native_wait_lets_siblings_run_and_returns_between_their_waits) {
  run_domain(native_wait);
  EXPECT_NOTES("n1 h1 x h2 n2 m end");
}

/* ---- law 12 ---- */

FRAME_FUNCTION(keeps_errno, { int mine; }) {
  BEGIN(keeps_errno)
  v.mine = *(int *)v.record;
  errno = v.mine;
  CALL(5, ch_sem_wait_int(&s))
  EXPECT(errno == v.mine);
  errno = v.mine + 1;
  CALL(6, ch_sleep_int(3))
  EXPECT(errno == v.mine + 1);
  END
}
ASYNC_MAIN(errnos, 4, { int i; }) {
  BEGIN(errnos_body)
  ENTER(&S);
  static int numbers[3] = {100, 200, 300};
  for (v.i = 0; v.i < 3; v.i++) {
    ASYNC(1, &S, keeps_errno(&numbers[v.i]))
  }
  errno = 7;
  for (v.i = 0; v.i < 3; v.i++)
    ch_sem_post(&s);
  LEAVE(5, &S)
  EXPECT(errno == 7);
  expect_nothing_left();
  END
}
TEST(law_12_errno_belongs_to_the_branch) { run_domain(errnos); }

/* ---- identity ---- */

static const char *seen_name;
static ch_activity *seen_self;
FRAME_FUNCTION(asks_who, { int i; }) {
  BEGIN(asks_who)
  CALL(5, ch_sem_wait_int(&s))
  seen_self = ch_self();
  seen_name = ch_name();
  EXPECT(ch_set_name("renamed") == 0);
  EXPECT(ch_activity_wait(ch_self()) == EDEADLK);
  END
}
ASYNC_FUNCTION(with_name, 4, { int i; }) {
  BEGIN(with_name)
  ch_set_name("server");
  ENTER(&S);
  ASYNC(1, &S, asks_who(NULL))
  ch_sem_post(&s);
  LEAVE(5, &S)
  EXPECT(strcmp(ch_name(), "renamed") == 0);
  END
}
MAIN_FUNCTION(identity, { int i; }) {
  BEGIN(identity_body)
  SPAWN(&a, with_name, NULL, 0);
  CALL(5, ch_activity_wait_int(&a))
  EXPECT(value == 0);
  EXPECT(seen_self == &a);
  END
}
TEST(law_1_a_branch_speaks_in_its_activitys_name) { run_domain(identity); }

/* ---- law 4 ---- */

ASYNC_MAIN(cancel_wakes, 4, { int i; }) {
  BEGIN(cancel_wakes_body)
  ENTER(&S);
  ASYNC(1, &S, step(&A))
  ASYNC(2, &S, step(&B))
  EXPECT(!ch_cancelled());
  ch_scope_cancel(&S);
  EXPECT(ch_cancelled());
  note("cancelled");
  /* a level: every later wait, also one that could have been met, has no effect */
  ch_sem_post(&u);
  CALL(5, ch_sem_wait_int(&u))
  EXPECT(value == ECANCELED && u.count == 1);
  EXPECT(ch_sem_wait(&u) == ECANCELED && u.count == 1);
  CALL(6, ch_sem_timedwait_int(&u, 10))
  EXPECT(value == ECANCELED && u.count == 1);
  CALL(7, ch_sleep_int(10))
  EXPECT(value == ECANCELED && ch_now() == 0);
  CALL(8, ch_sleep_int(0))
  EXPECT(value == ECANCELED);
  CALL(9, ch_fd_wait_int(3, 1, CH_FOREVER))
  EXPECT(value == -ECANCELED);
  CALL(10, ch_activity_wait_int(&a))
  EXPECT(value == ECANCELED);
  EXPECT(ch_sem_trywait(&u) == 0);
  LEAVE(11, &S)
  EXPECT(!ch_cancelled());
  note("end");
  /* the semaphores forgot them */
  EXPECT(s.count == 0 && t.count == 0);
  ch_sem_post(&s);
  EXPECT(s.count == 1);
  expect_nothing_left();
  END
}
TEST(law_4_cancel_ends_the_waits_in_its_scope_and_stays) {
  run_domain(cancel_wakes);
  EXPECT_NOTES("a b cancelled a b end");
  EXPECT(A.result == ECANCELED && B.result == ECANCELED);
}

ASYNC_MAIN(exactness, 4, { int i; }) {
  BEGIN(exactness_body)
  ENTER(&S);
  ASYNC(1, &S, step(&A))
  ASYNC(2, &S, step(&B))
  ch_sem_post(&s); /* a has its unit */
  ch_scope_cancel(&S);
  ch_sem_post(&t); /* b does not want this one any more */
  LEAVE(5, &S)
  EXPECT(A.result == 0 && s.count == 0);
  EXPECT(B.result == ECANCELED && t.count == 1);
  expect_nothing_left();
  END
}
TEST(law_4_a_wait_that_was_met_before_the_cancel_keeps_its_effect) { run_domain(exactness); }

/* Timed waits: all clauses of a wait are withdrawn. */
FRAME_FUNCTION(timed, { int i; }) {
  BEGIN(timed)
  CALL(5, ch_sem_timedwait_int(&s, 1000))
  EXPECT(value == ECANCELED);
  CALL(6, ch_fd_wait_int(3, 1, 500))
  EXPECT(value == -ECANCELED);
  note("t");
  END
}
ASYNC_MAIN(several_clauses, 4, { int i; }) {
  BEGIN(several_clauses_body)
  ENTER(&S);
  ASYNC(1, &S, timed(NULL))
  EXPECT(outside() == 1);
  ch_scope_cancel(&S);
  EXPECT(outside() == 0);
  LEAVE(5, &S)
  EXPECT(ch_now() == 0);
  expect_nothing_left();
  END
}
TEST(law_4_a_cancelled_wait_withdraws_all_its_clauses) {
  run_domain(several_clauses);
  EXPECT_NOTES("t");
}

/* S holds the branch T; U inside T is a barrier around C. */
FRAME_FUNCTION(in_barrier, { int i; }) {
  BEGIN(in_barrier)
  NONCANCELLABLE(&U);
  CALL(5, step(&C))
  EXPECT(C.result == 0);
  EXPECT(!ch_cancelled());
  LEAVE(6, &U)
  EXPECT(ch_cancelled());
  CALL(7, ch_sem_wait_int(&u))
  EXPECT(value == ECANCELED);
  note("out");
  END
}
ASYNC_FUNCTION(in_t, 4, { int i; }) {
  BEGIN(in_t)
  ENTER(&T);
  ASYNC(1, &T, in_barrier(NULL))
  ASYNC(2, &T, step(&A))
  CALL(5, step(&B))
  LEAVE(6, &T)
  END
}
ASYNC_MAIN(barrier, 4, { int i; }) {
  BEGIN(barrier_body)
  ENTER(&S);
  ASYNC(1, &S, in_t(NULL))
  ch_scope_cancel(&S);
  EXPECT(ch_finish_of(&T)->marked && !ch_finish_of(&U)->marked);
  note("m");
  CALL(5, ch_reschedule_int())
  ch_sem_post(&u);
  LEAVE(6, &S)
  expect_nothing_left();
  END
}
TEST(law_4_noncancellable_is_a_barrier) {
  run_domain(barrier);
  EXPECT_NOTES("c a b m b a c out");
  EXPECT(A.result == ECANCELED && B.result == ECANCELED);
}

/* Innermost first: the inner scope's waits are ended before the outer's, although they began later. */
FRAME_FUNCTION(inner_wait, { int i; }) {
  BEGIN(inner_wait)
  ENTER(&T);
  ENTER(&U);
  CALL(5, step(&C))
  LEAVE(6, &U)
  LEAVE(7, &T)
  END
}
ASYNC_MAIN(innermost_first, 4, { int i; }) {
  BEGIN(innermost_first_body)
  ENTER(&S);
  ASYNC(1, &S, step(&A))
  ASYNC(2, &S, inner_wait(NULL))
  ch_scope_cancel(&S);
  LEAVE(5, &S)
  expect_nothing_left();
  END
}
TEST(law_4_a_cancel_works_from_the_innermost_scope_outwards) {
  run_domain(innermost_first);
  EXPECT_NOTES("a c c a");
}

ASYNC_MAIN(inherits, 4, { int i; }) {
  BEGIN(inherits_body)
  ENTER(&S);
  ch_scope_cancel(&S);
  ENTER(&T);
  EXPECT(ch_cancelled());
  NONCANCELLABLE(&U);
  EXPECT(!ch_cancelled());
  CALL(5, ch_sleep_int(5))
  EXPECT(value == 0 && ch_now() == 5);
  LEAVE(6, &U)
  EXPECT(ch_cancelled());
  LEAVE(7, &T)
  LEAVE(8, &S)
  EXPECT(!ch_cancelled());
  expect_nothing_left();
  END
}
TEST(law_4_scopes_opened_later_inherit_the_mark) { run_domain(inherits); }

/* Cancelling an inner scope leaves the outer one alone. */
ASYNC_MAIN(inner_only, 4, { int i; }) {
  BEGIN(inner_only_body)
  ENTER(&S);
  ASYNC(1, &S, step(&A))
  ENTER(&T);
  ASYNC(2, &T, step(&B))
  ch_scope_cancel(&T);
  EXPECT(ch_cancelled());
  LEAVE(5, &T)
  EXPECT(!ch_cancelled());
  EXPECT(B.result == ECANCELED && A.result == -1);
  ch_sem_post(&s);
  LEAVE(6, &S)
  EXPECT(A.result == 0);
  expect_nothing_left();
  END
}
TEST(law_4_cancel_of_an_inner_scope_leaves_the_outer_alone) { run_domain(inner_only); }

/* ---- whole activities ---- */

FRAME_FUNCTION(waits_twice, { int i; }) {
  BEGIN(waits_twice)
  CALL(5, ch_sem_wait_int(&s))
  EXPECT(value == ECANCELED);
  ENTER(&T);
  EXPECT(ch_cancelled());
  CALL(6, ch_sleep_int(1))
  EXPECT(value == ECANCELED);
  LEAVE(7, &T)
  note("w");
  END
}
FRAME_FUNCTION(finds_itself_cancelled, { int i; }) {
  BEGIN(finds_itself_cancelled)
  EXPECT(ch_cancelled());
  CALL(5, ch_sem_wait_int(&s))
  EXPECT(value == ECANCELED);
  note("f");
  END
}
MAIN_FUNCTION(activity_cancel, { int i; }) {
  BEGIN(activity_cancel_body)
  EXPECT(ch_activity_cancel(&a) == EINVAL);
  static ch_activity b;
  SPAWN(&a, waits_twice, NULL, 0);
  CALL(5, ch_reschedule_int())
  SPAWN(&b, finds_itself_cancelled, NULL, 0);
  EXPECT(ch_activity_cancel(&a) == 0 && ch_activity_cancel(&a) == 0);
  EXPECT(ch_activity_cancel(&b) == 0);
  CALL(6, ch_activity_wait_int(&a))
  CALL(7, ch_activity_wait_int(&b))
  EXPECT(ch_activity_cancel(&a) == 0);
  EXPECT(s.count == 0 && ch_list_empty(&s.waiters));
  expect_nothing_left();
  END
}
TEST(law_4_an_activity_is_cancelled_before_it_begins_or_while_it_waits) {
  run_domain(activity_cancel);
  EXPECT_NOTES("f w");
}

ASYNC_FUNCTION(with_scopes, 4, { int i; }) {
  BEGIN(with_scopes)
  ENTER(&S);
  ASYNC(1, &S, step(&A))
  CALL(5, step(&B))
  LEAVE(6, &S)
  EXPECT(ch_cancelled());
  END
}
MAIN_FUNCTION(activity_with_scopes, { int i; }) {
  BEGIN(activity_with_scopes_body)
  SPAWN(&a, with_scopes, NULL, 0);
  CALL(5, ch_reschedule_int())
  ch_activity_cancel(&a);
  CALL(6, ch_activity_wait_int(&a))
  EXPECT(value == 0 && A.result == ECANCELED && B.result == ECANCELED);
  expect_nothing_left();
  END
}
TEST(law_4_an_activitys_cancel_reaches_all_its_branches) { run_domain(activity_with_scopes); }

/* ---- deadlines ---- */

static struct ch_deadline limit, limit2;
ASYNC_MAIN(deadline, 4, { int i; }) {
  BEGIN(deadline_body)
  ENTER(&S);
  ch_scope_deadline(&S, &limit, 10);
  ASYNC(1, &S, step(&A))
  CALL(5, ch_sleep_int(4))
  EXPECT(value == 0);
  CALL(6, ch_sleep_int(100))
  EXPECT(value == ECANCELED && ch_now() == 10 && ch_cancelled());
  LEAVE(7, &S)
  EXPECT(A.result == ECANCELED && ch_now() == 10);
  /* one that is not reached is withdrawn */
  ENTER(&S);
  ch_scope_deadline(&S, &limit, 1000);
  EXPECT(outside() == 1);
  LEAVE(8, &S)
  EXPECT(outside() == 0);
  /* one that has passed cancels at once */
  ENTER(&S);
  ch_scope_deadline(&S, &limit, 10);
  EXPECT(ch_cancelled());
  LEAVE(9, &S)
  ENTER(&S);
  ch_scope_deadline(&S, &limit, CH_FOREVER);
  LEAVE(10, &S)
  /* the inner of two */
  ENTER(&S);
  ch_scope_deadline(&S, &limit, 30);
  ENTER(&T);
  ch_scope_deadline(&T, &limit2, 20);
  CALL(11, ch_sem_wait_int(&t))
  EXPECT(value == ECANCELED && ch_now() == 20);
  LEAVE(12, &T)
  EXPECT(!ch_cancelled());
  CALL(13, ch_sem_wait_int(&t))
  EXPECT(value == ECANCELED && ch_now() == 30);
  LEAVE(14, &S)
  CALL(15, ch_sleep_int(50))
  EXPECT(value == 0 && ch_now() == 80);
  expect_nothing_left();
  END
}
TEST(law_4_a_deadline_cancels_its_scope) { run_domain(deadline); }

/* ---- deep ---- */

#define DEEP 100000
static struct ch_scope *deep;
FRAME_FUNCTION(deep_scopes, { int i; }) {
  BEGIN(deep_scopes)
  for (v.i = 0; v.i < DEEP; v.i++)
    ch_scope_enter(&deep[v.i], 0, "deep");
  CALL(5, ch_sem_wait_int(&s))
  EXPECT(value == ECANCELED);
  while (v.i-- > 0) {
    CALL(6, status_only(ch_scope_leave_int(&deep[v.i])))
  }
  END
}
ASYNC_MAIN(deep_cancel, 4, { int i; }) {
  BEGIN(deep_cancel_body)
  deep = malloc(DEEP * sizeof *deep);
  ENTER(&S);
  ASYNC(1, &S, deep_scopes(NULL))
  ch_scope_cancel(&S);
  EXPECT(ch_domain.marked_count == DEEP + 1);
  LEAVE(5, &S)
  expect_nothing_left();
  END
}
TEST(law_4_cancel_of_a_hundred_thousand_nested_scopes) { run_domain(deep_cancel); }

/* ---- outside any domain ---- */

TEST(scopes_outside_a_domain_make_one) {
  ch_scope_enter(&S, 0, "x");
  ch_scope_deadline(&S, &limit, ch_now() + 5);
  EXPECT(!ch_cancelled() && ch_sleep(10) == ECANCELED && ch_cancelled());
  ch_scope_leave(&S);
  EXPECT(!ch_cancelled() && ch_sleep(10) == 0);
  EXPECT(ch_activity_cancel(&a) == EINVAL);
}

/* ---- reports ---- */

ASYNC_MAIN(dumped, 4, { int i; }) {
  BEGIN(dumped_body)
  NONCANCELLABLE(&U);
  ENTER(&S);
  ASYNC(1, &S, inner(NULL))
  ASYNC(2, &S, step(&C))
  ch_scope_cancel(&S);
  ch_dump(2);
  LEAVE(5, &S)
  LEAVE(6, &U)
  END
}
#define DUMP_TEST(name, text)                                                                                          \
  TEST_EXITS(name, 0, text) { run_domain(dumped); }
DUMP_TEST(a_dump_shows_scopes_under_their_branch_and_branches_under_their_scope,
          "\"main\": running\n  in finish at hand.c:&S, cancelled\n      async: waits for a finish at hand.c:&T\n"
          "        #0 inner at hand.c:105\n      in finish at hand.c:&T, cancelled\n          async: runnable\n"
          "            #0 step at hand.c:105\n          async: runnable\n            #0 step at hand.c:105\n"
          "      async: runnable\n        #0 step at hand.c:105\n  in noncancellable at hand.c:&U\n")

/* ---- deadlock ---- */

ASYNC_MAIN(deadlocked, 4, { int i; }) {
  BEGIN(deadlocked_body)
  ENTER(&S);
  ASYNC(1, &S, step(&A))
  LEAVE(5, &S)
  END
}
TEST_EXITS(a_finish_that_never_ends_is_reported, CH_EXIT_DEADLOCK, "waits for a finish") {
  run_domain_alone(deadlocked);
}
