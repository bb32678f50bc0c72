/* Tests that a thread that ends by pthread_cancel or pthread_exit leaves nothing half done in the runtime: what the
 * runtime writes and reads for itself is no cancellation point, and a poll that is cancelled loses no event. */
#include "harness.h"
#include <pthread.h>
#include <sched.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <time.h>

enum { SECOND = 1000000000 };

/* ---- who posts has been cancelled, and has not noticed yet ---- */

static ch_sem sem;
static int waits;

static void *post_when_cancelled(void *unused) {
  int before;
  pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &before);
  pthread_cancel(pthread_self());
  while (!__atomic_load_n(&waits, __ATOMIC_SEQ_CST))
    sched_yield();
  const struct timespec until_it_sleeps = {0, 20000000};
  raw_syscall(SYS_nanosleep, &until_it_sleeps, NULL);
  pthread_setcancelstate(PTHREAD_CANCEL_ENABLE, &before);
  atomic ch_sem_post(&sem);
  pthread_testcancel();
  return unused;
}

TEST(a_post_of_a_thread_that_has_been_cancelled_wakes_the_domain) {
  int ends[2];
  pthread_t thread;
  EXPECT(pipe(ends) == 0);
  ch_sem_init(&sem, 0);
  EXPECT(pthread_create(&thread, NULL, post_when_cancelled, NULL) == 0);
  do {
    async { /* so that the domain sleeps in its reactor */
      char byte;
      EXPECT(read(ends[0], &byte, 1) == 1);
    }
    __atomic_store_n(&waits, 1, __ATOMIC_SEQ_CST);
    int64_t begin = ch_now();
    EXPECT(ch_sem_timedwait(&sem, 20 * (int64_t)SECOND) == 0);
    EXPECT(ch_now() - begin < 10 * (int64_t)SECOND); /* else only the end of the time has woken it */
    EXPECT(write(ends[1], "x", 1) == 1);
  }
  finish;
  EXPECT(pthread_join(thread, NULL) == 0);
}

/* ---- the domain's own thread is cancelled while letters and events come ---- */

enum { UNITS = 20 };
static int ends[2], has_begun;

static void *wait_for_all(void *unused) {
  activate {
    for (int i = 0; i < UNITS; i++)
      EXPECT(ch_sem_wait(&sem) == 0);
  }
  activate {
    char byte;
    for (int i = 0; i < UNITS; i++)
      EXPECT(read(ends[0], &byte, 1) == 1);
  }
  __atomic_store_n(&has_begun, 1, __ATOMIC_SEQ_CST);
  for (;;)
    pause();
  return unused;
}

TEST(the_other_activities_of_a_cancelled_thread_miss_nothing) {
  for (int round = 0; round < 200; round++) {
    pthread_t thread;
    EXPECT(socketpair(AF_UNIX, SOCK_STREAM, 0, ends) == 0);
    ch_sem_init(&sem, 0);
    has_begun = 0;
    EXPECT(pthread_create(&thread, NULL, wait_for_all, NULL) == 0);
    while (!__atomic_load_n(&has_begun, __ATOMIC_SEQ_CST))
      sched_yield();
    for (int i = 0; i < UNITS; i++) {
      EXPECT(ch_sem_post(&sem) == 0 && write(ends[1], "x", 1) == 1);
      if (i == round % UNITS)
        EXPECT(pthread_cancel(thread) == 0);
    }
    EXPECT(pthread_join(thread, NULL) == 0);
    EXPECT(close(ends[0]) == 0 && close(ends[1]) == 0);
  }
}

/* ---- clauses, whose calls are cancellation points ---- */

/* Runs `body` in a thread of its own, and says whether the thread was cancelled. */
static int is_cancelled_in(void *(*body)(void *)) {
  pthread_t thread;
  void *result;
  EXPECT(pthread_create(&thread, NULL, body, NULL) == 0 && pthread_join(thread, &result) == 0);
  return result == PTHREAD_CANCELED;
}

static void *wait_for_two_kinds(void *unused) {
  int before, got = 0;
  char byte;
  activate { ch_sleep(1000000); }
  pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &before);
  pthread_cancel(pthread_self());
  pthread_setcancelstate(before, NULL);
  waituntil(ch_sem_wait(&sem)) got = 1;
  or waituntil(recv(ends[0], &byte, 1, 0)) got = 2;
  EXPECT(got == 0);
  pthread_testcancel();
  return unused;
}

TEST(a_statement_of_a_cancelled_thread_is_withdrawn_from_all_that_it_waited_for) {
  EXPECT(socketpair(AF_UNIX, SOCK_STREAM, 0, ends) == 0);
  ch_sem_init(&sem, 0);
  EXPECT(is_cancelled_in(wait_for_two_kinds));
  EXPECT(ch_sem_post(&sem) == 0);
  EXPECT(ch_sem_timedwait(&sem, 20 * (int64_t)SECOND) == 0);
}

/* ---- a domain that always has somebody to run ---- */

static int is_over;
static void *wait_beside_one_who_never_waits(void *thread) {
  activate {
    while (!is_over)
      ch_reschedule();
  }
  if (thread == NULL)
    pthread_cancel(pthread_self());
  else
    __atomic_store_n(&has_begun, 1, __ATOMIC_SEQ_CST);
  EXPECT(ch_sem_wait(&sem) == ECANCELED);
  is_over = 1;
  return NULL;
}

TEST(a_busy_domain_notices_that_its_thread_is_cancelled) {
  pthread_t thread;
  void *result;
  ch_sem_init(&sem, 0);
  EXPECT(is_cancelled_in(wait_beside_one_who_never_waits));
  is_over = has_begun = 0;
  EXPECT(pthread_create(&thread, NULL, wait_beside_one_who_never_waits, &thread) == 0);
  while (!__atomic_load_n(&has_begun, __ATOMIC_SEQ_CST))
    sched_yield();
  EXPECT(pthread_cancel(thread) == 0);
  EXPECT(pthread_join(thread, &result) == 0 && result == PTHREAD_CANCELED);
}

/* ---- a thread of the pool ---- */

static void leave(void *unused) {
  (void)unused;
  pthread_exit(NULL);
}
static void count(void *number) { ++*(int *)number; }

TEST(a_call_that_ends_its_thread_of_the_pool_is_over) {
  int number = 0;
  for (int i = 0; i < 200; i++) /* more than there may be threads */
    EXPECT(ch_offload(leave, NULL) == EINTR);
  EXPECT(ch_offload(count, &number) == 0 && number == 1);
}

/* main's loop sleeps in the reactor, whose call ends the thread; main itself is interruptible code, whose stack may be
 * left. The activity beside it goes on until its end. */
static int went_on;
static void *cancels_main(void *thread) {
  void *result = NULL;
  EXPECT(pthread_cancel(*(pthread_t *)thread) == 0);
#if __has_feature(address_sanitizer) /* which lets nobody join main */
  (void)result;
  while (__atomic_load_n(&went_on, __ATOMIC_SEQ_CST) < 20)
    usleep(1000);
#else
  EXPECT(pthread_join(*(pthread_t *)thread, &result) == 0 && result == PTHREAD_CANCELED);
#endif
  exit(__atomic_load_n(&went_on, __ATOMIC_SEQ_CST) == 20 ? 0 : 5);
}
TEST(a_cancelled_main_ends_at_its_next_call_while_others_go_on) {
  static pthread_t here;
  pthread_t thread;
  alarm(20);
  here = pthread_self();
  activate {
    for (int i = 0; i < 20; i++) {
      ch_sleep(5000000);
      __atomic_add_fetch(&went_on, 1, __ATOMIC_SEQ_CST);
    }
  }
  EXPECT(pthread_create(&thread, NULL, cancels_main, &here) == 0);
  for (;;)
    pause();
}
