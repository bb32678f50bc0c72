/* Signals come while the runtime only looks whether a call would have to wait: even a look, which itself does not wait,
 * then ends with EINTR. Nobody notices: waits go on, and nothing counts as ready. interrupted-beneath.c stands for the
 * kernel, and interrupts two looks of three. */
#include "harness.h"
#include <charcoal/clauses.h>
#include <fcntl.h>
#include <mqueue.h>
#include <poll.h>
#include <signal.h>
#include <sys/eventfd.h>
#include <sys/select.h>
#include <sys/sem.h>
#include <sys/socket.h>
#include <sys/time.h>

extern int signals_come;

enum { ROUNDS = 6, MS = 1000000 };

/* Somebody else waits, too: who is alone makes the plain call. */
static void begins(void) {
  activate { ch_sleep(CH_FOREVER); }
  signals_come = 1;
}

TEST(a_wait_for_a_descriptor_ends_with_its_time_or_its_event) {
  int p[2];
  begins();
  EXPECT(pipe(p) == 0);
  for (int i = 0; i < ROUNDS; i++) {
    EXPECT(ch_fd_wait(p[0], POLLIN, 0) == 0);
    EXPECT(ch_fd_wait(p[0], POLLIN, MS) == 0);
    EXPECT(ch_fd_wait(p[1], POLLOUT, 0) == POLLOUT);
    EXPECT(ch_fd_wait(-1, POLLIN, MS) == -EBADF);
  }
  EXPECT(write(p[1], "x", 1) == 1);
  for (int i = 0; i < ROUNDS; i++)
    EXPECT(ch_fd_wait(p[0], POLLIN, MS) == POLLIN);
}

TEST(polls_and_selects_say_what_they_find) {
  int p[2];
  begins();
  EXPECT(pipe(p) == 0);
  for (int filled = 0; filled <= 1; filled++) {
    for (int i = 0; i < ROUNDS; i++) {
      struct pollfd one = {.fd = p[0], .events = POLLIN};
      struct timeval soon = {0, 1000};
      struct timespec soon_too = {0, MS};
      fd_set in;
      FD_ZERO(&in);
      FD_SET(p[0], &in);
      EXPECT(poll(&one, 1, 0) == filled && poll(&one, 1, 1) == filled);
      EXPECT(ppoll(&one, 1, &soon_too, NULL) == filled);
      EXPECT(select(p[0] + 1, &in, NULL, NULL, &soon) == filled && !FD_ISSET(p[0], &in) == !filled);
      FD_SET(p[0], &in);
      EXPECT(pselect(p[0] + 1, &in, NULL, NULL, &soon_too, NULL) == filled && !FD_ISSET(p[0], &in) == !filled);
    }
    EXPECT(write(p[1], "x", 1) == 1);
  }
}

TEST(a_clause_is_selected_by_what_it_waits_for) {
  int p[2], s[2], e = eventfd(0, 0), late, other;
  char c;
  uint64_t n;
  ssize_t got;
  begins();
  EXPECT(pipe(p) == 0 && socketpair(AF_UNIX, SOCK_STREAM, 0, s) == 0);
  for (int i = 0; i < ROUNDS; i++) {
    late = 0;
    waituntil (ch_fd_wait(p[0], POLLIN, CH_FOREVER)) {}
    or waituntil (read(p[0], &c, 1)) {}
    or waituntil (recv(s[0], &c, 1, 0)) {}
    or waituntil (read(e, &n, sizeof n)) {}
    or waituntil (ch_sleep(MS)) { late = 1; }
    EXPECT(late == 1);
    other = 0;
    waituntil (ch_fd_wait(p[0], POLLIN, CH_FOREVER)) {}
    or waituntil (read(p[0], &c, 1)) {}
    or waituntil (read(e, &n, sizeof n)) {}
    else { other = 1; }
    EXPECT(other == 1);
  }
  activate (e) {
    ch_sleep(MS);
    eventfd_write(e, 7);
  }
  got = 0;
  waituntil (recv(s[0], &c, 1, 0)) {}
  or waituntil (got = read(e, &n, sizeof n)) {}
  EXPECT(got == sizeof n && n == 7);
}

TEST(calls_end_with_their_limit_or_what_comes) {
  int s[2], signal = 0;
  char c;
  struct timeval limit = {0, 2000};
  struct timespec soon = {0, 2 * MS};
  sigset_t set;
  begins();
  EXPECT(socketpair(AF_UNIX, SOCK_STREAM, 0, s) == 0);
  EXPECT(setsockopt(s[0], SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof limit) == 0);
  sigemptyset(&set);
  sigaddset(&set, SIGUSR1);
  sigprocmask(SIG_BLOCK, &set, NULL);
  for (int i = 0; i < ROUNDS; i++) {
    EXPECT(recv(s[0], &c, 1, 0) == -1 && errno == EAGAIN);
    EXPECT(sigtimedwait(&set, NULL, &soon) == -1 && errno == EAGAIN);
  }
  activate {
    ch_sleep(MS);
    kill(getpid(), SIGUSR1);
  }
  EXPECT(sigwait(&set, &signal) == 0 && signal == SIGUSR1);
}

TEST(message_queues_and_semaphores_wait_on) {
  struct mq_attr most = {.mq_maxmsg = 1, .mq_msgsize = 1};
  char name[40], c = 0;
  snprintf(name, sizeof name, "/charcoal-interrupted-%d", (int)getpid());
  mqd_t q = mq_open(name, O_RDWR | O_CREAT | O_EXCL, 0600, &most);
  int id = semget(IPC_PRIVATE, 1, 0600);
  struct sembuf take = {.sem_op = -1}, give = {.sem_op = 1};
  struct timespec soon = {0, MS};
  begins();
  EXPECT(q >= 0 && mq_unlink(name) == 0 && id >= 0);
  for (int i = 0; i < ROUNDS; i++) {
    ch_activity sender;
    activate[&sender] {
      ch_sleep(MS);
      EXPECT(mq_send(q, "a", 1, 0) == 0 && mq_send(q, "b", 1, 0) == 0);
      EXPECT(semop(id, &give, 1) == 0);
    }
    EXPECT(mq_receive(q, &c, 1, NULL) == 1 && c == 'a');
    ch_sleep(MS);
    EXPECT(mq_receive(q, &c, 1, NULL) == 1 && c == 'b');
    EXPECT(semop(id, &take, 1) == 0);
    EXPECT(semtimedop(id, &take, 1, &soon) == -1 && errno == EAGAIN);
    ch_activity_wait(&sender);
  }
  semctl(id, 0, IPC_RMID);
}
