/* Commits operations among processes, and checks that all of them have carried out the same ones.
 *
 *     commit [PARTICIPANTS [OPERATIONS [MS]]]
 *
 * Each participant takes 10 ms for its vote. Participant 0 says no to every third operation. Participant 1 does not
 * answer every fifth one within MS milliseconds (400 by default). The exit status is 1 if a participant has carried out
 * other operations than the initiator. */
#include "commit.h"

#include <charcoal.h>
#include <poll.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static double now_ms(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec * 1e3 + (double)t.tv_nsec / 1e6;
}

/* How many participants are about to vote, and the most that ever were at a time; all processes see it. */
static struct {
  atomic_int now, most;
} *voting;

static void think(int microseconds) {
  int now = atomic_fetch_add(&voting->now, 1) + 1, most = atomic_load(&voting->most);
  while (now > most && !atomic_compare_exchange_weak(&voting->most, &most, now)) {
  }
  usleep(microseconds);
  atomic_fetch_sub(&voting->now, 1);
}

/* A participant's process: plain C. Its last message says how often it was told to commit, and of what. */
static void participate(int fd, int index) {
  struct message m;
  int done = 0;
  while (read(fd, &m, sizeof m) == sizeof m && m.kind != END) {
    if (m.kind == COMMIT)
      done = done * 31 + m.operation;
    if (m.kind != PROPOSAL)
      continue;
    if (index == 1 && m.operation % 5 == 0) /* it answers too late: when the outcome has come */
      poll(&(struct pollfd){.fd = fd, .events = POLLIN}, 1, 600000);
    think(10000);
    m.kind = index == 0 && m.operation % 3 == 0 ? NO : YES;
    if (write(fd, &m, sizeof m) != sizeof m)
      break;
  }
  m.operation = done;
  if (write(fd, &m, sizeof m) != sizeof m)
    _exit(1);
  _exit(0);
}

int main(int argc, char **argv) {
  int n = argc > 1 ? atoi(argv[1]) : 8, operations = argc > 2 ? atoi(argv[2]) : 10;
  int timeout = argc > 3 ? atoi(argv[3]) : 400;
  if (n < 1 || operations < 1 || timeout < 1)
    return fprintf(stderr, "usage: commit [PARTICIPANTS [OPERATIONS [MS]]]\n"), 2;
  int *fds = calloc((size_t)n, sizeof *fds), committed = 0, done = 0, wrong = 0;
  voting = mmap(NULL, sizeof *voting, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (voting == MAP_FAILED)
    return perror("commit: mmap"), 2;
  for (int i = 0; i < n; i++) {
    int pair[2];
    if (socketpair(AF_UNIX, SOCK_SEQPACKET, 0, pair) != 0)
      return perror("commit: socketpair"), 2;
    pid_t child = fork();
    if (child < 0)
      return perror("commit: fork"), 2;
    if (child == 0) {
      close(pair[0]);
      participate(pair[1], i);
    }
    close(pair[1]);
    fds[i] = pair[0];
  }
  double start = now_ms();
  for (int operation = 1; operation <= operations; operation++) {
    bool agreed = commit(fds, n, operation, timeout * INT64_C(1000000));
    printf("operation %d: %s\n", operation, agreed ? "committed" : "aborted");
    if (agreed) {
      committed++;
      done = done * 31 + operation;
    }
  }
  double elapsed = now_ms() - start;
  for (int i = 0; i < n; i++) {
    struct message m = {END, 0};
    if (write(fds[i], &m, sizeof m) != sizeof m)
      wrong++;
    do {
      if (read(fds[i], &m, sizeof m) != sizeof m)
        return perror("commit: read"), 1;
    } while (m.kind != END);
    wrong += m.operation != done;
  }
  while (wait(NULL) > 0) {
  }
  printf("committed=%d of %d; %d of %d participants agree; at most %d voted at a time; %.0f ms\n", committed,
         operations, n - wrong, n, atomic_load(&voting->most), elapsed);
  free(fds);
  return wrong != 0;
}
