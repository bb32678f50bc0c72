/* The AC paper (seed 002), section by section: what its text promises, its examples (figures 2 to 4), and each rule and
 * property of its operational semantics (section 3, figure 5). Channels are the paper's: bounded, reliable, in order;
 * send waits for room, recv for a message. Figure 9 is examples/lowlevel. Virtual time. */
#include "simulated.h"
#include <charcoal/lowlevel.h>
#include <stdbool.h>

enum { OK = 0, ROOM = 4 };

struct channel {
  ch_sem messages, room;
  int buffer[ROOM];
  unsigned head, tail;
};
#define CANCELLED ECANCELED
#define CHANNEL {CH_SEM_INIT(0), CH_SEM_INIT(ROOM), {0}, 0, 0}

static int send_ac(struct channel *c, int value) {
  int error = ch_sem_wait(&c->room);
  if (error)
    return error;
  c->buffer[c->tail++ % ROOM] = value;
  ch_sem_post(&c->messages);
  return OK;
}
static int recv_ac(struct channel *c, int *value) {
  int error = ch_sem_wait(&c->messages);
  if (error)
    return error;
  *value = c->buffer[c->head++ % ROOM];
  ch_sem_post(&c->room);
  return OK;
}
static unsigned length(const struct channel *c) { return c->tail - c->head; }

/* ---- the name service of section 1: a server answers after its own time ---- */

struct service {
  struct channel requests, answers;
  int64_t time;
  int asked, answered;
};
static struct service sets[4][3], *servers = sets[0]; /* a test's servers live as long as it */

static int lookup_one(struct service *s, int name, int *address) {
  int error = send_ac(&s->requests, name);
  return error ? error : recv_ac(&s->answers, address);
}
static void serve(struct service *s) {
  int name;
  while (recv_ac(&s->requests, &name) == OK) {
    s->asked++;
    ch_sleep(s->time);
    s->answered += send_ac(&s->answers, name * 10) == OK;
  }
}
static void start_servers(const int64_t *times) {
  static int used;
  servers = sets[used++];
  for (int i = 0; i < 3; i++) {
    servers[i] = (struct service){CHANNEL, CHANNEL, times[i], 0, 0};
    struct service *s = &servers[i];
    activate(s) { serve(s); }
  }
}

/* Section 1, two lookups: S3 runs when S1 and S2 have both been executed to completion. */
static void two_lookups(void) {
  int a = 0, b = 0;
  do {
    async lookup_one(&servers[0], 4, &a); /* S1 */
    note("S2");
    async lookup_one(&servers[1], 4, &b); /* S2 */
    EXPECT(a == 0 && b == 0);
  }
  finish;
  EXPECT(a == 40 && b == 40); /* S3 */
}
TEST(section_1_two_lookups_at_once) {
  start_servers((int64_t[]){30, 20, 10});
  STARTS two_lookups();
  AFTER(30);
  EXPECT_NOTES("S2");
}

/* Figure 2: the loop variable is read directly where the body begins; what is declared in the body is each invocation's
 * own; what is declared around it is shared, without locks. */
static int lookup_all(int name, int *address) {
  bool seen_first = false;
  int first = 0;
  do {
    for (int i = 0; i < 3; i++)
      async {
        int own = 0, at_start = i;
        EXPECT(lookup_one(&servers[i], name, &own) == OK);
        EXPECT(i == 3 || at_start == 2); /* "may be updated while a call is blocked" */
        EXPECT(servers[at_start].answered == 1);
        if (!seen_first) {
          seen_first = true;
          first = own;
        } else {
          EXPECT(own == first);
        }
      }
  }
  finish;
  *address = first;
  return OK;
}
TEST(figure_2_all_servers_are_asked_at_once) {
  int address = 0;
  start_servers((int64_t[]){30, 20, 10});
  STARTS EXPECT(lookup_all(5, &address) == OK);
  EXPECT(address == 50);
  AFTER(30);
}

/* Figure 3: the first answer cancels the other queries, and the finish still waits for their ends. */
static int lookup_first(int name, int *address) {
  int result = CANCELLED, ends = 0;
queries:
  do {
    for (int i = 0; i < 3; i++)
      async {
        int own;
        if (lookup_one(&servers[i], name, &own) == OK) {
          *address = own;
          result = OK;
          cancel queries;
        }
        ends++;
      }
  }
  finish;
  EXPECT(ends == 3);
  return result;
}
TEST(figure_3_the_first_answer_cancels_the_other_queries) {
  int address = 0;
  start_servers((int64_t[]){30, 20, 10});
  STARTS EXPECT(lookup_first(6, &address) == OK);
  EXPECT(address == 60 && servers[2].answered == 1 && servers[0].answered + servers[1].answered == 0);
  EXPECT(!ch_cancelled()); /* "one cannot call into one function and have it poison the caller's" */
  AFTER(10);
}

/* Figure 4: whichever completes first cancels the other; the result is always the lookup's. */
static int lookup_with_timeout(int name, int *address, int64_t timeout) {
  int result = -1;
timed:
  do {
    async {
      result = lookup_first(name, address);
      cancel timed;
    }
    async {
      ch_sleep(timeout);
      cancel timed;
    }
  }
  finish;
  return result;
}
TEST(figure_4_a_timeout_around_a_lookup_has_three_cases) {
  int address = 0, result = -1;
  start_servers((int64_t[]){30, 20, 10});
  STARTS EXPECT(lookup_with_timeout(7, &address, 15) == OK); /* first case */
  EXPECT(address == 70);
  AFTER(10); /* nobody waits for the timeout */
  start_servers((int64_t[]){30, 20, 10});
  address = 0;
  STARTS EXPECT(lookup_with_timeout(7, &address, 5) == CANCELLED && address == 0); /* second */
  AFTER(5);
  start_servers((int64_t[]){30, 20, 10});
  STARTS do {
    async result = lookup_with_timeout(7, &address, 1000);
    ch_sleep(3);
    cancel; /* third: by its caller */
  }
  finish;
  EXPECT(result == CANCELLED && address == 0);
  AFTER(3);
}

/* ---- section 2.1 ---- */

/* "Blocking at the end of a do..finish is the same as blocking at an IO operation: the call can be placed within an
 * async". */
static void waits_at_its_finish(struct channel *c, int *value) {
  do
    async recv_ac(c, value);
  finish;
  note("ended");
}
TEST(section_2_1_to_block_at_a_finish_is_to_block) {
  struct channel c = CHANNEL;
  int a = 0, b = 0;
  do {
    async waits_at_its_finish(&c, &a);
    note("other work");
    async waits_at_its_finish(&c, &b);
    send_ac(&c, 1);
    send_ac(&c, 2);
  }
  finish;
  EXPECT(a == 1 && b == 2);
  EXPECT_NOTES("other work ended ended");
}

/* "A callee can safely access stack-allocated data passed to it." */
static void fills(struct channel *c, int *from, int n) {
  for (int i = 0; i < n; i++)
    EXPECT(recv_ac(c, &from[i]) == OK);
}
static int sum_of(struct channel *c) {
  int all[6] = {0}, sum = 0;
  do {
    async fills(c, all, 3);
    async fills(c, all + 3, 3);
  }
  finish;
  for (int i = 0; i < 6; i++)
    sum += all[i];
  return sum;
}
TEST(section_2_1_callees_use_their_callers_variables) {
  struct channel c = CHANNEL;
  int sum = 0;
  do {
    async sum = sum_of(&c);
    for (int i = 1; i <= 6; i++)
      EXPECT(send_ac(&c, i) == OK); /* more than there is room for */
  }
  finish;
  EXPECT(sum == 21);
}

/* "Serial elision": nothing blocks, so it is as if the constructs were not there. */
static int serial(struct channel *c) {
  int sum = 0;
  for (int i = 0; i < ROOM; i++)
    send_ac(c, i);
  do {
    for (int i = 0; i < ROOM; i++)
      async {
        int v;
        recv_ac(c, &v);
        EXPECT(v == i);
        sum = sum * 10 + v;
      }
    EXPECT(sum == 123);
  }
  finish;
  return sum;
}
TEST(section_2_1_serial_elision) {
  struct channel c = CHANNEL;
  struct ch_stats before, after;
  ch_stats(&before);
  EXPECT(serial(&c) == 123);
  ch_stats(&after);
  EXPECT(after.branches == before.branches && after.activity_bytes == before.activity_bytes);
}

/* ---- section 2.2 ---- */

TEST(section_2_2_without_a_label_it_is_the_closest_finish) {
  struct channel c = CHANNEL;
  int inner = -1, outer = -1, v;
  do {
    async outer = recv_ac(&c, &v);
    do {
      async inner = recv_ac(&c, &v);
      cancel;
    }
    finish;
    EXPECT(inner == CANCELLED && outer == -1);
    send_ac(&c, 9);
  }
  finish;
  EXPECT(outer == OK && v == 9);
}

/* "An OK result may be seen, even after executing cancel, if the operation was completed": and then the message is not
 * there any more. */
TEST(section_2_2_exact_cancellation) {
  struct channel c = CHANNEL;
  int result[2], v[2] = {0};
  do {
    async result[0] = recv_ac(&c, &v[0]);
    async result[1] = recv_ac(&c, &v[1]);
    send_ac(&c, 5);
    cancel;
  }
  finish;
  EXPECT(result[0] == OK && v[0] == 5 && result[1] == CANCELLED && v[1] == 0 && length(&c) == 0);
  do {
    cancel;
    result[0] = send_ac(&c, 6); /* "without appearing to perform the requested operation" */
  }
  finish;
  EXPECT(result[0] == CANCELLED && length(&c) == 0 && c.room.count == ROOM);
}

/* "To allow compensating code to be written without itself being cancelled": the request that was sent is taken back.
 */
static int asks(struct channel *requests, struct channel *answers) {
  int answer, result = send_ac(requests, 1);
  if (result)
    return result;
  result = recv_ac(answers, &answer);
  if (result == CANCELLED)
    noncancellable {
      int mine;
      ch_sleep(2);
      EXPECT(!ch_cancelled());
      EXPECT(recv_ac(requests, &mine) == OK && mine == 1);
    }
  return result;
}
TEST(section_2_2_compensating_code_is_not_cancelled) {
  struct channel requests = CHANNEL, answers = CHANNEL;
  int result = -1;
  STARTS do {
    async result = asks(&requests, &answers);
    EXPECT(length(&requests) == 1);
    cancel;
  }
  finish;
  EXPECT(result == CANCELLED && length(&requests) == 0);
  AFTER(2);
}

/* ---- section 3: the rules ---- */

/* T-Send, T-Recv: what is pushed on the left is popped on the right. Non-cancellable, they apply in a cancelled pool,
 * too. */
TEST(rules_t_send_and_t_recv) {
  struct channel c = CHANNEL;
  do {
    cancel;
    noncancellable for (int i = 0; i < ROOM; i++) send_ac(&c, i);
    noncancellable for (int i = 0, v; i < ROOM; i++) EXPECT(recv_ac(&c, &v) == OK && v == i);
  }
  finish;
}

/* T-Try-Cancel: the hole is within a cancelled pool "either directly, or with intermediate non-cancelled pools"; also
 * for IO that is begun after the cancel, and in async commands that are run after it. T-Try-IO may apply there as well
 * in the paper; with us a cancel is always seen. */
TEST(rule_t_try_cancel) {
  struct channel c = CHANNEL;
  int d = 0, v;
outer:
  do {
    async {
      do {
        async {
          do
            d += recv_ac(&c, &v) == CANCELLED;
          finish;
        }
        d += recv_ac(&c, &v) == CANCELLED;
      }
      finish;
      do
        d += recv_ac(&c, &v) == CANCELLED; /* a pool that is opened later */
      finish;
    }
    cancel outer;
    async d += send_ac(&c, 1) == CANCELLED;
    do {
      async d += send_ac(&c, 1) == CANCELLED;
    }
    finish;
  }
  finish;
  EXPECT(d == 5 && length(&c) == 0);
}

/* Seq-1, Seq-2, If, While: within a command that blocks everything behind it waits, whatever stands around it. */
static void sequence(struct channel *c) {
  int i = 0, v = 0;
  while (i < 3) {
    if (i != 1)
      recv_ac(c, &v);
    else
      note("no wait");
    note("next");
    i++;
  }
}
TEST(rules_seq_if_and_while) {
  struct channel c = CHANNEL;
  do {
    async sequence(&c);
    note("a");
    async {
      send_ac(&c, 1);
      note("b");
    }
    async {
      send_ac(&c, 1);
      note("c");
    }
  }
  finish;
  EXPECT_NOTES("a b c next no wait next next");
}

/* Async-1: it runs to completion where it stands. Async-2: it runs as far as it can, the rest goes to the pool and the
 * async command is done. */
TEST(rules_async_1_and_async_2) {
  struct channel c = CHANNEL;
  int v = 0;
  do {
    async { note("1"); }
    note("2");
    async {
      note("3");
      recv_ac(&c, &v);
      note("5");
    }
    note("4");
    send_ac(&c, 1);
  }
  finish;
  note("6");
  EXPECT_NOTES("1 2 3 4 5 6");
}

/* Pool-1: an empty pool is skip. Pool-2: a command that blocks again stays in the pool. Pool-3: one that ends leaves it
 * to the others. */
TEST(rules_pool_1_to_3) {
  struct channel c = CHANNEL;
  int ends = 0;
  do {
  }
  finish;
  do {
    async {
      int v;
      recv_ac(&c, &v);
      recv_ac(&c, &v);
      ends++;
    }
    async {
      int v;
      recv_ac(&c, &v);
      ends++;
    }
    for (int i = 0; i < 3; i++)
      send_ac(&c, i);
    EXPECT(ends == 0);
  }
  finish;
  EXPECT(ends == 2);
}

/* Cancel: "simply sets the flag on the current pool": who cancels goes on, and so does whoever does not wait. */
TEST(rule_cancel) {
  int steps = 0;
  do {
    cancel;
    steps++;
    async {
      steps++;
      cancel;
      steps++;
    }
    steps++;
  }
  finish;
  EXPECT(steps == 4 && !ch_cancelled());
}

/* Property 1: evaluating one pool has no effect on the surrounding pool, neither by cancellation nor by commands. */
TEST(property_a_pool_leaves_the_surrounding_pool_alone) {
  struct channel c = CHANNEL;
  struct ch_stats stats;
  int outer = -1, v;
  do {
    async outer = recv_ac(&c, &v);
    do {
      for (int i = 0; i < 5; i++)
        async recv_ac(&c, &v);
      cancel;
    }
    finish;
    ch_stats(&stats);
    EXPECT(stats.branches == 1 && !ch_cancelled() && outer == -1);
    send_ac(&c, 1);
  }
  finish;
  EXPECT(outer == OK);
}

/* Property 3, cancellation elision: where all IO is non-cancellable a cancel changes nothing. */
static int without_try(struct channel *c, int cancels) {
  int trace = 0;
  do {
    async noncancellable {
      int v;
      recv_ac(c, &v);
      trace = trace * 10 + v;
    }
    async noncancellable {
      int v;
      ch_sleep(5);
      recv_ac(c, &v);
      trace = trace * 10 + v;
    }
    if (cancels)
      cancel;
    noncancellable {
      send_ac(c, 1);
      send_ac(c, 2);
    }
    trace = trace * 10 + 7;
  }
  finish;
  return trace;
}
TEST(property_cancellation_elision) {
  struct channel c = CHANNEL;
  EXPECT(without_try(&c, 0) == 712 && without_try(&c, 1) == 712);
}

/* ---- section 4 ---- */

/* 4.1: the finish is left by who entered it, whoever ends last. */
TEST(section_4_1_a_finish_is_left_by_who_entered_it) {
  ch_activity *me = ch_self();
  int on_the_stack = 3;
  do {
    async {
      ch_sleep(10);
      on_the_stack++;
    }
    async {
      ch_sleep(5);
      on_the_stack *= 2;
    }
  }
  finish;
  EXPECT(on_the_stack == 7 && ch_self() == me);
}

/* 4.3: "if x belongs to the current thread, the continuation of YieldTo is put on the run queue, and execution proceeds
 * immediately to the AWI to which x refers." (That it goes before the queue is shown in tests/runtime/lowlevel.c, where
 * there are no yield points.) */
TEST(section_4_3_a_directed_yield_runs_the_other_first) {
  static ch_waiter x;
  ch_activity suspended;
  activate[&suspended] {
    ch_waiter_suspend(&x);
    note("x");
  }
  ch_reschedule();
  ch_yield_to(&x);
  note("back");
  ch_activity_wait(&suspended);
  EXPECT_NOTES("x back");
}

/* 4.3: cancel items "are run when the cancel statement is executed". */
static void set(void *flag) { *(int *)flag = 1; }
TEST(section_4_3_items_run_when_the_cancel_statement_is_executed) {
  int called = 0;
  ch_cancel_item item;
  do {
    EXPECT(ch_cancel_add(&item, set, &called) == 0);
    EXPECT(!called);
    cancel;
    EXPECT(called);
    ch_cancel_remove(&item);
  }
  finish;
}

/* Many activities with items of their own: each cancel finds those of its activity. */
enum { MANY = 1000 };
static int calls[MANY];
static ch_sem never_posted;
static void count_call(void *n) { ++*(int *)n; }
static void waits_with_items(int n) {
  ch_cancel_item items[2];
  for (int i = 0; i < 2; i++)
    EXPECT(ch_cancel_add(&items[i], count_call, &calls[n]) == 0);
  EXPECT(ch_sem_wait(&never_posted) == (n % 3 ? ECANCELED : 0));
  for (int i = 0; i < 2; i++)
    ch_cancel_remove(&items[i]);
}
static void cancel_two_thirds_of(ch_activity *all, int n) {
  for (int i = 0; i < n; i++)
    activate [&all[i]] waits_with_items(i);
  ch_reschedule();
  for (int i = 0; i < n; i++) {
    calls[i] = 0;
    if (i % 3) ch_activity_cancel(&all[i]);
  }
  for (int i = 0; i < n; i++) {
    EXPECT(calls[i] == (i % 3 ? 2 : 0));
    if (i % 3 == 0) ch_sem_post(&never_posted);
  }
  for (int i = 0; i < n; i++) ch_activity_wait(&all[i]);
}
TEST(a_cancel_calls_the_items_of_its_activity_alone_however_many_there_are) {
  static ch_activity all[MANY];
  cancel_two_thirds_of(all, MANY);
  cancel_two_thirds_of(all, 3);
  cancel_two_thirds_of(all, MANY);
}
