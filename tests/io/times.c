/* Tests times that are too long, negative, invalid or infinite, in every call that takes a time; and a clock that is
 * set while an activity waits for it. */
#include "harness.h"
#include "times.h"
#include <aio.h>
#include <limits.h>
#include <fcntl.h>
#include <mqueue.h>
#include <poll.h>
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <sys/epoll.h>
#include <sys/select.h>
#include <sys/sem.h>
#include <sys/socket.h>
#include <threads.h>
#include <time.h>

/* Somebody else waits, too: who is alone makes the plain call. */
static void begins(void) {
  alarm(60);
  activate { ch_sleep(CH_FOREVER); }
}

/* What becomes of the call within 20 ms: it ends with the result and errno (0: any), or it waits. */
enum { WAITS = -99 };
static int failures;
#define ENDS(call, expected, error_expected)                                                                           \
  do {                                                                                                                 \
    long r = WAITS;                                                                                                    \
    int error_ = 0;                                                                                                    \
    ch_activity calls;                                                                                                 \
    activate[&calls] {                                                                                                 \
      errno = 0;                                                                                                       \
      r = (long)(call);                                                                                                \
      error_ = errno;                                                                                                  \
    }                                                                                                                  \
    long want = (expected), after = 0, was;                                                                            \
    for (int k = 0; k < (want == WAITS ? 5 : 20000) && r == WAITS; k++)                                                \
      ch_sleep(1000000);                                                                                               \
    was = r;                                                                                                           \
    ch_activity_cancel(&calls);                                                                                        \
    ch_activity_wait(&calls);                                                                                          \
    after = r;                                                                                                         \
    if (was != want || (was != WAITS && (error_expected) && error_ != (error_expected)))                               \
      fprintf(stderr, "%s: %ld, errno %d, cancelled %ld\n", #call, was, error_, after), failures++;                    \
  } while (0)

#define SPEC(s, ns) (&(struct timespec){(s), (ns)})
#define VAL(s, us) (&(struct timeval){(s), (us)})

TEST(durations) {
  begins();
  /* too long for the clock: without end */
  ENDS(nanosleep(SPEC(LONG_MAX, 999999999), NULL), WAITS, 0);
  ENDS(nanosleep(SPEC(10000000000, 0), NULL), WAITS, 0);
  ENDS(thrd_sleep(SPEC(LONG_MAX, 0), NULL), WAITS, 0);
  ENDS(clock_nanosleep(CLOCK_REALTIME, 0, SPEC(LONG_MAX, 0), NULL), WAITS, 0);
  ENDS(sleep(UINT_MAX), WAITS, 0);
  ENDS(usleep(UINT_MAX), WAITS, 0);
  ENDS(poll(NULL, 0, INT_MAX), WAITS, 0);
  ENDS(poll(NULL, 0, INT_MIN), WAITS, 0);
  ENDS(ppoll(NULL, 0, SPEC(LONG_MAX, 0), NULL), WAITS, 0);
  ENDS(select(0, NULL, NULL, NULL, VAL(LONG_MAX, 0)), WAITS, 0);
  ENDS(select(0, NULL, NULL, NULL, VAL(LONG_MAX, LONG_MAX)), WAITS, 0);
  ENDS(pselect(0, NULL, NULL, NULL, SPEC(LONG_MAX, 1), NULL), WAITS, 0);
  int e = epoll_create1(0);
  struct epoll_event event;
  ENDS(epoll_wait(e, &event, 1, INT_MAX), WAITS, 0);
  ENDS(epoll_pwait2(e, &event, 1, SPEC(LONG_MAX, 0), NULL), WAITS, 0);
  sigset_t set;
  sigemptyset(&set);
  sigaddset(&set, SIGUSR1);
  sigprocmask(SIG_BLOCK, &set, NULL);
  ENDS(sigtimedwait(&set, NULL, SPEC(10000000000, 0)), WAITS, 0);
  ENDS(sigtimedwait(&set, NULL, SPEC(LONG_MAX, 999999999)), WAITS, 0);
  ENDS(sigtimedwait(&set, NULL, NULL), WAITS, 0);
  int s[2];
  EXPECT(socketpair(AF_UNIX, SOCK_DGRAM, 0, s) == 0);
  struct mmsghdr all[2] = {0};
  ENDS(recvmmsg(s[0], all, 2, 0, SPEC(LONG_MAX, 0)), WAITS, 0);
  ch_sem never = CH_SEM_INIT(0);
  ENDS(ch_sem_timedwait(&never, INT64_MAX - 1), WAITS, 0);
  ENDS(ch_sleep(INT64_MAX - 1), WAITS, 0);
  ENDS(ch_fd_wait(s[0], POLLIN, INT64_MAX - 1), WAITS, 0);
  struct timeval longest = {LONG_MAX / 1000, 0};
  EXPECT(setsockopt(s[0], SOL_SOCKET, SO_RCVTIMEO, &longest, sizeof longest) == 0);
  ENDS(recv(s[0], &event, 1, 0), WAITS, 0);
  /* no time at all */
  ENDS(nanosleep(SPEC(0, 0), NULL), 0, 0);
  ENDS(poll(NULL, 0, 0), 0, 0);
  ENDS(select(0, NULL, NULL, NULL, VAL(0, 0)), 0, 0);
  ENDS(sigtimedwait(&set, NULL, SPEC(0, 0)), -1, EAGAIN);
  ENDS(ch_sleep(INT64_MIN), 0, 0);
  ENDS(ch_sem_timedwait(&never, INT64_MIN), ETIMEDOUT, 0);
  ENDS(ch_fd_wait(s[0], POLLIN, INT64_MIN), 0, 0);
  /* none */
  const struct timespec *invalid[] = {SPEC(-1, 0), SPEC(0, -1), SPEC(0, 1000000000), SPEC(LONG_MIN, 0),
                                      SPEC(LONG_MAX, LONG_MAX)};
  for (int i = 0; i < 5; i++) {
    struct timespec t = *invalid[i];
    ENDS(nanosleep(&t, NULL), -1, EINVAL);
    ENDS(thrd_sleep(&t, NULL), -2, 0);
    ENDS(clock_nanosleep(CLOCK_MONOTONIC, 0, &t, NULL), EINVAL, 0);
    ENDS(clock_nanosleep(CLOCK_REALTIME, TIMER_ABSTIME, &t, NULL), EINVAL, 0);
    ENDS(ppoll(NULL, 0, &t, NULL), -1, EINVAL);
    ENDS(pselect(0, NULL, NULL, NULL, &t, NULL), -1, EINVAL);
    ENDS(epoll_pwait2(e, &event, 1, &t, NULL), -1, EINVAL);
    ENDS(sigtimedwait(&set, NULL, &t), -1, EINVAL);
    ENDS(recvmmsg(s[0], all, 2, 0, &t), -1, EINVAL);
  }
  ENDS(select(0, NULL, NULL, NULL, VAL(-1, 0)), -1, EINVAL);
  ENDS(select(0, NULL, NULL, NULL, VAL(0, -1)), -1, EINVAL);
  /* as the kernel reads it */
  ENDS(select(0, NULL, NULL, NULL, VAL(0, 5000000)), WAITS, 0);
  exit(failures);
}

TEST(times_on_other_clocks) {
  sem_t taken;
  pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
  begins();
  clockid_t clocks[] = {CLOCK_REALTIME, CLOCK_MONOTONIC, CLOCK_BOOTTIME, CLOCK_TAI};
  for (int i = 0; i < 4; i++) {
    ENDS(clock_nanosleep(clocks[i], TIMER_ABSTIME, SPEC(0, 0), NULL), 0, 0);
    ENDS(clock_nanosleep(clocks[i], TIMER_ABSTIME, SPEC(LONG_MAX, 999999999), NULL), WAITS, 0);
    struct timespec soon;
    clock_gettime(clocks[i], &soon);
    soon.tv_sec++;
    ENDS(clock_nanosleep(clocks[i], TIMER_ABSTIME, &soon, NULL), WAITS, 0);
  }
  EXPECT(sem_init(&taken, 0, 0) == 0);
  ENDS(sem_timedwait(&taken, SPEC(LONG_MIN, 0)), -1, 0);
  ENDS(sem_timedwait(&taken, SPEC(0, 1000000000)), -1, EINVAL);
  ENDS(sem_timedwait(&taken, SPEC(LONG_MAX, 0)), WAITS, 0);
  activate {
    EXPECT(pthread_mutex_lock(&mutex) == 0);
    ch_sleep(CH_FOREVER);
  }
  ch_sleep(1000000);
  ENDS(pthread_mutex_timedlock(&mutex, SPEC(0, 0)), ETIMEDOUT, 0);
  ENDS(pthread_mutex_timedlock(&mutex, SPEC(LONG_MIN, 0)), ETIMEDOUT, 0);
  ENDS(pthread_mutex_timedlock(&mutex, SPEC(0, -1)), EINVAL, 0);
  struct mq_attr attributes = {.mq_maxmsg = 1, .mq_msgsize = 8};
  char name[40], text[8];
  snprintf(name, sizeof name, "/charcoal-times-%d", (int)getpid());
  mqd_t q = mq_open(name, O_RDWR | O_CREAT, 0600, &attributes);
  if (q >= 0) {
    mq_unlink(name);
    ENDS(mq_timedreceive(q, text, 8, NULL, SPEC(0, 0)), -1, ETIMEDOUT);
    ENDS(mq_timedreceive(q, text, 8, NULL, SPEC(0, 1000000000)), -1, EINVAL);
    ENDS(mq_timedreceive(q, text, 8, NULL, SPEC(-1, 0)), -1, EINVAL);
    ENDS(mq_timedreceive(q, text, 8, NULL, SPEC(LONG_MAX, 0)), WAITS, 0);
  }
  exit(failures);
}

/* ---- a clock that is set ---- */

static struct timespec in_an_hour(void) {
  struct timespec t;
  clock_gettime(CLOCK_REALTIME, &t);
  t.tv_sec += 3600;
  return t;
}
#define ON INT64_C(4000000000000)

TEST(a_deadline_follows_the_clock_that_is_set_on) {
  begins();
  for (int without = 0; without < 2; without++) {
    struct timespec t = in_an_hour();
    int r = -1;
    without_clock_watches(without);
    do {
      async r = clock_nanosleep(CLOCK_REALTIME, TIMER_ABSTIME, &t, NULL);
      while (!without && clock_watches() == 0)
        ch_sleep(1000000);
      EXPECT(r == -1);
      set_the_clock_on(ON);
    }
    finish;
    EXPECT(r == 0);
  }
}

TEST(a_deadline_follows_the_clock_that_is_set_back) {
  struct timespec t;
  int r = -1;
  begins();
  clock_gettime(CLOCK_REALTIME, &t);
  t.tv_sec += 2;
  do {
    async r = clock_nanosleep(CLOCK_REALTIME, TIMER_ABSTIME, &t, NULL);
    while (clock_watches() == 0)
      ch_sleep(1000000);
    set_the_clock_on(-ON);
    while (clock_watches() == 0)
      ch_sleep(1000000); /* it has looked, and waits anew */
    EXPECT(r == -1);
    set_the_clock_on(2 * ON);
  }
  finish;
  EXPECT(r == 0);
}

TEST(a_duration_does_not_follow_the_clock) {
  int r = -1;
  begins();
  do {
    async r = nanosleep(&(struct timespec){0, 30000000}, NULL);
    set_the_clock_on(ON);
    ch_sleep(2000000);
    EXPECT(r == -1);
  }
  finish;
  EXPECT(r == 0);
}

TEST(a_queues_deadline_follows_the_clock) {
  struct mq_attr attributes = {.mq_maxmsg = 1, .mq_msgsize = 8};
  char name[40], text[8];
  begins();
  snprintf(name, sizeof name, "/charcoal-times-%d", (int)getpid());
  mqd_t q = mq_open(name, O_RDWR | O_CREAT, 0600, &attributes);
  if (q < 0)
    return; /* a kernel without queues */
  mq_unlink(name);
  struct timespec t = in_an_hour();
  long r = 0;
  int error = 0;
  do {
    async {
      r = mq_timedreceive(q, text, 8, NULL, &t);
      error = errno;
    }
    while (clock_watches() == 0)
      ch_sleep(1000000);
    set_the_clock_on(ON);
  }
  finish;
  EXPECT(r == -1 && error == ETIMEDOUT);
}

static long long now_in_ns(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return t.tv_sec * 1000000000LL + t.tv_nsec;
}
static void compute(long long ns) {
  for (long long end = now_in_ns() + ns; now_in_ns() < end;) {
  }
}

/* The activity that keeps the processor is in `atomic`, so that its slice does not end. */
TEST(what_has_come_before_a_limit_is_over_counts_although_the_thread_looks_later) {
  begins();
  for (int way = 0; way < 4; way++) {
    int ends[2];
    long r = WAITS;
    char byte;
    struct timeval limit = {0, 30000};
    EXPECT(socketpair(AF_UNIX, way % 2 ? SOCK_DGRAM : SOCK_STREAM, 0, ends) == 0);
    EXPECT(setsockopt(ends[0], SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof limit) == 0);
    ch_activity calls;
    activate[&calls] {
      if (way < 2)
        r = read(ends[0], &byte, 1);
      else
        r = ch_fd_wait(ends[0], POLLIN, 30000000);
    }
    ch_sleep(1000000); /* the call waits */
    atomic {
      EXPECT(write(ends[1], "x", 1) == 1);
      compute(60000000);
    }
    ch_activity_wait(&calls);
    EXPECT(r == (way < 2 ? 1 : POLLIN));
    close(ends[0]), close(ends[1]);
  }
}
