/* What Go's programs are made of, by our means: channels with select (an object of one's own, built on waiters),
 * WaitGroup, context, errgroup, AfterFunc, Ticker, Gosched. Each test states the rule of the Go specification or
 * library that it shows. Virtual time. */
#include "simulated.h"
#include <charcoal/lowlevel.h>
#include <stdbool.h>

/* ---- channels ---- */

/* Whoever cannot go on stands on the channels' lists with one waiter for all cases; who meets one takes the whole of it
 * off, moves the value, and schedules it. There is no yield point while a spinlock is held, so the lists are whole for
 * everybody of the domain. */
struct channel;
struct meeting {
  ch_waiter there;
  int met; /* the case; -1: none yet */
  bool ok; /* a value was passed, the channel was not closed */
};
struct choice {
  struct channel *on; /* NULL: never ready */
  bool sends;
  int value;
  struct meeting *of;
  int index;
  struct choice *next;
};
struct channel {
  int room, used, buffer[4];
  bool closed;
  struct choice *senders, *receivers; /* in order of arrival */
};
static ch_spinlock lock;

static struct choice **line_of(struct choice *c) { return c->sends ? &c->on->senders : &c->on->receivers; }
static void join(struct choice *c) {
  struct choice **at = line_of(c);
  while (*at)
    at = &(*at)->next;
  c->next = NULL;
  *at = c;
}
static void leave(struct choice *all, int n) {
  for (int i = 0; i < n; i++)
    if (all[i].on)
      for (struct choice **at = line_of(&all[i]); *at; at = &(*at)->next)
        if (*at == &all[i]) {
          *at = all[i].next;
          break;
        }
}
/* Takes the first of a line, who has not met anybody yet. */
static struct choice *meet(struct choice **line) {
  struct choice *c = *line;
  while (c && c->of->met >= 0)
    c = c->next;
  if (c) {
    c->of->met = c->index;
    c->of->ok = true;
  }
  return c;
}
static void push(struct channel *h, int value) { h->buffer[h->used++] = value; }
static int pop(struct channel *h) {
  int value = h->buffer[0];
  for (int i = 1; i < h->used; i++)
    h->buffer[i - 1] = h->buffer[i];
  h->used--;
  return value;
}
/* Whether the case can go on now, and then it has. */
static bool goes_on(struct choice *c, bool *ok) {
  struct channel *h = c->on;
  struct choice *other;
  if (!h)
    return false;
  if (h->closed && c->sends) {
    fprintf(stderr, "send on closed channel\n");
    _exit(2);
  }
  *ok = true;
  if (c->sends) {
    if ((other = meet(&h->receivers))) {
      other->value = c->value;
      ch_waiter_schedule(&other->of->there);
      return true;
    }
    if (h->used == h->room)
      return false;
    push(h, c->value);
    return true;
  }
  if (h->used > 0) {
    c->value = pop(h);
    if ((other = meet(&h->senders))) {
      push(h, other->value);
      ch_waiter_schedule(&other->of->there);
    }
    return true;
  }
  if ((other = meet(&h->senders))) {
    c->value = other->value;
    ch_waiter_schedule(&other->of->there);
    return true;
  }
  if (h->closed)
    c->value = 0, *ok = false;
  return h->closed;
}
struct withdrawn {
  struct choice *all;
  int n;
};
/* select: the first case that can go on, else waits; with `otherwise` it does not wait. The case; -1: the default; -2:
 * cancelled. */
static int select_one(struct choice *all, int n, bool otherwise, bool *ok) {
  struct meeting m = {.met = -1};
  bool unused;
  if (!ok)
    ok = &unused;
  ch_spin_acquire(&lock);
  for (int i = 0; i < n; i++) {
    all[i].of = &m;
    all[i].index = i;
    if (goes_on(&all[i], ok)) {
      ch_spin_release(&lock);
      return i;
    }
  }
  if (otherwise) {
    ch_spin_release(&lock);
    return -1;
  }
  for (int i = 0; i < n; i++)
    if (all[i].on)
      join(&all[i]);
  ch_spin_release(&lock);
  int error = ch_waiter_wait(&m.there);
  ch_spin_acquire(&lock);
  leave(all, n);
  ch_spin_release(&lock);
  if (error && m.met < 0)
    return -2;
  *ok = m.ok;
  return m.met;
}
static bool send(struct channel *h, int value) {
  struct choice c = {.on = h, .sends = true, .value = value};
  return select_one(&c, 1, false, NULL) == 0;
}
static bool receive(struct channel *h, int *value) {
  struct choice c = {.on = h};
  bool ok;
  if (select_one(&c, 1, false, &ok) != 0)
    return false;
  *value = c.value;
  return ok;
}
static void close_channel(struct channel *h) {
  struct choice *c;
  ch_spin_acquire(&lock);
  h->closed = true;
  while ((c = meet(&h->receivers))) {
    c->value = 0;
    c->of->ok = false;
    ch_waiter_schedule(&c->of->there);
  }
  ch_spin_release(&lock);
}

TEST(go_an_unbuffered_channel_hands_over_only_when_both_are_there) {
  struct channel c = {0};
  int v = 0;
  do {
    async {
      send(&c, 1);
      note("sent");
    }
    note("not yet");
    async {
      receive(&c, &v);
      note("received");
    }
  }
  finish;
  EXPECT(v == 1);
  EXPECT_NOTES("not yet received sent");
}
TEST(go_a_buffered_channel_blocks_when_it_is_full_and_keeps_the_order) {
  struct channel c = {.room = 2};
  int sum = 0;
  do {
    async {
      for (int i = 1; i <= 6; i++)
        send(&c, i);
      close_channel(&c);
    }
    EXPECT(c.used == 2);
    for (int v; receive(&c, &v);) /* for v := range c */
      sum = sum * 10 + v;
  }
  finish;
  EXPECT(sum == 123456);
}
TEST(go_a_closed_channel_gives_what_is_left_then_zeros) {
  struct channel c = {.room = 3};
  int v = -1;
  send(&c, 7);
  close_channel(&c);
  EXPECT(receive(&c, &v) && v == 7);
  EXPECT(!receive(&c, &v) && v == 0);
  EXPECT(!receive(&c, &v));
}
TEST(go_close_wakes_every_receiver) {
  struct channel c = {0};
  int woken = 0;
  do {
    for (int i = 0; i < 4; i++)
      async {
        int v = 1;
        woken += !receive(&c, &v) && v == 0;
      }
    close_channel(&c);
  }
  finish;
  EXPECT(woken == 4);
}
TEST(go_select_takes_a_ready_case_or_its_default) {
  struct channel a = {.room = 1}, b = {.room = 1};
  struct choice cases[2] = {{.on = &a}, {.on = &b}};
  EXPECT(select_one(cases, 2, true, NULL) == -1);
  send(&b, 5);
  EXPECT(select_one(cases, 2, true, NULL) == 1 && cases[1].value == 5);
  struct choice both[2] = {{.on = &a}, {.on = &b, .sends = true, .value = 6}};
  EXPECT(select_one(both, 2, false, NULL) == 1 && b.used == 1);
}
TEST(go_a_nil_channel_is_never_ready) {
  struct channel a = {0};
  struct choice cases[2] = {{.on = NULL}, {.on = &a}};
  int which = -5;
  do {
    async which = select_one(cases, 2, false, NULL);
    send(&a, 3);
  }
  finish;
  EXPECT(which == 1 && cases[1].value == 3);
}
TEST(go_of_a_select_exactly_one_case_proceeds) {
  struct channel a = {0}, b = {0};
  int which = -5, va = 0, vb = 0;
  do {
    async {
      struct choice cases[2] = {{.on = &a, .sends = true, .value = 1}, {.on = &b, .sends = true, .value = 2}};
      which = select_one(cases, 2, false, NULL);
    }
    async within(10) do { receive(&a, &va); }
    finish;
    async within(10) do { receive(&b, &vb); }
    finish;
  }
  finish;
  EXPECT((which == 0 && va == 1 && vb == 0) || (which == 1 && va == 0 && vb == 2));
  EXPECT(!a.senders && !a.receivers && !b.senders && !b.receivers);
}
TEST(law_4_a_cancelled_select_leaves_no_trace_and_loses_no_value) {
  struct channel a = {0}, b = {0};
  int which = -5, v = 0;
  do {
    async {
      struct choice cases[2] = {{.on = &a}, {.on = &b}};
      which = select_one(cases, 2, false, NULL);
    }
    cancel;
  }
  finish;
  do {
    async send(&a, 8);
    receive(&a, &v); /* the select that was there before does not take it */
  }
  finish;
  EXPECT(which == -2 && v == 8 && !a.receivers && !b.receivers);
  do {
    async {
      struct choice cases[2] = {{.on = &a}, {.on = &b}};
      which = select_one(cases, 2, false, NULL);
      v = cases[1].value;
    }
    send(&b, 9);
    cancel; /* too late: it has the value */
  }
  finish;
  EXPECT(which == 1 && v == 9);
}
TEST(go_select_with_time_after_is_a_timeout) {
  struct channel c = {0}, timer = {.room = 1};
  int which = -5;
  STARTS do {
    async {
      ch_sleep(20);
      send(&timer, 1);
    }
    struct choice cases[2] = {{.on = &c}, {.on = &timer}};
    which = select_one(cases, 2, false, NULL);
  }
  finish;
  EXPECT(which == 1);
  AFTER(20);
}

/* The specification's first example of goroutines. */
static void filter(struct channel *from, struct channel *to, int prime) {
  for (int v; receive(from, &v);)
    if (v % prime && !send(to, v))
      return;
}
TEST(go_the_sieve_of_primes) {
  static struct channel c[12];
  int found[10];
  do {
    async {
      for (int i = 2; send(&c[0], i); i++) {
      }
    }
    for (int i = 0; i < 10; i++) {
      EXPECT(receive(&c[i], &found[i]));
      async(i) { filter(&c[i], &c[i + 1], found[i]); }
    }
    cancel;
  }
  finish;
  EXPECT(found[0] == 2 && found[4] == 11 && found[9] == 29);
}
TEST(go_a_pipeline_of_a_hundred_goroutines) {
  enum { LONG = 100 };
  static struct channel c[LONG + 1];
  ch_activity all[LONG];
  int v = 0;
  for (int i = 0; i < LONG; i++)
    activate[&all[i]](i) {
      int n;
      if (receive(&c[i + 1], &n))
        send(&c[i], n + 1);
    }
  send(&c[LONG], 0);
  EXPECT(receive(&c[0], &v) && v == LONG);
  for (int i = 0; i < LONG; i++)
    ch_activity_wait(&all[i]);
}
static void sends_to_nobody(void) {
  static struct channel c;
  struct choice never = {.on = NULL};
  (void)c;
  select_one(&never, 1, false, NULL);
}
/* Go would report "all goroutines are asleep"; who is suspended at a waiter may be scheduled by another thread, so with
 * us a deadline has to end it. */
TEST(go_a_select_without_ready_cases_waits_for_ever) {
  STARTS within(50) do sends_to_nobody();
  finish;
  AFTER(50);
}

/* ---- sync ---- */

struct wait_group { /* sync.WaitGroup */
  int left;
  ch_sem zero;
  int waiting;
};
static void wg_add(struct wait_group *g, int n) {
  g->left += n;
  if (g->left == 0)
    for (; g->waiting; g->waiting--)
      ch_sem_post(&g->zero);
}
static void wg_wait(struct wait_group *g) {
  if (g->left) {
    g->waiting++;
    ch_sem_wait(&g->zero);
  }
}
TEST(go_a_wait_group_releases_all_who_wait_and_may_be_used_again) {
  struct wait_group g = {0};
  for (int round = 0; round < 2; round++) {
    ch_activity waiter, workers[5];
    int done = 0;
    wg_add(&g, 5);
    activate[&waiter] {
      wg_wait(&g);
      EXPECT(done == 5);
    }
    for (int i = 0; i < 5; i++)
      activate[&workers[i]](i) {
        ch_sleep(10 * i);
        done++;
        wg_add(&g, -1);
      }
    wg_wait(&g);
    EXPECT(done == 5);
    ch_activity_wait(&waiter);
    for (int i = 0; i < 5; i++)
      ch_activity_wait(&workers[i]);
  }
}

/* ---- context ---- */

/* A context is a scope; its deadline the earlier of its own and its parents'; a value looks outwards. */
struct context {
  const struct context *outer;
  int key, value;
};
static int value_of(const struct context *c, int key) {
  for (; c; c = c->outer)
    if (c->key == key)
      return c->value;
  return -1;
}
static int deep_in(const struct context *c, int depth) {
  struct context own = {c, depth, depth * depth};
  int r = 0;
  if (depth == 3) {
    EXPECT(value_of(&own, 1) == 1 && value_of(&own, 9) == 99 && value_of(&own, 7) == -1);
    return ch_sleep(CH_FOREVER);
  }
  within(100 - 20 * depth) do r = deep_in(&own, depth + 1);
  finish;
  return r;
}
TEST(go_contexts_nest_the_earliest_deadline_counts_and_values_look_outwards) {
  struct context background = {NULL, 9, 99};
  STARTS EXPECT(deep_in(&background, 0) == ECANCELED);
  AFTER(60);
}
TEST(go_cancel_of_a_parent_context_reaches_all_children_and_no_sibling) {
  int child[3] = {-1, -1, -1}, sibling = -1;
  do {
    async {
      do {
        for (int i = 0; i < 3; i++)
          async(i) {
            within(1000 + i) do child[i] = ch_sleep(500);
            finish;
          }
        cancel;
      }
      finish;
    }
    async sibling = ch_sleep(30);
  }
  finish;
  EXPECT(child[0] == ECANCELED && child[1] == ECANCELED && child[2] == ECANCELED && sibling == 0);
}

/* errgroup.SetLimit: so many at a time. */
TEST(go_an_errgroup_with_a_limit) {
  ch_sem free_places = CH_SEM_INIT(3);
  int running = 0, most = 0, first = 0;
  STARTS do {
    for (int i = 0; i < 12; i++) {
      if (ch_sem_wait(&free_places))
        break;
      async(i) {
        running++;
        most = running > most ? running : most;
        int error = ch_sleep(10) ? ECANCELED : i == 7 ? EIO : 0;
        running--;
        ch_sem_post(&free_places);
        if (error && !first) {
          first = error;
          cancel;
        }
      }
    }
  }
  finish;
  EXPECT(most == 3 && first == EIO);
  AFTER(30);
}

/* ---- time, runtime ---- */

TEST(go_after_func_that_is_stopped_does_not_run) {
  int runs = 0;
  STARTS for (int stop = 0; stop < 2; stop++) {
    do {
      async if (ch_sleep(10) == 0) runs++;
      if (stop) {
        ch_sleep(5);
        cancel;
      }
    }
    finish;
    EXPECT(runs == 1);
  }
  AFTER(15);
}
/* A ticker's channel has room for one: who is slow misses ticks, and they do not pile up. */
TEST(go_a_ticker_drops_ticks_for_a_slow_receiver) {
  struct channel ticks = {.room = 1};
  int seen = 0, v;
  STARTS do {
    async {
      for (int i = 1; ch_sleep(10) == 0; i++) {
        struct choice c = {.on = &ticks, .sends = true, .value = i};
        select_one(&c, 1, true, NULL);
      }
    }
    for (; seen < 3; seen++) {
      EXPECT(receive(&ticks, &v));
      ch_sleep(25);
    }
    cancel;
  }
  finish;
  EXPECT(v == 4); /* 1 at 10, 2 at 35, 4 at 60 */
}
TEST(go_gosched_lets_all_others_run_once) {
  int turns[3] = {0};
  ch_activity all[3];
  for (int i = 0; i < 3; i++)
    activate[&all[i]](i) {
      while (turns[i] < 100) {
        turns[i]++;
        ch_reschedule();
      }
    }
  for (int k = 0; k < 400; k++)
    ch_reschedule();
  for (int i = 0; i < 3; i++)
    EXPECT(turns[i] == 100 && ch_activity_wait(&all[i]) == 0);
}
