/* By hand: level-triggered, one shared buffer, a writev for each answer (see minimal.h for what it cannot do). A
 * connection has memory of its own only while it has bytes that the kernel would not take, and then waits for EPOLLOUT.
 * Its descriptor is all that epoll remembers of it. */
#include "minimal.h"

#include "../common/serve.h"
#include <errno.h>
#include <sys/epoll.h>
#include <sys/uio.h>
#include <unistd.h>

struct rest {
  struct iovec part[2];
  int last;
  char head[300];
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

/* Sends what the kernel takes, and returns whether nothing is left; -1: the client has gone. */
static int put(int fd, struct iovec part[2]) {
  ssize_t n = writev(fd, part, 2);
  if (n < 0 && errno != EAGAIN)
    return -1;
  for (int i = 0; i < 2 && n > 0; i++) {
    size_t taken = (size_t)n < part[i].iov_len ? (size_t)n : part[i].iov_len;
    part[i].iov_base = (char *)part[i].iov_base + taken;
    part[i].iov_len -= taken;
    n -= (ssize_t)taken;
  }
  return part[0].iov_len + part[1].iov_len == 0;
}

static void serve(int fd) {
  char text[4096], head[300];
  int head_size, last;
  ssize_t got = read(fd, text, sizeof text);
  const struct page *page = got > 0 ? reply(text, (size_t)got, head, &head_size, &last) : NULL;
  if (!page) {
    if (got >= 0 || errno != EAGAIN)
      drop(fd);
    return;
  }
  struct iovec part[2] = {{head, (size_t)head_size}, {page->content, page->size}};
  int done = put(fd, part);
  if (done != 0) {
    if (done < 0 || last)
      drop(fd);
    return;
  }
  struct rest *rest = rests[fd] = malloc(sizeof *rest);
  memcpy(rest->head, head, sizeof head);
  rest->part[0] = (struct iovec){rest->head + head_size - part[0].iov_len, part[0].iov_len};
  rest->part[1] = part[1];
  rest->last = last;
  watch(EPOLL_CTL_MOD, fd, EPOLLOUT);
}

static void send_rest(int fd) {
  int done = put(fd, rests[fd]->part);
  if (done == 0)
    return;
  if (done < 0 || rests[fd]->last) {
    drop(fd);
    return;
  }
  free(rests[fd]);
  rests[fd] = NULL;
  watch(EPOLL_CTL_MOD, fd, EPOLLIN);
}

int main(int argc, char **argv) {
  read_pages(argv[argc - 1]);
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
