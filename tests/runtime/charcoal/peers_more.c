/* More of what peers.c is about: Trio, asyncio, Kotlin, tokio, libdill and libuv, with the answers that our laws give.
 * Virtual time. */
#include "simulated.h"
#include <charcoal/lowlevel.h>
#include <search.h>
#include <stdbool.h>

static ch_sem s;

/* ---- Trio ---- */

/* `scope.deadline = …` while somebody waits in it: a deadline that can be moved is a branch that sleeps, and is told of
 * changes. */
struct movable {
  int64_t when;
  ch_waiter changed;
  bool over;
};
static void keep_deadline(struct movable *m) {
  while (m->when > ch_now() && !ch_cancelled()) {
    by(m->when) do ch_waiter_wait(&m->changed);
    finish;
  }
  m->over = true;
}
static void move_deadline(struct movable *m, int64_t when) {
  m->when = when;
  ch_waiter_schedule(&m->changed);
}
static void moved(int64_t to, int64_t expected, int result) {
  struct movable m = {.when = ch_now() + 30};
  int got = -1;
  STARTS do {
    async {
      keep_deadline(&m);
      cancel;
    }
    async {
      ch_sleep(10);
      move_deadline(&m, begin + to);
    }
    got = ch_sleep(100);
    cancel;
  }
  finish;
  EXPECT(got == result);
  AFTER(expected);
}
TEST(trio_a_deadline_is_moved_while_somebody_waits) {
  moved(60, 60, ECANCELED); /* later */
  moved(20, 20, ECANCELED); /* earlier */
  moved(10, 10, ECANCELED); /* to now */
  moved(-5, 10, ECANCELED); /* into the past */
  moved(1000, 100, 0);      /* away */
}

/* nursery.start(): returns when the child says that it has started; the child goes on. Cancelled before, it has not
 * started. */
static int start(ch_sem *started, int64_t takes) {
  if (ch_sleep(takes))
    return ECANCELED;
  ch_sem_post(started);
  return ch_sleep(50);
}
TEST(trio_start_returns_when_the_child_has_started) {
  ch_sem started = CH_SEM_INIT(0);
  int r = -1;
  STARTS do {
    async r = start(&started, 20);
    EXPECT(ch_sem_wait(&started) == 0);
    AFTER(20);
    EXPECT(r == -1);
    cancel;
  }
  finish;
  EXPECT(r == ECANCELED);
  AFTER(20);
  do {
    async r = start(&started, 20);
    within(5) do says("start", ch_sem_wait(&started));
    finish;
    cancel;
  }
  finish;
  EXPECT(ch_sem_trywait(&started) == EAGAIN);
  EXPECT_NOTES("start!");
}

/* A cancel that comes when the scope's owner waits at its end already, from a branch of it; and of a scope in which
 * nobody is left. */
TEST(trio_cancel_while_the_parent_waits_at_the_nurserys_end) {
  STARTS do {
    async {
      ch_sleep(10);
      cancel;
      note("canceller");
    }
    async says("other", ch_sleep(100));
  }
  finish;
  AFTER(10);
  do {
    cancel;
  }
  finish;
  says("behind", ch_sleep(1));
  EXPECT_NOTES("canceller other! behind");
}

/* Every wait is a checkpoint; what never waits is none, and a cancelled loop of such calls goes on until it looks
 * (trio.lowlevel.checkpoint, Kotlin's ensureActive). */
TEST(trio_code_without_waits_looks_for_itself) {
  int rounds = 0;
  do {
    async {
      ch_sem_wait(&s);
      for (; rounds < 1000; rounds++)
        if (rounds == 10 && ch_cancelled())
          break;
    }
    ch_sem_post(&s);
    cancel;
  }
  finish;
  EXPECT(rounds == 10);
}

/* Of nested cancelled scopes the inner one's end does not end the outer one's cancel, and the other way round a
 * cancelled inner scope inside a shield inside a cancelled outer scope is told for its own sake. */
static void shielded_inside(void) {
outer:
  do {
    cancel outer;
    noncancellable {
      EXPECT(!ch_cancelled());
      do {
        EXPECT(!ch_cancelled());
        cancel;
        says("inner", ch_sleep(1));
      }
      finish;
      EXPECT(!ch_cancelled());
      says("shield", ch_sleep(1));
    }
    says("outer", ch_sleep(1));
  }
  finish;
}
TEST(trio_a_cancel_inside_a_shield_is_seen_inside_only) {
  shielded_inside();
  EXPECT_NOTES("inner! shield outer!");
}

/* trio.Event, CapacityLimiter, Condition: whoever was chosen and cancelled at the same moment has what it was given.
 * Fifty times in all orders. */
TEST(law_4_of_fifty_waiters_that_are_served_and_cancelled_at_once_no_unit_is_lost) {
  int got = 0, cancelled = 0, given = 0;
  for (int order = 0; order < 8; order++) {
    do {
      for (int i = 0; i < 50; i++)
        async {
          if (ch_sem_wait(&s) == 0)
            got++;
          else
            cancelled++;
        }
      for (int i = 0; i < 20; i++) {
        if (order == i % 8)
          cancel;
        ch_sem_post(&s);
        given++;
      }
      cancel;
    }
    finish;
  }
  int left = 0;
  while (ch_sem_trywait(&s) == 0)
    left++;
  EXPECT(got + left == given && got + cancelled == 400 && got > 0 && left > 0);
}

/* ---- asyncio ---- */

/* cancel() during cancel: cleanup that was cancelled is cancelled no second time from the same scope, but from one
 * around it. */
static void cleans_up(void) { noncancellable says("cleanup", ch_sleep(20)); }
TEST(asyncio_a_second_cancel_does_not_interrupt_the_cleanup) {
  STARTS
outer:
  do {
    do {
      async {
        says("work", ch_sleep(100));
        cleans_up();
        says("late", ch_sleep(1));
      }
      ch_sleep(5);
      cancel;
      ch_sleep(0);
      cancel;
      cancel outer;
    }
    finish;
  }
  finish;
  AFTER(25);
  EXPECT_NOTES("work! cleanup late!");
}
/* An item that is called by a cancel cancels somebody else, who has an item, too. */
static ch_activity victims[3];
static void cancels_next(void *number) {
  int n = (int)(intptr_t)number;
  char text[2] = {(char)('0' + n), 0};
  note(text);
  if (n < 3)
    EXPECT(ch_activity_cancel(&victims[n]) == 0);
  if (n > 0)
    EXPECT(ch_activity_cancel(&victims[n - 1]) == 0); /* the one that is being cancelled */
}
TEST(law_4_a_cancel_inside_a_cancel_reaches_everybody_once) {
  for (int i = 0; i < 3; i++)
    activate[&victims[i]](i) {
      ch_cancel_item item;
      EXPECT(ch_cancel_add(&item, cancels_next, (void *)(intptr_t)(i + 1)) == 0);
      do {
        EXPECT(ch_sleep(1000) == ECANCELED);
      }
      finish;
      ch_cancel_remove(&item);
    }
  ch_sleep(1);
  STARTS cancels_next((void *)0);
  for (int i = 0; i < 3; i++)
    EXPECT(ch_activity_wait(&victims[i]) == 0);
  AFTER(0);
  EXPECT_NOTES("0 1 2 3");
}
/* An item removes others, of its own scope and of the one around it, and itself once more. */
static ch_cancel_item mine, later, outer_one;
static void removes(void *unused) {
  note("removes");
  ch_cancel_remove(&mine);
  ch_cancel_remove(&later);
  ch_cancel_remove(&outer_one);
  (void)unused;
}
static void says_text(void *text) { note(text); }
TEST(law_4_an_item_may_remove_items_that_are_still_to_be_called) {
outer:
  do {
    ch_cancel_add(&outer_one, says_text, "outer");
    do {
      ch_cancel_item last;
      ch_cancel_add(&mine, removes, NULL);
      ch_cancel_add(&later, says_text, "later");
      ch_cancel_add(&last, says_text, "last");
      cancel outer;
      ch_cancel_remove(&last);
    }
    finish;
    EXPECT(ch_cancelled());
  }
  finish;
  EXPECT_NOTES("removes last");
}
/* asyncio.shield: what is shielded goes on when who waits for it is cancelled. */
TEST(asyncio_shield) {
  ch_activity inner;
  int result = -1;
  activate[&inner] { result = ch_sleep(30); }
  STARTS within(10) do says("shielded", ch_activity_wait(&inner));
  finish;
  AFTER(10);
  EXPECT(result == -1 && ch_activity_wait(&inner) == 0 && result == 0);
  AFTER(30);
  EXPECT_NOTES("shielded!");
}
/* uncancel(): a mark ends with its scope, and with nothing else; who is to go on opens the scope inside. */
TEST(asyncio_uncancel_is_to_leave_the_scope) {
  for (int i = 0; i < 3; i++) {
    do {
      cancel;
      EXPECT(ch_sleep(1) == ECANCELED && ch_cancelled());
    }
    finish;
    EXPECT(!ch_cancelled() && ch_sleep(1) == 0);
  }
}

/* ---- Kotlin ---- */

/* withTimeout inside withTimeout: which one it was is told by where it goes on. */
static const char *whose(int64_t outer, int64_t inner) {
  bool inner_over = false, outer_over;
  within(outer) do {
    within(inner) do {
      ch_sleep(100);
      inner_over = ch_cancelled();
    }
    finish;
    outer_over = ch_cancelled();
  }
  finish;
  return outer_over ? "outer" : inner_over ? "inner" : "none";
}
TEST(kotlin_with_timeout_nested) {
  EXPECT(!strcmp(whose(10, 50), "outer") && !strcmp(whose(50, 10), "inner") && !strcmp(whose(500, 200), "none"));
  EXPECT(!strcmp(whose(10, 10), "outer")); /* both at once */
}
/* supervisorScope: a child's failure is its own. */
TEST(kotlin_supervisor) {
  int ends[3] = {-1, -1, -1};
  do {
    for (int i = 0; i < 3; i++)
      async(i) {
        do {
          async ends[i] = ch_sleep(10 * (i + 1));
          if (i == 1)
            cancel; /* this child fails */
        }
        finish;
      }
  }
  finish;
  EXPECT(ends[0] == 0 && ends[1] == ECANCELED && ends[2] == 0);
}
/* The children of a child are waited for, however deep. */
static void family(int depth, int *alive) {
  ++*alive;
  do {
    for (int i = 0; depth && i < 2; i++)
      async family(depth - 1, alive);
    ch_sleep(depth ? 1 : 40);
  }
  finish;
  --*alive;
}
TEST(kotlin_a_parent_waits_for_grandchildren_and_its_cancel_reaches_them) {
  int alive = 0;
  STARTS family(5, &alive);
  EXPECT(alive == 0);
  AFTER(40);
  STARTS do {
    async family(5, &alive);
    EXPECT(alive == 63);
    cancel;
  }
  finish;
  EXPECT(alive == 0);
  AFTER(0);
}

/* ---- tokio ---- */

/* select! cancel safety: of two waits in a loop the loser has had no effect, so nothing is lost between the rounds. */
TEST(tokio_select_in_a_loop_loses_nothing) {
  ch_sem a = CH_SEM_INIT(0), b = CH_SEM_INIT(0);
  int from_a = 0, from_b = 0;
  ch_activity producer;
  activate[&producer] {
    for (int i = 0; i < 60; i++) {
      ch_sem_post(i % 3 ? &a : &b);
      if (i % 4 == 0)
        ch_sem_post(i % 2 ? &b : &a);
      ch_sleep(i % 5);
    }
  }
  while (from_a + from_b < 75) {
    do {
      async {
        if (ch_sem_wait(&a) == 0) {
          from_a++;
          cancel;
        }
      }
      async {
        if (ch_sem_wait(&b) == 0) {
          from_b++;
          cancel;
        }
      }
    }
    finish;
  }
  ch_activity_wait(&producer);
  EXPECT(from_a + from_b == 75 && a.count == 0 && b.count == 0);
}
/* timeout(0, a ready future) is Ok in tokio; with us a time that is over has cancelled the scope. What is ready is
 * taken by trywait. */
TEST(tokio_a_timeout_of_something_ready) {
  ch_sem_post(&s);
  within(0) do says("wait", ch_sem_wait(&s));
  finish;
  says("timed", ch_sem_timedwait(&s, 0)); /* which is a timeout, not a cancel: it takes what is there */
  within(1) do says("none", ch_sem_timedwait(&s, 0));
  finish;
  EXPECT_NOTES("wait! timed none?");
}
/* Notify: notify_one before anybody waits is kept, and only one of them. */
TEST(tokio_notify_keeps_one_permit) {
  static ch_waiter w;
  ch_waiter_schedule(&w);
  ch_waiter_schedule(&w);
  EXPECT(ch_waiter_wait(&w) == 0);
  within(5) do says("second", ch_waiter_wait(&w));
  finish;
  ch_waiter_schedule(&w); /* behind a wait that was cancelled */
  EXPECT(ch_waiter_wait(&w) == 0);
  EXPECT_NOTES("second!");
}
/* JoinSet: abort_all, then every task is joined; abort of one that has finished changes nothing. */
TEST(tokio_join_set) {
  ch_activity set[10];
  int results[10];
  for (int i = 0; i < 10; i++)
    activate[&set[i]](i) { results[i] = ch_sleep(10 * i); }
  ch_sleep(45);
  for (int i = 0; i < 10; i++)
    EXPECT(ch_activity_cancel(&set[i]) == 0);
  for (int i = 0; i < 10; i++)
    EXPECT(ch_activity_wait(&set[i]) == 0 && results[i] == (i < 5 ? 0 : ECANCELED));
}
/* spawn_blocking cannot be aborted once it runs; in the queue it can. */
static void runs(void *flag) { __atomic_store_n((int *)flag, 1, __ATOMIC_SEQ_CST); }
TEST(tokio_spawn_blocking_has_run_or_says_that_it_was_cancelled) {
  for (int i = 0; i < 50; i++) {
    int ran = 0, result = -1;
    do {
      async result = ch_offload(runs, &ran);
      if (i % 2)
        cancel;
    }
    finish;
    EXPECT(result == 0 ? ran : result == ECANCELED && !ran);
    EXPECT(i % 2 || result == 0);
  }
  int ran = 0;
  do {
    cancel;
    EXPECT(ch_offload(runs, &ran) == ECANCELED && !ran);
  }
  finish;
}

/* ---- libdill ---- */

/* bundle_wait with a deadline; then hclose: cancels and waits. */
TEST(libdill_bundle_wait_with_a_deadline_then_close) {
  ch_activity bundle[5];
  int ended = 0;
  for (int i = 0; i < 5; i++)
    activate[&bundle[i]](i) {
      ch_sleep(20 * i);
      ended++;
    }
  STARTS within(50) do for (int i = 0; i < 5; i++) if (ch_activity_wait(&bundle[i])) break;
  finish;
  EXPECT(ended == 3);
  AFTER(50);
  for (int i = 0; i < 5; i++)
    ch_activity_cancel(&bundle[i]);
  for (int i = 0; i < 5; i++)
    EXPECT(ch_activity_wait(&bundle[i]) == 0);
  EXPECT(ended == 5);
  AFTER(50);
}
/* Deadlines are points in time: one is enough for a chain of calls. */
TEST(libdill_one_deadline_for_many_calls) {
  int64_t deadline = ch_now() + 45;
  int calls = 0;
  for (; calls < 10; calls++) {
    int r = 0;
    by(deadline) do r = ch_sleep(10);
    finish;
    if (r)
      break;
  }
  EXPECT(calls == 4 && ch_now() == deadline);
}

/* ---- libuv ---- */

/* Timers of one moment fire in the order in which they were started, each once, those of earlier moments before; what
 * they make ready runs in that order. */
TEST(libuv_timers_run_in_order) {
  char order[9] = {0};
  int at = 0;
  do {
    const int64_t times[8] = {30, 10, 20, 10, 30, 0, 20, 10};
    for (int i = 0; i < 8; i++)
      async(i) {
        ch_sleep(times[i] + 1);
        order[at++] = (char)('0' + i);
      }
  }
  finish;
  EXPECT(!strcmp(order, "51372604"));
}
/* A timer that is started in a callback for "now" does not run in the same round (uv_timer_start, setImmediate against
 * nextTick): who gives way goes behind all who are ready. */
TEST(libuv_who_gives_way_runs_behind_all_who_are_ready) {
  ch_activity a, b;
  activate[&a] {
    ch_sleep(0);
    note("a");
  }
  activate[&b] { note("b"); }
  ch_activity_wait(&a);
  ch_activity_wait(&b);
  EXPECT_NOTES("b a");
}

/* ---- plain code under all of this ---- */

static int sleeps(const void *key, const void *element) {
  (void)element;
  *(int *)(uintptr_t)*(const uintptr_t *)key = ch_sleep(50);
  return 0;
}
static int plain_sleep(void) {
  int result = -1;
  uintptr_t key = (uintptr_t)&result;
  size_t n = 1;
  lfind(&key, &n, &n, sizeof n, sleeps);
  return result;
}
TEST(law_4_plain_waits_of_several_activities_are_cancelled_in_any_order) {
  ch_activity h[4];
  int results[4] = {-1, -1, -1, -1};
  for (int i = 0; i < 4; i++)
    activate[&h[i]](i) { results[i] = plain_sleep(); }
  ch_sleep(1);
  STARTS ch_activity_cancel(&h[0]); /* the lowest on the native stack: it returns when those above it have */
  ch_activity_cancel(&h[2]);
  for (int i = 0; i < 4; i++)
    ch_activity_wait(&h[i]);
  EXPECT(results[0] == ECANCELED && results[1] == 0 && results[2] == ECANCELED && results[3] == 0);
}
