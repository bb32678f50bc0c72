/* Holds many connections to an echo server open at the same time and checks that each echoes its own text.
 *
 *     load PORT CONNECTIONS ROUNDS [SERVER-PID]
 *
 * It is straight-line code in one thread, too. If it is given the server's process id, it prints how much memory the
 * server has taken for each connection (without the kernel's part). The exit status is 1 if an echo was wrong or
 * missing. */
#include "../port.h"
#include <arpa/inet.h>
#include <charcoal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

static int connect_to(int port) {
  struct sockaddr_in there = {.sin_family = AF_INET, .sin_port = htons(port), .sin_addr = {htonl(INADDR_LOOPBACK)}};
  int fd = socket(AF_INET, SOCK_STREAM, 0);
  if (fd >= 0 && connect(fd, (struct sockaddr *)&there, sizeof there) == 0)
    return fd;
  perror("load: cannot connect");
  exit(1);
}

/* Sends a text that no other connection sends and reads it back. Returns whether it came back whole. */
static int echoes(int fd, int connection, int round) {
  char sent[64], got[64];
  int size = snprintf(sent, sizeof sent, "connection %d, round %d\n", connection, round), have = 0;
  if (write(fd, sent, size) != size)
    return 0;
  while (have < size) {
    ssize_t more = read(fd, got + have, size - have);
    if (more <= 0)
      return 0;
    have += more;
  }
  return memcmp(sent, got, size) == 0;
}

/* Resident memory of a process, in bytes; 0 when it cannot be told. */
static long resident(const char *pid) {
  char path[64];
  long pages = 0;
  snprintf(path, sizeof path, "/proc/%s/statm", pid);
  FILE *file = fopen(path, "r");
  if (file == NULL || fscanf(file, "%*d %ld", &pages) != 1)
    pages = 0;
  if (file != NULL)
    fclose(file);
  return pages * sysconf(_SC_PAGESIZE);
}

static double now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return t.tv_sec + t.tv_nsec * 1e-9;
}

int main(int argc, char **argv) {
  int port = argc < 4 ? -1 : read_port(argv[1]);
  if (port < 0 || atoi(argv[2]) < 1 || atoi(argv[3]) < 0)
    return fprintf(stderr, "usage: load PORT CONNECTIONS ROUNDS [SERVER-PID]\n"), 2;
  int n = atoi(argv[2]), rounds = atoi(argv[3]), right = 0;
  struct rlimit files = {20000, 20000};
  setrlimit(RLIMIT_NOFILE, &files);
  int *fds = calloc(n, sizeof *fds);
  ch_activity *clients = calloc(n, sizeof *clients);
  ch_sem connecting; /* the kernel's queue of connections that wait to be accepted is limited */
  ch_sem_init(&connecting, 500);

  long before = argc > 4 ? resident(argv[4]) : 0;
  double start = now();
  for (int i = 0; i < n; i++) {
    activate ch_handle(&clients[i]) ch_copy(i) {
      ch_sem_wait(&connecting);
      fds[i] = connect_to(port);
      int ok = echoes(fds[i], i, 0);
      right += ok; /* a statement without a call: no other activity comes in between */
      ch_sem_post(&connecting);
    }
  }
  for (int i = 0; i < n; i++)
    ch_activity_wait(&clients[i]);
  printf("connections=%d open at once, after %.2f s", n, now() - start);
  if (before > 0)
    printf("; server memory per connection: %ld bytes", (resident(argv[4]) - before) / n);
  printf("\n");

  start = now();
  for (int i = 0; i < n; i++) {
    activate ch_handle(&clients[i]) ch_copy(i) {
      for (int round = 1; round <= rounds; round++) {
        int ok = echoes(fds[i], i, round);
        right += ok;
      }
      close(fds[i]);
    }
  }
  for (int i = 0; i < n; i++)
    ch_activity_wait(&clients[i]);
  printf("echoes right=%d of %d; %.0f a second\n", right, n * (rounds + 1), n * rounds / (now() - start));
  ch_sem_destroy(&connecting);
  free(clients);
  free(fds);
  return right == n * (rounds + 1) ? 0 : 1;
}
