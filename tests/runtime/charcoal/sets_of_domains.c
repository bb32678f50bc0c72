/* Sets of domains: tasks with results, failures of all kinds, cancels that work across, shutdown in order. */
#include "harness.h"
#include <charcoal/locks.h>
#include <charcoal/lowlevel.h>
#include <pthread.h>
#include <sched.h>

enum { MS = 1000000, N = 3 };

static intptr_t twice(void *n) {
  ch_sleep(MS);
  return 2 * (intptr_t)n;
}
static intptr_t at_once(void *n) { return (intptr_t)n + 1; }
static intptr_t whose(void *unused) { return ch_domain_index(); }

TEST(a_task_runs_in_its_domain_and_its_result_comes_back) {
  ch_domains *d = ch_domains_start(N, NULL);
  EXPECT(d && ch_domains_count(d) == N && ch_domain_index() == -1);
  ch_task *tasks[3 * N];
  intptr_t sum = 0, r = -7;
  for (int i = 0; i < 3 * N; i++) {
    tasks[i] = ch_domain_spawn(d, CH_ANY_DOMAIN, i % 2 ? twice : at_once, (void *)(intptr_t)i);
    EXPECT(tasks[i]);
  }
  for (int i = 0; i < 3 * N; i++) {
    EXPECT(ch_task_join(tasks[i], &r) == 0);
    EXPECT(r == (i % 2 ? 2 * i : i + 1));
    sum += r;
  }
  for (unsigned i = 0; i < N; i++) {
    ch_task *t = ch_domain_spawn(d, i, whose, NULL);
    EXPECT(ch_task_join(t, &r) == 0 && r == (intptr_t)i);
  }
  EXPECT(sum == 2 * (1 + 3 + 5 + 7) + 1 + 3 + 5 + 7 + 9);
  EXPECT(ch_domains_end(d, 0) == 0);
}

static ch_sem began;
static intptr_t sleeps_long(void *unused) {
  ch_sem_post(&began);
  return ch_sleep(CH_FOREVER);
}

TEST(a_cancel_works_across_and_is_exact) {
  ch_domains *d = ch_domains_start(2, NULL);
  intptr_t r = 0;
  ch_task *t = ch_domain_spawn(d, 0, sleeps_long, NULL);
  ch_sem_wait(&began);
  ch_task_cancel(t);
  ch_task_cancel(t);
  EXPECT(ch_task_join(t, &r) == 0 && r == ECANCELED);
  t = ch_domain_spawn(d, 1, at_once, (void *)5);
  do {
    cancel;
    EXPECT(ch_task_join(t, &r) == ECANCELED);
  }
  finish;
  EXPECT(ch_task_join(t, &r) == 0 && r == 6);
  EXPECT(ch_domains_end(d, 0) == 0);
}

static _Atomic int started_to_hold, may_go_on;
static intptr_t holds_its_thread(void *unused) {
  atomic {
    started_to_hold = 1;
    while (!may_go_on)
      sched_yield();
  }
  return 0;
}
static intptr_t begins_cancelled(void *unused) { return ch_cancelled() ? ch_sleep(CH_FOREVER) : -1; }
TEST(what_is_cancelled_before_it_begins_begins_cancelled) {
  ch_domains *d = ch_domains_start(1, NULL);
  intptr_t r;
  ch_task *first = ch_domain_spawn(d, 0, holds_its_thread, NULL);
  while (!started_to_hold)
    sched_yield();
  ch_task *t = ch_domain_spawn(d, 0, begins_cancelled, NULL);
  ch_task_cancel(t);
  may_go_on = 1;
  EXPECT(ch_task_join(t, &r) == 0 && r == ECANCELED && ch_task_join(first, NULL) == 0);
  EXPECT(ch_domains_end(d, 0) == 0);
}

static ch_task *self_task;
static intptr_t joins_itself(void *unused) {
  ch_sem_wait(&began);
  return ch_task_join(self_task, NULL);
}
static intptr_t ends_its_own_set(void *set) { return ch_domains_end(set, 0); }
TEST(mistakes_are_told) {
  ch_domains *d = ch_domains_start(1, NULL);
  intptr_t r;
  EXPECT(!ch_domains_start(0, NULL) && errno == EINVAL);
  EXPECT(!ch_domain_spawn(d, 1, at_once, NULL) && errno == EINVAL);
  self_task = ch_domain_spawn(d, 0, joins_itself, NULL);
  ch_sem_post(&began);
  EXPECT(ch_task_join(self_task, &r) == 0 && r == EDEADLK);
  ch_task *t = ch_domain_spawn(d, 0, ends_its_own_set, d);
  EXPECT(ch_task_join(t, &r) == 0 && r == EDEADLK);
  EXPECT(ch_domains_end(d, 0) == 0);
}

static ch_sem arrived;
static ch_domains *stages;
static int ended[N];
static intptr_t stage(void *unused) {
  int i = ch_domain_index();
  ch_sem_post(&arrived);
  if (i == 0)
    ch_sleep(10 * MS);
  for (int k = 0; k < i; k++)
    EXPECT(__atomic_load_n(&ended[k], __ATOMIC_ACQUIRE));
  __atomic_store_n(&ended[i], 1, __ATOMIC_RELEASE);
  EXPECT(i + 1 == N || ch_domain_spawn(stages, (unsigned)i + 1, stage, NULL)); /* that one is not asked yet */
  return 0;
}
TEST(a_set_ends_in_order_and_later_domains_take_work_meanwhile) {
  stages = ch_domains_start(N, NULL);
  ch_task_detach(ch_domain_spawn(stages, 0, stage, NULL));
  EXPECT(ch_domains_end(stages, 0) == 0);
  for (int i = 0; i < N; i++) {
    EXPECT(ended[i]);
    ch_sem_wait(&arrived);
  }
}

static int cancelled_ones;
static void deep_sleeper(void) {
  ch_sem_post(&began);
  __atomic_add_fetch(&cancelled_ones, ch_sleep(CH_FOREVER) == ECANCELED, __ATOMIC_RELAXED);
}
static intptr_t has_many(void *unused) {
  for (int i = 0; i < 10; i++)
    activate deep_sleeper();
  do
    async deep_sleeper();
  finish;
  return 0;
}
TEST(a_set_that_is_ended_with_cancel_ends_all_activities) {
  ch_domains *d = ch_domains_start(N, NULL);
  for (unsigned i = 0; i < N; i++)
    ch_task_detach(ch_domain_spawn(d, i, has_many, NULL));
  for (int i = 0; i < N * 11; i++)
    ch_sem_wait(&began);
  EXPECT(ch_domains_end(d, CH_DOMAINS_CANCEL) == 0);
  EXPECT(cancelled_ones == N * 11);
}

static intptr_t processors(void *unused) {
  cpu_set_t set;
  char name[20] = "";
  EXPECT(sched_getaffinity(0, sizeof set, &set) == 0);
  pthread_getname_np(pthread_self(), name, sizeof name);
  EXPECT(strncmp(name, "worker-", 7) == 0 && atoi(name + 7) == ch_domain_index());
  for (int i = 0; i < CPU_SETSIZE; i++)
    if (CPU_ISSET(i, &set))
      return CPU_COUNT(&set) == 1 ? i : -1;
  return -1;
}
TEST(pinned_domains_have_a_processor_each_and_names) {
  cpu_set_t own;
  intptr_t a, b;
  EXPECT(sched_getaffinity(0, sizeof own, &own) == 0);
  ch_domains *d = ch_domains_start(2, &(struct ch_domains_how){.name = "worker", .pinned = 1});
  EXPECT(ch_task_join(ch_domain_spawn(d, 0, processors, NULL), &a) == 0);
  EXPECT(ch_task_join(ch_domain_spawn(d, 1, processors, NULL), &b) == 0);
  EXPECT(a >= 0 && b >= 0 && CPU_ISSET(a, &own) && CPU_ISSET(b, &own));
  EXPECT((a != b) == (CPU_COUNT(&own) > 1));
  EXPECT(ch_domains_end(d, 0) == 0);
}

TEST(numbers_and_dumps_come_from_all_domains) {
  ch_domains *d = ch_domains_start(2, NULL);
  struct ch_stats one, all;
  char text[8192];
  int ends[2];
  for (unsigned i = 0; i < 2; i++)
    ch_task_detach(ch_domain_spawn(d, i, sleeps_long, NULL));
  for (int i = 0; i < 2; i++)
    ch_sem_wait(&began);
  EXPECT(ch_domains_stats(d, 0, &one) == 0 && one.activities == 3); /* the keeper, the sleeper, and who counts */
  EXPECT(ch_domains_stats(d, CH_ANY_DOMAIN, &all) == 0 && all.activities == 6 && all.spawned >= one.spawned);
  EXPECT(ch_domains_stats(d, 2, &one) == EINVAL);
  EXPECT(pipe(ends) == 0 && ch_domains_dump(d, ends[1]) == 0);
  ssize_t n = read(ends[0], text, sizeof text - 1);
  EXPECT(n > 0);
  text[n] = 0;
  char *second = strstr(text, "domain charcoal-1");
  EXPECT(strstr(text, "domain charcoal-0") && second && strstr(second, "sleeps_long") &&
         strstr(text, "sleeps_long") < second);
  EXPECT(ch_domains_end(d, CH_DOMAINS_CANCEL) == 0);
}

TEST_EXITS(tasks_that_wait_for_each_other_in_two_domains_are_reported, CH_EXIT_DEADLOCK, "deadlock") {
  static ch_sem never;
  ch_domains *d = ch_domains_start(1, NULL);
  (void)d;
  ch_sem_wait(&never);
}

/* Each has a mutex for which the other waits. */
static ch_mutex one, two;
static ch_sem has_two;
static intptr_t takes_two_then_one(void *unused) {
  (void)unused;
  ch_set_name("the other");
  EXPECT(ch_lock(&two) == 0);
  ch_sem_post(&has_two);
  return ch_lock(&one);
}
static void meet(void) {
  ch_domains *d = ch_domains_start(1, NULL);
  ch_mutex_init(&one, CH_SHARED), ch_mutex_init(&two, CH_SHARED);
  EXPECT(d && ch_lock(&one) == 0 && ch_domain_spawn(d, 0, takes_two_then_one, NULL) && ch_sem_wait(&has_two) == 0);
  ch_lock(&two);
}
TEST_EXITS(a_circle_of_waits_through_two_domains_is_named, CH_EXIT_DEADLOCK, "a circle of waits") { meet(); }
TEST_EXITS(a_circle_of_waits_names_the_first_of_two_domains, CH_EXIT_DEADLOCK, "\"main\" has") { meet(); }
TEST_EXITS(a_circle_of_waits_names_the_second_of_two_domains, CH_EXIT_DEADLOCK, "\"the other\" has") { meet(); }

static void take_both(ch_mutex *first, ch_mutex *second) {
  ch_lock(first);
  ch_sleep(1000000);
  ch_lock(second);
}
static intptr_t meet_here(void *unused) {
  (void)unused;
  ch_mutex_init(&one, 0), ch_mutex_init(&two, 0);
  activate take_both(&one, &two);
  activate take_both(&two, &one);
  return 0;
}
/* Whichever of them finds the deadlock. */
TEST_EXITS(a_circle_of_waits_inside_one_of_two_domains_is_named, CH_EXIT_DEADLOCK, "a circle of waits") {
  ch_domains *d = ch_domains_start(1, NULL);
  EXPECT(d && ch_domain_spawn(d, 0, meet_here, NULL));
  ch_sem_wait(&has_two);
}
TEST_EXITS(the_report_of_a_deadlock_shows_the_activities_of_all_domains, CH_EXIT_DEADLOCK, "in another domain") {
  meet();
}

static intptr_t waits_and_keeps(void *unused) {
  (void)unused;
  ch_sem_post(&has_two);
  return ch_lock(&one);
}
TEST_EXITS(a_task_that_ends_with_a_shared_mutex_is_reported, CH_EXIT_MISUSE, "has not given back the mutex") {
  ch_checks = 1;
  ch_domains *d = ch_domains_start(1, NULL);
  ch_mutex_init(&one, CH_SHARED);
  EXPECT(d && ch_lock(&one) == 0);
  ch_task *t = ch_domain_spawn(d, 0, waits_and_keeps, NULL);
  EXPECT(t && ch_sem_wait(&has_two) == 0 && ch_unlock(&one) == 0);
  ch_task_join(t, NULL);
  ch_sleep(60000 * (int64_t)MS); /* the other thread ends the program */
}

/* Many of them, from several sides at once. */
static ch_domains *crowd;
static intptr_t spawns_more(void *depth) {
  intptr_t n = (intptr_t)depth, sum = 1, r;
  if (n == 0)
    return 1;
  ch_task *a = ch_domain_spawn(crowd, CH_ANY_DOMAIN, spawns_more, (void *)(n - 1));
  ch_task *b = ch_domain_spawn(crowd, CH_ANY_DOMAIN, spawns_more, (void *)(n - 1));
  EXPECT(a && b && ch_task_join(a, &r) == 0);
  sum += r;
  EXPECT(ch_task_join(b, &r) == 0);
  return sum + r;
}
TEST(tasks_of_tasks_over_all_domains_are_all_counted) {
  intptr_t n;
  crowd = ch_domains_start(N, NULL);
  EXPECT(ch_task_join(ch_domain_spawn(crowd, 0, spawns_more, (void *)10), &n) == 0 && n == 2047);
  EXPECT(ch_domains_end(crowd, 0) == 0);
}

/* ---- locks that domains share: several activities in each ---- */

enum { ROUNDS = 200, EACH = 3 };
static ch_mutex shared_mutex;
static ch_rwlock shared_rwlock;
static ch_permits shared_permits;
static ch_cond shared_cond;
static ch_barrier shared_barrier;
static ch_latch shared_latch;
static ch_once shared_once;
static long by_mutex, by_rwlock, set_up_times, items, taken, last_ones, cancelled_locks;
static _Atomic int inside;

static int set_up_once(void *unused) {
  ch_sleep(MS);
  set_up_times++;
  return 0;
}

static void use_all(int number) {
  EXPECT(ch_once_run(&shared_once, set_up_once, NULL) == 0 && set_up_times == 1);
  for (int i = 0; i < ROUNDS; i++) {
    int limited = (i + number) % 7 == 0, r;
    within(limited ? 1000 : CH_FOREVER) do { /* some are cancelled while they wait, or just have it */
      r = ch_lock(&shared_mutex);
      if (r == 0) {
        by_mutex++;
        if (i % 16 == 0)
          ch_sleep(10);
        EXPECT(ch_unlock(&shared_mutex) == 0);
      }
    }
    finish;
    EXPECT(r == 0 || (limited && r == ECANCELED));
    __atomic_add_fetch(&cancelled_locks, r != 0, __ATOMIC_RELAXED);
    if (i % 4 == 0) {
      EXPECT(ch_write_lock(&shared_rwlock) == 0);
      by_rwlock++;
    } else {
      EXPECT(ch_read_lock(&shared_rwlock) == 0);
      EXPECT(by_rwlock >= 0);
    }
    EXPECT(ch_rw_unlock(&shared_rwlock) == 0);
    EXPECT(ch_permits_take(&shared_permits, 2) == 0 && (inside += 2) <= 5);
    inside -= 2;
    EXPECT(ch_permits_give(&shared_permits, 2) == 0);
    EXPECT(ch_lock(&shared_mutex) == 0);
    if (number % 2 == 0) {
      items++;
      ch_cond_signal(&shared_cond);
    } else {
      while (items == taken)
        EXPECT(ch_cond_wait(&shared_cond, &shared_mutex) == 0);
      taken++;
    }
    EXPECT(ch_unlock(&shared_mutex) == 0);
    if (i % 20 == 0)
      __atomic_add_fetch(&last_ones, ch_barrier_wait(&shared_barrier) == CH_BARRIER_LAST, __ATOMIC_RELAXED);
  }
  EXPECT(ch_latch_done(&shared_latch) == 0);
}
static intptr_t use_all_here(void *unused) {
  int base = ch_domain_index() * EACH;
  do
    for (int i = 0; i < EACH; i++)
      async(i) { use_all(base + i); }
  finish;
  return 0;
}

TEST(locks_that_are_shared_exclude_count_and_signal_between_domains) {
  enum { DOMAINS = 4 };
  ch_mutex_init(&shared_mutex, CH_SHARED);
  ch_rwlock_init(&shared_rwlock, CH_SHARED);
  ch_permits_init(&shared_permits, 5, CH_SHARED);
  ch_cond_init(&shared_cond, CH_SHARED);
  ch_barrier_init(&shared_barrier, DOMAINS * EACH, CH_SHARED);
  ch_latch_init(&shared_latch, DOMAINS * EACH, CH_SHARED);
  ch_once_init(&shared_once, CH_SHARED);
  ch_domains *d = ch_domains_start(DOMAINS, NULL);
  for (unsigned i = 0; i < DOMAINS; i++)
    ch_task_detach(ch_domain_spawn(d, i, use_all_here, NULL));
  EXPECT(ch_latch_wait(&shared_latch) == 0);
  EXPECT(ch_domains_end(d, 0) == 0);
  EXPECT(by_mutex + cancelled_locks == DOMAINS * EACH * ROUNDS && by_rwlock == DOMAINS * EACH * ROUNDS / 4);
  EXPECT(items == taken && items == DOMAINS * EACH * ROUNDS / 2 && last_ones == ROUNDS / 20);
  EXPECT(ch_mutex_destroy(&shared_mutex) == 0 && ch_rwlock_destroy(&shared_rwlock) == 0 &&
         ch_cond_destroy(&shared_cond) == 0);
  EXPECT(ch_permits_destroy(&shared_permits) == 0 && ch_barrier_destroy(&shared_barrier) == 0);
}

static ch_activity of_main;
static intptr_t waits_for_it(void *unused) { return ch_activity_wait(&of_main); }
static intptr_t waits_for_it_in_a_clause(void *unused) {
  waituntil(ch_activity_wait(&of_main)) return 1;
  or waituntil(ch_sleep(1000)) return 2;
  return 3;
}
static intptr_t cancels_it(void *unused) { return ch_activity_cancel(&of_main); }
static intptr_t detaches_it(void *unused) { return ch_activity_detach(&of_main); }
static void in_another_domain(intptr_t (*misuse)(void *)) {
  activate[&of_main] { ch_sleep(CH_FOREVER); }
  ch_reschedule();
  ch_task_join(ch_domain_spawn(ch_domains_start(1, NULL), 0, misuse, NULL), NULL);
}
static const char of_another[] = "is that of another domain's activity";
TEST_EXITS(a_handle_that_another_domain_waits_for_is_reported, CH_EXIT_MISUSE, of_another) {
  in_another_domain(waits_for_it);
}
TEST_EXITS(a_handle_in_a_clause_of_another_domain_is_reported, CH_EXIT_MISUSE, of_another) {
  in_another_domain(waits_for_it_in_a_clause);
}
TEST_EXITS(a_handle_that_another_domain_cancels_is_reported, CH_EXIT_MISUSE, of_another) {
  in_another_domain(cancels_it);
}
TEST_EXITS(a_handle_that_another_domain_detaches_is_reported, CH_EXIT_MISUSE, of_another) {
  in_another_domain(detaches_it);
}

static ch_scope *scope_of_main;
static intptr_t cancels_the_scope(void *unused) { return ch_scope_cancel(scope_of_main), 0; }
static intptr_t moves_its_deadline(void *unused) { return ch_deadline_move(scope_of_main, ch_now()); }
static intptr_t spawns_into_it(void *unused) {
  activate[ch_in(scope_of_main)] ch_reschedule();
  return 0;
}
static void on_a_scope_of_main(unsigned where, intptr_t (*use)(void *)) {
  ch_domains *d = ch_domains_start(2, NULL);
  do {
    scope_of_main = ch_scope_here();
    async ch_task_join(ch_domain_spawn(d, where, use, NULL), NULL);
  }
  finish;
  ch_domains_end(d, 0);
}
static const char scope_of_another[] = "sets_of_domains.c:410 is another domain's";
TEST_EXITS(a_scope_that_another_domain_cancels_is_reported, CH_EXIT_MISUSE, scope_of_another) {
  on_a_scope_of_main(1, cancels_the_scope);
}
TEST_EXITS(a_scope_whose_deadline_another_domain_moves_is_reported, CH_EXIT_MISUSE, scope_of_another) {
  on_a_scope_of_main(1, moves_its_deadline);
}
TEST_EXITS(a_scope_into_which_another_domain_spawns_is_reported, CH_EXIT_MISUSE, scope_of_another) {
  on_a_scope_of_main(1, spawns_into_it);
}

static ch_mutex local_mutex;
static intptr_t takes_a_local_one(void *unused) { return ch_lock(&local_mutex); }
TEST_EXITS(a_local_lock_that_another_domain_uses_is_reported, CH_EXIT_MISUSE,
           "is local to the domain that has used it first") {
  EXPECT(ch_lock(&local_mutex) == 0 && ch_unlock(&local_mutex) == 0);
  ch_domains *d = ch_domains_start(1, NULL);
  ch_task_join(ch_domain_spawn(d, 0, takes_a_local_one, NULL), NULL);
}

/* ---- semaphores whose letter is under way ---- */

struct call {
  int (*fn)(ch_sem *);
  ch_sem *s;
  int result, made;
};
static void *make_call(void *of) {
  struct call *c = of;
  c->result = c->fn(c->s);
  __atomic_store_n(&c->made, 1, __ATOMIC_RELEASE);
  return NULL;
}
/* This domain does not open its letters meanwhile, nor anywhere else in an atomic block. */
atomic static int let_another_thread(int (*fn)(ch_sem *), ch_sem *s) {
  static struct call c;
  pthread_t thread;
  c = (struct call){fn, s, 0, 0};
  EXPECT(pthread_create(&thread, NULL, make_call, &c) == 0 && pthread_detach(thread) == 0);
  while (!__atomic_load_n(&c.made, __ATOMIC_ACQUIRE))
    ;
  return c.result;
}
static ch_sem *new_semaphore(void) {
  ch_sem *s = malloc(sizeof *s);
  ch_sem_init(s, 0);
  return s;
}

TEST(a_unit_under_way_is_had_before_its_semaphore_is_destroyed) {
  ch_sem *s = new_semaphore();
  int first = -1, second = -1;
  do {
    async first = ch_sem_wait(s);
    async second = ch_sem_wait(s);
    atomic {
      EXPECT(let_another_thread(ch_sem_post, s) == 0);
      EXPECT(ch_sem_destroy(s) == EBUSY);
    }
    free(s);
  }
  finish;
  EXPECT(first == 0 && second == ECANCELED);
}

TEST(a_semaphore_is_destroyed_with_its_letter_when_who_waited_has_given_up) {
  ch_sem *s = new_semaphore();
  int result = -1;
  do {
    async result = ch_sem_wait(s);
    atomic {
      EXPECT(let_another_thread(ch_sem_post, s) == 0);
      cancel;
      EXPECT(ch_sem_destroy(s) == 0);
    }
    memset(s, 0x55, sizeof *s);
    free(s);
  }
  finish;
  EXPECT(result == ECANCELED && ch_sleep(1000000) == 0);
}

TEST(a_semaphore_with_a_letter_to_another_domain_is_not_destroyed) {
  ch_sem s = CH_SEM_INIT(0);
  do {
    async ch_sem_wait(&s);
    atomic {
      EXPECT(let_another_thread(ch_sem_post, &s) == 0);
      cancel;
      EXPECT(let_another_thread(ch_sem_destroy, &s) == EPERM);
    }
  }
  finish;
  int result;
  while ((result = ch_sem_trywait(&s)) == EAGAIN) /* the letter is opened while this domain sleeps */
    ch_sleep(1000000);
  EXPECT(result == 0 && ch_sem_destroy(&s) == 0);
}

/* ---- the end of a task in a statement ---- */

static intptr_t waits_for_one(void *semaphore) { return ch_sem_wait(semaphore) + 3; }
TEST(the_end_of_a_task_is_one_clause_of_several) {
  ch_domains *d = ch_domains_start(2, NULL);
  ch_sem lets_go[2] = {CH_SEM_INIT(0), CH_SEM_INIT(0)};
  ch_task *tasks[2];
  intptr_t r = -7;
  int body = 0, ends = 0, error = -1;
  for (unsigned i = 0; i < 2; i++)
    tasks[i] = ch_domain_spawn(d, i, waits_for_one, &lets_go[i]);
  waituntil(ch_task_join(tasks[0], &r)) body = 1;
  or waituntil(ch_sleep(MS)) body = 2;
  EXPECT(body == 2 && r == -7);
  waituntil(ch_task_join(tasks[0], &r)) body = 3;
  else body = 4;
  EXPECT(body == 4);
  ch_sem_post(&lets_go[1]);
  waituntil(ch_task_join(tasks[0], &r)) body = 5;
  or waituntil(error = ch_task_join(tasks[1], &r)) body = 6;
  EXPECT(body == 6 && error == 0 && r == 3);
  do {
    async {
      waituntil(ch_task_join(tasks[0], &r)) EXPECT(0);
      or waituntil(ch_sleep(CH_FOREVER)) EXPECT(0);
    }
    cancel;
  }
  finish;
  tasks[1] = ch_domain_spawn(d, 1, at_once, (void *)8);
  ch_sem_post(&lets_go[0]);
  intptr_t of[2];
  waituntil(ch_task_join(tasks[0], &of[0])) ends++;
  and waituntil(ch_task_join(tasks[1], &of[1])) ends++;
  EXPECT(ends == 2 && of[0] == 3 && of[1] == 9);
  EXPECT(ch_domains_end(d, 0) == 0);
}

/* The end of a task races with a unit that was posted before it; whichever loses is still there. */
static intptr_t posts(void *semaphore) { return ch_sem_post(semaphore) + 1; }
TEST(an_end_of_a_task_that_is_not_selected_is_kept) {
  enum { ROUNDS = 300 };
  ch_domains *d = ch_domains_start(1, NULL);
  static ch_sem unit = CH_SEM_INIT(0);
  int first[2] = {0, 0};
  for (int i = 0; i < ROUNDS; i++) {
    ch_task *t = ch_domain_spawn(d, 0, posts, &unit);
    intptr_t r = 0;
    int one = 0;
    when(i % 2) waituntil(ch_task_join(t, &r)) one = 1;
    or waituntil(ch_sem_wait(&unit)) one = 2;
    or when(i % 2 == 0) waituntil(ch_task_join(t, &r)) one = 1;
    first[one - 1]++;
    EXPECT(one == 1 ? ch_sem_wait(&unit) == 0 : ch_task_join(t, &r) == 0);
    EXPECT(r == 1 && ch_sem_trywait(&unit) == EAGAIN);
  }
  EXPECT(first[0] + first[1] == ROUNDS && first[1] > 0);
  EXPECT(ch_domains_end(d, 0) == 0);
}

static intptr_t joins_itself_in_a_statement(void *to) {
  int error = 0;
  ch_sem_wait(&began);
  waituntil(error = ch_task_join(*(ch_task **)to, NULL)) return error;
  or waituntil(ch_sleep(CH_FOREVER)) return 0;
  return -1;
}
TEST(a_task_does_not_wait_for_its_own_end_in_a_statement) {
  static ch_task *t;
  ch_domains *d = ch_domains_start(1, NULL);
  intptr_t r;
  t = ch_domain_spawn(d, 0, joins_itself_in_a_statement, &t);
  ch_sem_post(&began);
  EXPECT(ch_task_join(t, &r) == 0 && r == EDEADLK && ch_domains_end(d, 0) == 0);
}

static void waits_and_ends(void *semaphore) { ch_sem_wait(semaphore); }
TEST(the_end_of_a_domain_is_one_clause_of_several) {
  static ch_sem lets_go[2] = {CH_SEM_INIT(0), CH_SEM_INIT(0)};
  ch_thread threads[2];
  int body = 0, ends = 0, error = -1;
  for (int i = 0; i < 2; i++)
    EXPECT(ch_domain_start(&threads[i], waits_and_ends, &lets_go[i]) == 0);
  waituntil(ch_domain_join(&threads[0])) body = 1;
  or waituntil(ch_sleep(MS)) body = 2;
  EXPECT(body == 2);
  waituntil(ch_domain_join(&threads[0])) body = 3;
  else body = 4;
  EXPECT(body == 4);
  ch_sem_post(&lets_go[1]);
  waituntil(ch_domain_join(&threads[0])) body = 5;
  or waituntil(error = ch_domain_join(&threads[1])) body = 6;
  EXPECT(body == 6 && error == 0);
  do {
    async {
      waituntil(ch_domain_join(&threads[0])) EXPECT(0);
      or waituntil(ch_sleep(CH_FOREVER)) EXPECT(0);
    }
    cancel;
  }
  finish;
  ch_sem_post(&lets_go[0]);
  ch_sem_post(&lets_go[1]);
  EXPECT(ch_domain_start(&threads[1], waits_and_ends, &lets_go[1]) == 0);
  waituntil(ch_domain_join(&threads[0])) ends++;
  and waituntil(ch_domain_join(&threads[1])) ends++;
  EXPECT(ends == 2);
}
