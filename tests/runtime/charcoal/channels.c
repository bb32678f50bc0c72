/* Channels and futures: charcoal/channel.h, charcoal/future.h. */
#include "../harness.h"
#include <charcoal/channel.h>
#include <charcoal/future.h>
#include <charcoal/locks.h>
#include <charcoal/watch.h>
#include <pthread.h>
#include <time.h>

struct pair {
  int key;
  double value[3];
};

/* ---- messages arrive once, in order, whatever the room ---- */

static long received;
static void send_all(channel(long) * c, long from, long to) {
  for (long i = from; i < to; i++)
    EXPECT(ch_send(c, &i) == 0);
}
static void pass(size_t room, int shared) {
  channel(long) c;
  long last = -1, x;
  if (shared)
    EXPECT(ch_channel_init_shared(&c, room) == 0);
  else
    EXPECT(ch_channel_init(&c, room) == 0);
  activate {
    send_all(&c, 0, 1000);
    EXPECT(ch_close(&c) == 0);
  }
  for (received = 0; ch_recv(&c, &x) == 0; received++)
    EXPECT(x == ++last);
  EXPECT(received == 1000 && ch_length(&c) == 0 && ch_is_closed(&c));
  EXPECT(ch_send(&c, &x) == EPIPE && ch_try_send(&c, &x) == EPIPE && ch_try_recv(&c, &x) == EPIPE);
  EXPECT(ch_close(&c) == EPIPE);
  EXPECT(ch_channel_destroy(&c) == 0);
}
TEST(messages_arrive_once_and_in_order_whatever_the_room) {
  static const size_t rooms[] = {0, 1, 2, 7, 128, CH_UNBOUNDED};
  for (unsigned i = 0; i < sizeof rooms / sizeof *rooms; i++) {
    pass(rooms[i], 0);
    pass(rooms[i], 1);
  }
}

/* Three messages of 0 to MOST bytes follow each other through the channel, between bytes that nobody may touch. */
enum { MOST = 100 };
static void pass_bytes(size_t size, size_t room, int shared) {
  struct ch_channel c;
  unsigned char from[MOST], to[MOST + 2];
  for (size_t i = 0; i < MOST; i++)
    from[i] = (unsigned char)(i + 1);
  ch_activity sender;
  EXPECT(ch_channel_make(&c, room, size, shared) == 0);
  activate[&sender] {
    for (int i = 0; i < 3; i++) {
      unsigned char message[MOST];
      for (size_t k = 0; k < size; k++)
        message[k] = (unsigned char)(from[k] ^ i);
      EXPECT(ch_channel_send(&c, message, size) == 0);
    }
  }
  for (int i = 0; i < 3; i++) {
    memset(to, 0xee, sizeof to);
    EXPECT(ch_channel_recv(&c, to + 1, size) == 0 && to[0] == 0xee && to[size + 1] == 0xee);
    for (size_t k = 0; k < size; k++)
      EXPECT(to[k + 1] == (from[k] ^ i));
  }
  EXPECT(ch_activity_wait(&sender) == 0);
  EXPECT(ch_channel_destroy_(&c) == 0);
}
TEST(a_message_of_any_size_is_copied_whole) {
  static const size_t rooms[] = {0, 1, 2, 5, CH_UNBOUNDED};
  for (size_t size = 0; size <= MOST; size++)
    for (unsigned i = 0; i < 2 * sizeof rooms / sizeof *rooms; i++)
      pass_bytes(size, rooms[i / 2], i % 2);
}
TEST(a_message_of_any_type_is_copied_whole) {
  channel(struct pair) c;
  channel(const char *) names;
  channel(char) letters;
  EXPECT(ch_channel_init(&c, 2) == 0 && ch_channel_init(&names, 1) == 0 && ch_channel_init(&letters, 3) == 0);
  struct pair p = {7, {1, 2, 3}}, q = {0};
  EXPECT(ch_send(&c, &p) == 0 && ch_recv(&c, &q) == 0 && memcmp(&p, &q, sizeof p) == 0);
  const char *name = "name", *other = NULL;
  EXPECT(ch_send(&names, &name) == 0 && ch_try_send(&names, &name) == EAGAIN && ch_recv(&names, &other) == 0);
  EXPECT(other == name && ch_try_recv(&names, &other) == EAGAIN);
  for (char x = 'a'; x < 'd'; x++)
    EXPECT(ch_length(&letters) == (size_t)(x - 'a') && ch_send(&letters, &x) == 0);
  for (char x = 'a', y; x < 'd'; x++)
    EXPECT(ch_recv(&letters, &y) == 0 && y == x);
  EXPECT(ch_channel_destroy(&c) == 0 && ch_channel_destroy(&names) == 0 && ch_channel_destroy(&letters) == 0);
}

static channel(int) zeroed;
TEST(zeroed_memory_is_a_rendezvous_channel) {
  int x = 0;
  EXPECT(ch_try_send(&zeroed, &(int){1}) == EAGAIN && ch_try_recv(&zeroed, &x) == EAGAIN);
  activate { EXPECT(ch_recv(&zeroed, &x) == 0); }
  EXPECT(ch_send(&zeroed, &(int){5}) == 0);
  ch_reschedule();
  EXPECT(x == 5);
}

/* ---- first come, first served ---- */

static void in_order_of_arrival(size_t room) {
  channel(int) c;
  int x;
  ch_activity h[5];
  EXPECT(ch_channel_init(&c, room) == 0);
  for (int i = 0; i < 5; i++)
    activate[&h[i]](i) { EXPECT(ch_send(&c, &i) == 0); }
  for (int i = 0; i < 5; i++)
    ch_reschedule();
  for (int i = 0; i < 5; i++)
    EXPECT(ch_recv(&c, &x) == 0 && x == i);
  for (int i = 0; i < 5; i++)
    EXPECT(ch_activity_wait(&h[i]) == 0);
  static int got[5];
  for (int i = 0; i < 5; i++)
    activate[&h[i]](i) { EXPECT(ch_recv(&c, &got[i]) == 0); }
  for (int i = 0; i < 5; i++)
    ch_reschedule();
  for (int i = 0; i < 5; i++)
    EXPECT(ch_send(&c, &i) == 0);
  for (int i = 0; i < 5; i++)
    EXPECT(ch_activity_wait(&h[i]) == 0 && got[i] == i);
  EXPECT(ch_channel_destroy(&c) == 0);
}
TEST(those_who_wait_at_a_channel_are_served_first_come_first_served) {
  in_order_of_arrival(0);
  in_order_of_arrival(2);
}

/* A call on a local channel waits without a clause, and a statement of several clauses waits with one. */
static channel(int) mixed, never;
static int results[6], ends;
static void send_mixed(int i) {
  int x;
  if (i % 2 == 0) {
    results[i] = ch_send(&mixed, &i);
  } else {
    waituntil(results[i] = ch_send(&mixed, &i)) {}
    or waituntil(ch_recv(&never, &x)) { EXPECT(!"nobody sends"); }
  }
  ends++;
}
static void receive_mixed(int i) {
  int x = -1, error = 0;
  if (i % 2 == 0) {
    error = ch_recv(&mixed, &x);
  } else {
    waituntil(error = ch_recv(&mixed, &x)) {}
    or waituntil(ch_recv(&never, &x)) { EXPECT(!"nobody sends"); }
  }
  results[i] = error ? -error : x;
  ends++;
}
TEST(calls_and_statements_that_wait_at_one_channel_are_served_in_one_order) {
  int x, y;
  do {
    for (int i = 0; i < 6; i++)
      async send_mixed(i);
    for (int i = 0; i < 4; i++)
      EXPECT(ch_recv(&mixed, &x) == 0 && x == i);
    waituntil(ch_recv(&mixed, &x)) {}
    or waituntil(ch_recv(&never, &y)) { EXPECT(!"nobody sends"); }
    EXPECT(x == 4 && ch_try_recv(&mixed, &x) == 0 && x == 5 && ch_try_recv(&mixed, &x) == EAGAIN);
  }
  finish;
  do {
    for (int i = 0; i < 6; i++)
      async receive_mixed(i);
    for (int i = 10; i < 14; i++)
      EXPECT(ch_send(&mixed, &i) == 0);
    waituntil(ch_send(&mixed, &(int){14})) {}
    or waituntil(ch_recv(&never, &y)) { EXPECT(!"nobody sends"); }
    EXPECT(ch_try_send(&mixed, &(int){15}) == 0 && ch_try_send(&mixed, &(int){16}) == EAGAIN);
  }
  finish;
  for (int i = 0; i < 6; i++)
    EXPECT(results[i] == i + 10);
}
TEST(a_cancel_takes_calls_and_statements_off_a_channel_and_leaves_the_others) {
  int x;
  ch_activity outside;
  ends = 0;
  do {
    async send_mixed(0);
    async send_mixed(1);
    activate[&outside] send_mixed(2);
    ch_reschedule();
    async send_mixed(3);
    async send_mixed(4);
    cancel;
  }
  finish;
  EXPECT(ends == 4 && results[0] == ECANCELED && results[4] == ECANCELED);
  EXPECT(ch_recv(&mixed, &x) == 0 && x == 2 && ch_try_recv(&mixed, &x) == EAGAIN);
  EXPECT(ch_activity_wait(&outside) == 0 && results[2] == 0 && ends == 5);
}
TEST(close_wakes_calls_and_statements) {
  channel(int) again = {0};
  ends = 0;
  do {
    for (int i = 0; i < 6; i++)
      async receive_mixed(i);
    EXPECT(ends == 0);
    EXPECT(ch_close(&mixed) == 0);
  }
  finish;
  for (int i = 0; i < 6; i++)
    EXPECT(results[i] == -EPIPE);
  EXPECT(ends == 6 && ch_channel_destroy(&mixed) == 0);
  memcpy(&mixed, &again, sizeof mixed);
  do {
    for (int i = 0; i < 6; i++)
      async send_mixed(i);
    EXPECT(ends == 6);
    EXPECT(ch_close(&mixed) == 0);
  }
  finish;
  for (int i = 0; i < 6; i++)
    EXPECT(results[i] == EPIPE);
  EXPECT(ch_channel_destroy(&mixed) == 0);
}

/* ---- close ---- */

static void note_number(int i) { note((const char *[]){"0", "1", "2", "3", "4", "5", "6", "7"}[i]); }
TEST(close_wakes_calls_and_statements_in_the_order_in_which_they_came) {
  for (int sends = 0; sends < 2; sends++) {
    channel(int) c;
    EXPECT(ch_channel_init(&c, 0) == 0);
    do {
      for (int i = 0; i < 4; i++)
        async(i) {
          int x = i, result = 0;
          if (i % 2 == 0) {
            result = sends ? ch_send(&c, &x) : ch_recv(&c, &x);
          } else {
            when(sends) waituntil(result = ch_send(&c, &x)) {}
            or when(!sends) waituntil(result = ch_recv(&c, &x)) {}
          }
          EXPECT(result == EPIPE);
          note_number(4 * sends + i);
        }
      EXPECT(ch_close(&c) == 0);
    }
    finish;
    EXPECT(ch_channel_destroy(&c) == 0);
  }
  EXPECT_NOTES("0 1 2 3 4 5 6 7");
}
TEST(close_wakes_all_who_wait_and_what_was_sent_is_still_received) {
  static int ended;
  for (int shared = 0; shared < 2; shared++) {
    channel(int) c, d;
    EXPECT(shared ? ch_channel_init_shared(&c, 1) == 0 && ch_channel_init_shared(&d, 1) == 0
                  : ch_channel_init(&c, 1) == 0 && ch_channel_init(&d, 1) == 0);
    ended = 0;
    EXPECT(ch_send(&c, &(int){1}) == 0);
    do {
      for (int i = 0; i < 3; i++)
        async(i) {
          EXPECT(ch_send(&c, &i) == EPIPE);
          ended++;
        }
      for (int i = 0; i < 3; i++)
        async {
          int x = 77;
          EXPECT(ch_recv(&d, &x) == EPIPE && x == 77);
          ended++;
        }
      EXPECT(ended == 0 && ch_channel_destroy(&c) == EBUSY && ch_channel_destroy(&d) == EBUSY);
      EXPECT(ch_close(&c) == 0 && ch_close(&d) == 0);
    }
    finish;
    int x;
    EXPECT(ended == 6 && ch_recv(&c, &x) == 0 && x == 1 && ch_recv(&c, &x) == EPIPE);
    EXPECT(ch_channel_destroy(&c) == 0 && ch_channel_destroy(&d) == 0);
  }
}

/* ---- cancel ---- */

TEST(law_4_a_cancelled_send_or_receive_has_had_no_effect) {
  for (int shared = 0; shared < 2; shared++) {
    channel(int) c, f;
    int x = 3, full = 9;
    EXPECT(shared ? ch_channel_init_shared(&c, 0) == 0 && ch_channel_init_shared(&f, 1) == 0
                  : ch_channel_init(&c, 0) == 0 && ch_channel_init(&f, 1) == 0);
    EXPECT(ch_send(&f, &full) == 0);
    do {
      async EXPECT(ch_recv(&c, &x) == ECANCELED);
      async EXPECT(ch_send(&f, &x) == ECANCELED);
      cancel;
      EXPECT(ch_try_recv(&f, &x) == ECANCELED && ch_send_some(&f, &x, 1) == -ECANCELED);
    }
    finish;
    EXPECT(x == 3 && ch_length(&f) == 1 && ch_try_send(&c, &x) == EAGAIN);
    EXPECT(ch_recv(&f, &x) == 0 && x == 9 && ch_try_recv(&f, &x) == EAGAIN);
    EXPECT(ch_channel_destroy(&c) == 0 && ch_channel_destroy(&f) == 0);
  }
}

/* ---- several at a time ---- */

TEST(a_batch_takes_what_is_there_and_waits_only_for_the_first) {
  channel(int) c;
  int from[6] = {0, 1, 2, 3, 4, 5}, to[6];
  EXPECT(ch_channel_init(&c, 4) == 0);
  EXPECT(ch_send_some(&c, from, 6) == 4 && ch_recv_some(&c, to, 6) == 4 && to[3] == 3);
  EXPECT(ch_send_some(&c, from, 0) == -EINVAL && ch_recv_some(&c, to, 0) == -EINVAL);
  do {
    async EXPECT(ch_recv_some(&c, to, 6) == 3 && to[0] == 1 && to[2] == 3);
    EXPECT(ch_send_some(&c, from + 1, 3) == 3);
  }
  finish;
  EXPECT(ch_length(&c) == 0 && ch_close(&c) == 0);
  EXPECT(ch_recv_some(&c, to, 6) == -EPIPE && ch_send_some(&c, from, 6) == -EPIPE && ch_channel_destroy(&c) == 0);
}

TEST(a_batch_is_one_clause_of_several) {
  for (int shared = 0; shared < 2; shared++) {
    channel(int) c, other;
    int from[6] = {0, 1, 2, 3, 4, 5}, to[6] = {0}, body = 0;
    intptr_t n = 0;
    EXPECT((shared ? ch_channel_init_shared(&c, 4) : ch_channel_init(&c, 4)) == 0);
    EXPECT((shared ? ch_channel_init_shared(&other, 0) : ch_channel_init(&other, 0)) == 0);
    waituntil(n = ch_send_some(&c, from, 6)) body = 1;
    or waituntil(ch_recv(&other, to)) body = 2;
    EXPECT(body == 1 && n == 4 && ch_length(&c) == 4);
    waituntil(ch_recv(&other, to)) body = 3;
    or waituntil(n = ch_recv_some(&c, to, 6)) body = 4;
    EXPECT(body == 4 && n == 4 && to[3] == 3 && ch_length(&c) == 0);
    waituntil(n = ch_recv_some(&c, to, 6)) body = 5;
    else body = 6;
    EXPECT(body == 6 && n == 4);
    waituntil(n = ch_recv_some(&c, to, 6)) body = 7;
    and waituntil(ch_recv(&other, to)) body = 7;
    else body = 8;
    EXPECT(body == 8 && n == 4);
    do {
      async {
        waituntil(n = ch_recv_some(&c, to, 2)) body = 9;
        or waituntil(ch_recv(&other, to)) body = 10;
      }
      EXPECT(ch_send_some(&c, from + 1, 3) == 3);
    }
    finish;
    EXPECT(body == 9 && n == 2 && to[0] == 1 && to[1] == 2 && ch_length(&c) == 1);
    waituntil(n = ch_send_some(&c, from, 0)) EXPECT(n == -EINVAL);
    or waituntil(ch_send_some(&c, from, 1)) EXPECT(0);
    waituntil(n = ch_recv_some(&c, to, 0)) EXPECT(n == -EINVAL);
    else EXPECT(0);
    EXPECT(ch_close(&c) == 0 && ch_recv(&c, to) == 0 && to[0] == 3);
    waituntil(n = ch_recv_some(&c, to, 6)) EXPECT(n == -EPIPE);
    or waituntil(ch_recv(&other, to)) EXPECT(0);
    EXPECT(ch_channel_destroy(&c) == 0 && ch_channel_destroy(&other) == 0);
  }
}

/* ---- futures ---- */

TEST(a_future_gives_its_value_to_all_who_read_it_before_or_after) {
  for (int shared = 0; shared < 2; shared++) {
    future(double) f = {0};
    static int read;
    read = 0;
    if (shared)
      ch_future_init_shared(&f);
    do {
      for (int i = 0; i < 4; i++)
        async {
          double x = 0;
          EXPECT(ch_get(&f, &x) == 0 && x == 2.5);
          read++;
        }
      EXPECT(read == 0 && !ch_future_is_set(&f) && ch_future_reset(&f) == EBUSY);
      EXPECT(ch_future_set(&f, 2.5) == 0 && ch_future_set(&f, 3.5) == EALREADY && ch_future_fail(&f, EIO) == EALREADY);
    }
    finish;
    double y;
    EXPECT(read == 4 && ch_get(&f, &y) == 0 && y == 2.5 && ch_get(&f, NULL) == 0);
    EXPECT(ch_future_reset(&f) == 0 && !ch_future_is_set(&f));
    EXPECT(ch_future_fail(&f, 0) == EINVAL && !ch_future_is_set(&f));
    EXPECT(ch_future_fail(&f, EIO) == 0 && ch_get(&f, &y) == EIO && y == 2.5);
  }
}

TEST(a_future_holds_a_value_of_any_type) {
  future(struct pair) f = {0};
  future(char) small = {0};
  struct pair p = {4, {5, 6, 7}}, q;
  char x;
  EXPECT(ch_future_set(&f, p) == 0 && ch_get(&f, &q) == 0 && memcmp(&p, &q, sizeof p) == 0);
  EXPECT(ch_future_set(&small, 'x') == 0 && ch_get(&small, &x) == 0 && x == 'x');
}

/* ---- between domains ---- */

#define MANY 20000
static channel(long) up, down;
static void sends_up(void *argument) {
  long n = (long)(intptr_t)argument;
  for (long i = 0; i < MANY; i++)
    EXPECT(ch_send(&up, &(long){i * 2 + n}) == 0);
}
static void between_domains(size_t room) {
  ch_thread t[2];
  EXPECT(ch_channel_init_shared(&up, room) == 0);
  for (intptr_t i = 0; i < 2; i++)
    EXPECT(ch_domain_start(&t[i], sends_up, (void *)i) == 0);
  long next[2] = {0, 1}, x;
  for (int i = 0; i < 2 * MANY; i++) {
    EXPECT(ch_recv(&up, &x) == 0 && x == next[x % 2]);
    next[x % 2] += 2;
  }
  for (int i = 0; i < 2; i++)
    EXPECT(ch_domain_join(&t[i]) == 0);
  EXPECT(ch_try_recv(&up, &x) == EAGAIN && ch_channel_destroy(&up) == 0);
}
TEST(messages_of_several_domains_arrive_once_each_in_its_order) {
  between_domains(0);
  between_domains(1);
  between_domains(128);
  between_domains(CH_UNBOUNDED);
}

/* Each side waits for both channels, for one to send and for the other to receive. */
static long sent_up, sent_down, got_up, got_down;
static int both(channel(long) * out, channel(long) * in, long *to) {
  struct ch_channel_send__clause s;
  struct ch_channel_recv__clause r;
  struct ch_wait w;
  long value = 1;
  ch_wait_enter(&w, 0, NULL);
  ch_channel_send__clause(&s, CH_CHANNEL(out), &value, sizeof value);
  ch_wait_add(&w, &s.pass.clause, 0);
  ch_channel_recv__clause(&r, CH_CHANNEL(in), to, sizeof *to);
  ch_wait_add(&w, &r.pass.clause, 1);
  int k = ch_wait_any(&w);
  EXPECT(k == 0 || k == 1);
  EXPECT(ch_clause_result(k ? &r.pass.clause : &s.pass.clause) == 0);
  return k;
}
static void other_side(void *argument) {
  long x;
  for (int i = 0; i < MANY; i++)
    if (both(&down, &up, &x))
      got_up++;
    else
      sent_down++;
  (void)argument;
}
static void both_sides_select(size_t room, int shared) {
  ch_thread t;
  ch_activity a;
  long x;
  sent_up = sent_down = got_up = got_down = 0;
  if (shared) {
    EXPECT(ch_channel_init_shared(&up, room) == 0 && ch_channel_init_shared(&down, room) == 0);
    EXPECT(ch_domain_start(&t, other_side, NULL) == 0);
  } else {
    EXPECT(ch_channel_init(&up, room) == 0 && ch_channel_init(&down, room) == 0);
    activate[&a] other_side(NULL);
  }
  for (int i = 0; i < MANY; i++)
    if (both(&up, &down, &x))
      got_down++;
    else
      sent_up++;
  EXPECT(shared ? ch_domain_join(&t) == 0 : ch_activity_wait(&a) == 0);
  EXPECT(sent_up == got_up + (long)ch_length(&up) && sent_down == got_down + (long)ch_length(&down));
  EXPECT(ch_channel_destroy(&up) == 0 && ch_channel_destroy(&down) == 0);
}
TEST(when_both_sides_select_each_message_is_sent_and_received_once) {
  both_sides_select(0, 0);
  both_sides_select(3, 0);
}
TEST(when_both_sides_select_in_two_domains_each_message_is_sent_and_received_once) { both_sides_select(0, 1); }

/* One branch on both sides of a channel never meets itself. */
TEST_EXITS(a_wait_does_not_meet_itself_on_the_other_side_of_a_channel, CH_EXIT_DEADLOCK, "receiving from a channel") {
  channel(long) c = {0};
  long x;
  both(&c, &c, &x);
}
TEST(a_wait_on_both_sides_of_a_channel_meets_others) {
  channel(long) c = {0};
  static int first, second;
  long x = 0;
  do {
    async first = both(&c, &c, &x);
    async second = both(&c, &c, &x);
  }
  finish;
  EXPECT(first + second == 1 && x == 1);
}

static future(long) promised;
static void fulfils(void *argument) { EXPECT(ch_future_set(&promised, (long)(intptr_t)argument) == 0); }
static void *fulfils_in_thread(void *argument) { return fulfils(argument), NULL; }
TEST(a_shared_future_is_set_by_another_domain_or_by_a_plain_thread) {
  ch_thread t;
  pthread_t p;
  long x;
  ch_future_init_shared(&promised);
  EXPECT(ch_domain_start(&t, fulfils, (void *)41) == 0 && ch_get(&promised, &x) == 0 && x == 41);
  EXPECT(ch_domain_join(&t) == 0 && ch_future_reset(&promised) == 0);
  EXPECT(pthread_create(&p, NULL, fulfils_in_thread, (void *)42) == 0);
  EXPECT(ch_get(&promised, &x) == 0 && x == 42 && pthread_join(p, NULL) == 0);
}

/* ---- misuse ---- */

static channel(int) mine;
static void touches(void *argument) { (void)argument, ch_try_send(&mine, &(int){1}); }
TEST_EXITS(a_local_channel_that_another_domain_touches_is_reported, CH_EXIT_MISUSE, "is local to the domain") {
  ch_thread t;
  EXPECT(ch_channel_init(&mine, 1) == 0 && ch_send(&mine, &(int){0}) == 0);
  EXPECT(ch_domain_start(&t, touches, NULL) == 0);
  ch_domain_join(&t);
}
TEST_EXITS(a_receive_that_nobody_can_end_is_a_deadlock, CH_EXIT_DEADLOCK, "receiving from a channel") {
  int x;
  ch_recv(&zeroed, &x);
}
TEST_EXITS(a_deadlock_report_names_the_channel_of_a_call, CH_EXIT_DEADLOCK,
           "waits for sending to a channel zeroed 0x") {
  do {
    async ch_send(&zeroed, &(int){1});
  }
  finish;
}
TEST_EXITS(a_receive_from_a_shared_channel_that_nobody_can_end_is_a_deadlock, CH_EXIT_DEADLOCK,
           "receiving from a channel") {
  int x;
  EXPECT(ch_channel_init_shared(&mine, 1) == 0);
  ch_recv(&mine, &x);
}

/* ---- local variables without an initializer ---- */

__attribute__((noinline)) static void fills_the_stack(void) {
  volatile unsigned char bytes[4000];
  memset((void *)bytes, 0xa5, sizeof bytes);
  EXPECT(bytes[17] == 0xa5);
}
__attribute__((noinline)) static void uses_local_objects(void) {
  channel(int) c, several[2];
  future(int) f;
  watch(int) w;
  ch_sem s;
  ch_mutex m;
  int sent = 7, got = 0;
  do {
    async EXPECT(ch_recv(&c, &got) == 0 && got == 7);
    EXPECT(ch_send(&c, &sent) == 0);
    EXPECT(ch_try_send(&several[1], &sent) == EAGAIN && ch_close(&several[0]) == 0);
    EXPECT(ch_future_set(&f, 7) == 0 && ch_get(&f, &got) == 0 && got == 7);
    ch_watch_set(&w, 3);
    EXPECT(ch_sem_trywait(&s) == EAGAIN && ch_try_lock(&m) == 0 && ch_unlock(&m) == 0);
  }
  finish;
}
TEST(a_local_object_without_an_initializer_begins_as_zeroed_memory) {
  for (int i = 0; i < 2; i++) {
    fills_the_stack();
    uses_local_objects();
  }
  fills_the_stack();
  atomic {
    channel(int) c;
    EXPECT(ch_close(&c) == 0);
  }
}
