/* Tests that the runtime's descriptors do not get in the way: a program can close all numbers, or put a descriptor on
 * any number, and waiting activities go on waiting. This holds in interruptible code, in plain code, and in a child of
 * fork before exec. */
#include "harness.h"
#include <charcoal/clauses.h>
#include <charcoal/events.h>
#include <charcoal/lowlevel.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <spawn.h>
#include <sys/epoll.h>
#include <sys/resource.h>
#include <sys/select.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>

enum { ALL = 1024 };

static void *post(void *sem) {
  usleep(1000);
  ch_waiter_schedule(sem);
  return NULL;
}

static void nothing(void *data) { *(int *)data = 1; }

static void time_and_descriptors_work(void) {
  int a[2];
  char b;
  EXPECT(pipe(a) == 0);
  do {
    async EXPECT(read(a[0], &b, 1) == 1);
    usleep(1000);
    EXPECT(write(a[1], "x", 1) == 1);
  }
  finish;
  EXPECT(close(a[0]) == 0 && close(a[1]) == 0);
}

/* Descriptors, time, the pool, and other threads: everything by which something comes into the domain. */
static void everything_works(void) {
  int ran = 0;
  time_and_descriptors_work();
  EXPECT(ch_offload(nothing, &ran) == 0 && ran);
  pthread_t t;
  ch_waiter w = {0};
  EXPECT(pthread_create(&t, NULL, post, &w) == 0);
  EXPECT(ch_waiter_suspend(&w) == 0);
  EXPECT(pthread_join(t, NULL) == 0);
}

/* Somebody waits in the reactor all the time, on number 2000. */
static int peer;
static ch_activity waiter;
static void begin(void) {
  int a[2];
  struct rlimit more = {4096, 4096};
  setrlimit(RLIMIT_NOFILE, &more);
  EXPECT(socketpair(AF_UNIX, SOCK_STREAM, 0, a) == 0 && dup2(a[0], 2000) == 2000 && dup2(a[1], 2001) == 2001);
  close(a[0]);
  close(a[1]);
  peer = 2001;
  activate[&waiter] {
    char b;
    ssize_t n;
    while ((n = recv(2000, &b, 1, 0)) < 0 && errno == EINTR)
      continue; /* in a child of fork */
    EXPECT(n == 1 && b == 'y');
  }
  everything_works();
}
static void end(void) {
  EXPECT(!ch_activity_finished(&waiter));
  EXPECT(send(peer, "y", 1, 0) == 1);
  ch_activity_wait(&waiter);
  everything_works();
  exit(0);
}

static void close_all_one_by_one(void) {
  for (int fd = 3; fd < ALL; fd++)
    close(fd);
}
static void close_them_as_a_range(void) { EXPECT(close_range(3, ALL, 0) == 0); }
static void close_those_above(void) {
  int a = dup(2000), b = dup(2001); /* closefrom knows no end */
  (void)a, (void)b;
  EXPECT(close_range(3, 1999, 0) == 0 && close_range(2002, ~0u, 0) == 0);
}

/* On every number there is. */
static void take_all_numbers(void) {
  int p[2];
  char b[ALL];
  EXPECT(pipe(p) == 0);
  for (int fd = p[1] + 1; fd < ALL; fd++)
    EXPECT(dup2(p[1], fd) == fd && write(fd, "x", 1) == 1);
  for (int fd = p[1] + 1; fd < ALL; fd++)
    EXPECT(dup3(p[1], fd, O_CLOEXEC) == fd && fcntl(fd, F_GETFD) == FD_CLOEXEC);
  for (int fd = p[1] + 1; fd < ALL; fd++)
    EXPECT(close(fd) == 0 && fcntl(fd, F_GETFD) == -1);
  EXPECT(read(p[0], b, sizeof b) == ALL - p[1] - 1);
  close(p[0]);
  close(p[1]);
}
/* As shells do. */
static void take_numbers_from_ten_on(void) {
  for (int i = 0; i < 200; i++)
    EXPECT(fcntl(0, F_DUPFD, 10) >= 10 && fcntl(0, F_DUPFD_CLOEXEC, 56) >= 56);
  EXPECT(dup2(0, 255) == 255);
  close_all_one_by_one();
}

static void (*const ways[])(void) = {close_all_one_by_one, close_them_as_a_range, close_those_above, take_all_numbers,
                                     take_numbers_from_ten_on};
enum { WAYS = sizeof ways / sizeof *ways };

TEST(in_interruptible_code) {
  begin();
  for (int i = 0; i < WAYS; i++) {
    ways[i]();
    everything_works();
  }
  end();
}

TEST(in_atomic_code) {
  begin();
  for (int i = 0; i < WAYS; i++) {
    atomic { ways[i](); }
    everything_works();
  }
  end();
}

static int compare(const void *a, const void *b) {
  (void)b;
  ways[*(const int *)a > 0 ? *(const int *)a : *(const int *)b]();
  return 0;
}
TEST(in_a_callback_of_a_library) {
  begin();
  for (int i = 0; i < WAYS; i++) {
    int two[2] = {i, i};
    qsort(two, 2, sizeof *two, compare);
    everything_works();
  }
  end();
}

static void *in_thread(void *which) { return ways[*(int *)which](), NULL; }
TEST(in_another_thread) {
  begin();
  for (int i = 0; i < WAYS; i++) {
    pthread_t t;
    EXPECT(pthread_create(&t, NULL, in_thread, &i) == 0 && pthread_join(t, NULL) == 0);
    everything_works();
  }
  end();
}

TEST(in_a_child_that_goes_on) {
  begin();
  for (int i = 0; i < WAYS; i++) {
    int status;
    pid_t child = fork();
    if (child == 0) {
      ways[i]();
      everything_works();
      _exit(0);
    }
    EXPECT(waitpid(child, &status, 0) == child && status == 0);
    everything_works();
  }
  end();
}

TEST(in_a_child_before_exec) {
  int at_start = 0;
  for (int fd = 3; fd < ALL; fd++)
    at_start += fcntl(fd, F_GETFD) >= 0;
  begin();
  for (int i = 0; i < WAYS; i++) {
    int status, p[2];
    char b[100] = "";
    EXPECT(pipe(p) == 0);
    pid_t child = fork();
    if (child == 0) {
      EXPECT(dup2(p[1], 1) == 1 && dup2(0, 57) == 57);
      ways[i]();
      execl("/bin/sh", "sh", "-c", "ls /proc/self/fd | while read n; do [ $n -lt 3 ] || echo $n; done | wc -l", NULL);
      _exit(99);
    }
    close(p[1]);
    EXPECT(waitpid(child, &status, 0) == child && status == 0);
    EXPECT(read(p[0], b, sizeof b) > 0);
    /* ls's own, the two of the waiter, what is left of dup2 */
    EXPECT(atoi(b) <= at_start + 6);
    close(p[0]);
    everything_works();
  }
  end();
}

/* The child of vfork has our memory: what moves in it must not move here. */
static pid_t start_by_vfork(void) {
  pid_t child = vfork();
  if (child == 0) {
    for (int fd = 3; fd < 100; fd++)
      dup2(2, fd);
    for (int fd = 3; fd < 100; fd++)
      close(fd);
    execl("/bin/true", "true", NULL);
    _exit(99);
  }
  return child;
}
TEST(in_a_child_of_vfork) {
  begin();
  int status;
  pid_t child = start_by_vfork();
  EXPECT(waitpid(child, &status, 0) == child && status == 0);
  everything_works();
  end();
}

TEST(in_what_posix_spawn_does) {
  begin();
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  for (int fd = 50; fd < 70; fd++)
    posix_spawn_file_actions_adddup2(&actions, 2, fd);
  for (int fd = 3; fd < 100; fd++)
    posix_spawn_file_actions_addclose(&actions, fd);
  pid_t child;
  int status;
  char *arguments[] = {"true", NULL};
  EXPECT(posix_spawn(&child, "/bin/true", &actions, NULL, arguments, environ) == 0);
  EXPECT(waitpid(child, &status, 0) == child && status == 0);
  posix_spawn_file_actions_destroy(&actions);
  everything_works();
  end();
}

/* Calls that wait with a descriptor of the runtime's own, for as long as they wait. Each is ended by a signal of its
 * own, or by the end of a child. */
static void nothing_but_wake(int signal) { (void)signal; }
static sigset_t set_of(int signal) {
  sigset_t set;
  sigemptyset(&set);
  sigaddset(&set, signal);
  return set;
}
static void in_sigwait(int signal) {
  sigset_t set = set_of(signal);
  int got = 0;
  EXPECT(sigwait(&set, &got) == 0 && got == signal);
}
static void in_sigtimedwait(int signal) {
  sigset_t set = set_of(signal);
  EXPECT(sigtimedwait(&set, NULL, &(struct timespec){1000, 0}) == signal);
}
static void in_a_clause(int signal) {
  sigset_t set = set_of(signal);
  int got = 0, r;
  waituntil(r = sigwait(&set, &got)) EXPECT(r == 0 && got == signal);
}
static void in_ppoll(int signal) {
  sigset_t mask;
  sigfillset(&mask);
  sigdelset(&mask, signal);
  EXPECT(ppoll(NULL, 0, NULL, &mask) == -1 && errno == EINTR);
}
static void in_pselect(int signal) {
  sigset_t mask;
  sigfillset(&mask);
  sigdelset(&mask, signal);
  EXPECT(pselect(0, NULL, NULL, NULL, NULL, &mask) == -1 && errno == EINTR);
}
static void in_sigsuspend(int signal) {
  sigset_t mask;
  sigfillset(&mask);
  sigdelset(&mask, signal);
  EXPECT(sigsuspend(&mask) == -1 && errno == EINTR);
}
static void in_waitpid(int child) {
  int status;
  EXPECT(waitpid(child, &status, 0) == child && status == 3 << 8);
}
static void in_a_clause_for_a_child(int child) {
  int status = 0, r;
  waituntil(r = waitpid(child, &status, 0)) EXPECT(r == child && status == 3 << 8);
}
static int slept;
static void in_clock_nanosleep(int unused) {
  struct timespec until;
  clock_gettime(CLOCK_REALTIME, &until);
  until.tv_sec += 3600;
  slept = clock_nanosleep(CLOCK_REALTIME, TIMER_ABSTIME, &until, NULL);
}
static void (*const by_signal[])(int) = {in_sigwait, in_sigtimedwait, in_a_clause, in_ppoll, in_pselect, in_sigsuspend};
enum { SIGNALS = sizeof by_signal / sizeof *by_signal, WAITS = SIGNALS + 3 };

/* It also ends with this process, the only one that may write to the pipe. */
static pid_t child_that_waits(const int pipe[2]) {
  char c;
  pid_t child = fork();
  if (child)
    return child;
  close(pipe[1]);
  _exit(raw_syscall(SYS_read, pipe[0], &c, 1) == 1 ? 3 : 4);
}

TEST(calls_that_wait_with_a_descriptor_of_their_own_go_on_and_take_no_number_of_the_programs) {
  ch_activity waits[WAITS];
  pid_t children[2];
  int p[2];
  alarm(60);
  for (int fd = 3; fd < ALL; fd++)
    syscall(SYS_close, fd);
  EXPECT(pipe(p) == 0 && p[1] == 4);
  for (int i = 0; i < 2; i++)
    children[i] = child_that_waits(p);
  EXPECT(dup2(p[1], 2001) == 2001);
  close(p[0]);
  close(p[1]);
  for (int i = 0; i < SIGNALS; i++) {
    sigset_t set = set_of(SIGRTMIN + i);
    signal(SIGRTMIN + i, nothing_but_wake);
    sigprocmask(SIG_BLOCK, &set, NULL);
    activate[&waits[i]] by_signal[i](SIGRTMIN + i);
  }
  activate[&waits[SIGNALS]] in_waitpid(children[0]);
  activate[&waits[SIGNALS + 1]] in_a_clause_for_a_child(children[1]);
  activate[&waits[SIGNALS + 2]] in_clock_nanosleep(0);
  ch_sleep(1000000);
  for (int i = 0; i < WAYS; i++) {
    pthread_t t;
    int two[2] = {i, i}, fd = dup(0);
    EXPECT(fd == 3 && close(fd) == 0);
    ways[i]();
    ch_sleep(1000000);
    atomic { ways[i](); }
    ch_sleep(1000000);
    qsort(two, 2, sizeof *two, compare);
    EXPECT(pthread_create(&t, NULL, in_thread, &i) == 0 && pthread_join(t, NULL) == 0);
    ch_sleep(1000000);
    fd = dup(0);
    for (int j = 0; j < WAITS; j++)
      EXPECT(!ch_activity_finished(&waits[j]));
    EXPECT(fcntl(fd, F_GETFD) == 0 && close(fd) == 0);
  }
  for (int i = 0; i < SIGNALS; i++)
    EXPECT(kill(getpid(), SIGRTMIN + i) == 0);
  EXPECT(write(2001, "xx", 2) == 2);
  ch_activity_cancel(&waits[SIGNALS + 2]);
  for (int i = 0; i < WAITS; i++)
    ch_activity_wait(&waits[i]);
  EXPECT(slept == ECANCELED);
  exit(0);
}

/* Nobody can hide from that; who waits for time and descriptors goes on all the same. */
TEST(by_hand) {
  begin();
  for (int fd = 3; fd < ALL; fd++)
    syscall(SYS_close, fd);
  usleep(1000);
  time_and_descriptors_work();
  EXPECT(!ch_activity_finished(&waiter));
  EXPECT(send(peer, "y", 1, 0) == 1);
  ch_activity_wait(&waiter);
  exit(0);
}

TEST(ours_are_closed_to_the_program) {
  for (int fd = 3; fd < ALL; fd++)
    syscall(SYS_close, fd); /* whatever the tests were started with */
  begin();
  int seen = 0;
  for (int fd = 56; fd < ALL; fd++) {
    int open = fcntl(fd, F_GETFD) >= 0;
    EXPECT(close(fd) == -1 && errno == EBADF);
    EXPECT((fcntl(fd, F_GETFD) >= 0) == open);
    seen += open;
  }
  EXPECT(seen > 0 && seen < 4);
  end();
}

/* Where there is no number for what a domain waits with. */
TEST(who_has_no_number_to_wait_with_waits_all_the_same) {
  struct rlimit before, none;
  int status;
  EXPECT(getrlimit(RLIMIT_NOFILE, &before) == 0);
  none = (struct rlimit){3, before.rlim_max};
  EXPECT(setrlimit(RLIMIT_NOFILE, &none) == 0);
  EXPECT(dup(2) == -1 && errno == EMFILE);
  pid_t child = fork();
  if (child == 0) {
    int slept = -1;
    ch_activity sleeps;
    activate[&sleeps] { slept = ch_sleep(2000000); }
    EXPECT(ch_sleep(1000000) == 0);
    ch_activity_wait(&sleeps);
    _exit(slept);
  }
  setrlimit(RLIMIT_NOFILE, &before);
  EXPECT(child > 0 && waitpid(child, &status, 0) == child && status == 0);
}

/* Who asks for no events waits for those that poll reports in any case. */
TEST(a_hang_up_alone_is_noticed_by_who_has_no_number_to_wait_with) {
  struct rlimit before, none;
  int ends[2], status, lowest = dup(2);
  EXPECT(lowest >= 0 && socketpair(AF_UNIX, SOCK_STREAM, 0, ends) == 0);
  EXPECT(getrlimit(RLIMIT_NOFILE, &before) == 0 && close(lowest) == 0);
  none = (struct rlimit){(rlim_t)lowest, before.rlim_max};
  EXPECT(setrlimit(RLIMIT_NOFILE, &none) == 0);
  pid_t child = fork();
  if (child == 0) {
    struct pollfd p = {.fd = ends[0]};
    alarm(10);
    do {
      async poll(&p, 1, -1);
      async {
        EXPECT(ch_sleep(2000000) == 0);
        EXPECT(shutdown(ends[1], SHUT_RDWR) == 0);
      }
    }
    finish;
    _exit(p.revents != POLLHUP);
  }
  setrlimit(RLIMIT_NOFILE, &before);
  EXPECT(child > 0 && waitpid(child, &status, 0) == child && status == 0);
}

/* Calls fn in a child of fork in which no further descriptor can be made. Its status is 0 if nothing fails. */
static int without_descriptors(void (*fn)(void)) {
  struct rlimit before, none;
  int status, lowest = dup(2);
  EXPECT(lowest >= 0 && close(lowest) == 0 && getrlimit(RLIMIT_NOFILE, &before) == 0);
  none = (struct rlimit){(rlim_t)lowest, before.rlim_max};
  EXPECT(setrlimit(RLIMIT_NOFILE, &none) == 0);
  pid_t child = fork();
  if (child == 0) {
    alarm(60);
    fn();
    _exit(0);
  }
  setrlimit(RLIMIT_NOFILE, &before);
  EXPECT(child > 0 && waitpid(child, &status, 0) == child);
  return status;
}

/* The first who waits has the first byte, and who is told of a byte in vain waits on. */
static int bytes[2];
static void three_clauses_for_one_descriptor(void) {
  int order[3], got = 0;
  do {
    for (int i = 0; i < 3; i++)
      async(i) {
        char byte;
        long n = 0;
        waituntil(n = read(bytes[0], &byte, 1)) order[got++] = i;
        or waituntil(ch_sleep(INT64_C(50000000000))) {}
        EXPECT(n == 1);
      }
    for (int i = 0; i < 3; i++) {
      EXPECT(got == i && write(bytes[1], "x", 1) == 1);
      while (got == i)
        ch_sleep(1000000);
    }
  }
  finish;
  for (int i = 0; i < 3; i++)
    EXPECT(order[i] == i);
}
TEST(clauses_for_one_descriptor_have_its_bytes_in_turn_where_no_descriptor_is_left) {
  EXPECT(pipe(bytes) == 0);
  EXPECT(without_descriptors(three_clauses_for_one_descriptor) == 0);
}

static void clauses_that_need_a_descriptor(void) {
  const sigset_t set = set_of(SIGUSR1);
  const int64_t long_enough = 50000000000;
  int status = 0, signal = 0, result = -1, event = 0, ended = 0;
  pid_t child = fork();
  if (child == 0) {
    pause();
    _exit(1);
  }
  EXPECT(child > 0 && sigprocmask(SIG_BLOCK, &set, NULL) == 0);
  do {
    async {
      waituntil(result = waitpid(child, &status, 0)) ended++;
      or waituntil(ch_sleep(long_enough)) {}
    }
    async {
      int error = -1;
      waituntil(error = sigwait(&set, &signal)) ended++;
      or waituntil(ch_sleep(long_enough)) {}
      EXPECT(error == 0);
    }
    async {
      twait { ch_trigger_on_signal(SIGUSR1, mkevent(&event)); }
      ended++;
    }
    ch_sleep(1000000);
    EXPECT(ended == 0 && kill(child, SIGKILL) == 0 && kill(getpid(), SIGUSR1) == 0);
    while (ended < 2)
      ch_sleep(1000000);
    EXPECT(kill(getpid(), SIGUSR1) == 0);
  }
  finish;
  EXPECT(result == child && WTERMSIG(status) == SIGKILL && signal == SIGUSR1 && event == SIGUSR1);
}
TEST(clauses_that_need_a_descriptor_of_their_own_wait_all_the_same_where_none_is_left) {
  EXPECT(without_descriptors(clauses_that_need_a_descriptor) == 0);
}

/* Each of these threads waits for a signal, for a letter of another thread and for time. */
enum { WAITING_THREADS = 60 };
static void *waits_for_all(void *release) {
  sigset_t set;
  int signal = 0;
  sigemptyset(&set);
  sigaddset(&set, SIGUSR1);
  do {
    async EXPECT(sigwait(&set, &signal) == 0 && signal == SIGUSR1);
    async EXPECT(ch_sem_wait(release) == 0);
    EXPECT(ch_sleep(1000000) == 0);
  }
  finish;
  return NULL;
}
static long switches(void) {
  struct rusage r;
  getrusage(RUSAGE_SELF, &r);
  return r.ru_nvcsw;
}
TEST(many_who_have_no_descriptor_to_wait_with_wait_quietly_and_go_on) {
  struct rlimit before, few;
  pthread_t threads[WAITING_THREADS];
  ch_sem release[WAITING_THREADS] = {0};
  sigset_t set;
  int first, all, n;
  sigemptyset(&set);
  sigaddset(&set, SIGUSR1);
  EXPECT(pthread_sigmask(SIG_BLOCK, &set, NULL) == 0);
  EXPECT(getrlimit(RLIMIT_NOFILE, &before) == 0 && (all = first = dup(2)) >= 0);
  few = (struct rlimit){200, before.rlim_max};
  EXPECT(setrlimit(RLIMIT_NOFILE, &few) == 0);
  while ((n = dup(2)) >= 0)
    all = n;
  for (int i = 0; i < WAITING_THREADS; i++)
    EXPECT(pthread_create(&threads[i], NULL, waits_for_all, &release[i]) == 0);
  EXPECT(ch_sleep(300000000) == 0);
  long at_first = switches();
  EXPECT(ch_sleep(300000000) == 0);
  EXPECT(switches() - at_first < 30 * WAITING_THREADS);
  for (int i = 0; i < WAITING_THREADS; i++) {
    EXPECT(ch_sem_post(&release[i]) == 0);
    if (i == WAITING_THREADS / 2) { /* the others get descriptors */
      EXPECT(setrlimit(RLIMIT_NOFILE, &before) == 0);
      for (int fd = first; fd <= all; fd++)
        close(fd);
    }
    EXPECT(pthread_kill(threads[i], SIGUSR1) == 0 && pthread_join(threads[i], NULL) == 0);
  }
}

/* The search for other threads lists them, and reads their names. */
static void *schedules_later(void *w) {
  struct timespec time = {0, 50000000};
  nanosleep(&time, NULL);
  ch_waiter_schedule(w);
  return NULL;
}
TEST(another_thread_counts_where_no_descriptor_is_left_to_look_for_it) {
  struct rlimit before, few;
  EXPECT(getrlimit(RLIMIT_NOFILE, &before) == 0);
  for (int left = 0; left < 3; left++) {
    pthread_t thread;
    ch_waiter w = {0};
    int first = dup(2), all = first, n;
    EXPECT(first >= 0);
    few = (struct rlimit){200, before.rlim_max};
    EXPECT(setrlimit(RLIMIT_NOFILE, &few) == 0);
    while ((n = dup(2)) >= 0)
      all = n;
    EXPECT(errno == EMFILE);
    for (int i = 0; i < left; i++)
      EXPECT(close(all - i) == 0);
    EXPECT(pthread_create(&thread, NULL, schedules_later, &w) == 0);
    EXPECT(ch_waiter_wait(&w) == 0);
    EXPECT(pthread_join(thread, NULL) == 0);
    EXPECT(setrlimit(RLIMIT_NOFILE, &before) == 0);
    for (int i = first; i <= all; i++)
      close(i);
  }
}
TEST_EXITS(a_deadlock_is_reported_where_no_descriptor_is_left, 70, "deadlock") {
  struct rlimit few = {200, 200};
  ch_waiter w = {0};
  EXPECT(setrlimit(RLIMIT_NOFILE, &few) == 0);
  while (dup(2) >= 0) {
  }
  EXPECT(errno == EMFILE);
  ch_waiter_wait(&w);
}

/* Each way to wait for the pipe, with a mask that lets SIGUSR1 through. */
static int epoll_of_bytes, handled;
static void handle(int signal) { handled += signal == SIGUSR1; }
static int wait_masked(int way, int64_t limit, const sigset_t *mask) {
  struct timespec t = {limit / 1000000000, limit % 1000000000};
  struct pollfd one = {.fd = bytes[0], .events = POLLIN};
  struct epoll_event event;
  fd_set set;
  FD_ZERO(&set);
  FD_SET(bytes[0], &set);
  return way == 0   ? ppoll(&one, 1, &t, mask)
         : way == 1 ? pselect(bytes[0] + 1, &set, NULL, NULL, &t, mask)
         : way == 2 ? epoll_pwait(epoll_of_bytes, &event, 1, (int)(limit / 1000000), mask)
                    : epoll_pwait2(epoll_of_bytes, &event, 1, &t, mask);
}
static void polls_with_masks(void) {
  enum { MS = 1000000, LONG = 2000000000 };
  sigset_t blocked, through;
  char byte;
  sigemptyset(&through);
  sigemptyset(&blocked);
  sigaddset(&blocked, SIGUSR1);
  EXPECT(sigprocmask(SIG_BLOCK, &blocked, NULL) == 0 && signal(SIGUSR1, handle) != SIG_ERR);
  for (int way = 0; way < 4; way++) {
    int r = -2, error = 0;
    do {
      async r = wait_masked(way, LONG, &through);
      ch_sleep(2 * MS);
      EXPECT(r == -2 && write(bytes[1], "x", 1) == 1);
    }
    finish;
    EXPECT(r == 1 && read(bytes[0], &byte, 1) == 1 && handled == way);
    do {
      async {
        errno = 0;
        r = wait_masked(way, LONG, &through);
        error = errno;
      }
      ch_sleep(2 * MS);
      EXPECT(kill(getpid(), SIGUSR1) == 0);
    }
    finish;
    EXPECT(r == -1 && error == EINTR && handled == way + 1);
    errno = 0;
    EXPECT(wait_masked(way, 5 * MS, &through) == 0 && errno == 0);
  }
}
TEST(polls_with_a_mask_of_signals_need_no_descriptor) {
  struct epoll_event event = {.events = EPOLLIN};
  EXPECT(pipe(bytes) == 0 && (epoll_of_bytes = epoll_create1(0)) >= 0);
  EXPECT(epoll_ctl(epoll_of_bytes, EPOLL_CTL_ADD, bytes[0], &event) == 0);
  EXPECT(without_descriptors(polls_with_masks) == 0);
}

/* A sandbox does that: then poll(2) refuses to look even at one descriptor. */
TEST(a_wait_with_a_limit_is_right_where_the_process_may_have_no_descriptor) {
  int p[2];
  struct rlimit none;
  ch_activity other;
  activate { ch_sleep(CH_FOREVER); }
  EXPECT(pipe(p) == 0 && ch_fd_wait(p[0], POLLIN, 1000000) == 0 && getrlimit(RLIMIT_NOFILE, &none) == 0);
  none.rlim_cur = 0;
  EXPECT(setrlimit(RLIMIT_NOFILE, &none) == 0);
  EXPECT(ch_fd_wait(p[0], POLLIN, 0) == 0 && ch_fd_wait(p[0], POLLIN, 1000000) == 0);
  activate[&other] { EXPECT(ch_fd_wait(p[0], POLLIN, 60000000000) == POLLIN); }
  ch_sleep(1000000);
  EXPECT(write(p[1], "x", 1) == 1);
  ch_activity_wait(&other);
}
