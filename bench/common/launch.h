/* Starts a server that was not written for these benchmarks and therefore does not announce its port. The launcher
 * chooses a free port beforehand, and a child process announces it as soon as somebody listens there. */
#ifndef BENCH_LAUNCH_H
#define BENCH_LAUNCH_H

#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include <arpa/inet.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <unistd.h>

static inline int free_port(void) {
  struct sockaddr_in here = {.sin_family = AF_INET, .sin_addr = {htonl(INADDR_LOOPBACK)}};
  socklen_t size = sizeof here;
  int s = socket(AF_INET, SOCK_STREAM, 0);
  if (s < 0 || bind(s, (struct sockaddr *)&here, size) || getsockname(s, (struct sockaddr *)&here, &size)) {
    perror("no free port");
    exit(1);
  }
  close(s);
  return ntohs(here.sin_port);
}

/* Becomes the server. */
static inline void launch(int port, char *const command[]) {
  if (fork() == 0) {
    struct sockaddr_in there = {
        .sin_family = AF_INET, .sin_port = htons((unsigned short)port), .sin_addr = {htonl(INADDR_LOOPBACK)}};
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    int s = socket(AF_INET, SOCK_STREAM, 0);
    while (connect(s, (struct sockaddr *)&there, sizeof there))
      usleep(1000);
    printf("port %d\n", port);
    fflush(stdout);
    _exit(0);
  }
  int nothing = open("/dev/null", O_WRONLY);
  dup2(nothing, 1); /* the child has the pipe to the driver */
  execvp(command[0], command);
  perror(command[0]);
  exit(1);
}

#endif
