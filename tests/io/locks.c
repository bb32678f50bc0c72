/* Tests pthread locks between activities of one thread, and between these and real threads: mutual exclusion holds, no
 * waiter spins, and none is forgotten. */
#include "harness.h"
#include <malloc.h>
#include <pthread.h>
#include <sched.h>
#include <semaphore.h>
#include <signal.h>
#include <sys/resource.h>
#include <threads.h>
#include <time.h>

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static int inside, most, total;

static void use(pthread_mutex_t *mutex, int times) {
  for (int i = 0; i < times; i++) {
    EXPECT(pthread_mutex_lock(mutex) == 0);
    if (++inside > most)
      most = inside;
    ch_sleep(20000); /* with the lock held */
    total++;
    inside--;
    EXPECT(pthread_mutex_unlock(mutex) == 0);
  }
}
static void exclude_each_other(pthread_mutex_t *mutex) {
  ch_activity all[20];
  for (int i = 0; i < 20; i++)
    activate[&all[i]] { use(mutex, 10); }
  for (int i = 0; i < 20; i++)
    ch_activity_wait(&all[i]);
  EXPECT(most == 1 && total == 200 && inside == 0);
}
TEST(a_mutex_excludes_activities_of_one_thread) { exclude_each_other(&m); }

static pthread_mutex_t of_kind(int kind) {
  pthread_mutex_t made;
  pthread_mutexattr_t a;
  pthread_mutexattr_init(&a);
  pthread_mutexattr_settype(&a, kind);
  pthread_mutex_init(&made, &a);
  return made;
}
TEST(a_recursive_mutex_excludes_them_too) {
  m = of_kind(PTHREAD_MUTEX_RECURSIVE);
  exclude_each_other(&m);
}
TEST(an_error_checking_mutex_excludes_them_too) {
  m = of_kind(PTHREAD_MUTEX_ERRORCHECK);
  exclude_each_other(&m);
}
TEST(a_recursive_mutex_lets_its_own_activity_in) {
  m = of_kind(PTHREAD_MUTEX_RECURSIVE);
  EXPECT(pthread_mutex_lock(&m) == 0 && pthread_mutex_lock(&m) == 0);
  int in = 0;
  ch_activity other;
  activate[&other] {
    EXPECT(pthread_mutex_trylock(&m) == EBUSY);
    EXPECT(pthread_mutex_unlock(&m) == EPERM);
    EXPECT(pthread_mutex_lock(&m) == 0);
    in = 1;
    EXPECT(pthread_mutex_unlock(&m) == 0);
  }
  ch_sleep(1000000);
  EXPECT(!in && pthread_mutex_unlock(&m) == 0);
  ch_sleep(1000000);
  EXPECT(!in && pthread_mutex_unlock(&m) == 0);
  ch_activity_wait(&other);
  EXPECT(in);
}
TEST(an_error_checking_mutex_tells_its_own_activity_from_others) {
  m = of_kind(PTHREAD_MUTEX_ERRORCHECK);
  EXPECT(pthread_mutex_lock(&m) == 0 && pthread_mutex_lock(&m) == EDEADLK);
  EXPECT(pthread_mutex_unlock(&m) == 0 && pthread_mutex_unlock(&m) == EPERM);
}

/* ---- with real threads ---- */

static int counter;
static void *thread_counts(void *unused) {
  for (int i = 0; i < 300; i++) {
    pthread_mutex_lock(&m);
    int seen = counter;
    if (i % 10 == 0)
      sched_yield();
    counter = seen + 1;
    pthread_mutex_unlock(&m);
  }
  return unused;
}
TEST(threads_and_activities_share_a_mutex) {
  pthread_t t[3];
  ch_activity a[5];
  for (int i = 0; i < 3; i++)
    EXPECT(pthread_create(&t[i], NULL, thread_counts, NULL) == 0);
  for (int i = 0; i < 5; i++)
    activate[&a[i]] {
      for (int k = 0; k < 300; k++) {
        pthread_mutex_lock(&m);
        int seen = counter;
        if (k % 50 == 0)
          ch_sleep(10000);
        counter = seen + 1;
        pthread_mutex_unlock(&m);
      }
    }
  for (int i = 0; i < 5; i++)
    ch_activity_wait(&a[i]);
  for (int i = 0; i < 3; i++)
    EXPECT(pthread_join(t[i], NULL) == 0);
  EXPECT(counter == 8 * 300);
}

static pthread_cond_t not_empty = PTHREAD_COND_INITIALIZER, not_full = PTHREAD_COND_INITIALIZER;
static int items, taken[8];
static const struct timespec *limit;
static void wait_on(pthread_cond_t *c) {
  EXPECT((limit ? pthread_cond_timedwait(c, &m, limit) : pthread_cond_wait(c, &m)) == 0);
}
static void put(int n) {
  for (int i = 0; i < n; i++) {
    pthread_mutex_lock(&m);
    while (items == 3)
      wait_on(&not_full);
    items++;
    pthread_cond_signal(&not_empty);
    pthread_mutex_unlock(&m);
  }
}
static void take(int n, int *to) {
  for (int i = 0; i < n; i++) {
    pthread_mutex_lock(&m);
    while (items == 0)
      wait_on(&not_empty);
    items--;
    pthread_cond_signal(&not_full);
    pthread_mutex_unlock(&m);
    ++*to;
  }
}
static void *thread_puts(void *unused) { return put(200), unused; }
static void *thread_takes(void *to) { return take(200, to), to; }
static void bounded_buffer(void) {
  pthread_t t[4];
  ch_activity a[4];
  for (int i = 0; i < 2; i++) {
    EXPECT(pthread_create(&t[i], NULL, thread_puts, NULL) == 0);
    EXPECT(pthread_create(&t[2 + i], NULL, thread_takes, &taken[i]) == 0);
    activate[&a[i]] { put(200); }
    activate[&a[2 + i]](i) { take(200, &taken[2 + i]); }
  }
  for (int i = 0; i < 4; i++)
    ch_activity_wait(&a[i]);
  for (int i = 0; i < 4; i++)
    EXPECT(pthread_join(t[i], NULL) == 0);
  EXPECT(items == 0 && taken[0] + taken[1] + taken[2] + taken[3] == 800);
  EXPECT(pthread_cond_destroy(&not_empty) == 0 && pthread_cond_destroy(&not_full) == 0);
}
TEST(threads_and_activities_share_a_bounded_buffer) { bounded_buffer(); }
TEST(and_with_a_recursive_mutex) {
  m = of_kind(PTHREAD_MUTEX_RECURSIVE);
  bounded_buffer();
}

TEST(and_with_a_limit) {
  struct timespec until;
  clock_gettime(CLOCK_REALTIME, &until);
  until.tv_sec += 100;
  limit = &until;
  m = of_kind(PTHREAD_MUTEX_RECURSIVE);
  bounded_buffer();
}

TEST(activities_alone_wait_for_conditions) {
  ch_activity a[50];
  int go = 0, gone = 0;
  for (int i = 0; i < 50; i++)
    activate[&a[i]] {
      pthread_mutex_lock(&m);
      while (!go)
        pthread_cond_wait(&not_empty, &m);
      gone++;
      pthread_mutex_unlock(&m);
    }
  ch_sleep(5000000);
  EXPECT(gone == 0);
  pthread_mutex_lock(&m);
  go = 1;
  pthread_cond_broadcast(&not_empty);
  pthread_mutex_unlock(&m);
  for (int i = 0; i < 50; i++)
    ch_activity_wait(&a[i]);
  EXPECT(gone == 50);
}

TEST(a_condition_is_waited_for_until_a_time) {
  struct timespec t;
  ch_activity a[10];
  for (int i = 0; i < 10; i++)
    activate[&a[i]] {
      clock_gettime(CLOCK_REALTIME, &t);
      t.tv_nsec += 20000000;
      if (t.tv_nsec >= 1000000000)
        t.tv_sec++, t.tv_nsec -= 1000000000;
      struct timespec mine = t;
      pthread_mutex_lock(&m);
      int r;
      while ((r = pthread_cond_timedwait(&not_empty, &m, &mine)) == 0)
        ;
      EXPECT(r == ETIMEDOUT);
      pthread_mutex_unlock(&m);
    }
  for (int i = 0; i < 10; i++)
    ch_activity_wait(&a[i]);
  EXPECT(pthread_cond_destroy(&not_empty) == 0 && pthread_mutex_destroy(&m) == 0);
}

static int ticks;
static void *holds_for_a_while(void *s) {
  pthread_mutex_lock(&m);
  sem_post(s);
  usleep(300000);
  for (int i = 0; i < 3000 && __atomic_load_n(&ticks, __ATOMIC_RELAXED) < 3; i++)
    usleep(10000);
  pthread_mutex_unlock(&m);
  return NULL;
}
TEST(waiting_for_a_thread_costs_no_time) {
  sem_t s;
  pthread_t t;
  struct rusage before, after;
  sem_init(&s, 0, 0);
  EXPECT(pthread_create(&t, NULL, holds_for_a_while, &s) == 0);
  EXPECT(sem_wait(&s) == 0);
  static int over; /* the activity may outlive this function */
  activate {
    while (!over)
      ch_sleep(10000000), __atomic_add_fetch(&ticks, 1, __ATOMIC_RELAXED);
  }
  getrusage(RUSAGE_SELF, &before);
  EXPECT(pthread_mutex_lock(&m) == 0);
  getrusage(RUSAGE_SELF, &after);
  over = 1;
  EXPECT(ticks >= 3); /* others went on */
  EXPECT((after.ru_utime.tv_sec - before.ru_utime.tv_sec) * 1000000 + after.ru_utime.tv_usec - before.ru_utime.tv_usec <
         150000);
  EXPECT(pthread_mutex_unlock(&m) == 0 && pthread_join(t, NULL) == 0);
}

static int compare_unlocks(const void *a, const void *b) {
  (void)a, (void)b;
  if (inside) {
    inside = 0;
    pthread_mutex_unlock(&m); /* in plain code: the replacement does not see it */
  }
  return 0;
}
TEST(an_unlock_in_plain_code_is_noticed) {
  int got = 0, data[4] = {1, 2, 3, 4};
  pthread_mutex_lock(&m);
  inside = 1;
  ch_activity other;
  activate[&other] {
    pthread_mutex_lock(&m);
    got = 1;
    pthread_mutex_unlock(&m);
  }
  ch_sleep(1000000);
  qsort(data, 4, sizeof *data, compare_unlocks);
  ch_activity_wait(&other);
  EXPECT(got);
}

/* Two threads and two activities: the first thread holds the mutex, an activity waits for it, and then the second
 * thread. The first gives it back, for which the kernel wakes the activity's domain; but there the other activity has
 * it by then, by trylock. The second thread must not be forgotten by that. */
static _Atomic int may_wait, may_give_back, waited;
static void *holds(void *held) {
  EXPECT(pthread_mutex_lock(&m) == 0 && sem_post(held) == 0);
  while (!may_give_back)
    sched_yield();
  EXPECT(pthread_mutex_unlock(&m) == 0);
  return NULL;
}
static void *waits_behind(void *unused) {
  while (!may_wait)
    usleep(1000);
  EXPECT(pthread_mutex_lock(&m) == 0 && pthread_mutex_unlock(&m) == 0);
  waited = 1;
  return unused;
}
TEST(a_thread_is_not_forgotten_when_a_trylock_is_quicker_than_the_woken) {
  pthread_t first, second;
  sem_t held;
  ch_activity waiter;
  sem_init(&held, 0, 0);
  EXPECT(pthread_create(&first, NULL, holds, &held) == 0 && pthread_create(&second, NULL, waits_behind, NULL) == 0);
  EXPECT(sem_wait(&held) == 0);
  activate[&waiter] { EXPECT(pthread_mutex_lock(&m) == 0 && pthread_mutex_unlock(&m) == 0); }
  ch_sleep(20000000); /* the activity is in the kernel's list of waiters */
  may_wait = 1;
  ch_sleep(50000000); /* and the thread behind it */
  may_give_back = 1;
  for (int64_t end = ch_now() + 5000000; pthread_mutex_trylock(&m) != 0;)
    if (ch_now() > end)
      ch_sleep(100000); /* it was not quicker this time */
  ch_sleep(5000000);
  EXPECT(pthread_mutex_unlock(&m) == 0);
  ch_activity_wait(&waiter);
  for (int i = 0; i < 10000 && !waited; i++)
    ch_sleep(1000000);
  EXPECT(waited);
  EXPECT(pthread_join(first, NULL) == 0 && pthread_join(second, NULL) == 0);
}

TEST(readers_and_writers) {
  static pthread_rwlock_t l = PTHREAD_RWLOCK_INITIALIZER;
  ch_activity a[12];
  int readers = 0, together = 0, writing = 0;
  for (int i = 0; i < 12; i++)
    activate[&a[i]](i) {
      if (i % 4 == 3) {
        EXPECT(pthread_rwlock_wrlock(&l) == 0);
        EXPECT(readers == 0 && !writing);
        writing = 1;
        ch_sleep(100000);
        writing = 0;
      } else {
        EXPECT(pthread_rwlock_rdlock(&l) == 0);
        EXPECT(!writing);
        if (++readers > together)
          together = readers;
        ch_sleep(100000);
        readers--;
      }
      EXPECT(pthread_rwlock_unlock(&l) == 0);
    }
  for (int i = 0; i < 12; i++)
    ch_activity_wait(&a[i]);
  EXPECT(together > 1);
}

TEST(semaphores_and_barriers_between_activities) {
  static sem_t s;
  static pthread_barrier_t b;
  ch_activity a[8];
  int passed = 0, serial = 0;
  sem_init(&s, 0, 0);
  pthread_barrier_init(&b, NULL, 8);
  for (int i = 0; i < 8; i++)
    activate[&a[i]] {
      if (pthread_barrier_wait(&b) == PTHREAD_BARRIER_SERIAL_THREAD)
        serial++;
      EXPECT(sem_wait(&s) == 0);
      passed++;
      sem_post(&s);
    }
  ch_sleep(3000000);
  EXPECT(passed == 0);
  sem_post(&s);
  for (int i = 0; i < 8; i++)
    ch_activity_wait(&a[i]);
  EXPECT(passed == 8 && serial == 1);
}

/* The thread's wait ends only when the handler has returned. By then the time is over, but the lock is free. */
static struct timespec time_over;
static int handled, is_given;
enum { IN_TIME = 1, TOO_LATE }; /* too late: the time was over before the handler ran, on a busy machine */
static void waits_until_it_is_given(int signal) {
  struct timespec now, t = {0, 1000000};
  (void)signal;
  clock_gettime(CLOCK_REALTIME, &now);
  int late = now.tv_sec > time_over.tv_sec || (now.tv_sec == time_over.tv_sec && now.tv_nsec >= time_over.tv_nsec);
  __atomic_store_n(&handled, late ? TOO_LATE : IN_TIME, __ATOMIC_SEQ_CST);
  while (!__atomic_load_n(&is_given, __ATOMIC_SEQ_CST))
    nanosleep(&t, NULL);
}
static pthread_rwlock_t late_rw = PTHREAD_RWLOCK_INITIALIZER;
static pthread_mutex_t late_mutex = PTHREAD_MUTEX_INITIALIZER;
static int reads_in_time(const struct timespec *t) { return pthread_rwlock_timedrdlock(&late_rw, t); }
static int writes_in_time(const struct timespec *t) { return pthread_rwlock_timedwrlock(&late_rw, t); }
static int locks_in_time(const struct timespec *t) { return pthread_mutex_timedlock(&late_mutex, t); }
static void *waits_in_time(void *call) {
  int result = ((int (*)(const struct timespec *))call)(&time_over), not_handled = 0;
  __atomic_compare_exchange_n(&handled, &not_handled, TOO_LATE, 0, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST);
  while (!__atomic_load_n(&is_given, __ATOMIC_SEQ_CST)) /* the signal may still come */
    usleep(1000);
  return (void *)(intptr_t)result;
}
static int gives_rw(void) { return pthread_rwlock_unlock(&late_rw); }
static int gives_mutex(void) { return pthread_mutex_unlock(&late_mutex); }
TEST(what_is_free_when_a_handler_returns_is_taken_though_the_time_is_over) {
  static const struct {
    int (*take)(const struct timespec *);
    int (*give)(void);
  } calls[] = {{reads_in_time, gives_rw}, {writes_in_time, gives_rw}, {locks_in_time, gives_mutex}};
  struct sigaction a = {.sa_handler = waits_until_it_is_given, .sa_flags = SA_RESTART};
  sigaction(SIGUSR1, &a, NULL);
  for (int i = 0; i < 3; i++) {
    pthread_t thread;
    void *result;
    handled = is_given = 0;
    clock_gettime(CLOCK_REALTIME, &time_over);
    time_over.tv_nsec += 60000000;
    if (time_over.tv_nsec >= 1000000000)
      time_over.tv_sec++, time_over.tv_nsec -= 1000000000;
    EXPECT(i > 1 || pthread_rwlock_wrlock(&late_rw) == 0);
    EXPECT(i != 2 || pthread_mutex_lock(&late_mutex) == 0);
    EXPECT(pthread_create(&thread, NULL, waits_in_time, (void *)calls[i].take) == 0);
    usleep(20000);
    EXPECT(pthread_kill(thread, SIGUSR1) == 0);
    while (!__atomic_load_n(&handled, __ATOMIC_SEQ_CST))
      usleep(100);
    usleep(70000);
    EXPECT(calls[i].give() == 0);
    __atomic_store_n(&is_given, 1, __ATOMIC_SEQ_CST);
    EXPECT(pthread_join(thread, &result) == 0);
    EXPECT(result == (void *)0 || (handled == TOO_LATE && result == (void *)ETIMEDOUT));
    late_mutex = (pthread_mutex_t)PTHREAD_MUTEX_INITIALIZER;
    late_rw = (pthread_rwlock_t)PTHREAD_RWLOCK_INITIALIZER; /* the thread has it still */
    i -= handled == TOO_LATE;                               /* once more */
  }
}

static void *takes_each(void *none) {
  static pthread_rwlock_t l = PTHREAD_RWLOCK_INITIALIZER;
  EXPECT(pthread_rwlock_rdlock(&l) == 0 && pthread_rwlock_unlock(&l) == 0);
  EXPECT(pthread_mutex_lock(&late_mutex) == 0 && pthread_mutex_unlock(&late_mutex) == 0);
  return none;
}
static size_t after_threads(int n) {
  while (n-- > 0) {
    pthread_t thread;
    EXPECT(pthread_create(&thread, NULL, takes_each, NULL) == 0 && pthread_join(thread, NULL) == 0);
  }
  return mallinfo2().uordblks;
}
TEST(a_thread_that_has_taken_locks_leaves_no_memory) {
  size_t before = after_threads(20);
  EXPECT(after_threads(200) < before + (size_t)200 * 100);
}

/* ---- in plain code: a comparison that the C library's qsort calls ---- */

static void (*to_do)(void);
static int compare_does_it(const void *a, const void *b) {
  void (*now)(void) = to_do;
  (void)a, (void)b;
  to_do = NULL;
  if (now)
    now();
  return 0;
}
static void in_plain_code(void (*what)(void)) {
  int data[2] = {1, 2};
  to_do = what;
  qsort(data, 2, sizeof *data, compare_does_it);
  EXPECT(!to_do);
}

static pthread_rwlock_t rw = PTHREAD_RWLOCK_INITIALIZER;
static void reads(void) { EXPECT(pthread_rwlock_rdlock(&rw) == 0 && !inside && pthread_rwlock_unlock(&rw) == 0); }
static void writes(void) { EXPECT(pthread_rwlock_wrlock(&rw) == 0 && !inside && pthread_rwlock_unlock(&rw) == 0); }
TEST(plain_code_waits_for_an_rwlock_of_its_domain) {
  for (int i = 0; i < 4; i++) {
    ch_activity other;
    activate[&other](i) {
      EXPECT((i < 3 ? pthread_rwlock_wrlock(&rw) : pthread_rwlock_rdlock(&rw)) == 0);
      inside = 1;
      ch_sleep(1000000);
      inside = 0;
      EXPECT(pthread_rwlock_unlock(&rw) == 0);
    }
    while (!inside)
      ch_reschedule();
    in_plain_code(i == 0 ? reads : writes);
    EXPECT(!inside);
    ch_activity_wait(&other);
  }
}

static void gives_back(void) { EXPECT(pthread_rwlock_unlock(&rw) == 0); }
TEST(an_rwlock_given_back_in_plain_code_is_free) {
  for (int i = 0; i < 4; i++) {
    int got = 0;
    ch_activity other;
    EXPECT((i % 2 ? pthread_rwlock_wrlock(&rw) : pthread_rwlock_rdlock(&rw)) == 0);
    activate[&other] {
      EXPECT(pthread_rwlock_wrlock(&rw) == 0);
      got = 1;
      EXPECT(pthread_rwlock_unlock(&rw) == 0);
    }
    ch_sleep(100000);
    EXPECT(!got);
    if (i < 2)
      in_plain_code(gives_back);
    else
      atomic gives_back();
    EXPECT(pthread_rwlock_wrlock(&rw) == 0); /* and is not taken for one that this activity still has */
    EXPECT(got && pthread_rwlock_unlock(&rw) == 0);
    ch_activity_wait(&other);
  }
}

/* Its sem_wait, which knows of no activities, stands before all others. */
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer) || __has_feature(memory_sanitizer)
enum { wrapped_by_a_sanitizer = 1 };
#else
enum { wrapped_by_a_sanitizer = 0 };
#endif

static sem_t posted;
static pthread_barrier_t two;
static void takes_a_unit(void) { EXPECT(sem_wait(&posted) == 0); }
static void arrives(void) {
  int r = pthread_barrier_wait(&two);
  EXPECT(r == 0 || r == PTHREAD_BARRIER_SERIAL_THREAD);
}
TEST(plain_code_waits_for_a_semaphore_and_a_barrier_of_its_domain) {
  ch_activity other;
  sem_init(&posted, 0, 0);
  pthread_barrier_init(&two, NULL, 2);
  activate[&other] {
    ch_sleep(1000000);
    if (!wrapped_by_a_sanitizer)
      EXPECT(sem_post(&posted) == 0);
    arrives();
  }
  if (!wrapped_by_a_sanitizer)
    in_plain_code(takes_a_unit);
  in_plain_code(arrives);
  ch_activity_wait(&other);
}

/* ---- trying in plain code, for which the C library takes all activities of a thread for one owner ---- */

static int got;
static void tries(void) { got = pthread_mutex_trylock(&m); }
static void gives_back_the_mutex(void) { got = pthread_mutex_unlock(&m); }
static int in_this_way(int by_callback, void (*what)(void)) {
  if (by_callback)
    in_plain_code(what);
  else
    atomic what();
  return got;
}
static void has_one_owner(int kind, int by_callback) {
  ch_activity other;
  m = of_kind(kind);
  EXPECT(pthread_mutex_lock(&m) == 0);
  activate[&other] {
    EXPECT(in_this_way(by_callback, tries) == EBUSY);
    EXPECT(in_this_way(by_callback, gives_back_the_mutex) == EPERM);
  }
  ch_activity_wait(&other);
  EXPECT(in_this_way(by_callback, tries) == (kind == PTHREAD_MUTEX_RECURSIVE ? 0 : EBUSY));
  if (kind == PTHREAD_MUTEX_RECURSIVE)
    EXPECT(in_this_way(by_callback, gives_back_the_mutex) == 0);
  EXPECT(in_this_way(by_callback, gives_back_the_mutex) == 0);
  activate[&other] {
    EXPECT(in_this_way(by_callback, tries) == 0 && pthread_mutex_unlock(&m) == 0);
    EXPECT(in_this_way(by_callback, gives_back_the_mutex) == EPERM);
  }
  ch_activity_wait(&other);
}
TEST(a_mutex_that_plain_code_tries_has_one_owner) {
  for (int by_callback = 0; by_callback < 2; by_callback++) {
    has_one_owner(PTHREAD_MUTEX_RECURSIVE, by_callback);
    has_one_owner(PTHREAD_MUTEX_ERRORCHECK, by_callback);
  }
}

static mtx_t of_c11;
static void tries_in_c11(void) { got = mtx_trylock(&of_c11); }
static void gives_back_in_c11(void) { got = mtx_unlock(&of_c11); }
TEST(so_has_one_of_c11) {
  ch_activity other;
  EXPECT(mtx_init(&of_c11, mtx_plain | mtx_recursive) == thrd_success && mtx_lock(&of_c11) == thrd_success);
  activate[&other] {
    EXPECT(in_this_way(0, tries_in_c11) == thrd_busy && in_this_way(1, gives_back_in_c11) == thrd_error);
  }
  ch_activity_wait(&other);
  EXPECT(in_this_way(1, tries_in_c11) == thrd_success);
  EXPECT(in_this_way(0, gives_back_in_c11) == thrd_success && mtx_unlock(&of_c11) == thrd_success);
}

static void tries_to_read(void) { got = pthread_rwlock_tryrdlock(&rw); }
static void tries_to_write(void) { got = pthread_rwlock_trywrlock(&rw); }
TEST(what_plain_code_has_tried_with_success_is_its_activitys) {
  for (int by_callback = 0; by_callback < 2; by_callback++) {
    ch_activity other;
    EXPECT(in_this_way(by_callback, tries_to_write) == 0 && in_this_way(by_callback, tries_to_read) == EBUSY);
    EXPECT(pthread_rwlock_rdlock(&rw) == EDEADLK && pthread_rwlock_unlock(&rw) == 0);
    EXPECT(in_this_way(by_callback, tries_to_read) == 0);
    activate[&other] {
      EXPECT(in_this_way(by_callback, tries_to_read) == 0 && in_this_way(by_callback, tries_to_write) == EBUSY);
      EXPECT(pthread_rwlock_unlock(&rw) == 0);
    }
    ch_activity_wait(&other);
    EXPECT(pthread_rwlock_wrlock(&rw) == EDEADLK && pthread_rwlock_unlock(&rw) == 0);
  }
}

static int had;
TEST(an_atomic_block_hands_a_mutex_over) {
  ch_activity other;
  m = of_kind(PTHREAD_MUTEX_NORMAL);
  EXPECT(pthread_mutex_lock(&m) == 0);
  activate[&other] { had = pthread_mutex_lock(&m) == 0 && pthread_mutex_unlock(&m) == 0; }
  ch_sleep(100000);
  atomic {
    EXPECT(!had && pthread_mutex_unlock(&m) == 0);
    EXPECT(pthread_mutex_trylock(&m) == EBUSY); /* it is the other's already */
  }
  ch_activity_wait(&other);
  EXPECT(had);
}

TEST(a_mutex_given_back_in_an_atomic_block_ends_a_wait_for_several) {
  pthread_mutex_t several[4];
  ch_activity other;
  for (int i = 0; i < 4; i++) {
    several[i] = of_kind(PTHREAD_MUTEX_NORMAL);
    EXPECT(pthread_mutex_lock(&several[i]) == 0);
  }
  activate[&other] {
    int which = 0;
    waituntil(pthread_mutex_lock(&several[0])) which = 1;
    or waituntil(pthread_mutex_lock(&several[1])) which = 2;
    or waituntil(pthread_mutex_lock(&several[2])) which = 3;
    or waituntil(pthread_mutex_lock(&several[3])) which = 4;
    EXPECT(which == 2 && pthread_mutex_unlock(&several[1]) == 0);
  }
  ch_sleep(100000);
  atomic EXPECT(pthread_mutex_unlock(&several[1]) == 0);
  ch_activity_wait(&other);
}

TEST(a_mutex_may_be_wanted_twice_by_one_wait) {
  ch_activity other;
  m = of_kind(PTHREAD_MUTEX_NORMAL);
  for (int by_callback = 0; by_callback < 2; by_callback++) {
    EXPECT(pthread_mutex_lock(&m) == 0);
    activate[&other] {
      int which = 0;
      waituntil(pthread_mutex_lock(&m)) which = 1;
      or waituntil(pthread_mutex_lock(&m)) which = 2;
      EXPECT(which == 1 && pthread_mutex_unlock(&m) == 0);
    }
    ch_sleep(100000);
    if (by_callback)
      in_plain_code(gives_back_the_mutex);
    else
      EXPECT(pthread_mutex_unlock(&m) == 0);
    ch_activity_wait(&other);
  }
}

static pthread_spinlock_t spin;
static void spins(void) { EXPECT(pthread_spin_lock(&spin) == 0 && !inside && pthread_spin_unlock(&spin) == 0); }
TEST(plain_code_spins_for_what_an_activity_of_its_domain_has) {
  ch_activity other;
  pthread_spin_init(&spin, 0);
  activate[&other] {
    EXPECT(pthread_spin_lock(&spin) == 0);
    inside = 1;
    ch_sleep(1000000);
    inside = 0;
    EXPECT(pthread_spin_unlock(&spin) == 0);
  }
  while (!inside)
    ch_reschedule();
  in_plain_code(spins);
  ch_activity_wait(&other);
}

/* ---- once ---- */

static int began, ended;
static pthread_once_t slow = PTHREAD_ONCE_INIT, inner = PTHREAD_ONCE_INIT;
static void gives_way(void) { ch_reschedule(); }
static void slowly(void) {
  began++;
  for (int i = 0; i < 5; i++)
    usleep(1000);
  EXPECT(pthread_once(&inner, gives_way) == 0);
  ended++;
}
static void *asks(void *none) {
  EXPECT(pthread_once(&slow, slowly) == 0 && __atomic_load_n(&ended, __ATOMIC_SEQ_CST) == 1);
  return none;
}

TEST(what_is_done_once_may_wait_while_others_ask) {
  pthread_t t;
  ch_activity all[10];
  int ticks = 0;
  for (int i = 0; i < 10; i++)
    activate[&all[i]] { EXPECT(pthread_once(&slow, slowly) == 0 && ended == 1); }
  activate {
    while (!ended) {
      ticks++;
      ch_reschedule();
    }
  }
  while (!began)
    ch_reschedule();
  EXPECT(!ended && pthread_create(&t, NULL, asks, NULL) == 0);
  do {
    async EXPECT(pthread_once(&slow, slowly) == 0 && ended == 1);
    cancel; /* who waits for it is not cancelled: it has no way to say so */
  }
  finish;
  for (int i = 0; i < 10; i++)
    ch_activity_wait(&all[i]);
  EXPECT(pthread_join(t, NULL) == 0 && began == 1 && ended == 1 && ticks > 0);
}

static void asks_in_plain_code(void) { EXPECT(pthread_once(&slow, slowly) == 0 && ended == 1); }
static once_flag slow_flag = ONCE_FLAG_INIT;
static void asks_in_c11(void) {
  call_once(&slow_flag, slowly);
  EXPECT(ended == 2);
}
TEST(plain_code_waits_for_what_an_activity_of_its_domain_does_once) {
  for (int i = 0; i < 2; i++) {
    ch_activity other;
    activate[&other](i) {
      if (i == 0)
        EXPECT(pthread_once(&slow, slowly) == 0);
      else
        call_once(&slow_flag, slowly);
    }
    while (began <= i)
      ch_reschedule();
    EXPECT(ended == i);
    in_plain_code(i == 0 ? asks_in_plain_code : asks_in_c11);
    ch_activity_wait(&other);
  }
}
static void slowly_in_plain_code(void) { EXPECT(pthread_once(&slow, slowly) == 0); }
TEST(and_for_what_other_plain_code_does_once) {
  ch_activity other;
  activate[&other] in_plain_code(slowly_in_plain_code);
  while (!began)
    ch_reschedule();
  EXPECT(!ended);
  in_plain_code(asks_in_plain_code);
  ch_activity_wait(&other);
  EXPECT(began == 1);
}

static once_flag flag = ONCE_FLAG_INIT;
static void in_thread_slowly(void) {
  struct timespec t = {0, 20000000};
  nanosleep(&t, NULL);
  __atomic_store_n(&ended, 1, __ATOMIC_SEQ_CST);
}
static int begins_it(void *none) { return call_once(&flag, in_thread_slowly), (int)(intptr_t)none; }
TEST(what_another_thread_does_once_is_waited_for) {
  thrd_t t;
  EXPECT(thrd_create(&t, begins_it, NULL) == thrd_success);
  call_once(&flag, in_thread_slowly);
  EXPECT(__atomic_load_n(&ended, __ATOMIC_SEQ_CST) == 1);
  EXPECT(thrd_join(t, NULL) == thrd_success);
}

static void left_by_cancel(void) {
  __atomic_store_n(&began, 1, __ATOMIC_SEQ_CST);
  for (;;)
    usleep(1000);
}
static void left_by_exit(void) {
  __atomic_store_n(&began, 1, __ATOMIC_SEQ_CST);
  pthread_exit(NULL);
}
static void done_again(void) { ended++; }
static pthread_once_t left;
static void *leaves(void *init) {
  pthread_once(&left, init);
  return NULL;
}
/* As in the C library. Another thread may wait for the end of the function meanwhile. */
static void *asks_for_left(void *none) {
  pthread_once(&left, done_again);
  return none;
}
TEST(what_its_thread_has_left_is_done_by_the_next_caller) {
  void (*const ways[])(void) = {left_by_cancel, left_by_exit};
  for (int way = 0; way < 2; way++)
    for (int waits = 0; waits < 2; waits++) {
      pthread_t thread, other;
      began = ended = 0;
      left = PTHREAD_ONCE_INIT;
      EXPECT(pthread_create(&thread, NULL, leaves, (void *)ways[way]) == 0);
      while (!__atomic_load_n(&began, __ATOMIC_SEQ_CST))
        usleep(100);
      EXPECT(!waits || pthread_create(&other, NULL, asks_for_left, NULL) == 0);
      usleep(waits ? 2000 : 0);
      EXPECT(way == 1 || pthread_cancel(thread) == 0);
      EXPECT(pthread_join(thread, NULL) == 0);
      EXPECT(!waits || pthread_join(other, NULL) == 0);
      EXPECT(pthread_once(&left, done_again) == 0 && ended == 1);
    }
}

static void in_parent(void) {
  began++;
  pid_t child = fork();
  if (child == 0) { /* here nobody runs it any more */
    pthread_once_t other = PTHREAD_ONCE_INIT;
    EXPECT(pthread_once(&other, gives_way) == 0);
    return;
  }
  int status;
  EXPECT(waitpid(child, &status, 0) == child && status == 0);
}
TEST(a_child_ends_what_it_was_forked_in) {
  static pthread_once_t once = PTHREAD_ONCE_INIT;
  EXPECT(pthread_once(&once, in_parent) == 0 && pthread_once(&once, in_parent) == 0 && began == 1);
  exit(0);
}

/* ---- a wait without the mutex ---- */

static pthread_cond_t often_signalled = PTHREAD_COND_INITIALIZER;
static volatile int no_more_signals;
static void *signal_often(void *unused) {
  while (!no_more_signals)
    pthread_cond_signal(&often_signalled);
  return unused;
}

TEST(a_wait_without_the_mutex_is_refused_also_when_another_thread_has_signalled_it) {
  pthread_mutexattr_t kind;
  pthread_mutex_t mutex;
  pthread_t threads[3];
  pthread_mutexattr_init(&kind);
  pthread_mutexattr_settype(&kind, PTHREAD_MUTEX_ERRORCHECK);
  pthread_mutex_init(&mutex, &kind);
  for (int i = 0; i < 3; i++)
    EXPECT(pthread_create(&threads[i], NULL, signal_often, NULL) == 0);
  activate {
    while (!no_more_signals)
      usleep(1000);
  }
  for (int i = 0; i < 300000; i++)
    EXPECT(pthread_cond_wait(&often_signalled, &mutex) == EPERM);
  no_more_signals = 1;
  for (int i = 0; i < 3; i++)
    EXPECT(pthread_join(threads[i], NULL) == 0);
}
