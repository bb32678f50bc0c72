/* What the tests of Go, tokio, Trio, crossbeam and CFA settle about objects that are waited for, with the answers that
 * ours give. Where ours differs from one of them the comment says why. Virtual time. */
#include "simulated.h"
#include <charcoal/channel.h>
#include <charcoal/future.h>
#include <charcoal/locks.h>
#include <charcoal/watch.h>

#define RUN(body)                                                                                                      \
  begin = ch_now();                                                                                                    \
  body();

/* ---- tickers (crossbeam's tick, Go's time.Ticker, tokio's interval) ---- */

/* A tick is had by one of those who wait, as a message is: four workers of one ticker do no more than one would. */
static void shared_ticker(void) {
  ch_ticker two, three;
  int ticks = 0;
  ch_ticker_init(&two, 20);
  ch_ticker_init(&three, 30);
  do
    for (int i = 0; i < 4; i++)
      async {
        int64_t end = begin + 110;
        for (int over = 0; !over;) {
          waituntil(ch_tick(&two)) ticks++;
          or waituntil(ch_tick(&three)) ticks++;
          or waituntil(ch_sleep_until(end)) over = 1;
        }
      }
  finish;
  EXPECT(ticks == 5 + 3);
}
TEST(crossbeam_a_tick_is_had_by_one_of_those_who_wait) { RUN(shared_ticker) }

/* Its members are the program's, so they may hold any numbers. */
static void filled_in(void) {
  const int64_t now = ch_now(), year = INT64_C(31536000000000000);
  ch_ticker zeroed = {0}, early = {INT64_MIN, 30}, rare = {now - 1, CH_FOREVER}, backwards = {now + 20, -5};
  EXPECT(ch_tick(&zeroed) == 0 && ch_now() == now && zeroed.next == now + 1);
  EXPECT(ch_tick(&early) == 0 && ch_now() == now && early.next > now && early.next <= now + 30);
  EXPECT(((uint64_t)early.next - (uint64_t)INT64_MIN) % 30 == 0);
  EXPECT(ch_tick(&rare) == 0 && ch_now() == now && rare.next > now + 200 * year);
  EXPECT(ch_tick(&backwards) == 0 && ch_now() == now + 20 && backwards.next == now + 21);
}
TEST(a_ticker_may_be_filled_in_with_any_numbers) { RUN(filled_in) }

static void calls_and_statements_share(void) {
  static int64_t at[6];
  ch_ticker t;
  int order[6], n = 0;
  ch_ticker_init(&t, 10);
  do
    for (int i = 0; i < 6; i++)
      async(i) {
        if (i % 2) {
          waituntil(ch_tick(&t)) at[i] = ch_now() - begin;
          or waituntil(ch_sleep(1000)) EXPECT(0);
        } else {
          EXPECT(ch_tick(&t) == 0);
          at[i] = ch_now() - begin;
        }
        order[n++] = i;
      }
  finish;
  for (int i = 0; i < 6; i++)
    EXPECT(order[i] == i && at[i] == 10 * (i + 1));
}
TEST(ticks_are_had_in_the_order_in_which_calls_and_statements_came) { RUN(calls_and_statements_share) }

static void tick_of_a_loser(void) {
  ch_ticker t;
  ch_sem s = CH_SEM_INIT(0);
  int which = 0;
  ch_ticker_init(&t, 10);
  do {
    async { /* its time comes in the same moment, and is not needed */
      ch_sleep(10);
      ch_sem_post(&s);
    }
    async {
      waituntil(ch_sem_wait(&s)) which = 1;
      or waituntil(ch_tick(&t)) which = 2;
    }
    async within(5) do says("cancelled", ch_tick(&t));
    finish;
    says("had", ch_tick(&t));
    AFTER(which == 2 ? 20 : 10);
  }
  finish;
}
TEST(law_4_whoever_gives_up_or_chooses_something_else_leaves_the_tick_to_others) {
  RUN(tick_of_a_loser)
  EXPECT_NOTES("cancelled! had");
}

static void both_ticks(void) {
  ch_ticker t;
  int ticks = 0;
  ch_ticker_init(&t, 10);
  waituntil(ch_tick(&t)) ticks++;
  else ticks = -1;
  EXPECT(ticks == -1);
  waituntil(ch_tick(&t)) ticks++;
  and waituntil(ch_tick(&t)) ticks++;
  EXPECT(ticks == 1);
  AFTER(20);
  ch_sleep(35);
  waituntil(ch_tick(&t)) ticks++;
  else EXPECT(0);
  waituntil(ch_tick(&t)) EXPECT(0);
  else ticks++;
  ch_tick(&t);
  AFTER(60);
}
TEST(tokio_missed_ticks_count_as_one_also_where_one_ticker_stands_in_two_clauses) { RUN(both_ticks) }

/* ---- channels (Go's chan_test.go, crossbeam's select) ---- */

/* Unlike in Go, where the value is copied before the send waits. */
static void copied_when_sent(void) {
  channel(int) c = {0};
  int x = 1, y = 0;
  do {
    async EXPECT(ch_send(&c, &x) == 0);
    ch_sleep(1);
    x = 2;
    EXPECT(ch_recv(&c, &y) == 0 && y == 2);
  }
  finish;
}
TEST(go_a_message_is_copied_when_it_is_sent) { RUN(copied_when_sent) }

/* Who stands on a channel's list twice leaves it twice, and the one behind him is next. */
static void twice_on_one_list(void) {
  channel(int) c = {0}, d = {0};
  int x, y = 0, one = 7, two = 8;
  do {
    async {
      waituntil(ch_recv(&c, &x)) EXPECT(0);
      or waituntil(ch_recv(&c, &x)) EXPECT(0);
      or waituntil(ch_recv(&d, &x)) EXPECT(x == 7);
    }
    async EXPECT(ch_recv(&c, &y) == 0);
    ch_sleep(1);
    EXPECT(ch_send(&d, &one) == 0 && ch_try_send(&c, &two) == 0 && ch_try_send(&c, &two) == EAGAIN);
  }
  finish;
  EXPECT(y == 8);
}
TEST(go_a_select_that_names_a_channel_twice_leaves_its_queue_whole) { RUN(twice_on_one_list) }

/* All offer and all take: each meets another one, nobody himself, and of an odd number one is left. */
static void equals(void) {
  channel(int) c = {0};
  int sent = 0, received = 0, left = 0;
  do
    for (int i = 0; i < 43; i++)
      async(i) {
        int other;
        waituntil(ch_recv(&c, &other)) received += other != i;
        or waituntil(ch_send(&c, &i)) sent++;
        or waituntil(ch_sleep(10)) left++;
      }
  finish;
  EXPECT(sent == 21 && received == 21 && left == 1 && ch_length(&c) == 0);
}
TEST(crossbeam_of_many_who_offer_and_take_each_meets_another_one) { RUN(equals) }

static void times_with_else(void) {
  int which = 0;
  waituntil(ch_sleep(1)) which = 1;
  else which = 2;
  EXPECT(which == 2);
  waituntil(ch_sleep(0)) which = 3;
  else which = 4;
  EXPECT(which == 3);
  waituntil(ch_sleep(INT64_MIN)) which = 5;
  else which = 6;
  EXPECT(which == 5);
  waituntil(ch_sleep_until(ch_now())) which = 7;
  else which = 8;
  EXPECT(which == 7);
  waituntil(ch_sleep(INT64_MAX - 1)) EXPECT(0);
  or waituntil(ch_sleep(20)) which = 9;
  or waituntil(ch_sleep(10)) which = 10;
  EXPECT(which == 10);
  AFTER(10);
}
TEST(go_a_time_that_has_passed_is_ready_and_the_shortest_of_several_ends_the_wait){RUN(times_with_else)}

/* ---- futures, watched values, locks (tokio, CFA) ---- */

TEST(tokio_a_future_that_failed_by_a_cancel_is_no_cancel_of_its_reader) {
  future(int) f = {0};
  int error = 0, value;
  EXPECT(ch_future_fail(&f, ECANCELED) == 0 && ch_get(&f, &value) == ECANCELED && !ch_cancelled());
  waituntil(error = ch_get(&f, &value)) EXPECT(error == ECANCELED);
  else EXPECT(0);
  EXPECT(error == ECANCELED);
}

TEST(tokio_each_watcher_receives_the_last_value_after_the_close) {
  watch(int) w = {0};
  uint64_t early = 0, late = 0;
  int x = 0;
  ch_watch_set(&w, 1);
  EXPECT(ch_watch_next(&w, &early, &x) == 0 && x == 1);
  ch_watch_set(&w, 2);
  EXPECT(ch_watch_close(&w) == 0 && ch_watch_set(&w, 3) == EPIPE);
  EXPECT(ch_watch_next(&w, &early, &x) == 0 && x == 2 && ch_watch_next(&w, &early, &x) == EPIPE);
  x = 0;
  EXPECT(ch_watch_next(&w, &late, &x) == 0 && x == 2 && ch_watch_get(&w, &x) == 0);
}

/* Unlike a hold that is had, one that was an error is not given back. */
TEST(cfa_a_hold_of_what_one_has_is_an_error_of_its_clause_and_gives_nothing_back) {
  ch_mutex plain = {0}, recursive;
  int error = 0, bodies = 0;
  ch_mutex_init(&recursive, CH_MUTEX_RECURSIVE);
  EXPECT(ch_lock(&plain) == 0 && ch_lock(&recursive) == 0);
  waituntil(error = ch_hold(&plain)) bodies++;
  or waituntil(ch_sleep(1)) EXPECT(0);
  EXPECT(error == EDEADLK && ch_unlock(&plain) == 0);
  waituntil(ch_hold(&recursive)) bodies++;
  and waituntil(ch_hold(&recursive)) bodies++;
  EXPECT(bodies == 3 && ch_unlock(&recursive) == 0 && ch_unlock(&recursive) == EPERM);
}

/* Unlike in tokio (none) and golang.org/x/sync (too many): whoever comes later waits behind both. */
static void wants_none(void) {
  ch_permits p;
  ch_permits_init(&p, 2, 0);
  do {
    async {
      within(10) do says("too many", ch_permits_take(&p, 3));
      finish;
    }
    async says("none", ch_permits_take(&p, 0));
    async says("one", ch_permits_take(&p, 1));
    EXPECT(ch_permits_try(&p, 0) == EAGAIN);
    ch_sleep(9);
    note("then");
  }
  finish;
  AFTER(10);
  EXPECT(ch_permits_try(&p, 1) == 0 && ch_permits_try(&p, 1) == EAGAIN);
}
TEST(whoever_wants_no_unit_waits_behind_those_who_want_more_than_there_are) {
  RUN(wants_none)
  EXPECT_NOTES("then none one too many!");
}

static int makes(void *made) {
  int error = ch_sleep(10);
  ++*(int *)made;
  return error;
}
static void cancelled_makers(void) {
  ch_once once = {0};
  ch_activity makers[3];
  static int made, errors[3];
  for (int i = 0; i < 3; i++)
    activate[&makers[i]](i) { errors[i] = ch_once_run(&once, makes, &made); }
  ch_sleep(1);
  ch_activity_cancel(&makers[1]); /* it waits for the first */
  ch_activity_wait(&makers[1]);
  EXPECT(errors[1] == ECANCELED && made == 0);
  ch_activity_cancel(&makers[0]); /* it makes the call */
  ch_activity_wait(&makers[0]);
  ch_activity_wait(&makers[2]);
  EXPECT(errors[0] == ECANCELED && errors[2] == 0 && made == 2);
  EXPECT(ch_once_run(&once, makes, &made) == 0 && made == 2);
  AFTER(11);
}
TEST(go_a_once_whose_caller_is_cancelled_is_run_by_the_next_who_waits) { RUN(cancelled_makers) }

/* ---- scopes (Trio's cancel scopes and nurseries, errgroup) ---- */

/* Two deadlines, the inner one at 10 and the outer one at 20, of which some are moved at 5. */
static void move(int how, ch_scope *inner, ch_scope *outer, int64_t start) {
  switch (how) {
  case 1:
    ch_deadline_move(inner, start + 30);
    break;
  case 2:
    ch_deadline_move(outer, start + 7);
    break;
  case 3:
    ch_deadline_move(inner, CH_FOREVER), ch_deadline_move(outer, CH_FOREVER);
    break;
  case 4:
    ch_deadline_move(outer, start + 10);
    break;
  case 5:
    ch_deadline_move(inner, start + 6), ch_deadline_move(inner, start + 15);
    break;
  case 6:
    ch_deadline_move(inner, start - 1);
    break;
  default:
    break;
  }
}
static void moved(void) {
  static const struct {
    int time, inner, outer;
  } ends[] = {{10, 1, 0}, {20, 1, 1}, {7, 1, 1}, {50, 0, 0}, {10, 1, 1}, {15, 1, 0}, {5, 1, 0}};
  for (int how = 0; how < 7; how++) {
    int64_t start = ch_now();
    int inner_ended = 0, outer_ended = 0;
    by(start + 20) do {
      ch_scope *outer = ch_scope_here();
      by(start + 10) do {
        ch_scope *inner = ch_scope_here();
        EXPECT(ch_deadline(NULL) == start + 10 && ch_deadline(outer) == start + 20);
        async {
          ch_sleep(5);
          move(how, inner, outer, start);
        }
        inner_ended = ch_sleep(50) == ECANCELED;
      }
      finish;
      outer_ended = ch_cancelled() != 0;
    }
    finish;
    EXPECT(ch_now() - start == ends[how].time && inner_ended == ends[how].inner && outer_ended == ends[how].outer);
    EXPECT(!ch_cancelled());
  }
}
TEST(trio_of_nested_deadlines_that_are_moved_the_earliest_counts_and_tells_whose_it_was) { RUN(moved) }

static void under_a_shield(void) {
  within(10) do {
    noncancellable {
      says("shielded", ch_sleep(20));
      EXPECT(!ch_cancelled() && ch_deadline(NULL) == CH_FOREVER);
      within(5) do says("inside", ch_sleep(100));
      finish;
    }
    AFTER(25);
    says("behind", ch_sleep(1));
  }
  finish;
  AFTER(25);
}
TEST(trio_a_deadline_that_passes_under_a_shield_counts_behind_it) {
  RUN(under_a_shield)
  EXPECT_NOTES("shielded inside! behind!");
}

static int fails_after(int64_t ns, int error) {
  int cancelled = ch_sleep(ns);
  return cancelled ? cancelled : error;
}
static void failures_stay_inside(void) {
  struct ch_error all[4];
  ch_errors inner = {0}, outer = {.all = all, .room = 4};
  do { /* a failure wakes the owner, and what fails during the cleanup is kept, too */
    ch_collect(&outer);
    async ch_fail(fails_after(10, EIO));
    async if (ch_sleep(CH_FOREVER)) noncancellable {
      ch_sleep(5);
      ch_fail(EBADF);
    }
    says("owner", ch_sleep(CH_FOREVER));
    AFTER(10);
  }
  finish;
  EXPECT(outer.count == 2 && all[0].error == EIO && all[1].error == EBADF);
  within(10) do { /* a cancel from further out is no failure of the scope inside; a deadline is one of its own scope */
    ch_collect(&outer);
    do {
      ch_collect(&inner);
      async ch_fail(fails_after(CH_FOREVER, EIO));
    }
    finish;
  }
  finish;
  EXPECT(inner.count == 0 && outer.count == 1 && outer.first == ETIMEDOUT);
}
TEST(trio_failures_are_kept_by_the_scope_that_they_belong_to) {
  RUN(failures_stay_inside)
  EXPECT_NOTES("owner!");
}

static void spawned_while_cancelled(void) {
  int begun = 0, cancelled = 0;
  future(int) ready = {0};
  do {
    ch_scope *scope = ch_scope_here();
    activate[ch_in(scope)] {
      ch_sleep(1);
      ch_future_set(&ready, 42); /* as nursery.start does, it says when it has started */
      EXPECT(ch_sleep(CH_FOREVER) == ECANCELED);
      for (int i = 0; i < 3; i++)
        activate[ch_in(scope)] {
          begun++;
          cancelled += ch_sleep(CH_FOREVER) == ECANCELED;
        }
    }
    int value = 0;
    EXPECT(ch_get(&ready, &value) == 0 && value == 42);
    cancel;
  }
  finish;
  EXPECT(begun == 3 && cancelled == 3);
  AFTER(1);
}
TEST(trio_what_is_spawned_into_a_cancelled_nursery_begins_and_is_waited_for) { RUN(spawned_while_cancelled) }
