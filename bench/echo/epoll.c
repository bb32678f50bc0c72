/* By hand: level-triggered, one shared buffer. A connection has memory of its own only while it has bytes that the
 * kernel would not take, and then waits for EPOLLOUT. Its descriptor is all that epoll remembers of it. */
#define _GNU_SOURCE
#include "../common/serve.h"
#include <errno.h>
#include <string.h>
#include <sys/epoll.h>
#include <unistd.h>

struct rest {
  ssize_t size;
  char text[256];
};

static struct rest **rests; /* by descriptor */
static int epoll;

static void watch(int operation, int fd, unsigned events) {
  struct epoll_event event = {.events = events, .data.fd = fd};
  if (epoll_ctl(epoll, operation, fd, &event)) {
    perror("epoll_ctl");
    exit(1);
  }
}

static void drop(int fd) {
  free(rests[fd]);
  rests[fd] = NULL;
  close(fd);
}

static void echo(int fd) {
  char text[256];
  ssize_t got = read(fd, text, sizeof text);
  if (got <= 0) {
    if (got == 0 || errno != EAGAIN)
      drop(fd);
    return;
  }
  ssize_t put = write(fd, text, (size_t)got);
  if (put == got)
    return;
  if (put < 0 && errno != EAGAIN) {
    drop(fd);
    return;
  }
  put = put < 0 ? 0 : put;
  rests[fd] = malloc(sizeof *rests[fd]);
  if (!rests[fd])
    exit(1);
  rests[fd]->size = got - put;
  memcpy(rests[fd]->text, text + put, (size_t)(got - put));
  watch(EPOLL_CTL_MOD, fd, EPOLLOUT);
}

static void flush_rest(int fd) {
  struct rest *rest = rests[fd];
  ssize_t put = write(fd, rest->text, (size_t)rest->size);
  if (put < 0 && errno != EAGAIN) {
    drop(fd);
    return;
  }
  put = put < 0 ? 0 : put;
  rest->size -= put;
  memmove(rest->text, rest->text + put, (size_t)rest->size);
  if (rest->size > 0)
    return;
  free(rest);
  rests[fd] = NULL;
  watch(EPOLL_CTL_MOD, fd, EPOLLIN);
}

int main(void) {
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
        flush_rest(fd);
      } else {
        echo(fd);
      }
    }
  }
}
