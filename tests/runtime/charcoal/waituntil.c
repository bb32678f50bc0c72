/* `waituntil` over the C library's mutexes, threads of the pool, and objects of several domains. */
#include "../harness.h"
#include <charcoal/channel.h>
#include <charcoal/future.h>
#include <charcoal/locks.h>
#include <charcoal/lowlevel.h>
#include <charcoal/offload.h>
#include <netdb.h>
#include <pthread.h>
#include <threads.h>
#include <unistd.h>

#define LONG 100000000000

/* ---- the C library's mutexes ---- */

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER, n = PTHREAD_MUTEX_INITIALIZER;
static int is_free(pthread_mutex_t *one) {
  if (pthread_mutex_trylock(one))
    return 0;
  pthread_mutex_unlock(one);
  return 1;
}

TEST(a_pthread_mutex_is_one_clause_of_several_and_the_loser_has_not_taken_it) {
  ch_activity holder;
  ch_sem held = CH_SEM_INIT(0), done = CH_SEM_INIT(0);
  int body = 0, error = -1;
  activate[&holder] {
    pthread_mutex_lock(&m), pthread_mutex_lock(&n);
    ch_sem_post(&held);
    ch_sleep(1000000);
    pthread_mutex_unlock(&n);
    ch_sem_wait(&done);
    pthread_mutex_unlock(&m);
  }
  ch_sem_wait(&held);
  waituntil(error = pthread_mutex_lock(&m)) body = 1;
  or waituntil(error = pthread_mutex_lock(&n)) body = 2;
  or waituntil(ch_sleep(LONG)) body = 3;
  EXPECT(body == 2 && error == 0 && !is_free(&n) && pthread_mutex_unlock(&n) == 0 && ch_sem_post(&done) == 0);
  EXPECT(ch_activity_wait(&holder) == 0 && is_free(&m) && is_free(&n));
  pthread_mutex_lock(&m);
  waituntil(error = pthread_mutex_lock(&m)) body = 4;
  else body = 5;
  EXPECT(body == 5 && pthread_mutex_unlock(&m) == 0);
  waituntil(error = pthread_mutex_lock(&m)) body = 6;
  else body = 7;
  EXPECT(body == 6 && error == 0 && !is_free(&m) && pthread_mutex_unlock(&m) == 0);
}

TEST(a_clause_for_a_pthread_mutex_waits_in_the_order_of_arrival) {
  static int order[3], at;
  ch_activity h[3];
  at = 0;
  pthread_mutex_lock(&m);
  for (int i = 0; i < 3; i++) {
    activate[&h[i]](i) {
      if (i == 1) {
        waituntil(pthread_mutex_lock(&m)) order[at++] = i;
        or waituntil(ch_sleep(LONG)) EXPECT(0);
      } else {
        pthread_mutex_lock(&m);
        order[at++] = i;
      }
      ch_reschedule();
      pthread_mutex_unlock(&m);
    }
    for (int turns = 0; turns < 20; turns++) /* it has arrived */
      ch_reschedule();
  }
  pthread_mutex_unlock(&m);
  for (int i = 0; i < 3; i++)
    EXPECT(ch_activity_wait(&h[i]) == 0 && order[i] == i);
  EXPECT(is_free(&m));
}

TEST(a_clause_for_a_pthread_mutex_ends_with_its_scope) {
  int body = 0;
  pthread_mutex_lock(&m);
  do {
    async {
      ch_sem never = CH_SEM_INIT(0);
      waituntil(pthread_mutex_lock(&m)) body = 1;
      or waituntil(ch_sem_wait(&never)) body = 2;
      EXPECT(ch_cancelled());
    }
    cancel;
  }
  finish;
  EXPECT(body == 0 && pthread_mutex_unlock(&m) == 0 && is_free(&m));
}

/* What another thread has is waited for through the kernel. */
static pthread_barrier_t both;
static void *holds_for_a_while(void *unused) {
  pthread_mutex_lock(&m);
  pthread_barrier_wait(&both);
  usleep(2000);
  pthread_mutex_unlock(&m);
  return unused;
}
TEST(a_pthread_mutex_that_a_thread_has_is_waited_for_beside_others) {
  pthread_t t;
  int body = 0;
  EXPECT(pthread_barrier_init(&both, NULL, 2) == 0 && pthread_create(&t, NULL, holds_for_a_while, NULL) == 0);
  pthread_barrier_wait(&both);
  while (!body)
    waituntil(pthread_mutex_lock(&m)) body = 1;
  or waituntil(ch_sleep(100000)) {}
  EXPECT(!is_free(&m) && pthread_mutex_unlock(&m) == 0 && pthread_join(t, NULL) == 0 && is_free(&m));
}

TEST(a_held_pthread_mutex_is_given_back_behind_the_body_however_that_is_left) {
  for (int way = 0; way < 3; way++) {
    int body = 0;
    for (;;) {
      waituntil(ch_pthread_hold(&m)) {
        body++;
        EXPECT(!is_free(&m));
        if (way == 0)
          break;
        if (way == 1)
          goto out;
      }
      and waituntil(ch_pthread_hold(&n)) {
        EXPECT(is_free(&m) && !is_free(&n));
        break;
      }
    }
  out:
    EXPECT(body == 1 && is_free(&m) && is_free(&n));
  }
  EXPECT(ch_pthread_hold(&m) == 0 && !is_free(&m) && pthread_mutex_unlock(&m) == 0);
  mtx_t c11;
  int result = -1;
  EXPECT(mtx_init(&c11, mtx_plain) == thrd_success);
  waituntil(result = mtx_lock(&c11)) EXPECT(result == thrd_success && mtx_trylock(&c11) == thrd_busy);
  EXPECT(mtx_unlock(&c11) == thrd_success);
}

/* Both are had before the first body runs; the second body never does. */
TEST(a_hold_whose_body_does_not_run_is_given_back) {
  ch_mutex one = {0}, two = {0};
  for (int way = 0; way < 3; way++) {
    ch_activity holder;
    activate[&holder] {
      EXPECT(ch_lock(&one) == 0 && ch_lock(&two) == 0 && pthread_mutex_lock(&m) == 0);
      ch_reschedule();
      atomic { ch_unlock(&one), ch_unlock(&two), pthread_mutex_unlock(&m); }
    }
    ch_reschedule();
    do {
      waituntil(ch_hold(&one)) break;
      and waituntil(ch_hold(&two)) EXPECT(0);
      and waituntil(ch_pthread_hold(&m)) EXPECT(0);
    } while (0);
    EXPECT(ch_activity_wait(&holder) == 0);
    EXPECT(ch_mutex_destroy(&one) == 0 && ch_mutex_destroy(&two) == 0 && is_free(&m));
  }
}

TEST(a_hold_that_was_an_error_gives_nothing_back) {
  ch_mutex one = {0};
  int error = 0;
  EXPECT(ch_lock(&one) == 0);
  waituntil(error = ch_hold(&one)) EXPECT(error == EDEADLK);
  EXPECT(ch_mutex_destroy(&one) == EBUSY && ch_unlock(&one) == 0);
}

TEST(a_read_write_lock_is_held_for_the_body_only) {
  ch_rwlock l = {0};
  ch_mutex other = {0};
  int bodies = 0;
  waituntil(ch_read_hold(&l)) {
    bodies++;
    EXPECT(ch_try_read_lock(&l) == 0 && ch_rw_unlock(&l) == 0 && ch_try_write_lock(&l) == EBUSY);
  }
  and waituntil(ch_hold(&other)) bodies++;
  waituntil(ch_write_hold(&l)) {
    bodies++;
    EXPECT(ch_try_read_lock(&l) == EBUSY);
  }
  EXPECT(bodies == 3 && ch_rwlock_destroy(&l) == 0 && ch_mutex_destroy(&other) == 0);
}

/* ---- once ---- */

static int runs;
static int fails_first(void *argument) { return ch_reschedule(), runs++ == 0 ? *(int *)argument : 0; }
TEST(a_clause_runs_once_or_waits_until_another_has) {
  for (int shared = 0; shared < 2; shared++) {
    ch_once o;
    ch_activity h[3];
    static int results[3], error = EIO;
    runs = 0;
    ch_once_init(&o, shared ? CH_SHARED : 0);
    for (int i = 0; i < 3; i++)
      activate[&h[i]](i) {
        if (i == 2)
          results[i] = ch_once_run(&o, fails_first, &error);
        else
          waituntil(results[i] = ch_once_run(&o, fails_first, &error)) {}
        or waituntil(ch_sleep(LONG)) results[i] = -1;
      }
    for (int i = 0; i < 3; i++)
      EXPECT(ch_activity_wait(&h[i]) == 0);
    EXPECT(runs == 2 && results[0] + results[1] + results[2] == EIO);
  }
}

/* ---- threads of the pool ---- */

static ch_sem ended = CH_SEM_INIT(0);
static pthread_mutex_t gate = PTHREAD_MUTEX_INITIALIZER;
static int calls;
static void counts(void *argument) { __atomic_fetch_add((int *)argument, 1, __ATOMIC_SEQ_CST); }
static void passes_the_gate(void *argument) {
  counts(argument);
  pthread_mutex_lock(&gate);
  pthread_mutex_unlock(&gate);
  ch_sem_post(&ended);
}
static int called(void) { return __atomic_load_n(&calls, __ATOMIC_SEQ_CST); }

TEST(an_offloaded_call_is_one_clause_of_several) {
  int error = -1, body = 0;
  calls = 0;
  waituntil(error = ch_offload(counts, &calls)) body = 1;
  or waituntil(ch_sleep(LONG)) body = 2;
  EXPECT(body == 1 && error == 0 && called() == 1);
  waituntil(ch_offload(counts, &calls)) body++;
  and waituntil(ch_offload(counts, &calls)) body++;
  EXPECT(body == 3 && called() == 3);
}

TEST(an_offloaded_call_that_has_begun_and_loses_goes_on_and_nobody_waits_for_it) {
  int body = 0;
  calls = 0;
  EXPECT(ch_inbox() != NULL); /* a thread will post */
  pthread_mutex_lock(&gate);
  waituntil(ch_offload(passes_the_gate, &calls)) body = 1;
  or waituntil(ch_sleep(1000000)) body = 2;
  EXPECT(body == 2);
  while (called() == 0) /* it may not have begun: then it never will */
    waituntil(ch_offload(passes_the_gate, &calls)) EXPECT(0);
  or waituntil(ch_sleep(1000000)) {}
  pthread_mutex_unlock(&gate);
  EXPECT(ch_sem_wait(&ended) == 0);
}

TEST(an_offloaded_call_that_has_not_begun_and_loses_is_never_made) {
  int body = 0;
  ch_activity h;
  setenv("CHARCOAL_THREADS", "1", 1);
  calls = 0;
  pthread_mutex_lock(&gate);
  activate[&h] { EXPECT(ch_offload(passes_the_gate, &calls) == 0); }
  do
    ch_sleep(100000);
  while (called() == 0);
  waituntil(ch_offload(counts, &calls)) body = 1;
  or waituntil(ch_sleep(1000000)) body = 2;
  pthread_mutex_unlock(&gate);
  EXPECT(ch_activity_wait(&h) == 0 && ch_offload(counts, &calls) == 0 && body == 2 && called() == 2);
}

TEST(names_are_looked_up_beside_other_clauses) {
  struct addrinfo *found = NULL, hints = {.ai_family = AF_INET, .ai_socktype = SOCK_STREAM};
  int error = -1, body = 0;
  waituntil(error = getaddrinfo("127.0.0.1", "80", &hints, &found)) body = 1;
  or waituntil(ch_sleep(LONG)) body = 2;
  EXPECT(body == 1 && error == 0 && found && found->ai_family == AF_INET);
  freeaddrinfo(found);
  found = NULL;
  waituntil(error = getaddrinfo("localhost", NULL, &hints, &found)) body = 3;
  or waituntil(ch_sleep(LONG)) body = 4;
  EXPECT(body == 3 && (error == 0) == (found != NULL));
  if (found)
    freeaddrinfo(found);
  found = NULL;
  waituntil(ch_sleep(0)) body = 5;
  or waituntil(error = getaddrinfo("localhost", NULL, &hints, &found)) body = 6;
  EXPECT(body == 5 && !found);
  waituntil(error = getaddrinfo("localhost", NULL, &hints, &found)) body = 7;
  or waituntil(ch_sleep(1)) body = 8;
  if (body == 7 && found)
    freeaddrinfo(found);
  EXPECT(body == 7 || !found);
}

/* ---- waiters ---- */

TEST(a_waiter_is_one_clause_of_several_and_a_schedule_that_loses_is_kept) {
  static ch_waiter w;
  static ch_sem unit = CH_SEM_INIT(0);
  int body = 0, error = -1, ends = 0;
  for (int yields = 0; yields < 2; yields++) {
    activate(yields) {
      ch_sleep(1000);
      if (yields)
        ch_yield_to(&w);
      else
        ch_waiter_schedule(&w);
    }
    waituntil(ch_sem_wait(&unit)) body = 1;
    or waituntil(error = ch_waiter_wait(&w)) body = 2;
    EXPECT(body == 2 && error == 0);
  }
  waituntil(ch_waiter_wait(&w)) body = 3;
  or waituntil(ch_sleep(1000)) body = 4;
  EXPECT(body == 4);
  waituntil(ch_waiter_wait(&w)) body = 5;
  else body = 6;
  EXPECT(body == 6);
  ch_waiter_schedule(&w);
  ch_sem_post(&unit);
  waituntil(ch_sem_wait(&unit)) body = 7;
  or waituntil(ch_waiter_wait(&w)) body = 8;
  EXPECT(body == 7);
  waituntil(ch_waiter_wait(&w)) body = 9;
  else body = 10;
  EXPECT(body == 9);
  activate { ch_sleep(1000), ch_waiter_schedule(&w), ch_sem_post(&unit); }
  waituntil(ch_waiter_wait(&w)) ends++;
  and waituntil(ch_sem_wait(&unit)) ends++;
  EXPECT(ends == 2);
}
TEST_EXITS(a_waiter_in_two_clauses_of_a_statement_is_reported, CH_EXIT_MISUSE, "a second wait for being scheduled at") {
  static ch_waiter w;
  waituntil(ch_waiter_wait(&w)) EXPECT(0);
  or waituntil(ch_waiter_wait(&w)) EXPECT(0);
}
TEST_EXITS(a_waiter_of_two_branches_is_reported, CH_EXIT_MISUSE, "a second wait for being scheduled at") {
  static ch_waiter w;
  do {
    async {
      waituntil(ch_waiter_wait(&w)) EXPECT(0);
      or waituntil(ch_sleep(LONG)) EXPECT(0);
    }
    ch_waiter_suspend(&w);
    EXPECT(0);
  }
  finish;
}

/* ---- a type of the program's own, from whose plain call a wait cannot be withdrawn ---- */

struct order {
  struct ch_link waiters;
  int asked;
};
struct await_order__clause {
  struct ch_clause clause;
};
CH_CLAUSE_FORM(int, await_order, struct order *);

static int enlist_order(struct ch_clause *c) {
  ch_list(&((struct order *)c->object)->waiters, c);
  return CH_CLAUSE_LISTED;
}
static ch_bool refuse_to_cancel(struct ch_clause *c) {
  ((struct order *)c->object)->asked++;
  return 0;
}
static const struct ch_clause_type order_type = {
    .what = "order", .enlist = enlist_order, .withdraw = ch_unlist, .cancel = refuse_to_cancel};
void await_order__clause(struct await_order__clause *c, struct order *o) {
  c->clause = (struct ch_clause){.type = &order_type, .object = o};
}
static int await_order(struct order *o) {
  struct await_order__clause c;
  await_order__clause(&c, o);
  return (int)ch_wait_plain(&c.clause, ECANCELED);
}

TEST(a_plain_call_whose_type_refuses_a_cancel_goes_on_and_a_statement_ends) {
  struct order o = {.asked = 0};
  int plain = -1, selected = -1;
  do {
    async plain = await_order(&o);
    cancel;
    EXPECT(o.asked == 1 && plain == -1);
    struct ch_clause *c = ch_list_first(&o.waiters);
    EXPECT(c && ch_claim(c));
    c->value = 5;
    ch_wake(c);
  }
  finish;
  EXPECT(plain == 5);
  do {
    async {
      waituntil(selected = await_order(&o)) {}
    }
    cancel;
  }
  finish;
  EXPECT(o.asked == 1 && selected == -1 && !ch_list_first(&o.waiters));
}

/* ---- a time that never comes is nothing that the program waits for ---- */

static ch_sem nobody_posts;
TEST_EXITS(a_deadlock_is_reported_although_a_clause_sleeps_for_ever, CH_EXIT_DEADLOCK, "deadlock") {
  waituntil(ch_sleep(CH_FOREVER)) {}
  or waituntil(ch_sem_wait(&nobody_posts)) {}
}
TEST_EXITS(a_deadlock_is_reported_although_a_clause_sleeps_for_centuries, CH_EXIT_DEADLOCK, "deadlock") {
  waituntil(ch_sleep(CH_FOREVER - 1)) {}
  and waituntil(ch_sem_wait(&nobody_posts)) {}
}
TEST_EXITS(a_deadlock_is_reported_although_a_clause_sleeps_until_the_end_of_time, CH_EXIT_DEADLOCK, "deadlock") {
  waituntil(ch_sem_wait(&nobody_posts)) {}
  or waituntil(ch_sleep_until(CH_FOREVER)) {}
}
TEST_EXITS(a_deadlock_is_reported_although_a_clause_waits_for_a_tick_that_never_comes, CH_EXIT_DEADLOCK, "deadlock") {
  ch_ticker t;
  ch_ticker_init(&t, CH_FOREVER);
  waituntil(ch_tick(&t)) {}
  or waituntil(ch_sem_wait(&nobody_posts)) {}
}
TEST_EXITS(a_deadlock_is_reported_although_a_lock_is_waited_for_until_the_end_of_time, CH_EXIT_DEADLOCK, "deadlock") {
  pthread_mutex_lock(&m);
  activate { pthread_mutex_timedlock(&m, &(struct timespec){INT64_MAX, 0}); }
  ch_sem_wait(&nobody_posts);
}

/* ---- fair ---- */

static ch_sem many[3] = {CH_SEM_INIT(1000000), CH_SEM_INIT(1000000), CH_SEM_INIT(1000000)};
static void count_one_of_two(int *times) {
  waituntil fair(ch_sem_wait(&many[0])) times[0]++;
  or waituntil(ch_sem_wait(&many[1])) times[1]++;
}
static void count_one_of_three(int *times) {
  waituntil fair(ch_sem_wait(&many[0])) times[0]++;
  or waituntil(ch_sem_wait(&many[1])) times[1]++;
  or waituntil(ch_sem_wait(&many[2])) times[2]++;
}
enum { TWO = 1, THREE = 2 };
static void take_turns(int how, int *two, int *three) {
  for (int i = 0; i < 60; i++) {
    if (how & TWO) {
      count_one_of_two(two);
      ch_reschedule();
    }
    if (how & THREE) {
      count_one_of_three(three);
      ch_reschedule();
    }
  }
}
TEST(fair_starves_no_clause_however_many_take_turns_through_the_statement) {
  for (int n = 1; n <= 16; n++)
    for (int how = 1; how <= (TWO | THREE); how++) {
      int two[16][2] = {{0}}, three[16][3] = {{0}};
      do
        for (int i = 0; i < n; i++)
          async(i) { take_turns(how, two[i], three[i]); }
      finish;
      for (int i = 0; i < n; i++)
        for (int k = 0; k < 3; k++)
          EXPECT((!(how & TWO) || k == 2 || two[i][k] >= 20) && (!(how & THREE) || three[i][k] >= 10));
    }
}
TEST(with_fair_one_activity_takes_its_clauses_in_turn) {
  int times[3] = {0};
  for (int i = 1; i <= 9; i++) {
    count_one_of_three(times);
    EXPECT(times[0] <= (i + 2) / 3 && times[1] <= (i + 2) / 3 && times[2] <= (i + 2) / 3);
  }
}

/* ---- many clauses ---- */

/* On a busy machine the thread is set aside in the midst of what takes long, and not of what takes a moment. */
static int64_t processor_time(void) {
  struct timespec t;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
  return t.tv_sec * INT64_C(1000000000) + t.tv_nsec;
}

static int64_t time_of_all(unsigned n, int one_by_one) {
  ch_sem *units = calloc(n, sizeof *units);
  struct ch_sem_wait__clause *clauses = calloc(n, sizeof *clauses);
  struct ch_wait all;
  unsigned told = 0;
  EXPECT(units && clauses);
  int64_t begin = processor_time();
  ch_wait_enter(&all, CH_WAIT_AND, NULL);
  for (unsigned i = 0; i < n; i++) {
    ch_sem_wait__clause(&clauses[i], &units[i]);
    ch_wait_add(&all, &clauses[i].clause, i);
  }
  if (one_by_one) { /* the first call enlists all clauses */
    ch_sem_post(&units[n - 1]);
    EXPECT(ch_wait_next(&all) == (int)n - 1);
    told++;
  }
  for (unsigned i = one_by_one ? n - 1 : n; i-- > 0;) {
    ch_sem_post(&units[i]);
    told += one_by_one && ch_wait_next(&all) == (int)i;
  }
  while (ch_wait_next(&all) == (int)told)
    told++;
  ch_wait_leave(&all);
  int64_t took = processor_time() - begin;
  EXPECT(told == n);
  free(units);
  free(clauses);
  return took;
}
static int takes_linear_time(int64_t (*time)(unsigned n, int how), int how) {
  int64_t few = INT64_MAX, many = INT64_MAX, t;
  for (int tries = 0; tries < 3 || (many > 200 * few && tries < 100); tries++) {
    few = (t = time(300, how)) < few ? t : few;
    many = (t = time(9000, how)) < many ? t : many;
  }
  return many <= 200 * few; /* where all are looked at each time it is about 700 times */
}
TEST(many_clauses_that_complete_together_are_told_in_linear_time) { EXPECT(takes_linear_time(time_of_all, 0)); }
TEST(many_clauses_that_complete_one_by_one_are_told_in_linear_time) { EXPECT(takes_linear_time(time_of_all, 1)); }

/* The text of a condition with n pairs of clauses, whose first clauses become ready: `(A or B) and …`,
 * `(A and B) or …`, and pairs in pairs. Without the second clauses, whose guards are false, it is `A and …`, `A or …`,
 * and `A and (A and …`. */
enum { AND_OF_ORS, OR_OF_ANDS, NESTED, SHAPE = 3, PRUNED = 4, GIVEN_UP = 8 };
static char *pairs(unsigned n, int shape) {
  char *text = malloc(8 * n + 1), *at = text;
  for (unsigned i = 0; i < n; i++)
    at += sprintf(at, shape == AND_OF_ORS ? "%s(.|.)" : shape == OR_OF_ANDS ? "%s(.&.)" : "%s(.|.&",
                  i == 0 || shape == NESTED ? "" : shape == AND_OF_ORS ? "&" : "|");
  if (shape == NESTED) {
    at[-1] = ')';
    memset(at, ')', n - 1);
    at[n - 1] = 0;
  }
  return text;
}
static int64_t time_of_condition(unsigned n, int how) {
  const int shape = how & SHAPE;
  char *text = pairs(n, shape);
  ch_sem *units = calloc(2 * n, sizeof *units);
  struct ch_sem_wait__clause *clauses = calloc(2 * n, sizeof *clauses);
  struct ch_wait_node *nodes = calloc(5 * n + 2, sizeof *nodes);
  struct ch_wait all;
  unsigned told = 0;
  int k = 0;
  EXPECT(units && clauses && nodes);
  int64_t begin = processor_time();
  do {
    ch_wait_enter(&all, CH_WAIT_AND, NULL);
    for (unsigned i = 0; i < 2 * n; i++)
      if (i % 2 == 0 || !(how & PRUNED)) {
        ch_sem_wait__clause(&clauses[i], &units[i]);
        ch_wait_add(&all, &clauses[i].clause, i);
      }
    ch_wait_begin_all(&all, nodes, 2 * n, text);
    /* From the last to the first, so that the outermost pair of those in pairs completes last. */
    for (unsigned i = n; i-- > 0;) {
      if (how & GIVEN_UP && i < n / 2)
        cancel;
      else
        ch_sem_post(&units[2 * i]);
      if ((k = ch_wait_next(&all)) < 0)
        break;
      told += k == (int)(2 * i);
      ch_wait_complete(&all, nodes, (unsigned)k);
    }
    ch_wait_leave(&all);
  } finish;
  int64_t took = processor_time() - begin;
  const int one_is_enough = shape == OR_OF_ANDS && how & PRUNED, never = shape == OR_OF_ANDS && !(how & PRUNED);
  if (one_is_enough)
    EXPECT(told == 1 && k == -ENOENT && nodes[0].left == 0);
  else if (how & GIVEN_UP)
    EXPECT(told == n - n / 2 && k == -ECANCELED && nodes[0].left != 0);
  else
    EXPECT(told == n && (nodes[0].left != 0) == never);
  free(text);
  free(units);
  free(clauses);
  free(nodes);
  return took;
}
TEST(conditions_with_both_operators_take_linear_time) {
  for (int shape = AND_OF_ORS; shape <= NESTED; shape++)
    for (int pruned = 0; pruned <= PRUNED; pruned += PRUNED)
      EXPECT(takes_linear_time(time_of_condition, shape | pruned));
}
TEST(conditions_with_both_operators_take_linear_time_in_a_scope_that_is_cancelled_meanwhile) {
  for (int shape = AND_OF_ORS; shape <= NESTED; shape++)
    for (int pruned = 0; pruned <= PRUNED; pruned += PRUNED)
      EXPECT(takes_linear_time(time_of_condition, shape | pruned | GIVEN_UP));
}

/* ---- a time in every position, and every other clause never ready ---- */

TEST(law_9_a_time_ends_the_wait_from_every_position) {
  static ch_sem a = CH_SEM_INIT(0), b = CH_SEM_INIT(0);
  for (int i = 0; i < 7; i++) {
    int body = 0, times = 0;
    switch (i) {
    case 0:
      waituntil(ch_sleep(1000)) body = 1;
      or waituntil(ch_sem_wait(&a)) body = 9;
      or waituntil(ch_sem_wait(&b)) body = 9;
      break;
    case 1:
      waituntil(ch_sem_wait(&a)) body = 9;
      or waituntil(ch_sleep(1000)) body = 1;
      or waituntil(ch_sem_wait(&b)) body = 9;
      break;
    case 2:
      waituntil(ch_sem_wait(&a)) body = 9;
      or waituntil(ch_sem_wait(&b)) body = 9;
      or waituntil(ch_sleep(1000)) body = 1;
      break;
    case 3:
      waituntil(ch_sem_wait(&a)) body = 9;
      and waituntil(ch_sem_wait(&b)) body = 9;
      or waituntil(ch_sleep(1000)) body = 1;
      break;
    case 4:
      waituntil(ch_sleep(1000)) body = 1;
      or waituntil(ch_sem_wait(&a)) body = 9;
      and waituntil(ch_sem_wait(&b)) body = 9;
      break;
    case 5:
      (waituntil(ch_sem_wait(&a)) body = 9; or waituntil(ch_sleep(1000)) body++;) and waituntil(ch_sleep(2000)) times++;
      break;
    default:
      waituntil(ch_sleep(2000)) times++;
      and(waituntil(ch_sleep(1000)) body++; or waituntil(ch_sem_wait(&a)) body = 9;)
    }
    EXPECT(body == 1 && times == (i >= 5) && ch_sem_trywait(&a) == EAGAIN);
  }
}

/* ---- between domains: guards, else, and; closing under waits; leaving a body ---- */

#define TURNS 2000
static channel(int) left, right, back;
static void feeds(void *argument) {
  (void)argument;
  for (int i = 1; i <= TURNS; i++) {
    EXPECT(ch_send(&left, &i) == 0);
    waituntil(ch_send(&right, &(int){-i})) {}
    or waituntil(ch_sleep(LONG)) EXPECT(0);
  }
  ch_close(&left), ch_close(&right);
}
static void start(ch_thread *t, void (*fn)(void *), size_t room) {
  EXPECT(ch_channel_init_shared(&left, room) == 0 && ch_channel_init_shared(&right, room) == 0);
  EXPECT(ch_channel_init_shared(&back, room) == 0 && ch_domain_start(t, fn, NULL) == 0);
}
static void stop(ch_thread *t) {
  EXPECT(ch_domain_join(t) == 0 && ch_channel_destroy(&left) == 0 && ch_channel_destroy(&right) == 0);
  EXPECT(ch_channel_destroy(&back) == 0);
}

TEST(across_domains_with_and_each_turn_takes_one_of_each) {
  ch_thread t;
  start(&t, feeds, 1);
  for (int i = 1; i <= TURNS; i++) {
    int x = 0, y = 0, bodies = 0, error = -1, other = -1;
    waituntil(error = ch_recv(&left, &x)) bodies += 1;
    and waituntil(other = ch_recv(&right, &y)) bodies += 10;
    EXPECT(bodies == 11 && !error && !other && x == i && y == -i);
  }
  stop(&t);
}

TEST(across_domains_guards_choose_and_else_takes_what_is_there) {
  ch_thread t;
  int got = 0;
  start(&t, feeds, 0);
  for (int i = 1; i <= TURNS;) {
    int x = 0, body = 0, of_left = got % 2 == 0;
    when(of_left) waituntil(ch_recv(&left, &x)) body = 1;
    or when(!of_left) waituntil(ch_recv(&right, &x)) body = 2;
    else continue;
    EXPECT(body == (of_left ? 1 : 2) && x == (of_left ? i : -i));
    got++;
    i += !of_left;
  }
  EXPECT(got == 2 * TURNS);
  stop(&t);
}

/* Of two that were to be received one is taken; the other stays, or has been taken and its body did not run. */
static int taken_unseen;
static int takes_one(void) {
  int x = 0, y = 0;
  for (;;) {
    waituntil(ch_recv(&left, &x)) break;
    and waituntil(ch_recv(&right, &y)) break;
  }
  EXPECT(x > 0 || y < 0);
  taken_unseen += x > 0 && y < 0;
  return (x > 0) + (y < 0);
}
static void feeds_both(void *argument) {
  (void)argument;
  for (int i = 1; i <= TURNS; i++) {
    waituntil(ch_send(&left, &i)) {}
    or waituntil(ch_send(&right, &(int){-i})) {}
  }
}
TEST(across_domains_a_break_out_of_a_body_withdraws_the_rest) {
  ch_thread t;
  int taken = 0, x;
  start(&t, feeds_both, 0);
  while (taken < TURNS - 1)
    taken += takes_one();
  if (taken < TURNS) {
    waituntil(ch_recv(&left, &x)) taken++;
    or waituntil(ch_recv(&right, &x)) taken++;
  }
  EXPECT(taken == TURNS && ch_try_recv(&left, &x) == EAGAIN && ch_try_recv(&right, &x) == EAGAIN);
  stop(&t);
}

/* Producers and consumers that each select among six channels, until all are closed: what was sent has been received.
 */
static channel(int) six[6];
static long sent[2], received[2];
#define EACH(what)                                                                                                     \
  when(open[0]) waituntil(r = what(&six[0], &x)) { i = 0; }                                                            \
  or when(open[1]) waituntil(r = what(&six[1], &x)) { i = 1; }                                                         \
  or when(open[2]) waituntil(r = what(&six[2], &x)) { i = 2; }                                                         \
  or when(open[3]) waituntil(r = what(&six[3], &x)) { i = 3; }                                                         \
  or when(open[4]) waituntil(r = what(&six[4], &x)) { i = 4; }                                                         \
  or when(open[5]) waituntil(r = what(&six[5], &x)) { i = 5; }
static void sends_to_six(void *argument) {
  long *count = argument;
  int open[6] = {1, 1, 1, 1, 1, 1}, n_open = 6, x = 1, r = 0, i = 0;
  while (n_open > 0) {
    EACH(ch_send)
    if (r == EPIPE)
      open[i] = 0, n_open--;
    else
      ++*count;
  }
}
static void receives_from_six(void *argument) {
  long *count = argument;
  int open[6] = {1, 1, 1, 1, 1, 1}, n_open = 6, x = 1, r = 0, i = 0;
  while (n_open > 0) {
    EACH(ch_recv)
    if (r == EPIPE)
      open[i] = 0, n_open--;
    else
      ++*count;
  }
}
TEST(across_domains_closing_under_six_way_waits_leaves_balanced_counts) {
  for (size_t room = 0; room < 3; room++) {
    ch_thread t[4];
    for (int i = 0; i < 6; i++)
      EXPECT(ch_channel_init_shared(&six[i], room) == 0);
    for (int i = 0; i < 2; i++) {
      sent[i] = received[i] = 0;
      EXPECT(ch_domain_start(&t[i], sends_to_six, &sent[i]) == 0);
      EXPECT(ch_domain_start(&t[2 + i], receives_from_six, &received[i]) == 0);
    }
    for (int i = 0; i < 6; i++) {
      ch_sleep(300000);
      EXPECT(ch_close(&six[i]) == 0);
    }
    for (int i = 0; i < 4; i++)
      EXPECT(ch_domain_join(&t[i]) == 0);
    EXPECT(sent[0] + sent[1] == received[0] + received[1]);
    for (int i = 0; i < 6; i++)
      EXPECT(ch_length(&six[i]) == 0 && ch_channel_destroy(&six[i]) == 0);
  }
}
