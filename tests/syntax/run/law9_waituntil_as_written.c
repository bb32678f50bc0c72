// Each function shows one sentence about `waituntil`. In virtual time.
#include <charcoal.h>
#include <charcoal/channel.h>
#include <charcoal/locks.h>
#include <errno.h>
#include <stdio.h>

#define MS 1000000
static ch_sem a, b, c, d;
static void clear(void) { ch_sem_init(&a, 0), ch_sem_init(&b, 0), ch_sem_init(&c, 0), ch_sem_init(&d, 0); }
static unsigned left(ch_sem *s) {
  unsigned n = 0;
  while (ch_sem_trywait(s) == 0)
    n++;
  return n;
}

static int say(const char *what, int value) { return printf(" %s", what), value; }
static ch_sem *of(const char *what, ch_sem *s) { return printf(" %s", what), s; }
static int *place(const char *what, int *p) { return printf(" %s", what), p; }

static void guards_come_first_then_arguments_and_the_place_last(void) {
  int r = 1;
  clear();
  ch_sem_post(&b);
  when (say("guard1", 1)) waituntil (*place("place1", &r) = ch_sem_wait(of("argument1", &a))) puts(" first");
  or when (say("guard2", 0)) waituntil (ch_sem_wait(of("argument2", &b))) puts(" never");
  or when (say("guard3", 1)) waituntil (*place("place3", &r) = ch_sem_wait(of("argument3", &b))) printf(" third %d\n", r);
  else puts(" else");
}

static void the_first_ready_clause_in_textual_order_wins(void) {
  clear();
  ch_sem_post(&a), ch_sem_post(&b), ch_sem_post(&b);
  for (int i = 0; i < 3; i++)
    waituntil (ch_sem_wait(&a)) putchar('a');
    or waituntil (ch_sem_wait(&b)) putchar('b');
  puts("");
}

static void losers_have_taken_nothing(void) {
  clear();
  activate {
    ch_sleep(MS);
    atomic { ch_sem_post(&b), ch_sem_post(&a), ch_sem_post(&c); }
  }
  waituntil (ch_sem_wait(&a)) putchar('a');
  or waituntil (ch_sem_wait(&b)) putchar('b');
  or waituntil (ch_sem_wait(&c)) putchar('c');
  printf(" %u%u%u\n", left(&a), left(&b), left(&c));
}

static int ways(int way) {
  for (int i = 0; i < 3; i++) {
    clear();
    ch_sem_post(&a);
    waituntil (ch_sem_wait(&a)) {
      if (way == 0)
        break;
      if (way == 1)
        continue;
      if (way == 2)
        return 20 + i;
      if (way == 3)
        goto out;
    }
    and waituntil (ch_sem_wait(&b)) puts("never");
    putchar('-');
  }
  return 10;
out:
  ch_sem_post(&b);
  return 30 + (int)left(&b);
}
static void every_way_out_of_a_body_withdraws_the_rest(void) {
  for (int way = 0; way < 4; way++)
    printf("%d ", ways(way));
  ch_sem_post(&b);
  printf("left %u\n", left(&b));
}

static void a_body_runs_as_soon_as_its_clause_completes(void) {
  clear();
  int64_t begin = ch_now();
  activate { ch_sleep(MS), ch_sem_post(&b), ch_sleep(MS), ch_sem_post(&a); }
  waituntil (ch_sem_wait(&a)) printf("a at %d, ", (int)((ch_now() - begin) / MS));
  and waituntil (ch_sem_wait(&b)) printf("b at %d, ", (int)((ch_now() - begin) / MS));
  and waituntil (ch_sleep(5 * MS)) printf("time at %d, ", (int)((ch_now() - begin) / MS));
  puts("end");
}

static void open_clauses_stay_enlisted_during_bodies(void) {
  clear();
  ch_sem_post(&a);
  activate { ch_sleep(MS), ch_sem_post(&b); }
  waituntil (ch_sem_wait(&a)) {
    ch_sleep(5 * MS);
    printf("b has %lu, ", b.count);
  }
  and waituntil (ch_sem_wait(&b)) printf("b, ");
  puts("end");
}

static void in_a_cancelled_scope_no_body_runs(void) {
  clear();
  do {
    async {
      waituntil (ch_sem_wait(&a)) puts("never");
      or waituntil (ch_sem_wait(&b)) puts("never");
      printf("waiting %d, ", ch_cancelled());
    }
    async {
      ch_sem_post(&c);
      waituntil (ch_sem_wait(&c)) printf("c, ");
      and waituntil (ch_sem_wait(&a)) puts("never");
      printf("and %d, ", ch_cancelled());
    }
    cancel;
    ch_sem_post(&d);
    waituntil (ch_sem_wait(&d)) puts("never");
    else puts("never");
    when (0) waituntil (ch_sem_wait(&d)) puts("never");
    else puts("never");
    noncancellable { waituntil (ch_sem_wait(&d)) printf("noncancellable, "); }
  } finish;
  within (MS) do {
    waituntil (ch_sem_wait(&a)) puts("never");
    or waituntil (ch_sleep(CH_FOREVER)) puts("never");
    printf("deadline %d\n", ch_cancelled());
  } finish;
}

static void what_completed_before_the_cancel_gets_its_body(void) {
  clear();
  do {
    async {
      waituntil (ch_sem_wait(&a)) ch_sleep(MS);
      and waituntil (ch_sem_wait(&b)) printf("b all the same, ");
      and waituntil (ch_sem_wait(&c)) puts("never");
      puts("end");
    }
    ch_sem_post(&a);
    ch_sleep(MS / 2);
    ch_sem_post(&b);
    cancel;
  } finish;
}

static void statements_nest(void) {
  clear();
  ch_sem_post(&a), ch_sem_post(&b);
  if (a.count)
    waituntil (ch_sem_wait(&a))
      waituntil (ch_sem_wait(&c)) puts("never");
      or waituntil (ch_sem_wait(&b)) puts("inner");
  else
    puts("never");
  atomic {
    ch_sem_post(&a);
    waituntil (ch_sem_wait(&a)) puts("atomic");
  }
  switch (2) {
  case 1:
    waituntil (ch_sem_wait(&a)) puts("never");
    break;
  case 2:
    waituntil (ch_sleep(0)) break;
    puts("never");
  }
}

static void all_guards_false_is_over_at_once(void) {
  clear();
  ch_sem_post(&a);
  when (0) waituntil (ch_sem_wait(&a)) puts("never");
  when (0) waituntil (ch_sem_wait(&a)) puts("never");
  and when (0) waituntil (ch_sem_wait(&b)) puts("never");
  when (0) waituntil (ch_sem_wait(&a)) puts("never");
  else puts("else");
}

static void a_fair_statement_starves_nobody(void) {
  clear();
  unsigned n[3] = {0};
  ch_sem_init(&a, 1000), ch_sem_init(&b, 1000), ch_sem_init(&c, 1000);
  for (int i = 0; i < 300; i++)
    waituntil fair (ch_sem_wait(&a)) n[0]++;
    or waituntil (ch_sem_wait(&b)) n[1]++;
    or waituntil (ch_sem_wait(&c)) n[2]++;
  printf("%d\n", n[0] > 50 && n[1] > 50 && n[2] > 50 && n[0] + n[1] + n[2] == 300);
}

static void one_object_may_stand_in_several_clauses(void) {
  clear();
  activate { ch_sem_post(&a); }
  waituntil (ch_sem_wait(&a)) printf("first");
  or waituntil (ch_sem_wait(&a)) printf("second");
  printf(" %u, ", left(&a));
  activate { ch_sem_post(&a), ch_sem_post(&a); }
  waituntil (ch_sem_wait(&a)) printf("first ");
  and waituntil (ch_sem_wait(&a)) printf("second ");
  printf("%u\n", left(&a));
}

static void one_clause_may_notify_anothers(void) {
  clear();
  ch_activity h;
  activate [&h] {
    waituntil (ch_sem_wait(&a)) { ch_sem_post(&b); }
    or waituntil (ch_sem_wait(&c)) puts("never");
  }
  activate { ch_sem_post(&a); }
  waituntil (ch_sem_wait(&c)) puts("never");
  or waituntil (ch_sem_wait(&b)) printf("b, ");
  int r = 7;
  waituntil (r = ch_activity_wait(&h)) printf("ended with %d\n", r);
}

static void a_semaphore_that_is_destroyed_ends_its_clause(void) {
  clear();
  activate { ch_sleep(MS), ch_sem_destroy(&a); }
  int r = 0;
  waituntil (r = ch_sem_wait(&a)) printf("%s\n", r == ECANCELED ? "ECANCELED" : "?");
  or waituntil (ch_sem_wait(&b)) puts("never");
}

static void tickers_keep_step(void) {
  ch_ticker t;
  int64_t begin = ch_now();
  ch_ticker_init(&t, 2 * MS);
  for (int i = 0; i < 5; i++)
    waituntil (ch_tick(&t)) {
      printf("%d ", (int)((ch_now() - begin) / MS));
      if (i == 1)
        ch_sleep(5 * MS);
    }
    or waituntil (ch_sleep_until(begin + 13 * MS)) printf("late ");
  ch_tick(&t);
  printf("%d\n", (int)((ch_now() - begin) / MS));
}

static void a_time_may_stand_in_every_place(void) {
  for (int at = 0; at < 3; at++) {
    clear();
    int64_t begin = ch_now();
    waituntil (ch_sleep(at == 0 ? 1 * MS : 9 * MS)) printf("0 ");
    or waituntil (ch_sleep(at == 1 ? 1 * MS : 9 * MS)) printf("1 ");
    or waituntil (ch_sleep(at == 2 ? 1 * MS : 9 * MS)) printf("2 ");
    printf("after %d, ", (int)((ch_now() - begin) / MS));
  }
  int64_t begin = ch_now();
  waituntil (ch_sleep(MS)) {}
  and waituntil (ch_sleep(2 * MS)) {}
  printf("both after %d\n", (int)((ch_now() - begin) / MS));
}

static void a_time_that_has_passed_is_ready(void) {
  clear();
  ch_sem_post(&a);
  waituntil (ch_sleep(0)) printf("time ");
  or waituntil (ch_sem_wait(&a)) puts("never");
  waituntil (ch_sleep_until(ch_now())) printf("time ");
  else puts("never");
  waituntil (ch_sleep(0)) printf("time ");
  and waituntil (ch_sem_wait(&a)) printf("a");
  puts("");
}

/* The objects are such that the question leaves other values than 0 and 1 in the machine's registers. */
static void with_else_nothing_is_done_unless_all_of_it_can_be(void) {
  channel(int) closed = {0}, full = {0};
  clear();
  ch_channel_init(&full, 1);
  ch_close(&closed), ch_send(&full, &(int){1}), ch_sem_post(&a);
  waituntil (ch_sem_wait(&a)) puts("never");
  and waituntil (ch_send(&closed, &(int){2})) puts("never");
  and waituntil (ch_send(&full, &(int){3})) puts("never");
  else printf("else, a has %u\n", left(&a));
  ch_channel_destroy(&full);
}

static void a_lock_is_held_for_its_body_only(void) {
  ch_mutex m = {0};
  int r = 0;
  clear();
  ch_lock(&m);
  waituntil (r = ch_hold(&m)) printf("%s, ", r == EDEADLK ? "EDEADLK" : "?");
  printf("still held %d, ", ch_unlock(&m) == 0);
  ch_sem_post(&a);
  for (int i = 0; i < 1; i++) {
    waituntil (ch_sem_wait(&a)) break;
    and waituntil (ch_hold(&m)) puts("never");
  }
  printf("free after a break %d\n", ch_try_lock(&m) == 0);
}

static void an_alternative_is_in_nobodys_way(void) {
  ch_permits p;
  ch_permits_init(&p, 2, 0);
  waituntil (ch_permits_take(&p, 3)) puts("never");
  or waituntil (ch_permits_take(&p, 2)) printf("two at once, ");
  activate { ch_permits_give(&p, 1); }
  waituntil (ch_permits_take(&p, 3)) puts("never");
  or waituntil (ch_permits_take(&p, 1)) printf("one later, ");
  printf("none is left %d\n", ch_permits_try(&p, 1) == EAGAIN);
}

#define SHOW(f) fputs(#f ":", stdout), fputs(" ", stdout), f()
int main(void) {
  SHOW(guards_come_first_then_arguments_and_the_place_last);
  SHOW(the_first_ready_clause_in_textual_order_wins);
  SHOW(losers_have_taken_nothing);
  SHOW(every_way_out_of_a_body_withdraws_the_rest);
  SHOW(a_body_runs_as_soon_as_its_clause_completes);
  SHOW(open_clauses_stay_enlisted_during_bodies);
  SHOW(in_a_cancelled_scope_no_body_runs);
  SHOW(what_completed_before_the_cancel_gets_its_body);
  SHOW(statements_nest);
  SHOW(all_guards_false_is_over_at_once);
  SHOW(a_fair_statement_starves_nobody);
  SHOW(one_object_may_stand_in_several_clauses);
  SHOW(one_clause_may_notify_anothers);
  SHOW(a_semaphore_that_is_destroyed_ends_its_clause);
  SHOW(tickers_keep_step);
  SHOW(a_time_may_stand_in_every_place);
  SHOW(a_time_that_has_passed_is_ready);
  SHOW(with_else_nothing_is_done_unless_all_of_it_can_be);
  SHOW(a_lock_is_held_for_its_body_only);
  SHOW(an_alternative_is_in_nobodys_way);
}
