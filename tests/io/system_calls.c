/* Tests system calls that a program makes by number, with syscall(): one that waits suspends its own activity only. The
 * first half is about futexes, of which libraries such as GLib make locks of their own. */
#include "harness.h"
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/futex.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <string.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

/* ---- futexes ---- */

static long wait_for(_Atomic int *word, int value) { return syscall(SYS_futex, word, FUTEX_WAIT_PRIVATE, value, NULL); }
static long wake(_Atomic int *word, int n) { return syscall(SYS_futex, word, FUTEX_WAKE_PRIVATE, n); }

/* A lock: 0 free, 1 taken, 2 taken and perhaps wanted. */
static void take(_Atomic int *lock) {
  int is = 0;
  if (atomic_compare_exchange_strong(lock, &is, 1))
    return;
  while (atomic_exchange(lock, 2) != 0)
    wait_for(lock, 2);
}
static void give(_Atomic int *lock) {
  if (atomic_exchange(lock, 0) == 2)
    wake(lock, 1);
}

TEST(a_lock_of_futexes_is_held_across_waits) {
  static _Atomic int lock;
  ch_activity all[20];
  int counter = 0, inside = 0;
  for (int i = 0; i < 20; i++)
    activate[&all[i]] {
      for (int k = 0; k < 5; k++) {
        take(&lock);
        EXPECT(inside++ == 0);
        usleep(200);
        counter++;
        inside--;
        give(&lock);
      }
    }
  for (int i = 0; i < 20; i++)
    EXPECT(ch_activity_wait(&all[i]) == 0);
  EXPECT(counter == 100);
}

static _Atomic int shared_lock, shared_counter;
static void *takes_and_gives(void *unused) {
  for (int k = 0; k < 200; k++) {
    take(&shared_lock);
    int before = shared_counter;
    usleep(10);
    shared_counter = before + 1;
    give(&shared_lock);
  }
  return unused;
}

TEST(threads_and_activities_share_a_lock_of_futexes) {
  pthread_t threads[2];
  ch_activity all[5];
  for (int i = 0; i < 2; i++)
    EXPECT(pthread_create(&threads[i], NULL, takes_and_gives, NULL) == 0);
  for (int i = 0; i < 5; i++)
    activate[&all[i]] takes_and_gives(NULL);
  for (int i = 0; i < 5; i++)
    EXPECT(ch_activity_wait(&all[i]) == 0);
  for (int i = 0; i < 2; i++)
    EXPECT(pthread_join(threads[i], NULL) == 0);
  EXPECT(shared_counter == 7 * 200);
}

/* So many are waiting in the kernel once a wake-up finds them. */
static int wake_when_waiting(_Atomic int *word, int n) {
  int woken = 0;
  while (woken < n) {
    woken += (int)wake(word, n - woken);
    usleep(100);
  }
  return woken;
}

TEST(those_who_wait_are_woken) {
  static _Atomic int word = 7;
  ch_activity all[50];
  int woken = 0;
  for (int i = 0; i < 50; i++)
    activate[&all[i]] {
      errno = 5;
      if (wait_for(&word, 7) == 0 && errno == 5)
        woken++;
    }
  EXPECT(wake_when_waiting(&word, 20) == 20);
  while (woken < 20)
    usleep(100);
  usleep(1000);
  EXPECT(woken == 20);
  EXPECT(wake_when_waiting(&word, 30) == 30);
  for (int i = 0; i < 50; i++)
    ch_activity_wait(&all[i]);
  EXPECT(woken == 50);
}

TEST(a_waker_names_bits) {
  static _Atomic int word;
  ch_activity even, odd;
  int order = 0, even_was = 0, odd_was = 0;
  activate[&even] {
    EXPECT(syscall(SYS_futex, &word, FUTEX_WAIT_BITSET_PRIVATE, 0, NULL, NULL, 0x55) == 0);
    even_was = ++order;
  }
  activate[&odd] {
    EXPECT(syscall(SYS_futex, &word, FUTEX_WAIT_BITSET_PRIVATE, 0, NULL, NULL, 0xaa) == 0);
    odd_was = ++order;
  }
  while (syscall(SYS_futex, &word, FUTEX_WAKE_BITSET_PRIVATE, INT_MAX, NULL, NULL, 0x80) == 0)
    usleep(100);
  EXPECT(ch_activity_wait(&odd) == 0 && odd_was == 1 && even_was == 0);
  while (syscall(SYS_futex, &word, FUTEX_WAKE_BITSET_PRIVATE, INT_MAX, NULL, NULL, 0x01) == 0)
    usleep(100);
  EXPECT(ch_activity_wait(&even) == 0 && even_was == 2);
}

TEST(a_futex_has_the_systems_errors) {
  static _Atomic int word = 1;
  static union {
    int whole[2];
    char bytes[8];
  } odd;
  struct timespec soon = {0, 1000000}, until, never = {0, -1};
  ch_activity other;
  activate[&other] ch_sleep(CH_FOREVER);
  ch_reschedule();
  EXPECT(wait_for(&word, 2) == -1 && errno == EAGAIN);
  EXPECT(syscall(SYS_futex, &word, FUTEX_WAIT_PRIVATE, 1, &soon) == -1 && errno == ETIMEDOUT);
  EXPECT(syscall(SYS_futex, &word, FUTEX_WAIT, 1, &soon) == -1 && errno == ETIMEDOUT);
  EXPECT(syscall(SYS_futex, &word, FUTEX_WAIT_PRIVATE, 1, &never) == -1 && errno == EINVAL);
  clock_gettime(CLOCK_REALTIME, &until);
  EXPECT(syscall(SYS_futex, &word, FUTEX_WAIT_BITSET | FUTEX_CLOCK_REALTIME, 1, &until, NULL, -1) == -1 &&
         errno == ETIMEDOUT);
  EXPECT(syscall(SYS_futex, &word, FUTEX_WAIT_BITSET_PRIVATE, 1, NULL, NULL, 0) == -1 && errno == EINVAL);
  EXPECT(syscall(SYS_futex, odd.bytes + 1, FUTEX_WAIT_PRIVATE, 0, NULL) == -1 && errno == EINVAL);
  EXPECT(syscall(SYS_futex, 8, FUTEX_WAIT_PRIVATE, 0, NULL) == -1 && errno == EFAULT);
  ch_activity_cancel(&other);
  ch_activity_wait(&other);
}

TEST(a_wait_for_a_futex_is_cancelled_exactly) {
  static _Atomic int word;
  ch_activity waits;
  long r = 12345;
  int e = 0;
  for (int with_time = 0; with_time < 2; with_time++) {
    struct timespec day = {86400, 0};
    activate[&waits] {
      r = syscall(SYS_futex, &word, FUTEX_WAIT_PRIVATE, 0, with_time ? &day : NULL);
      e = errno;
    }
    usleep(2000);
    ch_activity_cancel(&waits);
    ch_activity_wait(&waits);
    EXPECT(r == -1 && e == ECANCELED && wake(&word, 1) == 0);
  }
  for (int i = 0; i < 200; i++) { /* woken and cancelled at once: one of the two, and no wake-up is lost */
    activate[&waits] {
      r = wait_for(&word, 0);
      e = errno;
    }
    ch_reschedule();
    if (i % 2)
      ch_sleep(20000 * (i % 5));
    long woken = wake(&word, 1);
    ch_activity_cancel(&waits);
    ch_activity_wait(&waits);
    EXPECT(woken ? r == 0 : r == -1 && e == ECANCELED);
  }
}

TEST(in_a_cancelled_scope_a_lock_of_futexes_is_still_a_lock) {
  static _Atomic int lock;
  ch_activity holder;
  int released = 0;
  activate[&holder] {
    take(&lock);
    for (int i = 0; i < 100; i++)
      ch_reschedule();
    released = 1;
    give(&lock);
  }
  ch_reschedule();
  do {
    cancel;
    take(&lock);
    EXPECT(released);
    give(&lock);
  }
  finish;
  ch_activity_wait(&holder);
}

TEST(processes_share_a_futex) {
  _Atomic int *word = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  ch_activity waits;
  long r = -1;
  activate[&waits] { r = syscall(SYS_futex, word, FUTEX_WAIT, 0, NULL); }
  usleep(1000);
  pid_t child = fork();
  if (child == 0) {
    while (syscall(SYS_futex, word, FUTEX_WAKE, 1) == 0)
      usleep(100);
    _exit(0);
  }
  EXPECT(waitpid(child, NULL, 0) == child);
  EXPECT(ch_activity_wait(&waits) == 0 && r == 0);
  munmap(word, 4096);
}

/* ---- other calls ---- */

static int others;
static ch_activity other;
static void let_others_run(void) {
  others = 0;
  activate[&other] {
    while (ch_sleep(200000) == 0)
      others++;
  }
}
static void others_end(void) {
  ch_activity_cancel(&other);
  ch_activity_wait(&other);
}

/* A call that stops the domain lets another activity run once at most, before it. On a busy machine the other activity
 * may not get round to it during one call. */
#define OTHERS_RUN_DURING(preparation, is_right)                                                                       \
  do {                                                                                                                 \
    int most = 0;                                                                                                      \
    for (int i = 0; i < 200 && most < 2; i++) {                                                                        \
      preparation;                                                                                                     \
      int before = others;                                                                                             \
      EXPECT(is_right);                                                                                                \
      if (others - before > most)                                                                                      \
        most = others - before;                                                                                        \
    }                                                                                                                  \
    EXPECT(most >= 2);                                                                                                 \
  } while (0)

static void write_soon(int fd) {
  activate(fd) {
    ch_sleep(3000000);
    EXPECT(write(fd, "x", 1) == 1);
  }
}

static pid_t child_that_ends_soon(void) {
  pid_t child = fork();
  if (child == 0) {
    usleep(3000);
    _exit(3);
  }
  return child;
}

TEST(others_run_while_a_call_by_number_waits) {
  const struct timespec short_time = {0, 3000000};
  struct timespec until;
  int ends[2], pair[2], status = 0;
  char c = 0, three[3];
  pid_t child;
  EXPECT(pipe(ends) == 0 && socketpair(AF_UNIX, SOCK_STREAM, 0, pair) == 0);
  struct pollfd p = {.fd = ends[0], .events = POLLIN};
  let_others_run();
  OTHERS_RUN_DURING(, syscall(SYS_nanosleep, &short_time, NULL) == 0);
  OTHERS_RUN_DURING(clock_gettime(CLOCK_MONOTONIC, &until); until.tv_sec += (until.tv_nsec += 3000000) / 1000000000;
                    until.tv_nsec %= 1000000000,
                    syscall(SYS_clock_nanosleep, CLOCK_MONOTONIC, TIMER_ABSTIME, &until, NULL) == 0);
  EXPECT(syscall(SYS_clock_nanosleep, 12345, 0, &short_time, NULL) == -1 && errno == EINVAL);
  OTHERS_RUN_DURING(write_soon(ends[1]), syscall(SYS_read, ends[0], &c, 1) == 1 && c == 'x');
  OTHERS_RUN_DURING(write_soon(ends[1]),
                    syscall(SYS_poll, &p, 1, -1) == 1 && p.revents == POLLIN && read(ends[0], &c, 1) == 1);
  OTHERS_RUN_DURING(write_soon(pair[1]), syscall(SYS_recvfrom, pair[0], &c, 1, 0, NULL, NULL) == 1 && c == 'x');
  OTHERS_RUN_DURING(child = child_that_ends_soon(),
                    syscall(SYS_wait4, child, &status, 0, NULL) == child && WEXITSTATUS(status) == 3);
  EXPECT(syscall(SYS_sendto, pair[1], "xyz", 3, MSG_NOSIGNAL, NULL, 0) == 3);
  EXPECT(syscall(SYS_recvfrom, pair[0], three, 3, 0, NULL, NULL) == 3 && memcmp(three, "xyz", 3) == 0);
  others_end();
  for (int i = 0; i < 2; i++)
    close(ends[i]), close(pair[i]);
}

/* Charcoal passes the arguments in memory, where the sixth one has no place unless it is given. */
__attribute__((noinline)) static long with_six(int fd, void *at) {
  return syscall(SYS_mmap, at, 4096L, PROT_READ, MAP_PRIVATE | MAP_FIXED, fd, 4096L);
}

TEST(a_call_by_number_has_six_arguments) {
  char page[4096];
  FILE *f = tmpfile();
  memset(page, 'a', sizeof page);
  EXPECT(fwrite(page, 1, sizeof page, f) == sizeof page);
  memset(page, 'b', sizeof page);
  EXPECT(fwrite(page, 1, sizeof page, f) == sizeof page && fflush(f) == 0);
  char *room = mmap(NULL, 4096, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  let_others_run();
  EXPECT(with_six(fileno(f), room) == (long)room && room[17] == 'b');
  EXPECT(syscall(SYS_getpid) == getpid() && syscall(SYS_gettid) > 0);
  EXPECT(syscall(SYS_close, -1) == -1 && errno == EBADF);
  EXPECT(syscall(987654) == -1 && errno == ENOSYS);
  others_end();
  munmap(room, 4096);
  fclose(f);
}

TEST(in_atomic_a_call_by_number_waits_alone) {
  struct timespec short_time = {0, 2000000};
  let_others_run();
  atomic {
    EXPECT(syscall(SYS_nanosleep, &short_time, NULL) == 0);
    EXPECT(others == 0);
  }
  others_end();
}
