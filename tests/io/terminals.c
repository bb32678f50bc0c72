/* Tests terminals: a write without room waits while other activities go on, and if it is cancelled it returns how many
 * bytes it has written. A process in the terminal's background is stopped when it reads. */
#include "terminal.h"
#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <sys/uio.h>

enum { MUCH = 200000 };
static char much[MUCH], taken[2 * MUCH];

static struct terminal make(void) {
  for (int i = 0; i < MUCH; i++)
    much[i] = (char)('a' + i % 26);
  return open_terminal();
}

static long take(int fd, long n) {
  long all = 0, r;
  while (all < n && (r = read(fd, taken + all, (size_t)(n - all))) > 0)
    all += r;
  return all;
}
TEST(who_has_no_room_waits_and_others_go_on) {
  struct terminal t = make();
  int flags = fcntl(t.slave, F_GETFL);
  do {
    async EXPECT(write(t.slave, much, MUCH) == MUCH);
    EXPECT(take(t.master, MUCH) == MUCH && memcmp(taken, much, MUCH) == 0);
  }
  finish;
  EXPECT(fcntl(t.slave, F_GETFL) == flags);
  struct iovec v[2] = {{much, 50000}, {much + 50000, 50000}};
  do {
    async EXPECT(writev(t.slave, v, 2) == 100000);
    EXPECT(take(t.master, 100000) == 100000 && memcmp(taken, much, 100000) == 0);
  }
  finish;
}

TEST(a_line_of_any_length_is_printed) {
  struct terminal t = make();
  FILE *f = fdopen(t.slave, "w");
  EXPECT(setvbuf(f, NULL, _IOLBF, 1024) == 0);
  do {
    async EXPECT(fprintf(f, "%.100000s\n", much) == 100001);
    EXPECT(take(t.master, 100001) == 100001 && memcmp(taken, much, 100000) == 0);
  }
  finish;
}

TEST(who_is_cancelled_says_what_has_gone) {
  struct terminal t = make();
  long r = -7;
  int error = 0;
  do {
    async r = write(t.slave, much, MUCH);
    EXPECT(r == -7);
    cancel;
  }
  finish;
  EXPECT(r > 0 && r < MUCH);
  fill_terminal(t);
  do { /* and now there is no room */
    async {
      r = -write(t.slave, much, 10);
      error = errno;
    }
    cancel;
  }
  finish;
  EXPECT(r == 1 && error == ECANCELED);
  do {
    async r = write(t.slave, much, MUCH);
    EXPECT(take(t.master, MUCH) == MUCH);
    cancel;
  }
  finish;
  EXPECT(r > 0);
}

TEST(all_that_was_told_has_come) {
  struct terminal t = make();
  long r = -7;
  do {
    async r = write(t.slave, much, MUCH);
    cancel;
  }
  finish;
  EXPECT(r > 0 && take(t.master, r) == r && memcmp(taken, much, (size_t)r) == 0);
  struct pollfd more = {.fd = t.master, .events = POLLIN};
  EXPECT(poll(&more, 1, 100) == 0);
}

TEST(one_that_does_not_block_says_so) {
  struct terminal t = make();
  ch_sem never = CH_SEM_INIT(0);
  activate { ch_sem_wait(&never); }
  EXPECT(fcntl(t.slave, F_SETFL, O_RDWR | O_NONBLOCK) == 0);
  long r = write(t.slave, much, MUCH);
  EXPECT(r > 0 && r < MUCH);
  while (write(t.slave, much, 1) == 1)
    continue;
  EXPECT(errno == EAGAIN);
  exit(0);
}

/* The process reads a byte from the terminal in a group of its own, beside another activity: it ends with the number of
 * bytes, or 100 and the error. */
static pid_t start_job(int terminal, bool ignores) {
  pid_t job = fork();
  if (job == 0) {
    char c;
    alarm(20);
    setpgid(0, 0);
    if (ignores)
      signal(SIGTTIN, SIG_IGN);
    activate {
      for (;;)
        ch_sleep(1000000);
    }
    long r = read(terminal, &c, 1);
    _exit(r < 0 ? 100 + errno : (int)r);
  }
  return job;
}
TEST(who_reads_in_the_background_is_stopped_or_refused) {
  struct terminal t = make();
  pid_t leader = fork();
  if (leader == 0) {
    int status;
    alarm(20);
    signal(SIGTTOU, SIG_IGN);
    EXPECT(setsid() > 0 && ioctl(t.slave, TIOCSCTTY, 0) == 0);
    pid_t job = start_job(t.slave, false);
    EXPECT(waitpid(job, &status, WUNTRACED) == job && WIFSTOPPED(status) && WSTOPSIG(status) == SIGTTIN);
    EXPECT(tcsetpgrp(t.slave, job) == 0 && kill(job, SIGCONT) == 0);
    ch_sleep(1000000);
    EXPECT(write(t.master, "x", 1) == 1);
    EXPECT(waitpid(job, &status, 0) == job && status == 1 << 8);
    EXPECT(tcsetpgrp(t.slave, getpid()) == 0);
    job = start_job(t.slave, true);
    EXPECT(waitpid(job, &status, 0) == job && status == (100 + EIO) << 8);
    _exit(0);
  }
  int status = -1;
  EXPECT(waitpid(leader, &status, 0) == leader && status == 0);
}
