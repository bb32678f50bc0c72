/* What the servers in C share: a listening socket on a free port of 127.0.0.1, announced on standard output. */
#ifndef BENCH_SERVE_H
#define BENCH_SERVE_H

#include <arpa/inet.h>
#include <netinet/tcp.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/socket.h>

/* The listening socket; `flags` are socket's, such as SOCK_NONBLOCK. The driver reads the line `port N`. */
static inline int announce(int flags) {
  struct sockaddr_in here = {.sin_family = AF_INET, .sin_addr = {htonl(INADDR_LOOPBACK)}};
  socklen_t size = sizeof here;
  struct rlimit files;
  getrlimit(RLIMIT_NOFILE, &files);
  files.rlim_cur = files.rlim_max;
  setrlimit(RLIMIT_NOFILE, &files);
  int listener = socket(AF_INET, SOCK_STREAM | flags, 0);
  if (listener < 0 || bind(listener, (struct sockaddr *)&here, size) || listen(listener, 4096) ||
      getsockname(listener, (struct sockaddr *)&here, &size)) {
    perror("cannot listen");
    exit(1);
  }
  printf("port %d\n", ntohs(here.sin_port));
  fflush(stdout);
  return listener;
}

/* Small messages leave at once, in every system (Go and tokio programs do the same). */
static inline void no_delay(int connection) {
  int one = 1;
  setsockopt(connection, IPPROTO_TCP, TCP_NODELAY, &one, sizeof one);
}

#endif
