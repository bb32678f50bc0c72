/* Broadcasts and watched values: charcoal/broadcast.h, charcoal/watch.h. */
#include "../harness.h"
#include <charcoal/broadcast.h>
#include <charcoal/watch.h>
#include <time.h>

static int make(broadcast(int) * b, size_t room, enum ch_slow slow, int shared) {
  return shared ? ch_broadcast_init_shared(b, room, slow) : ch_broadcast_init(b, room, slow);
}

/* ---- every subscriber receives every message, in order ---- */

static long sums[3];
static void receive_all(subscription(int) * s, long *sum) {
  int x, last = 0, result;
  while ((result = ch_next(s, &x)) == 0) {
    EXPECT(x == last + 1);
    last = x;
    *sum += x;
  }
  EXPECT(result == EPIPE && ch_next(s, &x) == EPIPE && x == last);
}
TEST(each_subscriber_receives_every_message_in_order_whatever_the_room) {
  static const size_t rooms[] = {1, 2, 7, 100};
  for (int k = 0; k < 8; k++) {
    broadcast(int) b;
    subscription(int) s[3];
    EXPECT(make(&b, rooms[k / 2], CH_SLOW_WAIT, k % 2) == 0);
    do {
      for (int i = 0; i < 3; i++) {
        sums[i] = 0;
        EXPECT(ch_subscribe(&b, &s[i]) == 0);
        async(i) { receive_all(&s[i], &sums[i]); }
      }
      for (int i = 1; i <= 50; i++) {
        EXPECT(ch_publish(&b, &i) == 0);
        if (i % 7 == 0)
          ch_reschedule();
      }
      EXPECT(ch_broadcast_close(&b) == 0 && ch_broadcast_close(&b) == EPIPE && ch_publish(&b, &(int){1}) == EPIPE);
    }
    finish;
    EXPECT(ch_broadcast_destroy(&b) == EBUSY);
    for (int i = 0; i < 3; i++)
      EXPECT(sums[i] == 1275 && ch_missed(&s[i]) == 0 && ch_unsubscribe(&s[i]) == 0);
    EXPECT(ch_unsubscribe(&s[0]) == EINVAL && ch_broadcast_destroy(&b) == 0);
  }
}

TEST(a_subscriber_receives_what_is_published_after_it_has_subscribed) {
  broadcast(int) b;
  subscription(int) s;
  int x = 0;
  EXPECT(make(&b, 2, CH_SLOW_WAIT, 0) == 0);
  for (int i = 0; i < 9; i++)
    EXPECT(ch_publish(&b, &i) == 0); /* nobody is there to wait for */
  EXPECT(ch_subscribe(&b, &s) == 0 && ch_try_next(&s, &x) == EAGAIN);
  EXPECT(ch_publish(&b, &(int){9}) == 0 && ch_next(&s, &x) == 0 && x == 9);
  EXPECT(ch_unsubscribe(&s) == 0 && ch_broadcast_destroy(&b) == 0);
  EXPECT(ch_broadcast_init(&b, 0, CH_SLOW_WAIT) == EINVAL);
}

/* ---- slow subscribers ---- */

static int published;
static void expect_published(int n) {
  ch_reschedule();
  ch_reschedule();
  EXPECT(published == n);
}
TEST(what_was_never_made_or_has_ended_is_refused) {
  broadcast(int) zeroed = {0}, made;
  subscription(int) none = {0}, ended;
  int v = 1, e = 0;
  EXPECT(ch_publish(&zeroed, &v) == EINVAL && ch_try_publish(&zeroed, &v) == EINVAL);
  waituntil(e = ch_publish(&zeroed, &v)) EXPECT(e == EINVAL);
  else EXPECT(0);
  EXPECT(ch_broadcast_init(&made, 0, CH_SLOW_DROP) == EINVAL && ch_publish(&made, &v) == EINVAL);
  EXPECT(ch_broadcast_init(&made, SIZE_MAX / 2, CH_SLOW_DROP) == ENOMEM && ch_publish(&made, &v) == EINVAL);
  EXPECT(ch_broadcast_init(&made, 4, CH_SLOW_DROP) == 0 && ch_subscribe(&made, &ended) == 0);
  EXPECT(ch_publish(&made, &v) == 0 && ch_unsubscribe(&ended) == 0);
  EXPECT(ch_next(&none, &v) == EINVAL && ch_try_next(&none, &v) == EINVAL && ch_missed(&none) == 0);
  EXPECT(ch_next(&ended, &v) == EINVAL && ch_unsubscribe(&ended) == EINVAL);
  waituntil(e = ch_next(&ended, &v)) EXPECT(e == EINVAL);
  or waituntil(ch_sleep(1000000)) EXPECT(0);
  EXPECT(ch_broadcast_destroy(&made) == 0 && ch_publish(&made, &v) == EPIPE);
}

TEST(with_slow_wait_the_publisher_waits_for_the_slowest) {
  for (int shared = 0; shared < 2; shared++) {
    broadcast(int) b;
    subscription(int) fast, slow;
    ch_activity publisher;
    int x;
    published = 0;
    EXPECT(make(&b, 2, CH_SLOW_WAIT, shared) == 0 && ch_subscribe(&b, &fast) == 0 && ch_subscribe(&b, &slow) == 0);
    activate[&publisher] {
      for (int i = 0; i < 4; i++) {
        EXPECT(ch_publish(&b, &i) == 0);
        published++;
      }
    }
    expect_published(2);
    EXPECT(ch_try_publish(&b, &(int){9}) == EAGAIN);
    EXPECT(ch_next(&fast, &x) == 0 && ch_next(&fast, &x) == 0 && x == 1 && ch_try_next(&fast, &x) == EAGAIN);
    expect_published(2);
    EXPECT(ch_next(&slow, &x) == 0 && x == 0);
    expect_published(3);
    EXPECT(ch_next(&fast, &x) == 0 && x == 2);
    EXPECT(ch_unsubscribe(&slow) == 0); /* who has gone is not waited for */
    expect_published(4);
    EXPECT(ch_next(&fast, &x) == 0 && x == 3 && ch_activity_wait(&publisher) == 0);
    EXPECT(ch_unsubscribe(&fast) == 0 && ch_broadcast_destroy(&b) == 0);
  }
}

TEST(with_slow_drop_the_oldest_are_missed_and_counted) {
  broadcast(int) b;
  subscription(int) s;
  int x;
  EXPECT(make(&b, 3, CH_SLOW_DROP, 0) == 0 && ch_subscribe(&b, &s) == 0);
  for (int i = 0; i < 10; i++)
    EXPECT(ch_try_publish(&b, &i) == 0);
  EXPECT(ch_next(&s, &x) == 0 && x == 7 && ch_missed(&s) == 7);
  EXPECT(ch_next(&s, &x) == 0 && ch_next(&s, &x) == 0 && x == 9 && ch_try_next(&s, &x) == EAGAIN);
  EXPECT(ch_unsubscribe(&s) == 0 && ch_broadcast_destroy(&b) == 0);
}

TEST(with_slow_error_it_is_told_once_and_goes_on_with_the_oldest_that_is_kept) {
  broadcast(int) b;
  subscription(int) s;
  int x = -1;
  EXPECT(make(&b, 3, CH_SLOW_ERROR, 0) == 0 && ch_subscribe(&b, &s) == 0);
  for (int i = 0; i < 5; i++)
    EXPECT(ch_publish(&b, &i) == 0);
  EXPECT(ch_next(&s, &x) == EOVERFLOW && x == -1 && ch_missed(&s) == 2);
  EXPECT(ch_next(&s, &x) == 0 && x == 2 && ch_broadcast_close(&b) == 0);
  EXPECT(ch_next(&s, &x) == 0 && ch_next(&s, &x) == 0 && x == 4 && ch_next(&s, &x) == EPIPE);
  EXPECT(ch_unsubscribe(&s) == 0 && ch_broadcast_destroy(&b) == 0);
}

/* ---- close, cancel, several who wait ---- */

TEST(close_wakes_publishers_and_subscribers_who_wait) {
  for (int shared = 0; shared < 2; shared++) {
    broadcast(int) full, empty;
    subscription(int) slow, idle;
    int x;
    EXPECT(make(&full, 1, CH_SLOW_WAIT, shared) == 0 && make(&empty, 1, CH_SLOW_WAIT, shared) == 0);
    EXPECT(ch_subscribe(&full, &slow) == 0 && ch_subscribe(&empty, &idle) == 0 && ch_publish(&full, &(int){5}) == 0);
    do {
      async EXPECT(ch_publish(&full, &(int){6}) == EPIPE);
      async EXPECT(ch_next(&idle, &x) == EPIPE);
      EXPECT(ch_broadcast_destroy(&full) == EBUSY && ch_unsubscribe(&idle) == EBUSY);
      EXPECT(ch_broadcast_close(&full) == 0 && ch_broadcast_close(&empty) == 0);
    }
    finish;
    EXPECT(ch_next(&slow, &x) == 0 && x == 5 && ch_next(&slow, &x) == EPIPE);
    EXPECT(ch_unsubscribe(&slow) == 0 && ch_unsubscribe(&idle) == 0);
    EXPECT(ch_broadcast_destroy(&full) == 0 && ch_broadcast_destroy(&empty) == 0);
  }
}

TEST(law_4_a_cancelled_publish_or_next_has_had_no_effect) {
  for (int shared = 0; shared < 2; shared++) {
    broadcast(int) b;
    subscription(int) s, none;
    int x = 3;
    EXPECT(make(&b, 1, CH_SLOW_WAIT, shared) == 0 && ch_subscribe(&b, &s) == 0 && ch_publish(&b, &(int){1}) == 0);
    EXPECT(ch_subscribe(&b, &none) == 0);
    do {
      async EXPECT(ch_publish(&b, &(int){2}) == ECANCELED);
      async EXPECT(ch_next(&none, &x) == ECANCELED && x == 3);
      cancel;
      EXPECT(ch_try_next(&s, &x) == ECANCELED && ch_try_publish(&b, &x) == ECANCELED);
    }
    finish;
    EXPECT(ch_next(&s, &x) == 0 && x == 1 && ch_try_next(&s, &x) == EAGAIN && ch_try_next(&none, &x) == EAGAIN);
    EXPECT(ch_unsubscribe(&s) == 0 && ch_unsubscribe(&none) == 0 && ch_broadcast_destroy(&b) == 0);
  }
}

TEST(two_who_wait_on_one_subscription_share_its_messages) {
  broadcast(int) b;
  subscription(int) s;
  static int got[2];
  EXPECT(make(&b, 4, CH_SLOW_WAIT, 0) == 0 && ch_subscribe(&b, &s) == 0);
  do {
    for (int i = 0; i < 2; i++)
      async(i) { EXPECT(ch_next(&s, &got[i]) == 0); }
    EXPECT(ch_publish(&b, &(int){1}) == 0 && ch_publish(&b, &(int){2}) == 0);
  }
  finish;
  EXPECT(got[0] == 1 && got[1] == 2 && ch_unsubscribe(&s) == 0 && ch_broadcast_destroy(&b) == 0);
}

/* ---- as clauses ---- */

TEST(a_clause_that_is_not_selected_has_published_and_received_nothing) {
  for (int shared = 0; shared < 2; shared++) {
    broadcast(int) b, c;
    subscription(int) s, t;
    int x = 0, body = 0;
    EXPECT(make(&b, 1, CH_SLOW_WAIT, shared) == 0 && make(&c, 1, CH_SLOW_WAIT, shared) == 0);
    EXPECT(ch_subscribe(&b, &s) == 0 && ch_subscribe(&c, &t) == 0 && ch_publish(&c, &(int){7}) == 0);
    do {
      async {
        waituntil(ch_next(&s, &x)) body = 1;
        or waituntil(ch_publish(&c, &(int){8})) body = 2;
      }
      EXPECT(body == 0 && ch_next(&t, &x) == 0 && x == 7);
    }
    finish;
    EXPECT(body == 2 && ch_publish(&b, &(int){1}) == 0 && ch_next(&s, &x) == 0 && x == 1);
    EXPECT(ch_next(&t, &x) == 0 && x == 8 && ch_try_next(&t, &x) == EAGAIN);
    waituntil(ch_next(&s, &x)) body = 3;
    else body = 4;
    EXPECT(body == 4);
    waituntil(ch_publish(&b, &(int){5})) body += 10;
    and waituntil(ch_next(&s, &x)) body += 100;
    EXPECT(body == 114 && x == 5);
    EXPECT(ch_unsubscribe(&s) == 0 && ch_unsubscribe(&t) == 0);
    EXPECT(ch_broadcast_destroy(&b) == 0 && ch_broadcast_destroy(&c) == 0);
  }
}

/* ---- watched values ---- */

TEST(a_watcher_gets_the_latest_value_and_none_before) {
  for (int shared = 0; shared < 2; shared++) {
    watch(int) w = {0};
    uint64_t seen = 0;
    static int read[2];
    int x = -1, body = 0;
    if (shared)
      ch_watch_init_shared(&w);
    EXPECT(ch_watch_get(&w, &x) == EAGAIN && x == -1);
    do {
      for (int i = 0; i < 2; i++)
        async(i) {
          uint64_t own = 0;
          EXPECT(ch_watch_next(&w, &own, &read[i]) == 0);
        }
      for (int i = 1; i <= 3; i++)
        EXPECT(ch_watch_set(&w, i) == 0);
    }
    finish;
    EXPECT(read[0] == 1 && read[1] == 1 && ch_watch_next(&w, &seen, &x) == 0 && x == 3);
    waituntil(ch_watch_next(&w, &seen, &x)) body = 1;
    else body = 2;
    EXPECT(body == 2 && ch_watch_set(&w, 4) == 0);
    waituntil(ch_watch_next(&w, &seen, &x)) body = 3;
    or waituntil(ch_sleep(1000000000)) body = 4;
    EXPECT(body == 3 && x == 4 && ch_watch_get(&w, &x) == 0);
    do {
      async EXPECT(ch_watch_next(&w, &seen, &x) == ECANCELED && x == 4);
      cancel;
    }
    finish;
    do {
      async EXPECT(ch_watch_next(&w, &seen, &x) == EPIPE && x == 4);
      EXPECT(ch_watch_close(&w) == 0 && ch_watch_close(&w) == EPIPE && ch_watch_set(&w, 5) == EPIPE);
    }
    finish;
    seen = 0;
    EXPECT(ch_watch_next(&w, &seen, &x) == 0 && x == 4 && ch_watch_next(&w, &seen, &x) == EPIPE);
  }
}

/* ---- between domains ---- */

#define MANY 5000
static broadcast(int) news;
static watch(int) latest;
static ch_sem subscribed = CH_SEM_INIT(0);
static void reads(void *argument) {
  subscription(int) s;
  int x, result;
  long sum = 0, last = 0;
  (void)argument;
  EXPECT(ch_subscribe(&news, &s) == 0);
  ch_sem_post(&subscribed);
  for (;;) {
    waituntil(result = ch_next(&s, &x)) {}
    or waituntil(ch_sleep(100000000000)) result = ETIMEDOUT;
    if (result)
      break;
    EXPECT(x == last + 1);
    sum += last = x;
  }
  EXPECT(result == EPIPE && sum == MANY * (MANY + 1L) / 2 && ch_unsubscribe(&s) == 0);
}
static void watches(void *argument) {
  uint64_t seen = 0;
  int x, last = 0, result;
  (void)argument;
  while ((result = ch_watch_next(&latest, &seen, &x)) == 0) {
    EXPECT(x > last);
    last = x;
  }
  EXPECT(result == EPIPE && last == MANY);
}
TEST(subscribers_in_other_domains_receive_every_message_and_watchers_the_last) {
  ch_thread t[4];
  EXPECT(ch_broadcast_init_shared(&news, 16, CH_SLOW_WAIT) == 0);
  ch_watch_init_shared(&latest);
  for (int i = 0; i < 4; i++)
    EXPECT(ch_domain_start(&t[i], i < 2 ? reads : watches, NULL) == 0);
  for (int i = 0; i < 2; i++)
    EXPECT(ch_sem_wait(&subscribed) == 0);
  for (int i = 1; i <= MANY; i++)
    EXPECT(ch_publish(&news, &i) == 0 && ch_watch_set(&latest, i) == 0);
  EXPECT(ch_broadcast_close(&news) == 0 && ch_watch_close(&latest) == 0);
  for (int i = 0; i < 4; i++)
    EXPECT(ch_domain_join(&t[i]) == 0);
  EXPECT(ch_broadcast_destroy(&news) == 0);
}

TEST_EXITS(a_next_that_nobody_can_end_is_a_deadlock, CH_EXIT_DEADLOCK, "receiving from a broadcast") {
  subscription(int) s;
  int x;
  EXPECT(ch_broadcast_init_shared(&news, 1, CH_SLOW_WAIT) == 0 && ch_subscribe(&news, &s) == 0);
  ch_next(&s, &x);
}

/* ---- many ---- */

static int64_t processor_time(void) {
  struct timespec t;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
  return t.tv_sec * INT64_C(1000000000) + t.tv_nsec;
}
/* All receive while somebody waits to publish, and then they leave, the first first. Returns the time for each. */
static int64_t time_of_one_among(int n, enum ch_slow slow) {
  broadcast(int) b;
  subscription(int) *s = calloc((size_t)n, sizeof *s);
  int x;
  EXPECT(s && make(&b, 2, slow, 0) == 0);
  int64_t begin = processor_time();
  for (int i = 0; i < n; i++)
    ch_subscribe(&b, &s[i]);
  activate {
    for (int i = 0; i < 6; i++)
      ch_publish(&b, &i);
  }
  for (int round = 0; round < 6; round++) {
    ch_reschedule();
    for (int i = 0; i < n; i++)
      if (ch_try_next(&s[i], &x) == 0)
        EXPECT(slow != CH_SLOW_WAIT || x == round);
  }
  for (int i = 0; i < n; i++)
    EXPECT(ch_unsubscribe(&s[i]) == 0);
  EXPECT(ch_broadcast_destroy(&b) == 0);
  int64_t took = processor_time() - begin;
  free(s);
  return took / n;
}
static int64_t least(int64_t a, int64_t b) { return a < b ? a : b; }
TEST(what_a_subscriber_does_takes_the_same_time_however_many_there_are) {
  for (enum ch_slow slow = CH_SLOW_WAIT; slow <= CH_SLOW_DROP; slow++) {
    int64_t few = INT64_MAX, many = INT64_MAX;
    for (int tries = 0; tries < 3 || (many > 12 * few && tries < 8); tries++) {
      few = least(few, time_of_one_among(500, slow));
      many = least(many, time_of_one_among(16000, slow));
    }
    EXPECT(many <= 12 * few); /* some 1 to 4 times; where a list of all is walked it is above 30 times */
  }
}

static int heard[3];
TEST(those_who_share_a_subscription_receive_in_the_order_in_which_they_came) {
  for (int shared = 0; shared < 2; shared++) {
    broadcast(int) b;
    subscription(int) s, other;
    EXPECT(make(&b, 4, CH_SLOW_WAIT, shared) == 0 && ch_subscribe(&b, &s) == 0 && ch_subscribe(&b, &other) == 0);
    do {
      for (int i = 0; i < 3; i++)
        async(i) { EXPECT(ch_next(&s, &heard[i]) == 0); }
      EXPECT(ch_unsubscribe(&s) == EBUSY);
      for (int i = 1; i <= 3; i++)
        EXPECT(ch_publish(&b, &i) == 0);
    }
    finish;
    EXPECT(heard[0] == 1 && heard[1] == 2 && heard[2] == 3);
    do {
      async EXPECT(ch_next(&s, &heard[0]) == ECANCELED);
      cancel;
    }
    finish;
    EXPECT(ch_unsubscribe(&s) == 0 && ch_unsubscribe(&other) == 0 && ch_broadcast_destroy(&b) == 0);
  }
}

/* ---- children of fork ---- */

TEST(in_a_child_of_fork_a_subscription_ends_for_which_only_the_parent_waits) {
  for (int shared = 0; shared < 2; shared++) {
    broadcast(int) b;
    subscription(int) s;
    int status;
    ch_activity waiters[2];
    EXPECT(make(&b, 1, CH_SLOW_WAIT, shared) == 0 && ch_subscribe(&b, &s) == 0);
    for (int i = 0; i < 2; i++)
      activate[&waiters[i]] {
        int x;
        EXPECT(ch_next(&s, &x) == EPIPE);
      }
    ch_reschedule();
    pid_t child = fork();
    if (child == 0) {
      EXPECT(ch_unsubscribe(&s) == 0 && ch_broadcast_destroy(&b) == 0);
      _exit(0);
    }
    EXPECT(waitpid(child, &status, 0) == child && status == 0);
    EXPECT(ch_unsubscribe(&s) == EBUSY && ch_broadcast_close(&b) == 0);
    for (int i = 0; i < 2; i++)
      EXPECT(ch_activity_wait(&waiters[i]) == 0);
    EXPECT(ch_unsubscribe(&s) == 0 && ch_broadcast_destroy(&b) == 0);
  }
}
