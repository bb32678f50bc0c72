/* Tests the queues for locks of the C library: waiters get the lock in the order of their arrival, no waiter is
 * woken in vain, and none is forgotten. Also tests what the report of a deadlock over such locks says. */
#include "harness.h"
#include <charcoal/lowlevel.h>
#include <dirent.h>
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <sys/mman.h>
#include <threads.h>
#include <time.h>

enum { MS = 1000000 };
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER, other = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t c = PTHREAD_COND_INITIALIZER;
static int order[64], ordered;

static pthread_mutex_t made(int type, int robust, int protocol, int shared) {
  pthread_mutex_t result;
  pthread_mutexattr_t a;
  pthread_mutexattr_init(&a);
  pthread_mutexattr_settype(&a, type);
  pthread_mutexattr_setrobust(&a, robust);
  pthread_mutexattr_setprotocol(&a, protocol);
  pthread_mutexattr_setpshared(&a, shared);
  EXPECT(pthread_mutex_init(&result, &a) == 0);
  return result;
}

/* Activities that come one after the other while the lock is held; each begins to wait before the next comes. */
static void served_in_order(int (*lock)(void *), int (*unlock)(void *), void *what) {
  enum { N = 20 };
  ch_activity all[N];
  EXPECT(lock(what) == 0);
  for (int i = 0; i < N; i++) {
    activate [&all[i]] (i) {
      EXPECT(lock(what) == 0);
      order[ordered++] = i;
      ch_sleep(10000);
      EXPECT(unlock(what) == 0);
      EXPECT(lock(what) == 0); /* at once again: behind all the others */
      order[ordered++] = N + i;
      EXPECT(unlock(what) == 0);
    }
    for (int k = 0; k < 20; k++) ch_reschedule(); /* in stress mode each call gives way */
  }
  EXPECT(unlock(what) == 0);
  for (int i = 0; i < N; i++) ch_activity_wait(&all[i]);
  EXPECT(ordered == 2 * N);
  for (int i = 0; i < 2 * N; i++) EXPECT(order[i] == i);
}
static int lock_mutex(void *l) { return pthread_mutex_lock(l); }
static int unlock_mutex(void *l) { return pthread_mutex_unlock(l); }

TEST(a_mutex_is_had_in_order_of_arrival) { served_in_order(lock_mutex, unlock_mutex, &m); }
TEST(a_recursive_mutex_is_had_in_order_of_arrival) {
  m = made(PTHREAD_MUTEX_RECURSIVE, PTHREAD_MUTEX_STALLED, PTHREAD_PRIO_NONE, PTHREAD_PROCESS_PRIVATE);
  served_in_order(lock_mutex, unlock_mutex, &m);
}
TEST(a_robust_mutex_is_had_in_order_of_arrival) {
  m = made(PTHREAD_MUTEX_ERRORCHECK, PTHREAD_MUTEX_ROBUST, PTHREAD_PRIO_NONE, PTHREAD_PROCESS_PRIVATE);
  served_in_order(lock_mutex, unlock_mutex, &m);
}
TEST(a_mutex_that_inherits_priority_is_had_in_order_of_arrival) {
  m = made(PTHREAD_MUTEX_NORMAL, PTHREAD_MUTEX_STALLED, PTHREAD_PRIO_INHERIT, PTHREAD_PROCESS_PRIVATE);
  served_in_order(lock_mutex, unlock_mutex, &m);
}
TEST(a_shared_mutex_is_had_in_order_of_arrival) {
  m = made(PTHREAD_MUTEX_ADAPTIVE_NP, PTHREAD_MUTEX_STALLED, PTHREAD_PRIO_NONE, PTHREAD_PROCESS_SHARED);
  served_in_order(lock_mutex, unlock_mutex, &m);
}
static int lock_rw(void *l) { return pthread_rwlock_wrlock(l); }
static int unlock_rw(void *l) { return pthread_rwlock_unlock(l); }
TEST(writers_are_let_in_in_order_of_arrival) {
  static pthread_rwlock_t l = PTHREAD_RWLOCK_INITIALIZER;
  served_in_order(lock_rw, unlock_rw, &l);
}
static int lock_c11(void *l) { return mtx_lock(l) != thrd_success; }
static int unlock_c11(void *l) { return mtx_unlock(l) != thrd_success; }
TEST(a_mutex_of_c11_is_had_in_order_of_arrival) {
  mtx_t l;
  EXPECT(mtx_init(&l, mtx_plain) == thrd_success);
  served_in_order(lock_c11, unlock_c11, &l);
}
static int lock_sem(void *l) { return sem_wait(l); }
static int unlock_sem(void *l) { return sem_post(l); }
TEST(a_semaphore_of_posix_is_had_in_order_of_arrival) {
  sem_t l;
  EXPECT(sem_init(&l, 0, 1) == 0);
  served_in_order(lock_sem, unlock_sem, &l);
}
static int lock_file(void *l) { return flockfile(l), 0; }
static int unlock_file(void *l) { return funlockfile(l), 0; }
TEST(a_stream_is_had_in_order_of_arrival) { served_in_order(lock_file, unlock_file, stderr); }

TEST(who_prints_on_and_on_does_not_keep_a_stream) {
  int ends[2], over = 0, lines = 0, before = 0;
  char line[3000], got[4096];
  memset(line, 'a', sizeof line - 1);
  line[sizeof line - 1] = 0;
  EXPECT(pipe(ends) == 0);
  FILE *f = fdopen(ends[1], "w");
  setvbuf(f, NULL, _IOLBF, 4096);
  ch_activity reader, first, second;
  activate [&reader] {
    while (read(ends[0], got, sizeof got) > 0) ch_sleep(MS);
  }
  activate [&first] {
    while (!over && lines < 2000) fprintf(f, "%s\n", line), lines++;
  }
  activate [&second] {
    while (lines < 100) ch_sleep(MS); /* the pipe is full, and the first waits with the stream */
    before = lines;
    EXPECT(fprintf(f, "second\n") == 7);
    over = 1;
  }
  ch_activity_wait(&second);
  EXPECT(lines <= before + 2);
  ch_activity_wait(&first);
  fclose(f);
  ch_activity_wait(&reader);
}

/* ---- conditions ---- */

static int items, taken, woken;
static void consume(int all) {
  pthread_mutex_lock(&m);
  while (taken < all) {
    while (!items && taken < all) {
      pthread_cond_wait(&c, &m);
      woken++;
    }
    if (items) {
      items--;
      if (++taken == all) pthread_cond_broadcast(&c);
    }
  }
  pthread_mutex_unlock(&m);
}
static void give(void) {
  pthread_mutex_lock(&m);
  items++;
  pthread_cond_signal(&c);
  pthread_mutex_unlock(&m);
}
static void *gives(void *n) {
  for (int i = 0; i < *(int *)n; i++) {
    give();
    while (__atomic_load_n(&taken, __ATOMIC_SEQ_CST) <= i) usleep(10);
  }
  return NULL;
}
static void gives_in_domain(void *n) { gives(n); }
enum { CONSUMERS = 40, ITEMS = 200 };
static void one_wake_up_for_each_signal(void (*start)(void)) {
  ch_activity all[CONSUMERS];
  for (int i = 0; i < CONSUMERS; i++) activate [&all[i]] { consume(ITEMS); }
  start();
  for (int i = 0; i < CONSUMERS; i++) ch_activity_wait(&all[i]);
  EXPECT(taken == ITEMS && woken <= ITEMS + CONSUMERS);
}
static int count = ITEMS;
static void by_activity(void) { gives(&count); }
static pthread_t thread;
static void by_thread(void) { EXPECT(pthread_create(&thread, NULL, gives, &count) == 0); }
static ch_thread domain;
static void by_domain(void) { EXPECT(ch_domain_start(&domain, gives_in_domain, &count) == 0); }
TEST(a_signal_of_an_activity_wakes_one) { one_wake_up_for_each_signal(by_activity); }
TEST(a_signal_of_a_thread_wakes_one) {
  one_wake_up_for_each_signal(by_thread);
  EXPECT(pthread_join(thread, NULL) == 0);
}
TEST(a_signal_of_another_domain_wakes_one) {
  one_wake_up_for_each_signal(by_domain);
  EXPECT(ch_domain_join(&domain) == 0);
}

TEST(a_signal_in_an_atomic_block_wakes_one) {
  ch_activity all[3];
  for (int i = 0; i < 3; i++) activate [&all[i]] { consume(3); }
  for (int i = 0; i < 3; i++) {
    while (taken < i) ch_sleep(MS);
    ch_sleep(MS);
    pthread_mutex_lock(&m);
    atomic {
      items++;
      pthread_cond_signal(&c);
    }
    pthread_mutex_unlock(&m);
  }
  for (int i = 0; i < 3; i++) ch_activity_wait(&all[i]);
  EXPECT(taken == 3 && woken <= 6);
}

static void *waits_in_thread(void *all) {
  consume(*(int *)all);
  return NULL;
}
TEST(threads_and_activities_that_wait_for_one_condition_are_all_woken) {
  pthread_t t[3];
  ch_activity a[3];
  int all = 60;
  for (int i = 0; i < 3; i++) {
    EXPECT(pthread_create(&t[i], NULL, waits_in_thread, &all) == 0);
    activate [&a[i]] { consume(all); }
  }
  for (int i = 0; i < all; i++) {
    give();
    while (taken <= i) ch_sleep(20000);
  }
  for (int i = 0; i < 3; i++) {
    ch_activity_wait(&a[i]);
    EXPECT(pthread_join(t[i], NULL) == 0);
  }
  EXPECT(taken == all);
}

/* The C library still counts a thread that has been signalled and has not run yet. A signal that is meant for that one
 * wakes nobody, so the activities' signals may not depend on it. */
static int permits, waits, passed;
static void *waits_for_a_permit(void *none) {
  pthread_mutex_lock(&m);
  waits++;
  while (!permits) pthread_cond_wait(&c, &m);
  permits--;
  passed++;
  pthread_mutex_unlock(&m);
  return none;
}
static int seen_with_the_mutex(const int *number) {
  pthread_mutex_lock(&m);
  int is = *number;
  pthread_mutex_unlock(&m);
  return is;
}
TEST(as_many_signals_as_waiters_wake_them_all_whether_threads_or_activities) {
  enum { THREADS = 2, ACTIVITIES = 6, ALL = THREADS + ACTIVITIES };
  pthread_t t[THREADS];
  ch_activity a[ACTIVITIES];
  for (int i = 0; i < THREADS; i++) EXPECT(pthread_create(&t[i], NULL, waits_for_a_permit, NULL) == 0);
  for (int i = 0; i < ACTIVITIES; i++) activate [&a[i]] { waits_for_a_permit(NULL); }
  while (seen_with_the_mutex(&waits) < ALL) ch_sleep(MS);
  pthread_mutex_lock(&m);
  for (int i = 0; i < ALL; i++) {
    permits++;
    EXPECT(pthread_cond_signal(&c) == 0);
  }
  pthread_mutex_unlock(&m);
  for (int i = 0; i < THREADS; i++) EXPECT(pthread_join(t[i], NULL) == 0);
  for (int i = 0; i < ACTIVITIES; i++) ch_activity_wait(&a[i]);
  EXPECT(passed == ALL && permits == 0);
}

TEST(who_is_signalled_and_then_cancelled_has_been_signalled) {
  int results[2] = {-1, -1};
  ch_activity a[2];
  for (int i = 0; i < 2; i++) activate [&a[i]] (i) {
      pthread_mutex_lock(&m);
      results[i] = pthread_cond_wait(&c, &m);
      pthread_mutex_unlock(&m);
    }
  ch_sleep(MS);
  pthread_mutex_lock(&m);
  pthread_cond_signal(&c);
  ch_activity_cancel(&a[0]);
  ch_activity_cancel(&a[1]);
  EXPECT(results[0] == -1 && results[1] == -1); /* neither has the mutex */
  pthread_mutex_unlock(&m);
  for (int i = 0; i < 2; i++) ch_activity_wait(&a[i]);
  EXPECT(results[0] == 0 && results[1] == ECANCELED);
}

TEST(a_condition_that_processes_share_is_signalled_by_another_process) {
  struct {
    pthread_mutex_t m;
    pthread_cond_t c;
    int go, gone;
  } *both = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  pthread_condattr_t a;
  pthread_condattr_init(&a);
  pthread_condattr_setpshared(&a, PTHREAD_PROCESS_SHARED);
  both->m = made(PTHREAD_MUTEX_NORMAL, PTHREAD_MUTEX_STALLED, PTHREAD_PRIO_NONE, PTHREAD_PROCESS_SHARED);
  pthread_cond_init(&both->c, &a);
  pid_t child = fork();
  if (child == 0) {
    usleep(10000);
    pthread_mutex_lock(&both->m);
    both->go = 1;
    pthread_cond_broadcast(&both->c);
    while (both->gone < 2) pthread_cond_wait(&both->c, &both->m);
    pthread_mutex_unlock(&both->m);
    _exit(0);
  }
  ch_activity all[2];
  for (int i = 0; i < 2; i++) activate [&all[i]] {
      pthread_mutex_lock(&both->m);
      while (!both->go) EXPECT(pthread_cond_wait(&both->c, &both->m) == 0);
      both->gone++;
      pthread_cond_signal(&both->c);
      pthread_mutex_unlock(&both->m);
    }
  int status;
  EXPECT(waitpid(child, &status, 0) == child && status == 0);
  for (int i = 0; i < 2; i++) ch_activity_wait(&all[i]);
}

static void *dies_with_it(void *l) { return pthread_mutex_lock(l), l; }
TEST(a_robust_mutex_whose_thread_has_ended_says_so) {
  pthread_t t;
  m = made(PTHREAD_MUTEX_NORMAL, PTHREAD_MUTEX_ROBUST, PTHREAD_PRIO_NONE, PTHREAD_PROCESS_PRIVATE);
  EXPECT(pthread_create(&t, NULL, dies_with_it, &m) == 0 && pthread_join(t, NULL) == 0);
  EXPECT(pthread_mutex_lock(&m) == EOWNERDEAD && pthread_mutex_consistent(&m) == 0);
  EXPECT(pthread_mutex_unlock(&m) == 0 && pthread_mutex_lock(&m) == 0 && pthread_mutex_unlock(&m) == 0);
}

static struct timespec in(clockid_t clock, int64_t ns) {
  struct timespec t;
  clock_gettime(clock, &t);
  ns += t.tv_nsec;
  return (struct timespec){t.tv_sec + ns / 1000000000, ns % 1000000000};
}
TEST(who_gives_up_in_time_is_not_handed_the_mutex) {
  int first = -1, second = -1;
  ch_activity a, b;
  pthread_mutex_lock(&m);
  activate [&a] {
    struct timespec t = in(CLOCK_REALTIME, 5 * MS);
    first = pthread_mutex_timedlock(&m, &t);
  }
  activate [&b] {
    struct timespec t = in(CLOCK_MONOTONIC, INT64_C(3600) * 1000000000);
    second = pthread_mutex_clocklock(&m, CLOCK_MONOTONIC, &t);
  }
  ch_activity_wait(&a);
  EXPECT(first == ETIMEDOUT && second == -1);
  pthread_mutex_unlock(&m);
  ch_activity_wait(&b);
  EXPECT(second == 0 && pthread_mutex_unlock(&m) == 0);
}

/* ---- rwlocks and barriers ---- */

static pthread_rwlock_t rw = PTHREAD_RWLOCK_INITIALIZER;
TEST(a_writer_waits_for_no_reader_that_comes_later) {
  int writing = 0, over = 0, reads = 0;
  ch_activity readers[4], writer;
  for (int i = 0; i < 4; i++) activate [&readers[i]] (i) {
      ch_sleep(i * 100000);
      while (!over) {
        pthread_rwlock_rdlock(&rw);
        EXPECT(!writing);
        EXPECT(pthread_rwlock_rdlock(&rw) == 0); /* once more, while a writer waits, is no deadlock */
        ch_sleep(500000);
        pthread_rwlock_unlock(&rw);
        pthread_rwlock_unlock(&rw);
        if (++reads > 4000) over = 1;
      }
    }
  activate [&writer] {
    ch_sleep(5 * MS);
    int before = reads;
    pthread_rwlock_wrlock(&rw);
    writing = 1;
    EXPECT(reads <= before + 4);
    ch_sleep(MS);
    writing = 0;
    over = 1;
    pthread_rwlock_unlock(&rw);
  }
  ch_activity_wait(&writer);
  for (int i = 0; i < 4; i++) ch_activity_wait(&readers[i]);
}

static _Atomic int late; /* the result of the one whose time is over */
static void *writes_until_one_is_late(void *s) {
  pthread_rwlock_wrlock(&rw);
  sem_post(s);
  while (late < 0) usleep(1000);
  usleep(20000);
  pthread_rwlock_unlock(&rw);
  return NULL;
}
TEST(what_a_thread_has_for_writing_is_waited_for) {
  pthread_t t;
  sem_t s;
  static int ticks, over; /* the last activity may outlive this function */
  int readers = 0;
  late = -1;
  sem_init(&s, 0, 0);
  EXPECT(pthread_create(&t, NULL, writes_until_one_is_late, &s) == 0 && sem_wait(&s) == 0);
  ch_activity a[3];
  activate [&a[0]] {
    struct timespec soon = in(CLOCK_REALTIME, MS);
    late = pthread_rwlock_timedwrlock(&rw, &soon);
  }
  for (int i = 1; i < 3; i++) activate [&a[i]] {
      EXPECT(pthread_rwlock_rdlock(&rw) == 0);
      readers++;
      while (readers < 2) ch_sleep(MS); /* both at a time */
      EXPECT(pthread_rwlock_unlock(&rw) == 0);
    }
  activate {
    while (!over) ticks++, ch_sleep(MS);
  }
  for (int i = 0; i < 3; i++) ch_activity_wait(&a[i]);
  over = 1;
  EXPECT(late == ETIMEDOUT && readers == 2 && ticks > 1 && pthread_join(t, NULL) == 0);
  EXPECT(pthread_rwlock_trywrlock(&rw) == 0 && pthread_rwlock_unlock(&rw) == 0);
}

static int threads(void) {
  int n = 0;
  DIR *d = opendir("/proc/self/task");
  for (struct dirent *e; (e = readdir(d));) n += e->d_name[0] != '.';
  closedir(d);
  return n;
}
TEST(a_barrier_takes_thousands_of_activities_and_no_threads) {
  enum { N = 5000 };
  static ch_activity all[N];
  pthread_barrier_t b;
  int through = 0, last = 0, most = 0;
  pthread_barrier_init(&b, NULL, N);
  for (int i = 0; i < N; i++) activate [&all[i]] (i) {
      for (int round = 0; round < 3; round++) {
        last += pthread_barrier_wait(&b) == PTHREAD_BARRIER_SERIAL_THREAD;
        if (i == 0 && threads() > most) most = threads();
      }
      through++;
    }
  for (int i = 0; i < N; i++) ch_activity_wait(&all[i]);
  EXPECT(through == N && last == 3 && most < 8 && pthread_barrier_destroy(&b) == 0);
}

/* ---- plain code ---- */

static int compare(const void *a, const void *b) {
  (void)a, (void)b;
  EXPECT(pthread_mutex_lock(&m) == 0);
  items++;
  EXPECT(pthread_mutex_unlock(&m) == 0);
  return 0;
}
TEST(a_callback_waits_for_what_another_activity_has) {
  int data[2] = {1, 2}, had = 0;
  ch_activity a;
  activate [&a] {
    pthread_mutex_lock(&m);
    ch_sleep(5 * MS);
    had = 1;
    pthread_mutex_unlock(&m);
  }
  ch_sleep(MS);
  EXPECT(!had);
  qsort(data, 2, sizeof *data, compare);
  EXPECT(had && items > 0);
  ch_activity_wait(&a);
}

static void take(pthread_mutex_t *l) { pthread_mutex_lock(l); }
TEST_EXITS(a_mutex_that_is_wanted_in_an_atomic_block_and_held_outside_is_reported, CH_EXIT_DEADLOCK,
           "has, taken in take at fair_locks.c") {
  ch_activity a;
  activate [&a] {
    take(&m);
    ch_sleep(INT64_C(3600) * 1000000000);
  }
  ch_sleep(MS);
  atomic pthread_mutex_lock(&m);
}

/* ---- deadlocks ---- */

static void opposite(int pending) {
  ch_activity a, b;
  ch_set_name("the first");
  activate [&a] {
    ch_set_name("one");
    take(&m);
    ch_sleep(MS);
    take(&other);
  }
  activate [&b] {
    ch_set_name("two");
    take(&other);
    ch_sleep(MS);
    take(&m);
  }
  if (pending) ch_sleep(INT64_C(3600) * 1000000000);
  ch_activity_wait(&a);
  ch_activity_wait(&b);
}
TEST_EXITS(two_mutexes_in_opposite_order_are_reported, CH_EXIT_DEADLOCK, "\"one\" has, taken in take at fair_locks.c") {
  opposite(0);
}
TEST_EXITS(so_they_are_while_something_is_pending, CH_EXIT_DEADLOCK, "wait for each other's mutexes in a circle") {
  opposite(1);
}
TEST_EXITS(a_condition_that_nobody_can_signal_is_a_deadlock, CH_EXIT_DEADLOCK, "waits for condition") {
  pthread_mutex_lock(&m);
  pthread_cond_wait(&c, &m);
}
TEST_EXITS(a_stream_that_its_own_user_waits_for_is_a_deadlock, CH_EXIT_DEADLOCK, "waits for stream") {
  ch_activity a;
  activate [&a] {
    flockfile(stdout);
    ch_sem never = CH_SEM_INIT(0);
    ch_sem_wait(&never);
  }
  ch_reschedule();
  ch_sleep(MS);
  flockfile(stdout);
}

/* ---- semaphores of ours ---- */

static ch_sem s;
static void posts(void *n) {
  for (int i = 0; i < *(int *)n; i++) EXPECT(ch_sem_post(&s) == 0);
}
static void *posts_in_thread(void *n) { return posts(n), n; }
TEST(a_semaphore_is_posted_from_another_domain_and_a_thread) {
  enum { N = 3000 };
  int each = N, got = 0, here = gettid();
  ch_thread d;
  pthread_t t;
  ch_activity all[6];
  for (int i = 0; i < 6; i++) activate [&all[i]] {
      for (int k = 0; k < N / 2; k++) {
        EXPECT(ch_sem_wait(&s) == 0 && gettid() == here);
        got++;
      }
    }
  EXPECT(ch_domain_start(&d, posts, &each) == 0 && pthread_create(&t, NULL, posts_in_thread, &each) == 0);
  posts(&each);
  for (int i = 0; i < 6; i++) ch_activity_wait(&all[i]);
  EXPECT(ch_domain_join(&d) == 0 && pthread_join(t, NULL) == 0);
  EXPECT(got == 3 * N && ch_sem_trywait(&s) == EAGAIN);
}

static void on_signal(int number) {
  (void)number;
  ch_sem_post_from_handler(&s);
}
static void handler_wakes(int busy) {
  signal(SIGUSR1, on_signal);
  pid_t me = getpid(), child = fork();
  if (child == 0) {
    for (int i = 0; i < 50; i++) usleep(2000), kill(me, SIGUSR1);
    _exit(0);
  }
  static int over; /* the activity may outlive this function */
  if (busy) activate {
      while (!over) ch_reschedule();
    }
  EXPECT(ch_sem_wait(&s) == 0);
  int status;
  EXPECT(waitpid(child, &status, 0) == child);
  over = 1;
}
TEST(a_signal_handler_wakes_who_waits) { handler_wakes(0); }
TEST(also_while_others_run) { handler_wakes(1); }

static sem_t posix;
static void on_signal_posix(int number) {
  (void)number;
  sem_post(&posix);
}
TEST(a_signal_handler_wakes_who_waits_for_posix) {
  signal(SIGUSR1, on_signal_posix);
  ch_activity a;
  activate [&a] { EXPECT(sem_wait(&posix) == 0); }
  activate {
    ch_sleep(2 * MS);
    kill(getpid(), SIGUSR1);
  }
  ch_activity_wait(&a);
}

static void waits_too(void *unused) {
  (void)unused;
  ch_sem_wait(&s);
}
TEST_EXITS(a_semaphore_that_two_domains_wait_for_is_reported, CH_EXIT_MISUSE, "of another domain wait") {
  ch_thread d;
  activate ch_sem_wait(&s);
  ch_sleep(MS);
  EXPECT(ch_domain_start(&d, waits_too, NULL) == 0);
  ch_domain_join(&d);
}

/* ---- domains that stand still ---- */

static void waits_for_ever(void *semaphore) { ch_sem_wait(semaphore); }
TEST_EXITS(a_domain_that_nobody_can_wake_is_reported_while_it_is_joined, CH_EXIT_DEADLOCK, "deadlock") {
  ch_sem never = CH_SEM_INIT(0);
  ch_thread d;
  EXPECT(ch_domain_start(&d, waits_for_ever, &never) == 0);
  ch_domain_join(&d);
}

static ch_sem ask, answer;
static void answers(void *n) {
  for (int i = 0; i < *(int *)n; i++) {
    EXPECT(ch_sem_wait(&ask) == 0);
    if (i % 50 == 0) ch_sleep(MS); /* now this domain is the one that sleeps for a reason */
    ch_sem_post(&answer);
  }
}
/* In each of two domains an activity has a lock, while a callback wants that of the other domain. If a callback waited
 * with its thread, the activity beside it could not go on. */
static pthread_mutex_t mutex_of[2] = {PTHREAD_MUTEX_INITIALIZER, PTHREAD_MUTEX_INITIALIZER};
static pthread_rwlock_t rwlock_of[2] = {PTHREAD_RWLOCK_INITIALIZER, PTHREAD_RWLOCK_INITIALIZER};
static pthread_mutex_t robust_of[2];
enum kind_of_lock { MUTEX, TIMED_MUTEX, ROBUST_MUTEX, RWLOCK, TIMED_RWLOCK };
static enum kind_of_lock kind;
static int holding, asking;
static int lock_of(int i) {
  const struct timespec late = {INT32_MAX, 0};
  return kind == MUTEX          ? pthread_mutex_lock(&mutex_of[i])
         : kind == TIMED_MUTEX  ? pthread_mutex_timedlock(&mutex_of[i], &late)
         : kind == ROBUST_MUTEX ? pthread_mutex_lock(&robust_of[i])
         : kind == RWLOCK       ? pthread_rwlock_wrlock(&rwlock_of[i])
                                : pthread_rwlock_timedwrlock(&rwlock_of[i], &late);
}
static int unlock_of(int i) {
  return kind <= TIMED_MUTEX    ? pthread_mutex_unlock(&mutex_of[i])
         : kind == ROBUST_MUTEX ? pthread_mutex_unlock(&robust_of[i])
                                : pthread_rwlock_unlock(&rwlock_of[i]);
}
static void count_and_await(int *number) {
  __atomic_add_fetch(number, 1, __ATOMIC_SEQ_CST);
  while (__atomic_load_n(number, __ATOMIC_SEQ_CST) < 2) ch_sleep(100000);
}
static int compare_asks(const void *a, const void *b, void *others) {
  (void)a, (void)b;
  const int i = *(int *)others;
  __atomic_add_fetch(&asking, 1, __ATOMIC_SEQ_CST);
  EXPECT(lock_of(i) == 0 && unlock_of(i) == 0);
  return 0;
}
static void wants_the_others(void *number) {
  const int own = *(int *)number;
  int others = !own;
  ch_activity holder;
  activate [&holder] {
    EXPECT(lock_of(own) == 0);
    count_and_await(&holding);
    while (__atomic_load_n(&asking, __ATOMIC_SEQ_CST) < 2) ch_sleep(100000);
    EXPECT(unlock_of(own) == 0);
  }
  while (__atomic_load_n(&holding, __ATOMIC_SEQ_CST) < 2) ch_sleep(100000);
  char two[2] = {0, 1};
  qsort_r(two, sizeof two, 1, compare_asks, &others);
  ch_activity_wait(&holder);
}
TEST(callbacks_of_two_domains_wait_for_what_an_activity_of_the_other_has) {
  static int numbers[2] = {0, 1};
  for (int i = 0; i < 2; i++) robust_of[i] = made(PTHREAD_MUTEX_NORMAL, PTHREAD_MUTEX_ROBUST, PTHREAD_PRIO_NONE, 0);
  for (kind = MUTEX; kind <= TIMED_RWLOCK; kind++) {
    ch_thread second;
    holding = asking = 0;
    EXPECT(ch_domain_start(&second, wants_the_others, &numbers[1]) == 0);
    wants_the_others(&numbers[0]);
    EXPECT(ch_domain_join(&second) == 0);
  }
}

/* A thread that waits in the kernel does not see that the mutex has come to an activity that may be set aside: here
 * plain code has it first, and then interruptible code of the same activity. */
static pthread_mutex_t comes_later = PTHREAD_RECURSIVE_MUTEX_INITIALIZER_NP;
static ch_sem went_on = CH_SEM_INIT(0);
static int was_taken; /* because AddressSanitizer's qsort compares more often */
static int compare_takes(const void *a, const void *b) {
  (void)a, (void)b;
  EXPECT(was_taken || pthread_mutex_lock(&comes_later) == 0);
  was_taken = 1;
  return 0;
}
static int compare_asks_for_it(const void *a, const void *b) {
  (void)a, (void)b;
  EXPECT(pthread_mutex_lock(&comes_later) == 0 && pthread_mutex_unlock(&comes_later) == 0);
  return 0;
}
static void asks_beside_another(void *by_branch) {
  char two[2] = {0, 1};
  do {
    if (by_branch) {
      async {
        ch_sleep(1);
        ch_sem_post(&went_on);
      }
    } else {
      activate { ch_sem_post(&went_on); }
    }
    qsort(two, sizeof two, 1, compare_asks_for_it);
  }
  finish;
}
static void has_a_mutex_that_comes_to_last(void *by_branch) {
  ch_thread second;
  char two[2] = {0, 1};
  was_taken = 0;
  qsort(two, sizeof two, 1, compare_takes);
  EXPECT(ch_domain_start(&second, asks_beside_another, by_branch) == 0);
  while (__atomic_load_n(&comes_later.__data.__lock, __ATOMIC_SEQ_CST) != 2) ch_sleep(100000);
  EXPECT(pthread_mutex_lock(&comes_later) == 0 && ch_sem_wait(&went_on) == 0);
  EXPECT(pthread_mutex_unlock(&comes_later) == 0 && pthread_mutex_unlock(&comes_later) == 0);
  EXPECT(ch_domain_join(&second) == 0);
}
TEST(a_callback_waits_for_a_mutex_that_comes_to_an_activity_of_another_domain) {
  alarm(60);
  has_a_mutex_that_comes_to_last(NULL);
  has_a_mutex_that_comes_to_last("by a branch");
}

TEST(domains_that_wait_for_each_other_in_turn_are_no_deadlock) {
  int n = 300;
  ch_thread d;
  EXPECT(ch_domain_start(&d, answers, &n) == 0);
  for (int i = 0; i < n; i++) {
    EXPECT(ch_sem_post(&ask) == 0 && ch_sem_wait(&answer) == 0);
  }
  EXPECT(ch_domain_join(&d) == 0);
}
