/* What the servers on epoll by hand share. epoll is level-triggered. A connection has memory of its own only while it
 * has bytes that the kernel would not take, its *rest*; then it waits for EPOLLOUT. epoll remembers nothing of a
 * connection but its descriptor. */
#ifndef BENCH_EPOLL_SERVE_H
#define BENCH_EPOLL_SERVE_H

#include "serve.h"
#include <errno.h>
#include <sys/epoll.h>
#include <unistd.h>

static void **rests; /* by descriptor; each from malloc, or NULL */
static int epoll;

static inline void watch(int operation, int fd, unsigned events) {
  struct epoll_event event = {.events = events, .data.fd = fd};
  if (epoll_ctl(epoll, operation, fd, &event)) {
    perror("epoll_ctl");
    exit(1);
  }
}

static inline void drop(int fd) {
  free(rests[fd]);
  rests[fd] = NULL;
  close(fd);
}

/* The connection waits with these bytes. The result is its rest, which the caller fills. */
static inline void *keep_rest(int fd, size_t size) {
  rests[fd] = malloc(size);
  if (!rests[fd])
    exit(1);
  watch(EPOLL_CTL_MOD, fd, EPOLLOUT);
  return rests[fd];
}

static inline void rest_is_sent(int fd) {
  free(rests[fd]);
  rests[fd] = NULL;
  watch(EPOLL_CTL_MOD, fd, EPOLLIN);
}

/* Does not return. `serve` is called for a connection that can be read, `send_rest` for one that takes more. */
static inline void epoll_serve(void (*serve)(int fd), void (*send_rest)(int fd)) {
  int listener = announce(SOCK_NONBLOCK);
  struct rlimit files;
  getrlimit(RLIMIT_NOFILE, &files);
  rests = calloc(files.rlim_cur, sizeof *rests);
  epoll = epoll_create1(0);
  watch(EPOLL_CTL_ADD, listener, EPOLLIN);
  for (;;) {
    struct epoll_event ready[256];
    int n = epoll_wait(epoll, ready, 256, -1);
    for (int i = 0; i < n; i++) {
      int fd = ready[i].data.fd;
      if (fd == listener) {
        while ((fd = accept4(listener, NULL, NULL, SOCK_NONBLOCK)) >= 0) {
          no_delay(fd);
          watch(EPOLL_CTL_ADD, fd, EPOLLIN);
        }
      } else if (rests[fd]) {
        send_rest(fd);
      } else {
        serve(fd);
      }
    }
  }
}

#endif
