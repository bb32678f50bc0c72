/* Events, rendezvous, twait and tamed functions: charcoal/events.h. */
#include "simulated.h"
#include <charcoal/events.h>
#include <charcoal/future.h>
#include <malloc.h>

static struct ch_event_counts counted(void) {
  struct ch_event_counts c;
  ch_event_counts(&c);
  return c;
}

/* Triggers e with n, after n milliseconds. */
static void later(int n, event(int) e) {
  activate(n, e) {
    ch_sleep(n * 1000000L);
    ch_trigger(e, n);
  }
}

/* ---- trigger ---- */

TEST(a_trigger_writes_its_slots_before_it_returns) {
  rendezvous() r;
  int i = 0;
  event(int) e = mkevent(r, &i);
  EXPECT(ch_event_is_outstanding(e) && ch_outstanding(r) == 1);
  EXPECT(ch_trigger(e, 100) == 0 && i == 100 && ch_triggered(r) == 1 && ch_outstanding(r) == 0);
  EXPECT(twait(r) == 0 && ch_triggered(r) == 0);
}

TEST(ids_come_in_the_order_of_the_triggers) {
  rendezvous(const char *) r;
  const char *id = NULL;
  event() a = mkevent(r, "a"), b = mkevent(r, "b"), c = mkevent(r, "c");
  ch_trigger(b), ch_trigger(c), ch_trigger(a);
  EXPECT(twait(r, &id) == 0 && strcmp(id, "b") == 0);
  EXPECT(twait(r, &id) == 0 && strcmp(id, "c") == 0);
  EXPECT(twait(r, &id) == 0 && strcmp(id, "a") == 0);
}

TEST(an_id_of_any_size_arrives_whole) {
  struct id {
    int one;
    double more[9];
  } sent = {1, {2, 3}}, got = {0};
  rendezvous(struct id) r;
  event() e = mkevent(r, sent), dropped = mkevent(r, ((struct id){4, {5}}));
  EXPECT(ch_trigger(e) == 0 && twait(r, &got) == 0 && memcmp(&sent, &got, sizeof got) == 0);
  EXPECT(ch_event_cancel(dropped) == 0);
}

TEST(values_are_converted_as_an_assignment_would) {
  rendezvous() r;
  double d = 0;
  _Bool truth = 0;
  unsigned char low = 0;
  const char *text = "x";
  ch_trigger(mkevent(r, &d, &truth, &low, &text), 3, 0.5, 0x1ff, 0);
  EXPECT(d == 3.0 && truth == 1 && low == 0xff && text == NULL);
  float f = 0;
  long negative = 0;
  ch_trigger(mkevent(r, &f, &negative), 1.5, -2);
  EXPECT(f == 1.5f && negative == -2);
}

TEST(wide_half_and_complex_values_are_converted_as_an_assignment_would) {
  rendezvous() r;
  __int128 wide = 0, wide_negative = 0;
  unsigned __int128 least = 0;
  double from_wide = 0;
  _Bool truth = 0;
  ch_trigger(mkevent(r, &wide, &least), 1, 2u);
  ch_trigger(mkevent(r, &wide_negative, &from_wide, &truth), -1, (__int128)1 << 70, (__int128)1 << 70);
  EXPECT(wide == 1 && least == 2 && wide_negative == -1 && from_wide == 0x1p70 && truth == 1);
  _Float16 half = 0;
  double from_half = 0, real = 0;
  _Complex double complex = 0, from_float = 0;
  ch_trigger(mkevent(r, &half, &from_half), 1.5, (_Float16)2.5);
  ch_trigger(mkevent(r, &complex, &from_float, &real), 3, (_Complex float)4.5f, (_Complex float)5.5f);
  EXPECT(half == (_Float16)1.5 && from_half == 2.5 && complex == 3.0 && from_float == 4.5 && real == 5.5);
}

TEST(a_value_without_a_slot_is_dropped) {
  rendezvous() r;
  int second = 0;
  event(int, int) e = mkevent(r, (int *)NULL, &second);
  EXPECT(ch_trigger(e, 1, 2) == 0 && twait(r) == 0 && second == 2);
}

TEST(the_second_trigger_is_ignored_and_counted) {
  rendezvous() r;
  int i = 0;
  event(int) e = mkevent(r, &i);
  EXPECT(ch_trigger(e, 1) == 0 && ch_trigger(e, 2) == EALREADY && i == 1 && counted().twice == 1);
  EXPECT(twait(r) == 0 && ch_trigger(e, 3) == EALREADY && ch_triggered(r) == 0 && i == 1);
  event(int) next = mkevent(r, &i); /* in the same memory, perhaps */
  EXPECT(ch_trigger(e, 4) == EALREADY && i == 1 && ch_trigger(next, 5) == 0 && i == 5);
}

TEST_EXITS(a_mistake_is_fatal_where_that_is_wished, CH_EXIT_MISUSE, "events.c:") {
  ch_event_mistakes(CH_EVENTS_FATAL);
  rendezvous() r;
  event() e = mkevent(r);
  ch_trigger(e);
  ch_trigger(e);
}

/* ---- waiting ---- */

TEST(a_twait_blocks_until_an_event_is_triggered) {
  rendezvous(int) r;
  int id = 0, value = 0;
  later(2, mkevent(r, 2, &value));
  later(1, mkevent(r, 1, &value));
  EXPECT(twait(r, &id) == 0 && id == 1 && value == 1);
  EXPECT(twait(r, &id) == 0 && id == 2 && value == 2);
}

TEST(a_wait_for_all_drops_the_ids) {
  rendezvous(int) r;
  int values[3] = {0};
  EXPECT(ch_twait_all(r) == 0);
  for (int i = 0; i < 3; i++)
    later(i + 1, mkevent(r, i, &values[i]));
  EXPECT(ch_twait_all(r) == 0 && values[0] == 1 && values[1] == 2 && values[2] == 3 && ch_triggered(r) == 0);
}

TEST(a_cancelled_twait_has_taken_nothing) {
  rendezvous(int) r;
  int error = 0, id = 0;
  do {
    async error = twait(r, &id);
    ch_trigger(mkevent(r, 7));
    ch_trigger(mkevent(r, 8));
    EXPECT(ch_triggered(r) == 1 || ch_triggered(r) == 2);
    cancel;
  }
  finish;
  EXPECT((error == 0 && id == 7 && ch_triggered(r) == 1) || (error == ECANCELED && ch_triggered(r) == 2));
}

TEST_EXITS(a_second_waiter_is_told_with_both_places, CH_EXIT_MISUSE, "it can have one waiter") {
  ch_event_mistakes(CH_EVENTS_FATAL);
  rendezvous() r;
  do {
    async twait(r);
    twait(r);
  }
  finish;
}

TEST(a_second_waiter_is_sent_away) {
  ch_event_mistakes(CH_EVENTS_COUNT);
  rendezvous() r;
  event() e = mkevent(r);
  int first = -1;
  do {
    async first = twait(r);
    EXPECT(twait(r) == EBUSY);
    EXPECT(ch_rendezvous_cancel(r) == EBUSY);
    ch_trigger(e);
  }
  finish;
  EXPECT(first == 0);
}

TEST(rendezvous_and_events_stand_in_waituntil) {
  rendezvous(int) r, never;
  int id = 0, which = 0;
  event() e = mkevent(r, 3);
  activate(e) { ch_trigger(e); }
  waituntil(twait(never, &id)) which = 1;
  or waituntil(ch_event_wait(e)) which = 2;
  EXPECT(which == 2 && ch_triggered(r) == 1); /* it has consumed nothing */
  waituntil(twait(never, &id)) which = 3;
  or waituntil(twait(r, &id)) which = 4;
  EXPECT(which == 4 && id == 3 && ch_triggered(r) == 0);
  EXPECT(ch_event_wait(e) == ESTALE);
  waituntil(twait(r, &id)) which = 5;
  else which = 6;
  EXPECT(which == 6);
}

TEST(whoever_waits_for_a_cancelled_event_is_told) {
  rendezvous() r;
  event() e = mkevent(r);
  int told = 0;
  do {
    async told = ch_event_wait(e);
    EXPECT(ch_event_cancel(e) == 0 && ch_event_cancel(e) == EALREADY);
  }
  finish;
  EXPECT(told == ESTALE && ch_triggered(r) == 0 && ch_outstanding(r) == 0);
}

/* ---- twait { } ---- */

TEST(a_twait_block_waits_for_all_of_its_events) {
  int x[4] = {0};
  twait { /* no events: no wait */ }
  twait {
    for (int i = 0; i < 4; i++)
      later(4 - i, mkevent(&x[i]));
  }
  EXPECT(x[0] == 4 && x[1] == 3 && x[2] == 2 && x[3] == 1);
}

TEST(mkevent_belongs_to_the_innermost_twait_block) {
  int outer = 0, inner = 0;
  twait {
    later(5, mkevent(&outer));
    twait { later(1, mkevent(&inner)); }
    EXPECT(inner == 1 && outer == 0);
  }
  EXPECT(outer == 5);
}

TEST(a_jump_out_of_a_twait_block_cancels_its_events) {
  event(int) e;
  int x = 0;
  for (;;)
    twait {
      e = mkevent(&x);
      break;
    }
  EXPECT(!ch_event_is_outstanding(e) && ch_trigger(e, 1) == EALREADY && x == 0);
  EXPECT(counted().cancelled == 1 && counted().late == 1 && counted().leaked == 0);
}

TEST(a_cancelled_scope_cancels_its_events) {
  event() e;
  do {
    async {
      twait { e = mkevent(); }
      EXPECT(ch_cancelled());
    }
    cancel;
  }
  finish;
  EXPECT(ch_trigger(e) == EALREADY && counted().cancelled == 1 && counted().leaked == 0);
}

/* ---- tamed functions ---- */

static int order[8], ordered;
tamed count_to(int n, event(int) done);
tamed count_to(int n, event(int) done) {
  int parts[2] = {0};
  order[ordered++] = n;
  if (n == 0)
    return;
  twait { later(n, mkevent(&parts[1])); }
  order[ordered++] = n + parts[1];
  ch_trigger(done, n * 10);
}

TEST(a_tamed_function_returns_to_its_caller_when_it_waits) {
  int a = 0, b = 0;
  twait {
    count_to(2, mkevent(&a));
    count_to(1, mkevent(&b));
    order[ordered++] = 100;
  }
  EXPECT(a == 20 && b == 10);
  EXPECT(order[0] == 2 && order[1] == 1 && order[2] == 100 && order[3] == 2 && order[4] == 4);
}

static int ended;
static tamed ends_late(void) {
  ch_sleep(1000000);
  ended++;
}

TEST(the_finish_around_its_caller_waits_for_a_tamed_function) {
  do {
    ends_late();
    EXPECT(ended == 0);
  }
  finish;
  EXPECT(ended == 1);
}

TEST(an_activity_ends_when_its_tamed_functions_have) {
  ch_activity handle;
  activate[&handle] {
    ends_late();
    ends_late();
  }
  EXPECT(ch_activity_wait(&handle) == 0 && ended == 2);
}

static tamed is_cancelled(int *error) { *error = ch_sleep(CH_FOREVER); }
static int called;
static tamed call_twice(int n) {
  called++;
  if (n > 0)
    ch_reschedule();
  called++;
}
static void call_from_the_loop(void *n) { call_twice(*(int *)n); }

/* The loop opens letters: no activity runs then, and those that ran before are gone. */
TEST(the_loop_calls_a_tamed_function_as_any_other) {
  int nothing = 0;
  ch_inbox();
  for (int i = 0; i < 50; i++) {
    activate call_twice(1);
    ch_sleep(1000);
    EXPECT(called == 4 * i + 2 && ch_post(ch_inbox(), call_from_the_loop, &nothing) == 0);
    ch_sleep(1000);
    EXPECT(called == 4 * i + 4);
  }
}

TEST(a_cancel_of_the_scope_ends_a_tamed_function) {
  int error = 0;
  do {
    is_cancelled(&error);
    cancel;
  }
  finish;
  EXPECT(error == ECANCELED);
}

/* Between two waits of tamed functions of one activity nobody else of it runs. */
static int shared;
static tamed increments(event() done) {
  for (int i = 0; i < 50; i++) {
    int before = shared;
    yield;
    shared = before + 1;
    if (i % 10 == 0)
      twait { ch_trigger_after(1000, mkevent()); }
  }
  ch_trigger(done);
}
TEST(tamed_functions_of_one_activity_are_not_interleaved) {
  twait {
    increments(mkevent());
    increments(mkevent());
  }
  EXPECT(shared == 100);
}

static int threaded(int n) {
  int got = 0;
  twait { later(n, mkevent(&got)); }
  return got;
}
TEST(a_function_that_is_not_tamed_waits_with_its_callers_and_returns_a_value) { EXPECT(threaded(3) == 3); }

/* ---- lifetimes ---- */

static event(int) kept;
static void broken(void) {
  rendezvous() r;
  int res = 0;
  kept = mkevent(r, &res);
}
static void broken_in_a_structure(void) {
  struct {
    int a;
    rendezvous() r[2];
  } unused = {0};
  (void)unused;
  rendezvous() all[3];
  int res = 0;
  kept = mkevent(&all[2], &res);
}
struct holder {
  char name[8];
  rendezvous(int) r;
};
static void broken_in_a_declared_structure(void) {
  struct holder h;
  int res = 0;
  kept = mkevent(h.r, 1, &res);
}
static void broken_on_the_way_out(int n) {
  for (int i = 0; i < n; i++) {
    rendezvous(int) r;
    int res[2] = {0};
    kept = mkevent(r, i, &res[1]);
    if (i == 1)
      return;
  }
}
static void use_stack(void) {
  volatile char bytes[512];
  for (unsigned i = 0; i < sizeof bytes; i++)
    bytes[i] = (char)i;
}
TEST(a_rendezvous_that_goes_out_of_scope_cancels_its_events) {
  void (*all[])(void) = {broken, broken_in_a_structure, broken_in_a_declared_structure};
  for (unsigned i = 0; i < 3; i++) {
    all[i]();
    use_stack();
    EXPECT(ch_trigger(kept, 5) == EALREADY && counted().leaked == i + 1);
  }
  broken_on_the_way_out(5);
  EXPECT(ch_trigger(kept, 5) == EALREADY && counted().leaked == 5 && counted().late == 4);
}

TEST_EXITS(a_leaked_event_is_told_with_its_place, 0, "events.c:") {
  ch_event_mistakes(CH_EVENTS_REPORT);
  broken();
}

static void slot_of_an_ended_function(rendezvous(int) r) {
  struct {
    int a, b;
  } mine = {1, 2};
  kept = mkevent(r, 9, &mine.b);
}
TEST(a_slot_of_an_ended_function_is_skipped_and_the_id_arrives) {
  rendezvous(int) r;
  int id = 0;
  slot_of_an_ended_function(r);
  use_stack();
  EXPECT(ch_trigger(kept, 3) == 0 && counted().skipped == 1 && twait(r, &id) == 0 && id == 9);
}
TEST(a_slot_of_an_ended_block_is_skipped) {
  rendezvous(int) r;
  event(int, int) e;
  int outside = 0, id = 0;
  for (int i = 0; i < 1; i++) {
    int inside = 0;
    e = mkevent(r, 1, &inside, &outside);
  }
  EXPECT(ch_trigger(e, 1, 2) == 0 && counted().skipped == 1 && outside == 2 && twait(r, &id) == 0);
}
static void slot_through_a_pointer(int *to, rendezvous() r) { kept = mkevent(r, &to[1]); }
TEST(a_slot_of_the_caller_is_written) {
  rendezvous() r;
  int array[2] = {0};
  slot_through_a_pointer(array, r);
  EXPECT(ch_trigger(kept, 4) == 0 && array[1] == 4 && twait(r) == 0);
}

TEST(a_rendezvous_on_the_heap_is_destroyed_by_its_owner) {
  struct holder *h = calloc(1, sizeof *h);
  int x = 0;
  event(int) e = mkevent(h->r, 1, &x);
  EXPECT(ch_rendezvous_destroy(h->r) == 0 && counted().leaked == 1);
  free(h);
  EXPECT(ch_trigger(e, 1) == EALREADY && x == 0);
}

TEST_EXITS(a_copied_rendezvous_is_told, CH_EXIT_MISUSE, "was copied") {
  struct holder a = {0}, b;
  event() e = mkevent(a.r, 1);
  memcpy(&b, &a, sizeof b);
  twait(b.r);
  ch_trigger(e);
}

/* Resident pages would tell of code, too, that is touched for the first time: of the measuring itself, for one. */
size_t __sanitizer_get_current_allocated_bytes(void) __attribute__((weak));
static size_t allocated(void) {
  return __sanitizer_get_current_allocated_bytes ? __sanitizer_get_current_allocated_bytes() : mallinfo2().uordblks;
}
TEST(a_million_events_leave_no_memory_behind) {
  rendezvous(int) r;
  size_t before = 0;
  for (int i = 0; i < 1000000; i++) {
    if (i == 1000)
      before = allocated();
    event() e = mkevent(r, i);
    if (i % 3 == 0)
      ch_event_cancel(e);
    else
      EXPECT(ch_trigger(e) == 0 && twait(r, &(int){0}) == 0);
  }
  EXPECT(allocated() == before);
}

/* Variants of the paper's `broken`: each leaves an event behind whose slot is gone. */
static void broken_in_a_loop(void) {
  for (int i = 0; i < 3; i++) {
    rendezvous() r;
    int res = 0;
    kept = mkevent(r, &res);
  }
}
static void broken_by_a_jump(void) {
  {
    rendezvous() r;
    int res = 0;
    kept = mkevent(r, &res);
    goto out;
  }
out:;
}
static void broken_in_a_switch(void) {
  switch (1) {
  case 1: {
    rendezvous() r;
    int res = 0;
    kept = mkevent(r, &res);
    break;
  }
  }
}
static tamed broken_tamed(void) {
  rendezvous() r;
  int res = 0;
  kept = mkevent(r, &res);
  ch_sleep(1000);
}
static void broken_in_a_branch(void) {
  do {
    async {
      rendezvous() r;
      int res = 0;
      kept = mkevent(r, &res);
      ch_sleep(1000);
    }
  }
  finish;
}
static void broken_in_another_activity(void) {
  ch_activity a;
  activate[&a] {
    rendezvous() r;
    int res = 0;
    kept = mkevent(r, &res);
    ch_sleep(1000);
  }
  ch_activity_wait(&a);
}
static void broken_with_two_values(void) {
  rendezvous(int) r;
  int res[2] = {0};
  event(int, int) both = mkevent(r, 1, &res[0], &res[1]);
  kept = (event(int))(void *)both; /* and it is triggered with one value */
}
static void broken_on_the_heap(void) {
  struct holder *h = calloc(1, sizeof *h);
  int res = 0;
  kept = mkevent(h->r, 1, &res);
  ch_rendezvous_destroy(h->r);
  free(h);
}
static void broken_after_another_was_taken(void) {
  rendezvous(int) r;
  int res = 0, id;
  kept = mkevent(r, 1, &res);
  ch_trigger(mkevent(r, 2, &res), 1);
  twait(r, &id);
}
static int broken_and_returns(void) {
  rendezvous() r;
  int res = 3;
  kept = mkevent(r, &res);
  return res;
}
static void broken_by_a_return(void) { EXPECT(broken_and_returns() == 3); }
TEST(however_an_event_is_left_behind_its_slot_is_not_written) {
  void (*all[])(void) = {
      broken_in_a_loop,           broken_by_a_jump,       broken_in_a_switch, broken_in_a_branch,
      broken_in_another_activity, broken_with_two_values, broken_on_the_heap, broken_after_another_was_taken,
      broken_by_a_return};
  const unsigned n = sizeof all / sizeof *all;
  for (unsigned i = 0; i < n; i++) {
    all[i]();
    use_stack();
    EXPECT(ch_trigger(kept, 5) == EALREADY && ch_trigger(kept, 5) == EALREADY);
  }
  EXPECT(counted().leaked == n + 2 && counted().late + counted().twice == 2 * n); /* the loop leaks three */
  do {
    broken_tamed();
    EXPECT(ch_event_is_outstanding(kept));
  }
  finish;
  EXPECT(ch_trigger(kept, 5) == EALREADY && counted().leaked == n + 3);
}

TEST(a_timer_of_a_cancelled_event_never_fires) {
  rendezvous() r;
  event() e = mkevent(r);
  EXPECT(ch_trigger_after(1000000, e) == 0 && ch_event_cancel(e) == 0);
  ch_sleep(2000000);
  EXPECT(counted().triggered == 0 && counted().late == 0 && ch_triggered(r) == 0);
}

/* ---- adapters ---- */

TEST(a_timer_that_is_due_triggers_its_event_at_once) {
  rendezvous() r;
  event() e = mkevent(r), later = mkevent(r);
  EXPECT(ch_trigger_after(0, e) == 0 && ch_triggered(r) == 1);
  EXPECT(ch_trigger_after(0, e) == ESTALE && ch_trigger_after(-1, e) == ESTALE);
  EXPECT(ch_trigger_after(CH_FOREVER, later) == 0 && ch_trigger_after(0, later) == EBUSY && ch_outstanding(r) == 1);
  EXPECT(ch_event_cancel(later) == 0 && twait(r) == 0);
}

TEST(a_future_triggers_an_event_with_its_error) {
  future(int) set = {0}, failed = {0}, never = {0};
  rendezvous(int) r;
  int first = -1, second = -1, id = 0, value = 0;
  event(int) cancelled = mkevent(r, 3, &first);
  EXPECT(ch_trigger_on_future(&set, mkevent(r, 1, &first)) == 0);
  EXPECT(ch_trigger_on_future(failed, mkevent(r, 2, &second)) == 0 && ch_trigger_on_future(never, cancelled) == 0);
  EXPECT(ch_future_set(&set, 7) == 0 && twait(r, &id) == 0 && id == 1 && first == 0);
  EXPECT(ch_get(&set, &value) == 0 && value == 7);
  EXPECT(ch_future_fail(failed, EIO) == 0 && twait(r, &id) == 0 && id == 2 && second == EIO);
  EXPECT(ch_event_cancel(cancelled) == 0 && ch_trigger_on_future(never, cancelled) == ESTALE);
  ch_reschedule();
  EXPECT(ch_future_set(never, 1) == 0 && counted().late == 0 && counted().twice == 0);
}

TEST(an_event_sets_a_future_and_its_cancel_makes_it_fail) {
  future(double) soon = {0}, at_once = {0}, never = {0};
  double d = 0;
  event(double) e = ch_event_for_future(&soon), now = ch_event_for_future(at_once), gone = ch_event_for_future(never);
  EXPECT(ch_trigger(now, 2) == 0 && ch_get(at_once, &d) == 0 && d == 2.0);
  activate(e) {
    ch_sleep(1000);
    ch_trigger(e, 3.5);
  }
  EXPECT(ch_get(soon, &d) == 0 && d == 3.5);
  EXPECT(ch_event_cancel(gone) == 0 && ch_get(never, &d) == ECANCELED && d == 3.5 && counted().leaked == 0);
}

TEST(a_time_limit_leaves_the_slot_as_it_is) {
  _Bool in_time;
  int n;
  STARTS
  twait { later(10, ch_add_timeout(int, 20000000, mkevent(&in_time, &n))); }
  AFTER(10000000);
  EXPECT(in_time && n == 10);
  twait { later(30, ch_add_timeout(int, 20000000, mkevent(&in_time, &n))); }
  AFTER(30000000);
  EXPECT(!in_time && n == 10);
  ch_sleep(20000000);
  EXPECT(counted().late == 1 && counted().twice == 0 && counted().leaked == 0 && n == 10);
}

TEST(a_time_limit_cancels_both_ways) {
  rendezvous() r;
  _Bool in_time = 1;
  int n = 5;
  event(_Bool, int) outer = mkevent(r, &in_time, &n), other = mkevent(r, &in_time, &n);
  event(int) inner = ch_add_timeout(int, CH_FOREVER, outer), gone = ch_add_timeout(int, 1000, other);
  EXPECT(ch_event_cancel(inner) == 0 && ch_event_cancel(other) == 0);
  EXPECT(ch_event_wait(outer) == ESTALE && ch_outstanding(r) == 0);
  ch_sleep(2000);
  EXPECT(!ch_event_is_outstanding(gone) && in_time && n == 5 && counted().late == 0);
}

TEST(a_tee_triggers_both_and_a_cancel_cancels_both) {
  int a = 0, b = 0;
  STARTS
  twait { later(5, ch_tee(int, mkevent(&a), mkevent(&b))); }
  AFTER(5000000);
  EXPECT(a == 5 && b == 5);
  rendezvous() r;
  event(int) one = mkevent(r, &a), other = mkevent(r, &b), both = ch_tee(int, one, other);
  EXPECT(ch_event_cancel(one) == 0 && ch_trigger(both, 6) == 0 && twait(r) == 0 && a == 5 && b == 6);
  one = mkevent(r, &a), other = mkevent(r, &b), both = ch_tee(int, one, other);
  EXPECT(ch_event_cancel(both) == 0 && ch_event_wait(one) == ESTALE && !ch_event_is_outstanding(other));
  one = mkevent(r, &a), other = mkevent(r, &b), both = ch_tee(int, one, other);
  EXPECT(ch_event_cancel(one) == 0 && ch_event_is_outstanding(both) && ch_event_cancel(other) == 0);
  EXPECT(ch_event_wait(both) == ESTALE);
  ch_rendezvous_cancel(r);
}

TEST(a_bound_value_arrives) {
  double d = 0;
  const char *text = NULL;
  twait {
    ch_trigger_after(1000, ch_bind(mkevent(&d), 3));
    ch_trigger_after(2000, ch_bind(mkevent(&text), "bound"));
  }
  EXPECT(d == 3 && strcmp(text, "bound") == 0);
}

static void halve(const int *from, double *to) { *to = *from / 2.0; }
TEST(a_map_makes_the_value) {
  double half = 0;
  twait { later(3, ch_map(int, double, halve, mkevent(&half))); }
  EXPECT(half == 1.5);
}

TEST(all_waits_for_each_of_its_events) {
  event() made[3];
  STARTS
  twait {
    EXPECT(ch_all(3, made, mkevent()) == 0);
    for (int i = 0; i < 3; i++)
      ch_trigger_after((3 - i) * 1000000, made[i]);
  }
  AFTER(3000000);
  rendezvous() r;
  event() e = mkevent(r);
  EXPECT(ch_all(3, made, e) == 0 && ch_trigger(made[0]) == 0 && ch_trigger(made[2]) == 0 &&
         ch_event_cancel(made[1]) == 0);
  EXPECT(ch_event_wait(e) == ESTALE);
  e = mkevent(r);
  EXPECT(ch_all(2, made, e) == 0 && ch_event_cancel(e) == 0 && ch_event_wait(made[0]) == ESTALE);
  e = mkevent(r);
  EXPECT(ch_all(0, made, e) == 0 && twait(r) == 0 && counted().leaked == 0);
}

TEST(any_takes_the_first_and_cancels_the_others) {
  event(int) made[3];
  int which = -1, n = 0;
  STARTS
  twait {
    EXPECT(ch_any(int, 3, made, mkevent(&which, &n)) == 0);
    for (int i = 0; i < 3; i++)
      later((3 - i) * 10, made[i]);
  }
  AFTER(10000000);
  EXPECT(which == 2 && n == 10);
  ch_sleep(30000000);
  EXPECT(counted().late == 2 && counted().twice == 0 && counted().leaked == 0);
}

/* ---- locks and windows ---- */

TEST(a_lock_is_acquired_in_order_alone_or_together) {
  struct ch_event_lock lock = {0};
  rendezvous(int) r;
  int id = 0;
  EXPECT(ch_event_lock_acquire(&lock, mkevent(r, 1)) == 0 && ch_triggered(r) == 1);
  EXPECT(ch_event_lock_share(&lock, mkevent(r, 2)) == 0 && ch_event_lock_share(&lock, mkevent(r, 3)) == 0);
  EXPECT(ch_event_lock_acquire(&lock, mkevent(r, 4)) == 0 && ch_event_lock_share(&lock, mkevent(r, 5)) == 0);
  EXPECT(twait(r, &id) == 0 && id == 1 && ch_triggered(r) == 0);
  EXPECT(ch_event_lock_release(&lock) == 0 && ch_triggered(r) == 2);
  EXPECT(twait(r, &id) == 0 && id == 2 && twait(r, &id) == 0 && id == 3);
  EXPECT(ch_event_lock_release(&lock) == 0 && ch_triggered(r) == 0); /* 5 came after 4, who wants it alone */
  EXPECT(ch_event_lock_release(&lock) == 0 && twait(r, &id) == 0 && id == 4 && ch_triggered(r) == 0);
  EXPECT(ch_event_lock_release(&lock) == 0 && twait(r, &id) == 0 && id == 5);
  EXPECT(ch_event_lock_release(&lock) == 0 && ch_event_lock_release(&lock) == EPERM);
}

TEST(who_is_cancelled_gives_up_its_turn) {
  struct ch_event_lock lock = {0};
  rendezvous(int) r;
  int id = 0;
  ch_event_lock_acquire(&lock, mkevent(r, 1));
  event() waits = mkevent(r, 2);
  ch_event_lock_acquire(&lock, waits);
  ch_event_lock_acquire(&lock, mkevent(r, 3));
  EXPECT(ch_event_cancel(waits) == 0 && ch_event_lock_release(&lock) == 0);
  EXPECT(twait(r, &id) == 0 && id == 1 && twait(r, &id) == 0 && id == 3 && ch_event_lock_release(&lock) == 0);
}

struct under_way {
  int now, most, done;
};
static tamed one_of_many(size_t i, void *data, event() done) {
  struct under_way *u = data;
  if (++u->now > u->most)
    u->most = u->now;
  ch_sleep((int64_t)(1 + i % 3) * 1000000);
  u->now--;
  u->done++;
  ch_trigger(done);
}
TEST(a_window_has_so_many_under_way) {
  struct under_way u = {0};
  EXPECT(ch_window(20, 4, one_of_many, &u) == 0 && u.most == 4 && u.done == 20);
  EXPECT(ch_window(0, 1, one_of_many, &u) == 0 && ch_window(1, 0, one_of_many, &u) == EINVAL && u.done == 20);
}
TEST(a_cancelled_window_starts_no_more) {
  struct under_way u = {0};
  int error = 0;
  within(2500000) do { error = ch_window(1000, 2, one_of_many, &u); }
  finish;
  EXPECT(error == ECANCELED && u.done < 10);
}

static int twice(int i) {
  ch_sleep((5 - i) * 1000000);
  return 2 * i;
}
static double half(double d) { return d / 2; }
static int forked;
static void forks_nothing(int *to) {
  ch_reschedule();
  ++*to;
}

TEST(tfork_evaluates_the_call_at_once_and_stores_its_result) {
  int v[4];
  long n;
  double d = 0;
  int (*pointer)(int) = twice;
  twait {
    for (int i = 0; i < 4; i++)
      tfork(pointer(i), &v[i]);
    pointer = NULL;
    tfork(twice(4), &n);
    tfork(forks_nothing(&forked));
    if (forked == 0)
      tfork(half(3), &d);
    else
      tfork(half(5), &d);
    EXPECT(d == 0 && forked == 0);
  }
  EXPECT(v[0] == 0 && v[1] == 2 && v[2] == 4 && v[3] == 6 && n == 8 && d == 1.5 && forked == 1);
}

TEST(tfork_with_an_id_says_whose_activity_has_ended) {
  rendezvous(int) r;
  int id, v = 0, seen = 0;
  tfork(r, 1, twice(1), &v);
  tfork(r, 2, twice(2));
  tfork(r, 4, forks_nothing(&forked));
  EXPECT(ch_outstanding(r) == 3);
  for (int i = 0; i < 3; i++) {
    EXPECT(twait(r, &id) == 0);
    seen |= id;
  }
  EXPECT(seen == 7 && v == 2 && forked == 1);
}

TEST(an_activity_of_tfork_outlives_its_event) {
  rendezvous(int) r;
  int v = 0;
  tfork(r, 1, forks_nothing(&forked));
  tfork(r, 2, twice(4), &v);
  ch_rendezvous_cancel(r);
  while (!forked)
    ch_reschedule();
  ch_sleep(10000000);
  EXPECT(v == 0 && ch_triggered(r) == 0);
}

TEST(adapters_compose) {
  event(int) made[2];
  int which = -1, n = -1, copy = -1;
  _Bool in_time = 1;
  twait { /* the first of two, with a copy of its value, beside a limit of time */
    ch_any(int, 2, made, mkevent(&which, &n));
    later(7, ch_tee(int, made[0], mkevent(&copy)));
    later(50, ch_add_timeout(int, 1000, mkevent(&in_time, &n)));
  }
  EXPECT(which == 0 && n == 7 && copy == 7 && !in_time);
  ch_event_cancel(made[1]);
}

TEST_EXITS(a_deadlock_tells_which_event_is_awaited, CH_EXIT_DEADLOCK,
           "event\n  outstanding: 1 made at unanswered.c:5") {
  rendezvous() r;
#line 5 "unanswered.c"
  event() e = mkevent(r);
  ch_event_wait(e);
}
TEST_EXITS(a_dump_tells_of_events_for_which_nobody_waits, 0,
           ": nobody waits for it; triggered: 1\n  outstanding: 2 made at idle.c:7\n") {
  rendezvous() r;
  for (int i = 0; i < 3; i++) {
#line 7 "idle.c"
    event() e = mkevent(r);
    if (i == 1)
      ch_trigger(e);
  }
  ch_dump(2);
  ch_rendezvous_cancel(r);
}
TEST_EXITS(a_deadlock_tells_which_events_of_a_block_are_outstanding, CH_EXIT_DEADLOCK,
           "\n  outstanding: 2 made at unanswered.c:10\n  outstanding: 1 made at unanswered.c:15\n") {
  int x[4];
  twait {
    for (int i = 0; i < 3; i++) {
#line 10 "unanswered.c"
      event(int) e = mkevent(&x[i]);
      if (i == 1)
        ch_trigger(e, 1);
    }
#line 15 "unanswered.c"
    mkevent(&x[3]);
  }
}
#line 20 "unanswered.c"
TEST(a_dump_tells_which_events_of_a_rendezvous_are_outstanding_and_what_triggers_them) {
  char text[4000] = "", json[4000] = "";
  int one[2], other[2];
  EXPECT(pipe(one) == 0 && pipe(other) == 0);
  rendezvous() r;
  ch_activity waiter;
  activate[&waiter] { twait(r); }
  ch_reschedule();
#line 30 "unanswered.c"
  EXPECT(ch_trigger_after(1000000, mkevent(r)) == 0);
  for (int i = 0; i < 10; i++) {
    mkevent(r);
#line 33 "unanswered.c"
    mkevent(r);
  }
  ch_dump(one[1]);
  ch_dump_as(other[1], CH_DUMP_JSON);
  EXPECT(read(one[0], text, sizeof text - 1) > 0 && read(other[0], json, sizeof json - 1) > 0);
  EXPECT(strstr(text, "\n  outstanding: 1 made at unanswered.c:30, triggered by: timer\n  outstanding: 1 made at "));
  EXPECT(strstr(text, "\n  outstanding: 1 made at unanswered.c:32\n  outstanding: 13 more\n"));
  EXPECT(
      strstr(json, "\"outstanding\":[{\"number\":1,\"made\":\"unanswered.c:30\",\"source\":\"timer\"},{\"number\":1,"));
  ch_activity_wait(&waiter);
  ch_rendezvous_cancel(r);
}
