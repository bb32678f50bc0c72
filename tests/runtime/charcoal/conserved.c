/* Objects in use by many who select, give up, close and leave at awkward moments. Each test compares with a law that is
 * counted beside it: what is sent is received once, what is taken is given back, and who has not had it can have it. */
#include "harness.h"
#include "charcoal/broadcast.h"
#include "charcoal/channel.h"
#include "charcoal/domains.h"
#include "charcoal/future.h"
#include "charcoal/locks.h"
#include "charcoal/watch.h"
#include <pthread.h>
enum { MS = 1000000 };

TEST(batches_of_any_size_arrive_once_and_in_order_whatever_the_room) {
  for (size_t room = 0; room < 6; room++) {
    channel(int) c;
    long sent = 0, got = 0, next = 0;
    EXPECT(ch_channel_init(&c, room == 5 ? CH_UNBOUNDED : room) == 0);
    do {
      async {
        int a[7];
        for (int i = 0, k = 0; i < 300; i++) {
          int n = 1 + i % 7;
          for (int j = 0; j < n; j++)
            a[j] = k + j;
          int left = n, *at = a;
          while (left) {
            intptr_t r = ch_send_some(&c, at, (size_t)left);
            EXPECT(r > 0 && r <= left);
            at += r;
            left -= (int)r;
            sent += r;
          }
          k += n;
        }
        ch_close(&c);
      }
      async {
        int a[5];
        intptr_t r;
        int i = 0;
        while ((r = ch_recv_some(&c, a, (size_t)(1 + i++ % 5))) > 0) {
          for (int j = 0; j < r; j++)
            EXPECT(a[j] == next++);
          got += r;
        }
        EXPECT(r == -EPIPE);
      }
    }
    finish;
    EXPECT(sent == got && ch_channel_destroy(&c) == 0);
  }
}

TEST(close_ends_all_who_select_on_both_sides_and_no_message_is_lost) {
  for (int round = 0; round < 50; round++) {
    channel(int) c;
    int sent = 0, got = 0, pipes = 0;
    ch_channel_init(&c, (size_t)(round % 3));
    do {
      for (int k = 0; k < 3; k++)
        async(k) {
          int v = k, e = 0;
          while (1) {
            waituntil(e = ch_send(&c, &v)) {}
            or waituntil(e = ch_send(&c, &v)) {}
            if (e) {
              EXPECT(e == EPIPE);
              pipes++;
              break;
            }
            sent++;
          }
        }
      for (int k = 0; k < 3; k++)
        async {
          int v, e = 0;
          while (1) {
            waituntil(e = ch_recv(&c, &v)) {}
            or waituntil(e = ch_recv(&c, &v)) {}
            if (e) {
              EXPECT(e == EPIPE);
              pipes++;
              break;
            }
            got++;
          }
        }
      async {
        for (int i = 0; i < round; i++)
          ch_sleep(1000);
        ch_close(&c);
      }
    }
    finish;
    EXPECT(sent == got && pipes == 6 && ch_length(&c) == 0);
    ch_channel_destroy(&c);
  }
}

TEST(with_and_branches_on_both_sides_of_a_channel_serve_each_other) {
  channel(int) c = {0};
  int sends = 0, recvs = 0;
  do {
    for (int k = 0; k < 10; k++)
      async(k) {
        int v = k, w = -1;
        waituntil(ch_send(&c, &v)) sends++;
        and waituntil(ch_recv(&c, &w)) recvs++;
        EXPECT(w >= 0);
      }
  }
  finish;
  EXPECT(sends == 10 && recvs == 10);
}

TEST(with_and_a_wait_on_both_sides_of_a_channel_may_meet_itself) {
  channel(int) c = {0};
  int v = 5, w = 0, n = 0;
  within(20 * MS) do {
    waituntil(ch_send(&c, &v)) n++;
    and waituntil(ch_recv(&c, &w)) n += 10;
  }
  finish;
  EXPECT(n == 11 && w == 5);
}

struct huge {
  char b[70000];
};
TEST(messages_larger_than_a_page_are_copied_whole_in_statements) {
  static channel(struct huge) c;
  static struct huge in, out;
  for (int room = 0; room < 3; room++) {
    memset(&c, 0, sizeof c);
    if (room)
      ch_channel_init(&c, (size_t)room);
    do {
      async {
        for (int i = 0; i < 10; i++) {
          memset(&in, i + 1, sizeof in);
          waituntil(ch_send(&c, &in)) {}
          or waituntil(ch_sleep(CH_FOREVER)) {}
        }
        ch_close(&c);
      }
      async {
        int i = 0;
        while (ch_recv(&c, &out) == 0) {
          i++;
          EXPECT(room || (out.b[0] == i && out.b[69999] == i));
          if (room)
            EXPECT(out.b[0] == i && out.b[69999] == i);
        }
        EXPECT(i == 10);
      }
    }
    finish;
    ch_channel_destroy(&c);
  }
}

struct none {};
TEST(messages_without_a_byte_are_counted) {
  channel(struct none) c;
  struct none x;
  int n = 0;
  for (size_t room = 0; room < 3; room++) {
    n = 0;
    EXPECT(ch_channel_init(&c, room == 2 ? CH_UNBOUNDED : room) == 0);
    do {
      async {
        for (int i = 0; i < 100; i++)
          EXPECT(ch_send(&c, &x) == 0);
        ch_close(&c);
      }
      async {
        while (ch_recv(&c, &x) == 0)
          n++;
      }
    }
    finish;
    EXPECT(n == 100);
    ch_channel_destroy(&c);
  }
}

TEST(values_without_a_byte_are_set_published_and_watched) {
  future(struct none) f = {0};
  struct none x;
  broadcast(struct none) b;
  subscription(struct none) s;
  watch(struct none) w = {0};
  uint64_t seen = 0;
  EXPECT(ch_future_set(&f, x) == 0 && ch_get(&f, &x) == 0);
  EXPECT(ch_broadcast_init(&b, 2, CH_SLOW_DROP) == 0 && ch_subscribe(&b, &s) == 0);
  for (int i = 0; i < 5; i++)
    EXPECT(ch_publish(&b, &x) == 0);
  EXPECT(ch_next(&s, &x) == 0 && ch_next(&s, &x) == 0 && ch_try_next(&s, &x) == EAGAIN && ch_missed(&s) == 3);
  ch_unsubscribe(&s);
  EXPECT(ch_broadcast_destroy(&b) == 0);
  ch_watch_set(&w, x);
  EXPECT(ch_watch_next(&w, &seen, &x) == 0 && seen);
}

TEST(a_message_may_say_in_which_channel_the_reply_is_expected) {
  typedef channel(int) reply;
  struct ask {
    int q;
    reply *to;
  };
  channel(struct ask) asks = {0};
  long sum = 0;
  do {
    async {
      struct ask a;
      while (ch_recv(&asks, &a) == 0) {
        int r = a.q * 2;
        ch_send(a.to, &r);
      }
    }
    async {
      do {
        for (int k = 0; k < 20; k++)
          async(k) {
            reply mine = {0};
            struct ask a = {k, &mine};
            int r;
            EXPECT(ch_send(&asks, &a) == 0 && ch_recv(&mine, &r) == 0 && r == 2 * k);
            sum += r;
            EXPECT(ch_channel_destroy(&mine) == 0);
          }
      }
      finish;
      ch_close(&asks);
    }
  }
  finish;
  EXPECT(sum == 380);
}

TEST(a_channel_with_waiters_is_not_destroyed) {
  channel(int) c = {0};
  int v = 1, e = -1;
  do {
    async e = ch_recv(&c, &v);
    EXPECT(ch_channel_destroy(&c) == EBUSY);
    ch_close(&c);
  }
  finish;
  EXPECT(e == EPIPE && ch_channel_destroy(&c) == 0);
  channel(int) d;
  ch_channel_init(&d, 1);
  do {
    async {
      EXPECT(ch_send(&d, &v) == 0);
      e = ch_send(&d, &v);
    }
    EXPECT(ch_channel_destroy(&d) == EBUSY);
    EXPECT(ch_try_recv(&d, &v) == 0);
  }
  finish;
  EXPECT(e == 0);
  EXPECT(ch_channel_destroy(&d) == 0);
}

TEST(receivers_and_senders_that_give_up_lose_no_message) {
  channel(int) c = {0};
  int got = 0, sent = 0, gone = 0;
  ch_channel_init(&c, 1);
  do {
    for (int k = 0; k < 40; k++)
      async(k) {
        int v, e = 0;
        within((k % 7) * 1000) do e = ch_recv(&c, &v);
        finish;
        if (!e)
          got++;
        else if (e == ECANCELED)
          gone++;
      }
    async {
      for (int k = 0; k < 40; k++) {
        int e = 0;
        within(3000) do e = ch_send(&c, &k);
        finish;
        if (!e)
          sent++;
      }
    }
  }
  finish;
  int v;
  while (ch_try_recv(&c, &v) == 0)
    got++;
  EXPECT(sent == got);
}

TEST(a_future_is_reset_only_while_nobody_waits_for_it) {
  future(long) f = {0};
  int ok = 0;
  for (int round = 0; round < 5; round++) {
    do {
      for (int k = 0; k < 20; k++)
        async(round) {
          long v = 0;
          int e = ch_get(&f, &v);
          if (round % 2 ? e == EIO : (e == 0 && v == round))
            ok++;
        }
      EXPECT(ch_future_reset(&f) == EBUSY);
      EXPECT((round % 2 ? ch_future_fail(&f, EIO) : ch_future_set(&f, round)) == 0);
      EXPECT(ch_future_set(&f, 9L) == EALREADY && ch_future_fail(&f, 0) == EINVAL);
    }
    finish;
    EXPECT(ch_future_reset(&f) == 0 && !ch_future_is_set(&f));
  }
  EXPECT(ok == 100);
}

TEST(readers_have_the_value_that_was_set_first_also_if_it_is_reset_before_they_run) {
  future(int) f = {0};
  int got[3] = {0};
  do {
    for (int k = 0; k < 3; k++)
      async(k) { EXPECT(ch_get(&f, &got[k]) == 0); }
    ch_future_set(&f, 7);
    EXPECT(ch_future_reset(&f) == 0);
    ch_future_set(&f, 8);
  }
  finish;
  EXPECT(got[0] == 7 && got[1] == 7 && got[2] == 7);
}

TEST(subscribers_may_leave_while_messages_come_whatever_happens_to_slow_ones) {
  for (int how = CH_SLOW_WAIT; how <= CH_SLOW_ERROR; how++) {
    broadcast(int) b;
    ch_broadcast_init(&b, 2, (enum ch_slow)how);
    int ended = 0;
    long seen = 0;
    do {
      for (int k = 0; k < 5; k++)
        async(k) {
          subscription(int) s;
          int v, e, last = -1;
          ch_subscribe(&b, &s);
          for (int i = 0; i < 3 + k; i++) {
            e = ch_next(&s, &v);
            if (e == EOVERFLOW)
              continue;
            if (e)
              break;
            EXPECT(v > last);
            last = v;
            seen++;
            if (k == 2)
              ch_sleep(3000);
          }
          EXPECT(ch_unsubscribe(&s) == 0);
          ended++;
        }
      async {
        for (int i = 0; i < 50; i++) {
          EXPECT(ch_publish(&b, &i) == 0);
          if (i % 4 == 0)
            ch_sleep(1000);
        }
        ch_broadcast_close(&b);
      }
    }
    finish;
    EXPECT(ended == 5 && seen > 0 && ch_broadcast_destroy(&b) == 0);
  }
}

TEST(a_publisher_goes_on_when_the_slowest_leaves) {
  broadcast(int) b;
  subscription(int) slow;
  ch_broadcast_init(&b, 1, CH_SLOW_WAIT);
  int n = 0;
  ch_subscribe(&b, &slow);
  do {
    async {
      for (int i = 0; i < 3; i++) {
        EXPECT(ch_publish(&b, &i) == 0);
        n++;
      }
    }
    EXPECT(n == 1);
    EXPECT(ch_unsubscribe(&slow) == 0);
  }
  finish;
  EXPECT(n == 3 && ch_broadcast_destroy(&b) == 0);
}

TEST(watchers_never_see_an_older_value_and_all_see_the_last) {
  watch(int) w = {0};
  int last[6] = {0};
  do {
    for (int k = 0; k < 6; k++)
      async(k) {
        uint64_t seen = 0;
        int v, p = 0;
        while (ch_watch_next(&w, &seen, &v) == 0) {
          EXPECT(v > p);
          p = v;
          if (k & 1)
            ch_sleep(1000 * k);
        }
        last[k] = p;
      }
    for (int i = 1; i <= 100; i++) {
      ch_watch_set(&w, i);
      if (i % 10 == 0)
        ch_sleep(2000);
    }
    ch_watch_close(&w);
  }
  finish;
  for (int k = 0; k < 6; k++)
    EXPECT(last[k] == 100);
}

TEST(a_cancelled_watcher_has_seen_nothing) {
  watch(int) w = {0};
  uint64_t seen = 0;
  int v = 0, e;
  within(1000) do e = ch_watch_next(&w, &seen, &v);
  finish;
  EXPECT(e == ECANCELED && seen == 0);
  ch_watch_set(&w, 3);
  EXPECT(ch_watch_next(&w, &seen, &v) == 0 && v == 3);
}

TEST(readers_and_writers_that_give_up_leave_the_lock_right) {
  ch_rwlock l = {0};
  int readers = 0, writers = 0;
  unsigned s = 12345;
  int had = 0, cancelled = 0;
  do
    for (int k = 0; k < 60; k++)
      async(k) {
        for (int i = 0; i < 10; i++) {
          s = s * 1103515245 + 12345;
          int write = s >> 16 & 1;
          int64_t limit = (int64_t)(s >> 17 & 7) * 2000;
          int e = 0;
          within(limit) do { e = write ? ch_write_lock(&l) : ch_read_lock(&l); }
          finish;
          if (e) {
            cancelled++;
            continue;
          }
          had++;
          if (write) {
            EXPECT(!writers && !readers);
            writers++;
          } else {
            EXPECT(!writers);
            readers++;
          }
          if (i % 3 == 0)
            ch_sleep(500);
          if (write)
            writers--;
          else
            readers--;
          EXPECT(ch_rw_unlock(&l) == 0);
        }
      }
  finish;
  EXPECT(had && ch_rwlock_destroy(&l) == 0);
}

TEST(who_wants_many_and_gives_up_lets_those_behind_it_go_on) {
  ch_permits p;
  ch_permits_init(&p, 1, 0);
  int order[3] = {0}, at = 0, e = 0;
  do {
    async {
      within(5000) do { e = ch_permits_take(&p, 5); }
      finish;
      EXPECT(e == ECANCELED);
      order[at++] = 5;
    }
    async {
      EXPECT(ch_permits_take(&p, 1) == 0);
      order[at++] = 1;
    }
    EXPECT(ch_permits_try(&p, 1) != 0);
  }
  finish;
  EXPECT(at == 2);
  EXPECT(ch_permits_give(&p, 1) == 0 && ch_permits_destroy(&p) == 0);
}

TEST(permits_are_neither_lost_nor_had_twice) {
  ch_permits p;
  ch_permits_init(&p, 7, 0);
  int held = 0;
  unsigned s = 99;
  do
    for (int k = 0; k < 50; k++)
      async for (int i = 0; i < 10; i++) {
        s = s * 1103515245 + 12345;
        int n = 1 + (int)(s >> 16) % 7;
        int e = 0;
        int64_t limit = (int64_t)(s >> 20 & 7) * 3000;
        within(limit) do { e = ch_permits_take(&p, n); }
        finish;
        if (e) {
          EXPECT(e == ECANCELED);
          continue;
        }
        held += n;
        EXPECT(held <= 7);
        if (i & 1)
          ch_sleep(700);
        held -= n;
        ch_permits_give(&p, n);
      }
  finish;
  EXPECT(held == 0 && ch_permits_try(&p, 7) == 0);
}

TEST(each_signal_wakes_at_most_one_and_is_not_lost_by_a_cancel) {
  ch_mutex m = {0};
  ch_cond c = {0};
  int woken = 0, gone = 0, signals = 0;
  do {
    for (int k = 0; k < 30; k++)
      async(k) {
        int e;
        ch_lock(&m);
        within(1000 + (k % 5) * 1000) do e = ch_cond_wait(&c, &m);
        finish;
        if (e)
          gone++;
        else
          woken++;
        EXPECT(ch_unlock(&m) == 0);
      }
    for (int i = 0; i < 12; i++) {
      ch_sleep(500);
      ch_lock(&m);
      if (woken + gone < 30) {
        ch_cond_signal(&c);
        signals++;
      }
      ch_unlock(&m);
    }
  }
  finish;
  EXPECT(woken + gone == 30 && woken <= signals);
  EXPECT(ch_cond_destroy(&c) == 0 && ch_mutex_destroy(&m) == 0);
}

TEST(rounds_of_a_barrier_are_full_although_some_give_up_and_come_again) {
  ch_barrier b;
  ch_barrier_init(&b, 4, 0);
  int through = 0, lasts = 0, gone = 0;
  do
    for (int k = 0; k < 16; k++)
      async(k) {
        int e;
        if (k % 4 == 3)
          ch_sleep(3000);
        within(k % 5 == 1 ? 1000 : CH_FOREVER) do e = ch_barrier_wait(&b);
        finish;
        if (e == ECANCELED) {
          gone++;
          e = ch_barrier_wait(&b);
        }
        through++;
        if (e == CH_BARRIER_LAST)
          lasts++;
      }
  finish;
  EXPECT(through == 16 && lasts == 4);
  EXPECT(ch_barrier_destroy(&b) == 0);
}

static ch_once once;
static int runs, gone;
static int init_when_two_have_gone(void *x) {
  (void)x;
  runs++;
  int e = 0;
  while (gone < 2 && e == 0)
    e = ch_sleep(1000);
  return e;
}
TEST(a_call_to_be_made_once_that_is_cancelled_is_made_by_the_next) {
  int ok = 0;
  do
    for (int k = 0; k < 6; k++)
      async(k) {
        int e;
        within(k == 0 ? 2000 : k == 1 ? 3000 : CH_FOREVER) do e = ch_once_run(&once, init_when_two_have_gone, NULL);
        finish;
        if (e == 0)
          ok++;
        else {
          EXPECT(e == ECANCELED);
          gone++;
        }
      }
  finish;
  EXPECT(ok == 4 && gone == 2 && runs >= 1 && runs <= 3); /* both may give up at one moment, or before they begin */
}

TEST(a_latch_may_be_raised_while_it_is_waited_for) {
  ch_latch l;
  ch_latch_init(&l, 2, 0);
  int through = 0;
  do {
    for (int k = 0; k < 5; k++)
      async {
        EXPECT(ch_latch_wait(&l) == 0);
        through++;
      }
    EXPECT(ch_latch_add(&l, 1) == 0);
    ch_latch_done(&l);
    ch_latch_done(&l);
    EXPECT(through == 0);
    ch_latch_done(&l);
    EXPECT(ch_latch_done(&l) != 0);
  }
  finish;
  EXPECT(through == 5);
}

TEST(of_a_deadline_and_a_unit_at_one_moment_one_counts) {
  int had = 0, gone = 0;
  ch_sem s = CH_SEM_INIT(0);
  for (int i = 0; i < 100; i++) {
    int e;
    int64_t t = ch_now() + 20000;
    do {
      async {
        by(t) do e = ch_sem_wait(&s);
        finish;
      }
      async {
        ch_sleep_until(t);
        ch_sem_post(&s);
      }
    }
    finish;
    if (e) {
      gone++;
      EXPECT(ch_sem_trywait(&s) == 0);
    } else
      had++;
    EXPECT(ch_sem_trywait(&s) == EAGAIN);
  }
  EXPECT(had + gone == 100);
}

TEST(a_failure_ends_the_inner_scope_and_is_handed_on_to_the_outer) {
  struct ch_error oa[4], ia[4];
  ch_errors outer = {.all = oa, .room = 4}, inner = {.all = ia, .room = 4};
  int after = 0, e1 = 0;
  do {
    ch_collect(&outer);
    async e1 = ch_sleep(50 * MS);
    do {
      ch_collect(&inner);
      async ch_fail(EIO);
      async EXPECT(ch_sleep(50 * MS) == ECANCELED);
    }
    finish;
    after = ch_sleep(1000);
    ch_fail(inner.first);
  }
  finish;
  EXPECT(inner.count == 1 && inner.first == EIO && after == 0 && outer.first == EIO && e1 == ECANCELED);
}

TEST(a_deadline_that_has_passed_cannot_be_moved) {
  int e = 0, r = 0;
  within(1000) do {
    while (!ch_cancelled()) {
    }
    r = ch_deadline_move(ch_scope_here(), ch_now() + 1000 * (int64_t)MS);
    e = ch_sleep(1);
  }
  finish;
  EXPECT(r == ECANCELED && e == ECANCELED);
}

static int members;
static void member(ch_scope *s, int n) {
  members++;
  if (n)
    activate[ch_in(s)] member(s, n - 1);
  ch_sleep(100);
}
TEST(members_that_spawn_members_keep_their_scope_open) {
  do {
    ch_scope *s = ch_scope_here();
    activate[ch_in(s)](s) { member(s, 30); }
  }
  finish;
  EXPECT(members == 31);
}

static intptr_t quick(void *p) {
  for (volatile int i = 0; i < (intptr_t)p * 50; i++) {
  }
  return ch_sleep((intptr_t)p * 100) ? -1 : (intptr_t)p;
}
TEST(a_cancel_that_races_the_end_of_a_task_gives_one_result_or_the_other) {
  ch_domains *d = ch_domains_start(3, NULL);
  int gone = 0, had = 0;
  for (intptr_t i = 0; i < 300; i++) {
    ch_task *t = ch_domain_spawn(d, CH_ANY_DOMAIN, quick, (void *)(i % 20));
    intptr_t r;
    if (i & 1)
      ch_sleep((i % 13) * 150);
    ch_task_cancel(t);
    EXPECT(ch_task_join(t, &r) == 0);
    if (r == -1)
      gone++;
    else {
      EXPECT(r == i % 20);
      had++;
    }
  }
  EXPECT(gone + had == 300);
  EXPECT(ch_domains_end(d, 0) == 0);
}

static channel(long) ping, pong;
static void other_side(void *p) {
  long *s = p;
  long in, out = 1, sent = 0, got = 0;
  while (sent < 50000 || got < 50000) {
    out = sent;
    when(sent < 50000) waituntil(ch_send(&pong, &out)) sent++;
    or when(got < 50000) waituntil(ch_recv(&ping, &in)) {
      *s += in;
      got++;
    }
  }
}
TEST(two_domains_that_select_on_both_sides_of_two_channels_lose_nothing) {
  for (int room = 0; room < 3; room += 2) {
    ch_channel_init_shared(&ping, (size_t)room);
    ch_channel_init_shared(&pong, (size_t)room);
    long theirs = 0, mine = 0, in, out, sent = 0, got = 0;
    ch_thread t;
    EXPECT(ch_domain_start(&t, other_side, &theirs) == 0);
    while (sent < 50000 || got < 50000) {
      out = sent;
      when(got < 50000) waituntil(ch_recv(&pong, &in)) {
        mine += in;
        got++;
      }
      or when(sent < 50000) waituntil(ch_send(&ping, &out)) sent++;
    }
    ch_domain_join(&t);
    EXPECT(mine == 50000L * 49999 / 2 && theirs == mine);
    ch_channel_destroy(&ping);
    ch_channel_destroy(&pong);
  }
}

/* Messages that fit an offer (runtime/wait/offer.h), and one kind that does not. The channels are gone as soon as the
 * last message has arrived. */
struct pair {
  long a, b;
};
static struct {
  channel(char) bytes;
  channel(int) numbers;
  channel(struct pair) pairs;
} *meetings;
enum { MEETINGS = 3000 };
static void send_each_kind(void *unused) {
  channel(int) never = {0};
  (void)unused;
  for (int i = 0; i < MEETINGS; i++) {
    char byte = (char)i;
    struct pair pair = {i, -i};
    int how = -1;
    if (i % 3 == 0) {
      waituntil(how = ch_send(&meetings->bytes, &byte)) {}
      or waituntil(ch_sleep(1000 * MS)) {}
      or waituntil(ch_recv(&never, &how)) {}
    } else {
      how = i % 3 == 1 ? ch_send(&meetings->numbers, &i) : ch_send(&meetings->pairs, &pair);
    }
    EXPECT(how == 0);
  }
}
TEST(messages_of_any_size_that_meet_between_domains_arrive_once_and_in_order) {
  for (int round = 0; round < 5; round++) {
    ch_thread t;
    EXPECT((meetings = malloc(sizeof *meetings)));
    EXPECT(ch_channel_init_shared(&meetings->bytes, 0) == 0 && ch_channel_init_shared(&meetings->numbers, 0) == 0);
    EXPECT(ch_channel_init_shared(&meetings->pairs, 0) == 0);
    EXPECT(ch_domain_start(&t, send_each_kind, NULL) == 0);
    for (int i = 0; i < MEETINGS; i++) {
      int number = -1, kind = -1;
      char byte = 0;
      struct pair pair = {0};
      waituntil(ch_recv(&meetings->bytes, &byte)) kind = 0;
      or waituntil(ch_recv(&meetings->numbers, &number)) kind = 1;
      or waituntil(ch_recv(&meetings->pairs, &pair)) kind = 2;
      EXPECT(kind == i % 3);
      EXPECT(kind == 0 ? byte == (char)i : kind == 1 ? number == i : pair.a == i && pair.b == -i);
    }
    EXPECT(ch_channel_destroy(&meetings->bytes) == 0 && ch_channel_destroy(&meetings->numbers) == 0);
    EXPECT(ch_channel_destroy(&meetings->pairs) == 0);
    memset(meetings, 0x55, sizeof *meetings);
    free(meetings);
    ch_domain_join(&t);
  }
}

/* Each side gives way when nothing is ready; every other turn it waits, so that some meet who wait on a list. */
static void other_side_with_else(void *p) {
  long *sum = p, in, out, sent = 0, got = 0;
  while (sent < 20000 || got < 20000) {
    out = sent;
    when(sent < 20000 && sent % 2 == 0) waituntil(ch_send(&pong, &out)) sent++;
    or when(got < 20000) waituntil(ch_recv(&ping, &in)) {
      *sum += in;
      got++;
    }
    else when(sent < 20000) waituntil(ch_send(&pong, &out)) sent++;
    or waituntil(ch_sleep(MS / 20)) {}
  }
}
TEST(two_domains_that_select_with_else_lose_nothing) {
  for (int room = 0; room < 3; room += 2) {
    ch_channel_init_shared(&ping, (size_t)room);
    ch_channel_init_shared(&pong, (size_t)room);
    long theirs = 0, mine = 0, in, out, sent = 0, got = 0;
    ch_thread t;
    EXPECT(ch_domain_start(&t, other_side_with_else, &theirs) == 0);
    while (sent < 20000 || got < 20000) {
      out = sent;
      when(got < 20000) waituntil(ch_recv(&pong, &in)) {
        mine += in;
        got++;
      }
      or when(sent < 20000) waituntil(ch_send(&ping, &out)) sent++;
      else when(sent < 20000) waituntil(ch_send(&ping, &out)) sent++;
      or waituntil(ch_sleep(MS / 20)) {}
    }
    ch_domain_join(&t);
    EXPECT(mine == 20000L * 19999 / 2 && theirs == mine);
    EXPECT(ch_channel_destroy(&ping) == 0 && ch_channel_destroy(&pong) == 0);
  }
}

/* Of six objects the first that is ready has its effect, and the others none; with `else` as without. */
static void use_each_kind_with_else(int shared) {
  channel(int) full, empty;
  future(int) f;
  broadcast(int) b;
  subscription(int) reader;
  watch(int) w;
  static ch_mutex m;
  static ch_sem until;
  uint64_t seen = 0;
  int out = 5, in = 0;
  EXPECT((shared ? ch_channel_init_shared(&full, 1) : ch_channel_init(&full, 1)) == 0);
  EXPECT((shared ? ch_channel_init_shared(&empty, 1) : ch_channel_init(&empty, 1)) == 0);
  if (shared) {
    ch_future_init_shared(&f);
    ch_watch_init_shared(&w);
  } else {
    ch_future_init(&f);
    ch_watch_init(&w);
  }
  EXPECT((shared ? ch_broadcast_init_shared(&b, 1, CH_SLOW_WAIT) : ch_broadcast_init(&b, 1, CH_SLOW_WAIT)) == 0);
  EXPECT(ch_subscribe(&b, &reader) == 0);
  ch_mutex_init(&m, shared ? CH_SHARED : 0);
  activate {
    EXPECT(ch_lock(&m) == 0);
    ch_sem_wait(&until);
    EXPECT(ch_unlock(&m) == 0);
  }
  ch_reschedule();
  EXPECT(ch_send(&full, &out) == 0);
  for (int made_ready = 0, r = 0; made_ready <= 6; made_ready++) {
    int ran = -1;
    if (made_ready == 1) {
      ch_sem_post(&until);
      ch_reschedule();
    }
    if (made_ready == 2)
      ch_watch_set(&w, 2);
    if (made_ready == 3)
      EXPECT(ch_publish(&b, &out) == 0);
    if (made_ready == 4)
      EXPECT(ch_future_set(&f, 4) == 0);
    if (made_ready == 5)
      EXPECT(ch_send(&empty, &out) == 0);
    if (made_ready == 6)
      EXPECT(ch_recv(&full, &in) == 0);
    waituntil(r = ch_send(&full, &out)) ran = 6;
    or waituntil(r = ch_recv(&empty, &in)) ran = 5;
    or waituntil(r = ch_get(&f, &in)) ran = 4;
    or waituntil(r = ch_next(&reader, &in)) ran = 3;
    or waituntil(r = ch_watch_next(&w, &seen, &in)) ran = 2;
    or waituntil(r = ch_lock(&m)) ran = 1;
    else ran = 0;
    EXPECT(ran == made_ready && r == 0 && (ran != 2 || in == 2) && (ran != 4 || in == 4));
    if (ran == 5) /* the future stays set and hides what comes after it */
      EXPECT(in == 5 && ch_length(&empty) == 0);
    if (ran == 6)
      EXPECT(ch_length(&full) == 1);
  }
  EXPECT(ch_unlock(&m) == 0 && ch_try_next(&reader, &in) == EAGAIN);
  EXPECT(ch_publish(&b, &out) == 0);
  int published = -1;
  waituntil(ch_publish(&b, &out)) published = 1;
  else published = 0;
  EXPECT(published == 0 && ch_next(&reader, &in) == 0 && in == 5);
  waituntil(ch_publish(&b, &out)) published = 1;
  else published = 0;
  EXPECT(published == 1 && ch_next(&reader, &in) == 0);
  EXPECT(ch_unsubscribe(&reader) == 0 && ch_broadcast_destroy(&b) == 0 && ch_mutex_destroy(&m) == 0);
  EXPECT(ch_channel_destroy(&full) == 0 && ch_channel_destroy(&empty) == 0);
}
TEST(with_else_the_first_object_that_is_ready_has_its_effect_whatever_its_kind) {
  use_each_kind_with_else(0);
  use_each_kind_with_else(1);
}

static channel(int) a1, a2;
static void ander(void *p) {
  int *n = p;
  for (int i = 0; i < 5000; i++) {
    int x, y = i;
    waituntil(ch_recv(&a1, &x))++ *n;
    and waituntil(ch_send(&a2, &y))++ *n;
  }
}
TEST(two_domains_that_wait_with_and_for_each_other_complete_each_turn) {
  int theirs = 0, mine = 0;
  ch_thread t;
  ch_channel_init_shared(&a1, 0);
  ch_channel_init_shared(&a2, 1);
  EXPECT(ch_domain_start(&t, ander, &theirs) == 0);
  for (int i = 0; i < 5000; i++) {
    int x = i, y;
    waituntil(ch_recv(&a2, &y)) mine++;
    and waituntil(ch_send(&a1, &x)) mine++;
    EXPECT(y == i);
  }
  ch_domain_join(&t);
  EXPECT(mine == 10000 && theirs == 10000);
}

static ch_sem letters;
static intptr_t poster(void *p) {
  (void)p;
  for (int i = 0; i < 100; i++)
    ch_sem_post(&letters);
  return 0;
}
TEST(units_under_way_arrive_although_their_domains_end) {
  for (int r = 0; r < 20; r++) {
    ch_domains *d = ch_domains_start(2, NULL);
    ch_task *t[4];
    for (int i = 0; i < 4; i++)
      t[i] = ch_domain_spawn(d, CH_ANY_DOMAIN, poster, NULL);
    for (int i = 0; i < 4; i++)
      ch_task_detach(t[i]);
    EXPECT(ch_domains_end(d, r & 1 ? CH_DOMAINS_CANCEL : 0) == 0);
    int n = 0;
    while (ch_sem_trywait(&letters) == 0)
      n++;
    EXPECT(n == 400);
  }
}

static future(int) local_f;
static void touch(void *p) {
  (void)p;
  ch_future_set(&local_f, 2);
}
TEST_EXITS(a_local_future_that_another_domain_sets_is_reported, 71, "domain") {
  int v;
  ch_thread t;
  ch_future_set(&local_f, 1);
  ch_get(&local_f, &v);
  ch_domain_start(&t, touch, NULL);
  ch_domain_join(&t);
}
static broadcast(int) local_b;
static void touch_b(void *p) {
  (void)p;
  int v = 1;
  ch_publish(&local_b, &v);
}
TEST_EXITS(a_local_broadcast_that_another_domain_uses_is_reported, 71, "domain") {
  int v = 1;
  ch_thread t;
  ch_broadcast_init(&local_b, 2, CH_SLOW_DROP);
  ch_publish(&local_b, &v);
  ch_domain_start(&t, touch_b, NULL);
  ch_domain_join(&t);
}
static watch(int) local_w;
static void touch_w(void *p) {
  (void)p;
  ch_watch_set(&local_w, 1);
}
TEST_EXITS(a_local_watched_value_that_another_domain_sets_is_reported, 71, "domain") {
  ch_thread t;
  ch_watch_set(&local_w, 1);
  ch_domain_start(&t, touch_w, NULL);
  ch_domain_join(&t);
}
static ch_permits local_p;
static void touch_p(void *p) {
  (void)p;
  ch_permits_give(&local_p, 1);
}
TEST_EXITS(local_permits_that_another_domain_gives_are_reported, 71, "domain") {
  ch_thread t;
  ch_permits_init(&local_p, 2, 0);
  ch_permits_take(&local_p, 1);
  ch_domain_start(&t, touch_p, NULL);
  ch_domain_join(&t);
}

TEST(a_child_of_fork_waits_by_itself) {
  channel(int) c = {0};
  ch_sem s = CH_SEM_INIT(0);
  int x = 0;
  ch_activity a;
  ch_channel_init(&c, 1);
  activate[&a] {
    int v;
    ch_recv(&c, &v);
    x = v;
  }
  ch_reschedule();
  pid_t p = fork();
  if (p == 0) {
    int v = 4, w = 0;
    if (ch_send(&c, &v) || ch_length(&c) != 1 || ch_recv(&c, &w) || w != 4)
      _exit(1);
    int e;
    within(MS) do e = ch_sem_wait(&s);
    finish;
    if (e != ECANCELED)
      _exit(2);
    activate { ch_sem_post(&s); }
    int k = 0;
    waituntil(ch_sem_wait(&s)) k = 1;
    or waituntil(ch_recv(&c, &w)) k = 2;
    if (k != 1)
      _exit(3);
    do {
      async ch_send(&c, &v);
      async ch_recv(&c, &w);
    }
    finish;
    if (w != 4)
      _exit(4);
    _exit(0);
  }
  int st;
  EXPECT(waitpid(p, &st, 0) == p && st == 0);
  int v = 9;
  ch_send(&c, &v);
  ch_activity_wait(&a);
  EXPECT(x == 9);
}

TEST(a_receiver_may_close_the_channel_that_others_receive_from) {
  channel(int) c;
  ch_channel_init(&c, 3);
  int n = 0;
  long sum = 0;
  do {
    for (int k = 0; k < 4; k++)
      async {
        int v;
        while (ch_recv(&c, &v) == 0) {
          n++;
          sum += v;
          if (v == 50)
            ch_close(&c);
        }
      }
    async {
      int i = 0;
      while (ch_send(&c, &i) == 0)
        i++;
      EXPECT(i >= 51);
      EXPECT(n <= i);
    }
  }
  finish;
  EXPECT(ch_length(&c) == 0 && ch_close(&c) == EPIPE && n >= 51);
}

TEST(with_and_what_completes_in_the_turn_of_a_cancel_is_told_or_kept) {
  for (int i = 0; i < 60; i++) {
    ch_sem a = CH_SEM_INIT(0), b = CH_SEM_INIT(0);
    int n = 0;
    do {
      ch_scope *s = ch_scope_here();
      (void)s;
      async {
        waituntil(ch_sem_wait(&a)) n++;
        and waituntil(ch_sem_wait(&b)) n++;
      }
      if (i & 1)
        ch_sem_post(&a);
      if (i & 2)
        ch_sem_post(&b);
      cancel;
      if (i & 4)
        ch_sem_post(&a);
    }
    finish;
    int left = 0;
    while (ch_sem_trywait(&a) == 0)
      left++;
    while (ch_sem_trywait(&b) == 0)
      left++;
    EXPECT(n + left == !!(i & 1) + !!(i & 2) + !!(i & 4));
  }
}

TEST(a_hold_in_and_is_given_back_before_the_next_clause_is_waited_for) {
  ch_mutex m = {0};
  ch_sem s = CH_SEM_INIT(0);
  int order = 0;
  do {
    async {
      waituntil(ch_hold(&m)) {
        EXPECT(ch_try_lock(&m) != 0);
        order = order * 10 + 1;
      }
      and waituntil(ch_sem_wait(&s)) {
        EXPECT(ch_try_lock(&m) == 0);
        ch_unlock(&m);
        order = order * 10 + 2;
      }
    }
    EXPECT(ch_lock(&m) == 0);
    order = order * 10 + 3;
    ch_unlock(&m);
    ch_sem_post(&s);
  }
  finish;
  EXPECT(order == 132);
}

TEST(of_people_who_leave_the_queue_none_keeps_a_stall) {
  static ch_mutex st[3];
  int in[3] = {0}, used = 0, left = 0;
  do
    for (int k = 0; k < 60; k++)
      async(k) {
        int r = 0;
        within((k % 6) ? CH_FOREVER : 2000) do {
          waituntil(ch_hold(&st[0])) {
            EXPECT(!in[0]++);
            ch_sleep(900);
            in[0]--;
            r = 1;
          }
          or waituntil(ch_hold(&st[1])) {
            EXPECT(!in[1]++);
            ch_sleep(700);
            in[1]--;
            r = 1;
          }
          or waituntil(ch_hold(&st[2])) {
            EXPECT(!in[2]++);
            ch_sleep(500);
            in[2]--;
            r = 1;
          }
        }
        finish;
        if (r)
          used++;
        else
          left++;
      }
  finish;
  EXPECT(used + left == 60 && used >= 50);
  for (int i = 0; i < 3; i++)
    EXPECT(ch_mutex_destroy(&st[i]) == 0);
}

/* Two domains send, by calls, batches and statements, until the channel is closed; two receive in the same ways, until
 * it is empty, too. */
struct sealed {
  long from, number, sum;
};
enum { SENDERS = 2, RECEIVERS = 2 };
static channel(struct sealed) crowded;
static long crowd_sent[SENDERS], crowd_got[RECEIVERS], crowd_next[RECEIVERS][SENDERS];

static struct sealed seal(long from, long number) { return (struct sealed){from, number, 3 * from + 7 * number}; }

static void sends_to_the_crowd(void *argument) {
  long me = (long)(intptr_t)argument, n = 0;
  for (int r = 0; r == 0;) {
    struct sealed some[3] = {seal(me, n), seal(me, n + 1), seal(me, n + 2)};
    intptr_t went = 1;
    switch (n % 4) {
    case 0:
      r = ch_send(&crowded, some);
      break;
    case 1:
      waituntil(r = ch_send(&crowded, some)) {}
      or waituntil(ch_sleep(CH_FOREVER)) {}
      break;
    case 2:
      waituntil(r = ch_send(&crowded, some)) {}
      else went = 0;
      break;
    default:
      went = ch_send_some(&crowded, some, 3);
      r = went < 0 ? (int)-went : 0;
    }
    EXPECT(r == 0 || r == EPIPE);
    n += r ? 0 : went;
  }
  crowd_sent[me] = n;
}
static void receives_from_the_crowd(void *argument) {
  long me = (long)(intptr_t)argument, n = 0;
  for (int r = 0; r == 0; n++) {
    struct sealed some[3];
    intptr_t came = 1;
    switch (n % 4) {
    case 0:
      r = ch_recv(&crowded, some);
      break;
    case 1:
      waituntil(r = ch_recv(&crowded, some)) {}
      or waituntil(ch_sleep(CH_FOREVER)) {}
      break;
    case 2:
      waituntil(r = ch_recv(&crowded, some)) {}
      else came = 0;
      break;
    default:
      came = ch_recv_some(&crowded, some, 3);
      r = came < 0 ? (int)-came : 0;
    }
    EXPECT(r == 0 || r == EPIPE);
    for (intptr_t i = 0; r == 0 && i < came; i++) {
      long from = some[i].from;
      EXPECT(some[i].sum == 3 * from + 7 * some[i].number && some[i].number >= crowd_next[me][from]);
      crowd_next[me][from] = some[i].number + 1;
      crowd_got[me]++;
    }
  }
}
TEST(close_between_domains_loses_no_message_and_keeps_each_senders_order_whatever_the_room) {
  static const size_t rooms[] = {0, 1, 5, 128, CH_UNBOUNDED};
  for (unsigned k = 0; k < sizeof rooms / sizeof *rooms; k++) {
    ch_thread t[SENDERS + RECEIVERS];
    EXPECT(ch_channel_init_shared(&crowded, rooms[k]) == 0);
    memset(crowd_got, 0, sizeof crowd_got);
    memset(crowd_next, 0, sizeof crowd_next);
    for (intptr_t i = 0; i < SENDERS; i++)
      EXPECT(ch_domain_start(&t[i], sends_to_the_crowd, (void *)i) == 0);
    for (intptr_t i = 0; i < RECEIVERS; i++)
      EXPECT(ch_domain_start(&t[SENDERS + i], receives_from_the_crowd, (void *)i) == 0);
    ch_sleep(5 * MS);
    EXPECT(ch_close(&crowded) == 0);
    for (int i = 0; i < SENDERS + RECEIVERS; i++)
      EXPECT(ch_domain_join(&t[i]) == 0);
    EXPECT(crowd_sent[0] + crowd_sent[1] == crowd_got[0] + crowd_got[1] && ch_channel_destroy(&crowded) == 0);
  }
}
