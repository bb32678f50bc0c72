/* Threads that are not started as domains: by pthread_create and thrd_create in recompiled code (each a domain of its
 * own), and by code that was not recompiled (a domain on first use). */
#include "harness.h"
#include "charcoal/lowlevel.h"
#include <fcntl.h>
#include <pthread.h>
#include <search.h>
#include <semaphore.h>
#include <setjmp.h>
#include <signal.h>
#include <stdbool.h>
#include <sys/resource.h>
#include <threads.h>

static int64_t milliseconds_since(int64_t begin) { return (ch_now() - begin) / 1000000; }
/* Longer than that on a busy machine would be bad luck; both waits one after the other take at least this. */
#define PAUSE 200

/* Calls the body as a foreign library would: its plain version. */
struct foreign {
  void (*body)(void *);
  void *argument;
};
static int called_back(const void *key, const void *element) {
  const struct foreign *f = key;
  (void)element;
  f->body(f->argument);
  return 0;
}
static void call_plainly(void (*body)(void *), void *argument) {
  struct foreign f = {body, argument};
  size_t one = 1;
  lfind(&f, &f, &one, sizeof f, called_back);
}

/* ---- a thread of recompiled code is a domain ---- */

static void *overlaps(void *result) {
  int64_t begin = ch_now();
  do {
    async usleep(PAUSE * 1000);
    async usleep(PAUSE * 1000);
  }
  finish;
  *(int64_t *)result = milliseconds_since(begin);
  return result;
}
TEST(async_in_a_thread_overlaps) {
  pthread_t thread;
  int64_t took = 0;
  void *result;
  for (int i = 0; i < 5 && (i == 0 || took >= 2 * PAUSE); i++) { /* again, if the machine was busy */
    EXPECT(pthread_create(&thread, NULL, overlaps, &took) == 0 && pthread_join(thread, &result) == 0);
    EXPECT(took >= PAUSE && result == &took);
  }
  EXPECT(took < 2 * PAUSE);
}

static void *limits(void *result) {
  int64_t begin = ch_now();
  within(10000000) do usleep(10 * PAUSE * 1000);
  finish;
  *(int64_t *)result = milliseconds_since(begin);
  return NULL;
}
TEST(a_deadline_in_a_thread_ends_its_waits) {
  pthread_t thread;
  int64_t took = 0;
  EXPECT(pthread_create(&thread, NULL, limits, &took) == 0 && pthread_join(thread, NULL) == 0);
  EXPECT(took >= 10 && took < 10 * PAUSE);
}

static int activates(void *ran) {
  ch_activity h;
  activate { ++*(int *)ran; }
  activate[&h] { ++*(int *)ran; }
  EXPECT(ch_activity_wait(&h) == 0);
  activate(ran) {
    ch_sleep(1000000);
    ++*(int *)ran;
  }
  return 42;
}
TEST(a_thread_ends_after_all_that_it_has_activated) {
  thrd_t thread;
  int ran = 0, result = 0;
  EXPECT(thrd_create(&thread, activates, &ran) == thrd_success && thrd_join(thread, &result) == thrd_success);
  EXPECT(ran == 3 && result == 42);
}

static int pipes[2];
static void *reads_beside(void *letters) {
  do {
    for (int i = 0; i < 3; i++)
      async(i) {
        char c;
        if (read(pipes[0], &c, 1) == 1)
          ((char *)letters)[i] = c;
      }
    async EXPECT(write(pipes[1], "abc", 3) == 3);
  }
  finish;
  return NULL;
}
TEST(threads_wait_for_descriptors_each_with_a_reactor_of_its_own) {
  pthread_t threads[4];
  char letters[4][4] = {{0}};
  int sum = 0;
  EXPECT(pipe(pipes) == 0);
  for (int i = 0; i < 4; i++)
    EXPECT(pthread_create(&threads[i], NULL, reads_beside, letters[i]) == 0);
  for (int i = 0; i < 4; i++)
    EXPECT(pthread_join(threads[i], NULL) == 0);
  for (int i = 0; i < 12; i++)
    sum += letters[i / 3][i % 3];
  EXPECT(sum == 4 * ('a' + 'b' + 'c'));
}

/* Two threads are forever being born, and each looks functions up as soon as it runs. */
static int one(int n) { return n + 1; }
static int two(int n) { return n + 2; }
static int (*volatile looked_up[])(int) = {one, two};
static void *looks_up(void *unused) { return (void *)(intptr_t)(looked_up[0](0) + looked_up[1](0)); }
static int enough;
static void *gives_birth(void *unused) {
  pthread_t thread;
  while (!__atomic_load_n(&enough, __ATOMIC_RELAXED))
    EXPECT(pthread_create(&thread, NULL, looks_up, NULL) == 0 && pthread_join(thread, NULL) == 0);
  return unused;
}
TEST(a_child_looks_functions_up_whatever_other_threads_did_at_the_fork) {
  pthread_t parents[2];
  for (int i = 0; i < 2; i++)
    EXPECT(pthread_create(&parents[i], NULL, gives_birth, NULL) == 0);
  for (int i = 0; i < 100; i++) {
    int status = -1;
    pid_t child = fork();
    if (child == 0) {
      alarm(20);
      _exit((int)(intptr_t)looks_up(NULL));
    }
    EXPECT(child > 0 && waitpid(child, &status, 0) == child && WIFEXITED(status) && WEXITSTATUS(status) == 3);
  }
  __atomic_store_n(&enough, 1, __ATOMIC_RELAXED);
  for (int i = 0; i < 2; i++)
    EXPECT(pthread_join(parents[i], NULL) == 0);
}

static void *nothing(void *argument) { return argument; }
TEST(a_thousand_threads_one_after_the_other_leave_nothing) {
  char line[300];
  int maps[2] = {0}, descriptors[2];
  for (int round = 0; round < 2; round++) {
    for (int i = 0; i < (round ? 1000 : 20); i++) {
      pthread_t thread;
      void *result;
      EXPECT(pthread_create(&thread, NULL, nothing, &maps[1]) == 0 && pthread_join(thread, &result) == 0);
      EXPECT(result == &maps[1]);
    }
    FILE *f = fopen("/proc/self/maps", "r");
    while (fgets(line, sizeof line, f))
      maps[round]++;
    fclose(f);
    descriptors[round] = dup(0);
    close(descriptors[round]);
  }
  /* Sanitizers map memory and open files at times of their own, but not once for each thread. */
  EXPECT(maps[1] <= maps[0] + 500);
  EXPECT(descriptors[1] <= descriptors[0] + 500);
}

#if !__has_feature(thread_sanitizer) && !__has_feature(address_sanitizer) /* they touch memory of their own */
static long page_faults(void) {
  struct rusage u;
  EXPECT(getrusage(RUSAGE_SELF, &u) == 0);
  return u.ru_minflt;
}
TEST(a_thread_uses_the_memory_of_one_that_has_ended) {
  long before = 0;
  for (int i = 0; i < 400; i++) {
    pthread_t thread;
    if (i == 100)
      before = page_faults();
    EXPECT(pthread_create(&thread, NULL, nothing, NULL) == 0 && pthread_join(thread, NULL) == 0);
  }
  EXPECT(page_faults() - before < 300);
}
#endif

/* ---- the ends of a thread ---- */

static pthread_key_t key;
static int destroyed;
static void destroy(void *value) {
  ch_activity h;
  (void)value;
  EXPECT(ch_sleep(1000000) == 0);
  activate[&h] { destroyed++; }
  EXPECT(ch_activity_wait(&h) == 0);
}
static void *has_specific_data(void *argument) {
  EXPECT(pthread_setspecific(key, argument) == 0);
  activate { EXPECT(ch_sleep(1000000) == 0); }
  return NULL;
}
TEST(destructors_of_thread_specific_data_may_wait) {
  pthread_t thread;
  EXPECT(pthread_key_create(&key, destroy) == 0);
  EXPECT(pthread_create(&thread, NULL, has_specific_data, &thread) == 0 && pthread_join(thread, NULL) == 0);
  EXPECT(destroyed == 1);
}

static int ended;
static void *exits(void *how) {
  activate {
    ch_sleep(5000000);
    ended++;
  }
  if (how) {
    ch_sleep(1);
    activate { ended++; }
  }
  pthread_exit(&ended);
}
TEST(pthread_exit_waits_for_what_the_thread_has_activated) {
  for (uintptr_t how = 0; how < 2; how++) {
    pthread_t thread;
    void *result;
    ended = 0;
    EXPECT(pthread_create(&thread, NULL, exits, (void *)how) == 0 && pthread_join(thread, &result) == 0);
    EXPECT(result == &ended && ended == 1 + (int)how);
  }
}

static void *exits_in_scope(void *how) {
  do {
    async {
      ch_sleep(1000000);
      ended++;
    }
    do {
      async {
        ch_sleep(2000000);
        ended++;
      }
      if (how)
        ch_sleep(1);
      pthread_exit(&ended);
    } finish;
  } finish;
  EXPECT(!"reached");
  return NULL;
}
TEST(pthread_exit_waits_for_the_branches_in_its_scopes) {
  for (uintptr_t how = 0; how < 2; how++) {
    pthread_t thread;
    void *result;
    ended = 0;
    EXPECT(pthread_create(&thread, NULL, exits_in_scope, (void *)how) == 0 && pthread_join(thread, &result) == 0);
    EXPECT(result == &ended && ended == 2);
  }
}

/* ---- pthread_exit in a branch that has waited since its async began ---- */

static ch_sem to_owner, to_sibling;
/* The owner of the scope comes to its end before the last of the scope's branches has ended, or after all of them. */
__attribute__((noinline)) static void branch_exits(bool owner_is_last) {
  do {
    async {
      EXPECT(ch_sem_wait(&to_sibling) == 0);
      ended++;
    }
    async {
      ch_sleep(1000);
      ch_sem_post(owner_is_last ? &to_sibling : &to_owner);
      ended++;
      pthread_exit(&ended);
    }
    async if (owner_is_last) ch_sem_post(&to_owner);
    if (owner_is_last)
      ch_sleep(2000000);
    EXPECT(ch_sem_wait(&to_owner) == 0);
    ended++;
    if (!owner_is_last)
      ch_sem_post(&to_sibling);
  } finish;
  EXPECT(!"reached");
}
static void *scope_is_left(void *owner_is_last) {
  branch_exits(owner_is_last != NULL);
  return NULL;
}
static void *scope_in_a_branch_is_left(void *owner_is_last) {
  do {
    async {
      branch_exits(owner_is_last != NULL);
      EXPECT(!"reached");
    }
    async {
      ch_sleep(10000000);
      ended++;
    }
    ch_sleep(1000);
    ended++;
  } finish;
  EXPECT(!"reached");
  return NULL;
}
__attribute__((noinline)) static void branch_exits_below_setjmp(bool owner_is_last) {
  jmp_buf buffer;
  if (setjmp(buffer) == 0)
    branch_exits(owner_is_last);
  EXPECT(!"reached");
}
static void *setjmp_is_left(void *owner_is_last) {
  jmp_buf buffer;
  if (setjmp(buffer) == 0)
    branch_exits_below_setjmp(owner_is_last != NULL);
  EXPECT(!"reached");
  return NULL;
}
static void nothing_comes(void *unused) { (void)unused; }
static void *scope_is_left_beside_a_source(void *owner_is_last) {
  ch_source source; /* with it the owner waits in place */
  EXPECT(ch_source_add(&source, nothing_comes, NULL) == 0);
  branch_exits(owner_is_last != NULL);
  return NULL;
}
static void joins_one_that_exits(void *(*body)(void *), void *argument) {
  pthread_t thread;
  void *result;
  ended = 0;
  EXPECT(pthread_create(&thread, NULL, body, argument) == 0 && pthread_join(thread, &result) == 0);
  EXPECT(result == &ended);
}
TEST(law_3_pthread_exit_in_a_branch_waits_for_the_scope_and_its_owner) {
  for (uintptr_t owner_is_last = 0; owner_is_last < 2; owner_is_last++) {
    joins_one_that_exits(scope_is_left, (void *)owner_is_last);
    EXPECT(ended == 3);
    joins_one_that_exits(scope_in_a_branch_is_left, (void *)owner_is_last);
    EXPECT(ended == 5);
  }
}
#if !__has_feature(thread_sanitizer) /* there, functions that call setjmp are plain */
TEST(law_3_pthread_exit_in_a_branch_passes_functions_that_call_setjmp) {
  for (uintptr_t owner_is_last = 0; owner_is_last < 2; owner_is_last++) {
    joins_one_that_exits(setjmp_is_left, (void *)owner_is_last);
    EXPECT(ended == 3);
  }
}
#endif
TEST(law_3_pthread_exit_in_a_branch_reaches_an_owner_that_waits_in_place) {
  for (uintptr_t owner_is_last = 0; owner_is_last < 2; owner_is_last++) {
    joins_one_that_exits(scope_is_left_beside_a_source, (void *)owner_is_last);
    EXPECT(ended == 3);
  }
}

static int handled;
static void handle(void *unused) { (void)unused, handled++; }
/* Plain code, because of the handler. */
static void exits_with_handler(void) {
  pthread_cleanup_push(handle, NULL);
  ch_sleep(1000000);
  pthread_exit(&ended);
  pthread_cleanup_pop(0);
}
static void *plain_code_leaves_scope(void *in_branch) {
  do {
    async {
      ch_sleep(5000000);
      ended++;
    }
    if (in_branch)
      async {
        ch_sleep(1000);
        exits_with_handler();
      }
    else
      exits_with_handler();
    ended++;
  } finish;
  EXPECT(!"reached");
  return NULL;
}
#if !__has_feature(thread_sanitizer) && !__has_feature(address_sanitizer) /* plain code calls their pthread_exit */
TEST(law_3_pthread_exit_in_plain_code_waits_for_the_scopes_and_calls_handlers_once) {
  for (uintptr_t in_branch = 0; in_branch < 2; in_branch++) {
    handled = 0;
    joins_one_that_exits(plain_code_leaves_scope, (void *)in_branch);
    EXPECT(ended == 1 + (int)in_branch && handled == 1);
  }
}
#endif

static void *waits_for_one_that_exits(void *plainly) {
  ch_activity h;
  activate[&h](plainly) {
    if (plainly)
      exits_with_handler();
    pthread_exit(&ended);
  }
  EXPECT(ch_activity_wait(&h) == 0);
  ended++;
  return NULL;
}
TEST(pthread_exit_ends_an_activity_for_which_others_wait) {
  for (uintptr_t plainly = 0; plainly < 2; plainly++) {
    joins_one_that_exits(waits_for_one_that_exits, (void *)plainly);
    EXPECT(ended == 1);
  }
}

static void *several_exit(void *unused) {
  (void)unused;
  for (int i = 1; i <= 3; i++)
    activate(i) {
      ch_sleep(i * 1000000);
      ended++;
      pthread_exit(&ended);
    }
  activate {
    ch_sleep(10000000);
    ended++;
  }
  pthread_exit(&ended);
}
TEST(several_activities_of_a_thread_may_call_pthread_exit) {
  joins_one_that_exits(several_exit, NULL);
  EXPECT(ended == 4);
}

static void *exits_in_activity(void *gate) {
  activate(gate) {
    ch_sleep(1000000);
    ch_sem_post(gate);
    ended++;
    pthread_exit(&ended);
  }
  EXPECT(ch_sem_wait(gate) == 0);
  EXPECT(ch_sleep(1000000) == 0);
  ended++;
  return NULL;
}
TEST(pthread_exit_of_another_activity_leaves_the_first_to_end) {
  ch_sem gate = CH_SEM_INIT(0);
  pthread_t thread;
  void *result;
  EXPECT(pthread_create(&thread, NULL, exits_in_activity, &gate) == 0 && pthread_join(thread, &result) == 0);
  EXPECT(result == &ended && ended == 2);
}

static int cancelled;
static int begun[2];
static void *waits_long(void *others) {
  if (others)
    activate {
      ch_sleep(30000000);
      ended++;
    }
  if (!others) {
    EXPECT(write(begun[1], "x", 1) == 1);
    usleep(100000000); /* alone: the plain call */
  }
  if (ch_sleep(INT64_C(100000000000)) == ECANCELED)
    cancelled++;
  return NULL;
}
TEST(pthread_cancel_ends_a_thread_alone_in_its_domain) {
  pthread_t thread;
  void *result;
  char c;
  EXPECT(pipe(begun) == 0);
  EXPECT(pthread_create(&thread, NULL, waits_long, NULL) == 0);
  EXPECT(read(begun[0], &c, 1) == 1 && pthread_cancel(thread) == 0 && pthread_join(thread, &result) == 0);
  EXPECT(result == PTHREAD_CANCELED);
}

TEST(pthread_cancel_cancels_the_first_activity_and_waits_for_the_others) {
  pthread_t thread;
  void *result;
  EXPECT(pthread_create(&thread, NULL, waits_long, &thread) == 0);
  ch_sleep(10000000); /* whether it waits by then or not */
  EXPECT(pthread_cancel(thread) == 0 && pthread_join(thread, &result) == 0);
  EXPECT(result == PTHREAD_CANCELED && cancelled == 1 && ended == 1);
}

/* Cancellation points that wait for nothing. In a cancelled scope they return ECANCELED. */
static int zeros;
static void reads(void *unused) {
  char bytes[16];
  (void)unused;
  for (int i = 0; i < 10; i++)
    (void)read(zeros, bytes, sizeof bytes);
}
static void *another_activity_reads(void *unused) {
  activate {
    EXPECT(pthread_cancel(pthread_self()) == 0);
    reads(NULL);
    call_plainly(reads, NULL);
    ch_sleep(1000000);
    reads(NULL);
    call_plainly(reads, NULL);
    ended++;
  }
  cancelled += ch_sleep(INT64_C(100000000000)) == ECANCELED;
  return unused;
}
static void *reads_in_a_scope(void *unused) {
  do {
    async {
      ch_sleep(1000000);
      reads(NULL);
      call_plainly(reads, NULL);
      ended++;
    }
    EXPECT(pthread_cancel(pthread_self()) == 0);
    reads(NULL);
    cancelled++;
  } finish;
  usleep(1000);
  EXPECT(!"reached");
  return unused;
}
TEST(pthread_cancel_ends_no_other_activity_and_no_scope_at_its_cancellation_points) {
  void *(*const ways[])(void *) = {another_activity_reads, reads_in_a_scope};
  for (int i = 0; i < 2; i++) {
    pthread_t thread;
    void *result;
    cancelled = ended = 0;
    EXPECT((zeros = open("/dev/zero", O_RDONLY)) >= 0);
    EXPECT(pthread_create(&thread, NULL, ways[i], NULL) == 0 && pthread_join(thread, &result) == 0);
    EXPECT(result == PTHREAD_CANCELED && cancelled == 1 && ended == 1 && close(zeros) == 0);
  }
}

#if !__has_feature(thread_sanitizer) && !__has_feature(address_sanitizer) /* they have wrappers of their own */
static sem_t available;
static void *takes_a_unit_when_cancelled(void *how) {
  const struct timespec past = {1, 0};
  EXPECT(pthread_cancel(pthread_self()) == 0);
  switch ((intptr_t)how) {
  case 0:
    sem_wait(&available);
    break;
  case 1:
    sem_timedwait(&available, &past);
    break;
  default:
    sem_clockwait(&available, CLOCK_MONOTONIC, &past);
  }
  return NULL;
}
TEST(a_semaphore_with_a_unit_is_a_cancellation_point_too) {
  sem_init(&available, 0, 1);
  for (intptr_t how = 0; how < 3; how++) {
    pthread_t thread;
    void *result;
    int units;
    EXPECT(pthread_create(&thread, NULL, takes_a_unit_when_cancelled, (void *)how) == 0);
    EXPECT(pthread_join(thread, &result) == 0 && result == PTHREAD_CANCELED);
    EXPECT(sem_getvalue(&available, &units) == 0 && units == 1);
  }
}
#endif

/* ---- the end of main's thread: sanitizers end the process otherwise, or cannot join it ---- */

#if !__has_feature(thread_sanitizer) && !__has_feature(address_sanitizer)
static int to_do;
static void one_less(void) { /* the last one says so */
  if (__atomic_sub_fetch(&to_do, 1, __ATOMIC_ACQ_REL) == 0)
    fprintf(stderr, "all of them have ended\n");
}
static void runs_for_some_slices(void) {
  int64_t begin = ch_now();
  while (ch_now() - begin < 30000000)
    ;
  one_less();
}
static void sleeps_in_between(void) {
  ch_sleep(1000000);
  usleep(1000);
  one_less();
}
static void *joins_main(void *main_thread) {
  void *result;
  EXPECT(pthread_join(*(pthread_t *)main_thread, &result) == 0 && result == &to_do);
  sleeps_in_between();
  return NULL;
}
static pthread_t main_thread;
TEST_EXITS(a_main_that_ends_by_pthread_exit_lets_its_activities_end, 0, "all of them have ended") {
  to_do = 3;
  activate runs_for_some_slices();
  activate runs_for_some_slices();
  activate sleeps_in_between();
  ch_reschedule();
  pthread_exit(NULL);
}
TEST_EXITS(the_process_ends_with_its_last_thread, 0, "all of them have ended") {
  pthread_t other;
  to_do = 3;
  main_thread = pthread_self();
  EXPECT(pthread_create(&other, NULL, joins_main, &main_thread) == 0);
  activate runs_for_some_slices();
  activate sleeps_in_between();
  pthread_exit(&to_do);
}
TEST_EXITS(a_main_that_cancels_itself_lets_its_activities_end, 0, "all of them have ended") {
  to_do = 1;
  activate sleeps_in_between();
  EXPECT(pthread_cancel(pthread_self()) == 0);
  pthread_testcancel();
}
#endif

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t condition = PTHREAD_COND_INITIALIZER;
static pthread_barrier_t barrier;
static int cleaned;
static void unlock_and_count(void *unused) {
  (void)unused;
  cleaned += pthread_mutex_unlock(&mutex) == 0;
}
/* A cancellation must not come within `write`: ThreadSanitizer would miss what the thread's handlers unlock. */
static void say_begun(void) {
  int old;
  pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &old);
  EXPECT(write(begun[1], "x", 1) == 1);
  pthread_setcancelstate(old, NULL);
}
static void *waits_for_a_condition(void *unused) {
  (void)unused;
  EXPECT(pthread_mutex_lock(&mutex) == 0);
  pthread_cleanup_push(unlock_and_count, NULL);
  say_begun();
  for (;;)
    pthread_cond_wait(&condition, &mutex);
  pthread_cleanup_pop(0);
  return NULL;
}
__attribute__((unused)) static void *joins(void *waiting) {
  void *result;
  say_begun();
  pthread_join(*(pthread_t *)waiting, &result);
  return NULL;
}
static pthread_t begin(void *(*start)(void *), void *argument) {
  pthread_t thread;
  char c;
  EXPECT(pipe(begun) == 0 && pthread_create(&thread, NULL, start, argument) == 0 && read(begun[0], &c, 1) == 1);
  return thread;
}
static void end_by_cancellation(pthread_t thread) {
  void *result;
  EXPECT(pthread_cancel(thread) == 0 && pthread_join(thread, &result) == 0 && result == PTHREAD_CANCELED);
}
TEST(pthread_cancel_ends_a_lone_activitys_waits_for_conditions_and_threads) {
  pthread_t waiting = begin(waits_for_a_condition, NULL);
#if !__has_feature(thread_sanitizer) /* whose own pthread_join must not be cancelled */
  end_by_cancellation(begin(joins, &waiting));
#endif
  end_by_cancellation(waiting);
  EXPECT(cleaned == 1 && pthread_mutex_trylock(&mutex) == 0);
}

TEST(a_thread_that_joins_itself_is_told_so) {
  ch_activity other;
  EXPECT(pthread_join(pthread_self(), NULL) == EDEADLK);
  activate[&other] { EXPECT(pthread_join(pthread_self(), NULL) == EDEADLK); }
  ch_activity_wait(&other);
}

static _Atomic int has_detached;
static void *detaches_itself(void *unused) {
  ch_activity other;
  activate[&other] {
    EXPECT(pthread_join(pthread_self(), NULL) == EDEADLK);
    EXPECT(pthread_detach(pthread_self()) == 0 && pthread_join(pthread_self(), NULL) == EINVAL);
  }
  ch_activity_wait(&other);
  has_detached = 1;
  return unused;
}
TEST(a_detached_thread_that_joins_itself_is_told_that_there_is_nothing_to_join) {
  pthread_t thread;
  EXPECT(pthread_create(&thread, NULL, detaches_itself, NULL) == 0);
  while (!has_detached)
    usleep(1000);
}

static int meet(void) {
  int r = pthread_barrier_wait(&barrier);
  return r == 0 || r == PTHREAD_BARRIER_SERIAL_THREAD;
}
static int has_met, has_mutex;
static void *waits_for_locks(void *unused) {
  (void)unused;
  say_begun();
  has_met = meet();
  has_mutex = pthread_mutex_lock(&mutex) == 0 && pthread_mutex_unlock(&mutex) == 0;
  pthread_testcancel();
  return NULL;
}
/* What is prepared for the first wait has cancellation points, too. */
static void *is_cancelled_and_waits_for_locks(void *unused) {
  EXPECT(pthread_cancel(pthread_self()) == 0);
  return waits_for_locks(unused);
}
static void cancel_while_it_waits_for_locks(void *(*how)(void *)) {
  EXPECT(pthread_barrier_init(&barrier, NULL, 2) == 0 && pthread_mutex_lock(&mutex) == 0);
  pthread_t thread = begin(how, NULL);
  void *result;
  ch_sleep(10000000); /* whether it waits by then or not */
  EXPECT(pthread_cancel(thread) == 0 && meet());
  ch_sleep(10000000);
  EXPECT(pthread_mutex_unlock(&mutex) == 0);
  EXPECT(pthread_join(thread, &result) == 0 && result == PTHREAD_CANCELED && has_met && has_mutex);
  has_met = has_mutex = 0;
}
TEST(pthread_cancel_waits_until_a_lone_activity_has_its_lock) {
  cancel_while_it_waits_for_locks(waits_for_locks);
  cancel_while_it_waits_for_locks(is_cancelled_and_waits_for_locks);
}

static void *detached(void *descriptor) {
  activate(descriptor) {
    ch_sleep(3000000);
    EXPECT(write(*(int *)descriptor, "x", 1) == 1);
  }
  return NULL;
}
TEST(a_detached_thread_ends_after_its_activities) {
  pthread_t thread;
  pthread_attr_t attributes;
  char c;
  EXPECT(pipe(pipes) == 0 && pthread_attr_init(&attributes) == 0);
  EXPECT(pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED) == 0);
  EXPECT(pthread_create(&thread, &attributes, detached, &pipes[1]) == 0);
  EXPECT(read(pipes[0], &c, 1) == 1);
}

static void *forks(void *unused) {
  (void)unused;
  activate { ch_sleep(1000000); }
  pid_t child = fork();
  if (child == 0) {
    int r = 0;
    do {
      async {
        ch_sleep(2000000);
        r += 3;
      }
      async {
        ch_sleep(1000000);
        r += 4;
      }
    }
    finish;
    _exit(r);
  }
  int status;
  EXPECT(waitpid(child, &status, 0) == child && WIFEXITED(status) && WEXITSTATUS(status) == 7);
  return NULL;
}
TEST(fork_in_a_thread_leaves_its_domain_to_the_child) {
  pthread_t thread;
  EXPECT(pthread_create(&thread, NULL, forks, NULL) == 0 && pthread_join(thread, NULL) == 0);
}

static void *runs_for_ever(void *unused) {
  (void)unused;
  do
    for (int i = 0; i < 10; i++)
      async for (;;) ch_sleep(10000);
  finish;
  return NULL;
}
TEST_EXITS(exit_while_domains_of_threads_run, 5, "") {
  pthread_t threads[3];
  for (int i = 0; i < 3; i++)
    EXPECT(pthread_create(&threads[i], NULL, runs_for_ever, NULL) == 0);
  ch_sleep(20000000);
  exit(5);
}

/* ---- plain code gets a domain on first use ---- */

static void use_everything(void *ran) {
  ch_activity h;
  ch_sem gate = CH_SEM_INIT(0);
  activate {
    EXPECT(ch_sem_wait(&gate) == 0);
    ++*(int *)ran;
  }
  activate[&h] {
    usleep(1000);
    ++*(int *)ran;
    ch_sem_post(&gate);
  }
  EXPECT(ch_activity_wait(&h) == 0 && ch_sleep(1000) == 0);
  within(1000000) do EXPECT(ch_sleep(INT64_C(100000000000)) == ECANCELED);
  finish;
  activate(ran) {
    ch_sleep(1000000);
    ++*(int *)ran; /* after the routine has returned */
  }
}
static void offloaded(void *ran) { call_plainly(use_everything, ran); }
TEST(a_call_in_the_pool_may_use_everything_and_ends_what_it_began) {
  int ran = 0;
  EXPECT(ch_offload(offloaded, &ran) == 0 && ran == 3);
  EXPECT(ch_offload(offloaded, &ran) == 0 && ran == 6);
}

static void *plain_routine(void *ran) { return use_everything(ran), ran; }
static void start_plainly(void *ran) {
  pthread_t thread;
  void *result;
  EXPECT(pthread_create(&thread, NULL, plain_routine, ran) == 0 && pthread_join(thread, &result) == 0 && result == ran);
}
TEST(a_thread_that_plain_code_starts_gets_a_domain_when_it_needs_one) {
  int ran = 0;
  call_plainly(start_plainly, &ran);
  EXPECT(ran == 3);
}

static void *enters(void *ran) {
  EXPECT(ch_domain_leave() == EINVAL && ch_domain_enter() == 0);
  activate {
    ch_sleep(1000000);
    ++*(int *)ran;
  }
  EXPECT(*(int *)ran == 0 && ch_domain_leave() == 0 && *(int *)ran == 1);
  EXPECT(ch_domain_leave() == EINVAL);
  return NULL;
}
static void enter_plainly(void *ran) {
  pthread_t thread;
  EXPECT(pthread_create(&thread, NULL, enters, ran) == 0 && pthread_join(thread, NULL) == 0);
}
TEST(leaving_a_domain_waits_for_what_was_activated_there) {
  int ran = 0;
  call_plainly(enter_plainly, &ran);
  EXPECT(ran == 1);
}

static int ran_before;
static __attribute__((constructor(200))) void before_main(void) {
  if (!getenv("BEFORE_MAIN"))
    return;
  activate { ran_before++; }
  use_everything(&ran_before);
  activate { ran_before++; }
}
TEST(behind_a_constructor) {
  while (getenv("BEFORE_MAIN") && ran_before < 5)
    ch_sleep(1000000);
}
TEST(what_a_constructor_has_activated_runs_under_main) {
  setenv("BEFORE_MAIN", "1", 1);
  execl("/proc/self/exe", "test", "behind_a_constructor", "here", NULL);
}

/* ---- many threads, of which each takes 200 kB under a sanitizer ---- */

#if !__has_feature(thread_sanitizer) && !__has_feature(address_sanitizer)
static pthread_mutex_t gate = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t opened = PTHREAD_COND_INITIALIZER;
static int waiting, open_now;
static void *waits_at_the_gate(void *none) {
  pthread_mutex_lock(&gate);
  waiting++;
  while (!open_now)
    pthread_cond_wait(&opened, &gate);
  pthread_mutex_unlock(&gate);
  return none;
}
static int64_t processor_time(void) {
  struct timespec t;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
  return t.tv_sec * INT64_C(1000000000) + t.tv_nsec;
}
/* How long the ends of n threads take, which are in the order of their beginnings; 0: there are not so many. */
static int64_t time_of_ends(int n) {
  pthread_t *threads = calloc(n, sizeof *threads);
  pthread_attr_t small;
  int begun = 0, here;
  pthread_attr_init(&small);
  pthread_attr_setstacksize(&small, 1 << 17);
  waiting = open_now = 0;
  while (begun < n && pthread_create(&threads[begun], &small, waits_at_the_gate, NULL) == 0)
    begun++;
  do {
    usleep(1000);
    pthread_mutex_lock(&gate);
    here = waiting;
    pthread_mutex_unlock(&gate);
  } while (here < begun);
  int64_t begin = processor_time();
  pthread_mutex_lock(&gate);
  open_now = 1;
  pthread_cond_broadcast(&opened);
  pthread_mutex_unlock(&gate);
  for (int i = 0; i < begun; i++)
    pthread_join(threads[i], NULL);
  int64_t took = processor_time() - begin;
  free(threads);
  pthread_attr_destroy(&small);
  return begun < n ? 0 : took;
}
TEST(many_threads_end_in_linear_time) {
  int64_t few = INT64_MAX, many = INT64_MAX, t;
  for (int tries = 0; tries < 2 || (many > 30 * few && tries < 4); tries++) {
    few = (t = time_of_ends(800)) < few ? t : few;
    many = (t = time_of_ends(8000)) < many ? t : many;
  }
  EXPECT(many <= 30 * few); /* where each end looks at all that are left it is 100 times and more */
}
#endif
