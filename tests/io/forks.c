/* Children of fork, and a lack of descriptors: nothing ends a program, or keeps it waiting, that the plain one would
 * survive. */
#include "harness.h"
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <sys/file.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/uio.h>

static int all[4096], taken;
static void take_all_descriptors(void) {
  struct rlimit limit;
  EXPECT(getrlimit(RLIMIT_NOFILE, &limit) == 0);
  limit.rlim_cur = 200;
  EXPECT(setrlimit(RLIMIT_NOFILE, &limit) == 0);
  while ((all[taken] = (int)syscall(SYS_dup, 0)) >= 0) taken++;
}
static void give_back(int n) {
  while (n-- > 0) syscall(SYS_close, all[--taken]);
}
static int status_of(pid_t child) {
  int status = -1;
  EXPECT(child > 0 && waitpid(child, &status, 0) == child);
  return status;
}

/* An activity that waits for a socket, in an operation of the ring if there is one, and one that waits for a pipe. */
static int s[2], p[2];
static long got_socket, got_pipe;
static ch_activity on_socket, on_pipe;
static void others_wait(void) {
  alarm(60);
  EXPECT(socketpair(AF_UNIX, SOCK_STREAM, 0, s) == 0 && pipe(p) == 0);
  activate [&on_socket] {
    char c;
    got_socket = read(s[0], &c, 1);
  }
  activate [&on_pipe] {
    char c;
    got_pipe = read(p[0], &c, 1);
  }
  ch_sleep(1000000);
}
static void others_go_on(void) {
  EXPECT(syscall(SYS_write, s[1], "x", 1) == 1 && syscall(SYS_write, p[1], "x", 1) == 1);
  ch_activity_wait(&on_socket);
  ch_activity_wait(&on_pipe);
  EXPECT(got_socket == 1 && got_pipe == 1);
}

TEST(a_child_that_only_ends_needs_no_descriptor) {
  others_wait();
  take_all_descriptors();
  pid_t child = fork();
  if (child == 0) _exit(7);
  EXPECT(WEXITSTATUS(status_of(child)) == 7);
}

/* What it waits for comes, though there is nothing to wait with. */
TEST(a_child_waits_without_a_descriptor) {
  others_wait();
  take_all_descriptors();
  pid_t child = fork();
  if (child == 0) {
    alarm(20);
    ch_sleep(1000000);
    others_go_on();
    int done = 0;
    ch_activity more;
    activate [&more] {
      ch_sleep(2000000);
      done = 1;
    }
    ch_activity_wait(&more);
    EXPECT(done == 1);
    give_back(8); /* and from now on as ever */
    EXPECT(socketpair(AF_UNIX, SOCK_STREAM, 0, s) == 0);
    long r = 0;
    char c;
    do {
      async r = read(s[0], &c, 1);
      ch_sleep(1000000);
      EXPECT(write(s[1], "y", 1) == 1);
    }
    finish;
    EXPECT(r == 1 && c == 'y');
    _exit(5);
  }
  /* The parent, whose activities wait for the same files, leaves them to the child. */
  int status;
  EXPECT(syscall(SYS_wait4, child, &status, 0, NULL) == child);
  EXPECT(WIFEXITED(status) && WEXITSTATUS(status) == 5);
}

/* What the others would do between fork and exec would be done twice. */
static int turns;
static void call(void) { __asm__ volatile("" ::: "memory"); }
static void take_turns(void) {
  for (;;) {
    turns++;
    ch_reschedule();
  }
}
TEST(a_child_goes_on_alone_until_it_waits_gives_way_or_spawns) {
  enum { WAITS, GIVES_WAY, SPAWNS, WAYS };
  alarm(60);
  activate take_turns();
  while (turns == 0) ch_reschedule();
  for (int way = 0; way < WAYS; way++) {
    pid_t child = fork();
    if (child == 0) {
      int before = turns;
      alarm(60);
      for (int i = 0; i < 1000; i++) call();
      close(dup(0));
      if (turns != before) _exit(9);
      while (turns == before) {
        ch_activity more;
        if (way == SPAWNS) activate [&more] call();
        if (way == SPAWNS) ch_activity_wait(&more);
        else ch_sleep(way == WAITS);
      }
      _exit(0);
    }
    EXPECT(status_of(child) == 0);
  }
}

TEST(the_first_wait_of_all_needs_no_descriptor) {
  alarm(60);
  EXPECT(socketpair(AF_UNIX, SOCK_STREAM, 0, s) == 0);
  take_all_descriptors();
  char c[10];
  long r = 0, second = 0;
  do {
    async r = read(s[0], c, sizeof c);
    ch_sleep(1000000);
    EXPECT(write(s[1], "first", 5) == 5);
  }
  finish;
  EXPECT(r == 5);
  do {
    async second = readv(s[0], &(struct iovec){c, 3}, 1);
    async EXPECT(ch_fd_wait(s[1], POLLIN, 5000000) == 0);
    ch_sleep(1000000);
    EXPECT(write(s[1], "second", 6) == 6);
  }
  finish;
  EXPECT(second == 3);
  give_back(5);
  do {
    async second = read(s[0], c, sizeof c);
    ch_sleep(1000000);
  }
  finish;
  EXPECT(second == 3);
}

static void slow(void *x) {
  usleep(3000);
  *(int *)x = 1;
}
TEST(a_thread_does_not_wake_in_vain_without_a_descriptor) {
  int done = 0;
  alarm(60);
  activate { ch_sleep(INT64_C(100000000000)); }
  take_all_descriptors();
  EXPECT(ch_offload(slow, &done) == 0 && done == 1);
  exit(0);
}

/* ---- what the pool was doing ---- */

TEST(a_wait_on_a_thread_is_begun_anew_in_a_child) {
  int f = open("name", O_CREAT | O_RDWR, 0600), g = open("name", O_RDWR), r = -1;
  alarm(60);
  EXPECT(lockf(f, F_LOCK, 0) == 0);
  struct flock mine = {.l_type = F_WRLCK, .l_whence = SEEK_SET};
  EXPECT(fcntl(f, F_OFD_SETLK, &mine) == -1 || 1);
  EXPECT(fcntl(g, F_OFD_SETLK, &mine) == -1); /* taken by the process's own lock */
  ch_activity waits;
  activate [&waits] { r = fcntl(g, F_OFD_SETLKW, &mine); }
  ch_sleep(5000000);
  EXPECT(r == -1);
  pid_t child = fork();
  if (child == 0) {
    alarm(20);
    ch_activity_wait(&waits); /* for the parent's lock */
    _exit(r == 0 ? 0 : 3);
  }
  ch_sleep(5000000);
  EXPECT(lockf(f, F_ULOCK, 0) == 0);
  ch_activity_wait(&waits);
  EXPECT(r == 0);
  EXPECT(status_of(child) == 0); /* the description is one: it has the lock, too */
  unlink("name");
}

static sem_t semaphore;
TEST(a_semaphore_of_threads_is_waited_for_in_a_child) {
  int r = -1;
  alarm(60);
  EXPECT(sem_init(&semaphore, 0, 0) == 0);
  ch_activity waits;
  activate [&waits] { r = sem_wait(&semaphore); }
  ch_sleep(5000000);
  pid_t child = fork();
  if (child == 0) {
    alarm(20);
    sem_post(&semaphore);
    ch_activity_wait(&waits);
    _exit(r == 0 ? 0 : 3);
  }
  EXPECT(status_of(child) == 0 && r == -1);
  sem_post(&semaphore);
  ch_activity_wait(&waits);
  EXPECT(r == 0);
}

/* The thread that would do it is the parent's, and whether it has done it nobody knows. */
TEST(what_is_not_a_wait_was_interrupted_in_a_child) {
  int done = 0, r = -1;
  alarm(60);
  ch_activity works;
  int go[2];
  EXPECT(pipe(go) == 0);
  activate [&works] { r = ch_offload(slow, &done); }
  ch_reschedule();
  pid_t child = fork();
  if (child == 0) {
    alarm(20);
    ch_activity_wait(&works);
    _exit(r == EINTR || (r == 0 && done) ? 0 : 3);
  }
  EXPECT(status_of(child) == 0);
  ch_activity_wait(&works);
  EXPECT(r == 0 && done);
}

TEST(a_childs_waits_are_its_own) {
  others_wait();
  pid_t child = fork();
  if (child == 0) {
    alarm(20);
    others_go_on();
    _exit(0);
  }
  int status; /* plainly: the parent's activities wait for the same bytes */
  EXPECT(syscall(SYS_wait4, child, &status, 0, NULL) == child && status == 0);
  others_go_on();
}

static long in_the_domain;
static void reads(void *from) {
  char c;
  ch_activity more;
  activate [&more] { ch_sleep(1000000); }
  in_the_domain = read(*(int *)from, &c, 1);
  ch_activity_wait(&more);
}
TEST(a_domain_for_which_there_is_no_descriptor_waits_all_the_same) {
  ch_thread thread;
  others_wait();
  int other[2];
  EXPECT(socketpair(AF_UNIX, SOCK_STREAM, 0, other) == 0);
  take_all_descriptors();
  EXPECT(ch_domain_start(&thread, reads, &other[0]) == 0);
  ch_sleep(5000000);
  EXPECT(syscall(SYS_write, other[1], "x", 1) == 1);
  EXPECT(ch_domain_join(&thread) == 0 && in_the_domain == 1);
  exit(0);
}

/* ---- what the program does at a fork ---- */

static pthread_mutex_t programs = PTHREAD_MUTEX_INITIALIZER;
static sem_t is_locked;
static void lock_it(void) { pthread_mutex_lock(&programs); }
static void unlock_it(void) { pthread_mutex_unlock(&programs); }
static void *writes_under_the_lock(void *unused) {
  ch_activity beside;
  int f = open("name", O_CREAT | O_RDWR, 0600);
  activate [&beside] { ch_sleep(1000000); } /* which must not wait for the calls: they go to the pool */
  pthread_mutex_lock(&programs);
  sem_post(&is_locked);
  for (int i = 0; i < 10; i++) fsync(f);
  pthread_mutex_unlock(&programs);
  close(f);
  ch_activity_wait(&beside);
  return unused;
}
TEST(a_fork_may_wait_for_a_lock_under_which_others_write_files) {
  alarm(100);
  EXPECT(sem_init(&is_locked, 0, 0) == 0);
  EXPECT(pthread_atfork(lock_it, unlock_it, unlock_it) == 0);
  for (int i = 0; i < 20; i++) {
    pthread_t thread;
    EXPECT(pthread_create(&thread, NULL, writes_under_the_lock, NULL) == 0 && sem_wait(&is_locked) == 0);
    pid_t child = fork();
    if (child == 0) _exit(0);
    EXPECT(status_of(child) == 0 && pthread_join(thread, NULL) == 0);
  }
}

/* ---- the signal that takes a thread out of its call ---- */

TEST(the_urgent_signal_stays_the_programs) {
  struct sigaction is;
  int f = open("name", O_CREAT | O_RDWR, 0600), g = open("name", O_RDWR);
  alarm(60);
  EXPECT(syscall(SYS_flock, f, LOCK_EX) == 0);
  for (int i = 0; i < 20; i++) {
    int r = 0, error = 0;
    do {
      async {
        r = flock(g, LOCK_EX);
        error = errno;
      }
      ch_sleep(1000000);
      EXPECT(sigaction(SIGURG, NULL, &is) == 0 && is.sa_handler == SIG_DFL); /* nobody is taken out of anything */
      cancel;
    }
    finish;
    EXPECT(r == -1 && error == ECANCELED);
    EXPECT(sigaction(SIGURG, NULL, &is) == 0 && is.sa_handler == SIG_DFL);
  }
  unlink("name");
}
