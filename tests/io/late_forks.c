/* Tests children that are made behind the back of pthread_atfork: by _Fork, by system calls of the program's own, by
 * clone with a function. Such a child has only the activity that made it, and waits with a reactor of its own, as a
 * child of fork does; and the children of vfork and posix_spawn are not disturbed. */
#include "harness.h"
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <sched.h>
#include <semaphore.h>
#include <signal.h>
#include <spawn.h>
#include <stdbool.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/uio.h>

/* ---- ways to make a child ---- */

static pid_t by_Fork(void) { return _Fork(); }
static pid_t by_clone(void) { return (pid_t)syscall(SYS_clone, SIGCHLD, 0, 0, 0, 0); }
static pid_t by_call(void) {
#ifdef SYS_fork
  return (pid_t)syscall(SYS_fork);
#else
  return by_clone();
#endif
}
static pid_t by_clone3(void) {
  struct {
    uint64_t flags, pidfd, child_tid, parent_tid, exit_signal, stack, stack_size, tls;
  } how = {.exit_signal = SIGCHLD};
  pid_t child = (pid_t)syscall(SYS_clone3, &how, sizeof how);
  return child < 0 && errno == ENOSYS ? by_clone() : child;
}
static pid_t by_fork(void) { return fork(); }
static pid_t (*const ways[])(void) = {by_Fork, by_clone, by_call, by_clone3, by_fork};
enum { WAYS = sizeof ways / sizeof *ways };

/* Without the library, whose wait could need the reactor of the parent. */
static int status_of(pid_t child) {
  int status = -1;
  EXPECT(child > 0 && raw_syscall(SYS_wait4, child, &status, 0, NULL) == child);
  return status;
}

/* ---- what goes on ---- */

static int s[2], p[2], others_ran, others_got;
static ch_sem never;

/* Waits of every kind are under way, and one activity is always ready. */
static void others_do_everything(void) {
  alarm(30);
  EXPECT(socketpair(AF_UNIX, SOCK_STREAM, 0, s) == 0 && pipe(p) == 0);
  activate {
    char c;
    others_got += read(s[0], &c, 1);
  }
  activate {
    char c;
    others_got += read(p[0], &c, 1);
  }
  activate {
    char c;
    others_got += readv(s[0], &(struct iovec){&c, 1}, 1);
  }
  activate { others_got += poll(&(struct pollfd){s[0], POLLIN}, 1, -1); }
  activate { ch_sem_wait(&never), others_ran++; }
  activate { for (;; others_ran++) ch_sleep(100 * 1000); }
  activate { for (;; others_ran++) ch_reschedule(); }
  ch_sleep(2000 * 1000);
}

static void slow(void *done) {
  usleep(1000);
  *(int *)done = 1;
}

/* All kinds of waits once, in a child. What comes is the child's. */
static void wait_for_everything(void) {
  int before = others_ran, t[2], done = 0, n = 0;
  char c[2];
  alarm(20);
  ch_sleep(1000 * 1000);
  EXPECT(socketpair(AF_UNIX, SOCK_STREAM, 0, t) == 0);
  long r = 0;
  do {
    async r = read(t[0], c, 1);
    async n += poll(&(struct pollfd){t[1], POLLOUT}, 1, -1);
    async { usleep(1000), n++; }
    activate { EXPECT(write(t[1], "x", 1) == 1); }
  }
  finish;
  EXPECT(r == 1 && n == 2);
  within (2000 * 1000) do r = read(t[0], c, 1);
  finish;
  EXPECT(r == -1);
  EXPECT(ch_offload(slow, &done) == 0 && done == 1);
  int f = open("name", O_CREAT | O_RDWR, 0600);
  EXPECT(f >= 0 && write(f, "abc", 3) == 3 && fsync(f) == 0 && close(f) == 0);
  EXPECT(write(s[1], "y", 1) == 1 && read(s[0], c, 2) == 1 && c[0] == 'y');
  EXPECT(write(p[1], "z", 1) == 1 && read(p[0], c, 2) == 1 && c[0] == 'z');
  EXPECT(others_ran == before && others_got == 0);
}

TEST(a_child_has_only_the_activity_that_made_it_however_it_was_made) {
  others_do_everything();
  for (int i = 0; i < WAYS; i++) {
    pid_t child = ways[i]();
    if (child == 0) {
      wait_for_everything();
      _exit(20 + i);
    }
    EXPECT(status_of(child) == (20 + i) << 8);
  }
  int before = others_ran; /* and the parent's go on */
  EXPECT(write(s[1], "1", 1) == 1 && write(p[1], "2", 1) == 1);
  while (others_got < 2 || others_ran == before) ch_sleep(1000 * 1000);
  exit(0);
}

TEST(so_it_is_in_an_activity_that_is_not_the_first) {
  others_do_everything();
  for (int i = 0; i < WAYS; i++) {
    ch_activity forks;
    pid_t child = -1;
    activate [&forks] (i) {
      ch_sleep(1000 * 1000);
      child = ways[i]();
      if (child == 0) {
        wait_for_everything();
        ch_sleep(1000 * 1000);
      }
    }
    EXPECT(ch_activity_wait(&forks) == 0);
    EXPECT(status_of(child) == 0); /* its last activity has ended */
  }
  exit(0);
}

TEST(a_child_of_such_a_child_is_one_again) {
  others_do_everything();
  for (int i = 0; i < WAYS; i++)
    for (int j = 0; j < WAYS; j++) {
      pid_t child = ways[i]();
      if (child > 0) {
        EXPECT(status_of(child) == 4 << 8);
        continue;
      }
      int mine = 0;
      activate { for (;; mine++) ch_sleep(50 * 1000); }
      if ((i + j) % 2) wait_for_everything();
      pid_t grandchild = ways[j]();
      if (grandchild == 0) {
        int before = mine;
        wait_for_everything();
        EXPECT(mine == before);
        _exit(3);
      }
      EXPECT(status_of(grandchild) == 3 << 8);
      wait_for_everything();
      _exit(4);
    }
  exit(0);
}

/* The branches of the activity that makes the child are in it, too. */
TEST(operations_under_way_are_begun_anew_in_it) {
  for (int i = 0; i < WAYS; i++) {
    int t[2];
    long got = 0, polled = 0;
    pid_t child;
    alarm(20);
    EXPECT(socketpair(AF_UNIX, SOCK_STREAM, 0, t) == 0);
    do {
      char c;
      async got = read(t[0], &c, 1);
      async polled = poll(&(struct pollfd){t[0], POLLIN}, 1, -1);
      ch_sleep(1000 * 1000);
      child = ways[i]();
      if (child > 0) EXPECT(status_of(child) == 6 << 8);
      if (child == 0) ch_sleep(1000 * 1000);
      EXPECT(write(t[1], "ab", 2) == 2);
    }
    finish;
    EXPECT(got == 1 && polled == 1);
    if (child == 0) _exit(6);
    close(t[0]), close(t[1]);
  }
}

TEST(what_is_under_way_is_cancelled_in_it) {
  for (int i = 0; i < WAYS; i++) {
    int t[2], done = 0;
    long got = 0, polled = 0, offloaded = 0;
    pid_t child;
    alarm(20);
    EXPECT(socketpair(AF_UNIX, SOCK_STREAM, 0, t) == 0);
    do {
      char c;
      async got = read(t[0], &c, 1);
      async polled = poll(&(struct pollfd){t[1], POLLIN}, 1, -1);
      async offloaded = ch_offload(slow, &done);
      ch_sleep(100 * 1000);
      child = ways[i]();
      cancel; /* the first thing that the child does with the reactor */
    }
    finish;
    EXPECT(got == -1 && polled == -1);
    if (child == 0) _exit(7);
    EXPECT(status_of(child) == 7 << 8);
    close(t[0]), close(t[1]);
  }
}

TEST(a_descriptor_is_closed_for_which_the_parent_waits) {
  others_do_everything();
  for (int i = 0; i < WAYS; i++) {
    pid_t child = ways[i]();
    if (child == 0) {
      EXPECT(close(s[0]) == 0 && close(p[0]) == 0);
      EXPECT(dup2(p[1], s[1]) == s[1]);
      /* Nothing that the runtime has forgotten is closed later under a number that the program uses. */
      for (int fd = 50; fd < 80; fd++) EXPECT(dup2(p[1], fd) == fd);
      ch_sleep(1000 * 1000);
      for (int fd = 50; fd < 80; fd++) EXPECT(fcntl(fd, F_GETFD) >= 0);
      _exit(8);
    }
    EXPECT(status_of(child) == 8 << 8);
  }
  EXPECT(write(s[1], "1", 1) == 1 && write(p[1], "2", 1) == 1);
  while (others_got < 2) ch_sleep(1000 * 1000);
  exit(0);
}

TEST(it_ends_by_exit_and_by_exec) {
  others_do_everything();
  for (int i = 0; i < WAYS; i++) {
    pid_t child = ways[i]();
    if (child == 0) exit(9);
    EXPECT(status_of(child) == 9 << 8);
    child = ways[i]();
    if (child == 0) {
      execl("/bin/sh", "sh", "-c", "exit 11", NULL);
      _exit(1);
    }
    int status;
    EXPECT(waitpid(child, &status, 0) == child && status == 11 << 8);
  }
  exit(0);
}

/* ---- waits in plain code ---- */

static int plain_waits(const void *a, const void *b) {
  (void)a, (void)b;
  ch_sleep(100 * 1000);
  char c;
  EXPECT(write(p[1], "q", 1) == 1 && read(p[0], &c, 1) == 1 && c == 'q');
  return 0;
}
TEST(plain_code_waits_in_it) {
  others_do_everything();
  for (int i = 0; i < WAYS; i++) {
    pid_t child = ways[i]();
    if (child == 0) {
      int numbers[4] = {0}, before = others_ran;
      alarm(20);
      qsort(numbers, 4, sizeof *numbers, plain_waits);
      ch_sleep(100 * 1000);
      EXPECT(others_ran == before);
      _exit(12);
    }
    EXPECT(status_of(child) == 12 << 8);
  }
  exit(0);
}

static int in_callback(const void *a, const void *b) {
  static bool forked;
  if (forked) return 0;
  forked = true;
  pid_t child = by_Fork();
  if (child == 0) {
    forked = false;
    int before = others_ran;
    plain_waits(a, b);
    EXPECT(others_ran == before);
    _exit(13);
  }
  EXPECT(status_of(child) == 13 << 8);
  return 0;
}
TEST(a_callback_makes_one) {
  others_do_everything();
  int numbers[2] = {0};
  qsort(numbers, 2, sizeof *numbers, in_callback);
  exit(0);
}

static int on_a_stack_of_its_own(void *unused) {
  (void)unused;
  int before = others_ran;
  plain_waits(NULL, NULL);
  EXPECT(others_ran == before);
  _exit(14);
}
TEST(clone_with_a_function_makes_one) {
  others_do_everything();
  enum { SIZE = 1 << 20 };
  char *stack = malloc(SIZE);
  EXPECT(status_of(clone(on_a_stack_of_its_own, stack + SIZE, SIGCHLD, NULL)) == 14 << 8);
  exit(0);
}

/* ---- locks, threads and domains ---- */

TEST(locks_and_threads_work_in_it) {
  others_do_everything();
  for (int i = 0; i < WAYS; i++) {
    pid_t child = ways[i]();
    if (child == 0) {
      static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
      static pthread_cond_t c = PTHREAD_COND_INITIALIZER;
      int said = 0, before = others_ran;
      alarm(20);
      activate {
        pthread_mutex_lock(&m);
        said = 1;
        pthread_cond_signal(&c);
        pthread_mutex_unlock(&m);
      }
      pthread_mutex_lock(&m);
      while (!said) pthread_cond_wait(&c, &m);
      pthread_mutex_unlock(&m);
      EXPECT(others_ran == before);
      _exit(15);
    }
    EXPECT(status_of(child) == 15 << 8);
  }
  exit(0);
}

static void waits_there(void *unused) {
  (void)unused;
  ch_sleep(1000 * 1000);
}
/* AddressSanitizer gets its locks ready for a child by handlers of fork, so in any other child of a process with
 * several threads they may be held by a thread that is not there, and no thread can be started. */
static bool starts_threads(pid_t (*way)(void)) {
#if __has_feature(address_sanitizer)
  return way == by_fork;
#else
  return (void)way, true;
#endif
}
static void forks_there(void *which) {
  static ch_activity beside; /* which lives on when this has returned */
  activate [&beside] { ch_sleep(1000 * 1000), others_ran++; }
  ch_sleep(100 * 1000);
  pid_t child = ways[*(int *)which]();
  if (child == 0) {
    int before = others_ran;
    ch_thread thread;
    alarm(20);
    ch_sleep(3000 * 1000);
    EXPECT(others_ran == before);
    if (starts_threads(ways[*(int *)which]))
      EXPECT(ch_domain_start(&thread, waits_there, NULL) == 0 && ch_domain_join(&thread) == 0);
    _exit(16);
  }
  EXPECT(status_of(child) == 16 << 8);
}
TEST(another_domain_makes_one) {
  alarm(30);
  activate { for (;; ) ch_sleep(10 * 1000); }
  for (int i = 0; i < WAYS; i++) {
    ch_thread thread;
    EXPECT(ch_domain_start(&thread, forks_there, &i) == 0 && ch_domain_join(&thread) == 0);
  }
  exit(0);
}

static int handled;
static void counts(void) { handled++; }
TEST(the_handlers_of_the_program_are_called_by_fork_alone) {
  EXPECT(pthread_atfork(NULL, NULL, counts) == 0);
  for (int i = 0; i < WAYS; i++) {
    pid_t child = ways[i]();
    if (child == 0) {
      ch_sleep(100 * 1000);
      activate { ch_sleep(1000); }
      ch_sleep(100 * 1000);
      _exit(handled);
    }
    EXPECT(status_of(child) == (ways[i] == by_fork) << 8);
  }
}

/* ---- children that have their parent's memory ---- */

TEST(vfork_and_posix_spawn_disturb_nobody) {
  others_do_everything();
  extern char **environ;
  char *arguments[] = {"sh", "-c", "exit 17", NULL};
  for (int i = 0; i < 20; i++) {
    int status;
    pid_t child = vfork();
    if (child == 0) {
      close(s[0]);
      dup2(p[1], 1);
      if (i % 2) _exit(17);
      execv("/bin/sh", arguments);
      _exit(1);
    }
    EXPECT(child > 0 && waitpid(child, &status, 0) == child && status == 17 << 8);
    EXPECT(posix_spawn(&child, "/bin/sh", NULL, NULL, arguments, environ) == 0);
    EXPECT(waitpid(child, &status, 0) == child && status == 17 << 8);
  }
  int before = others_ran;
  EXPECT(write(s[1], "1", 1) == 1 && write(p[1], "2", 1) == 1);
  while (others_got < 2 || others_ran == before) ch_sleep(1000 * 1000);
  exit(0);
}
