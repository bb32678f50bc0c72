/* epoll by hand (see ../common/epoll_serve.h), with one buffer for all connections and a writev for each answer.
 * minimal.h says what this server cannot do. */
#include "minimal.h"

#include "../common/epoll_serve.h"
#include <sys/uio.h>

struct rest {
  struct iovec part[2];
  int last;
  char head[300];
};

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
  struct rest *rest = keep_rest(fd, sizeof *rest);
  memcpy(rest->head, head, sizeof head);
  rest->part[0] = (struct iovec){rest->head + head_size - part[0].iov_len, part[0].iov_len};
  rest->part[1] = part[1];
  rest->last = last;
}

static void send_rest(int fd) {
  struct rest *rest = rests[fd];
  int done = put(fd, rest->part);
  if (done < 0 || (done && rest->last))
    drop(fd);
  else if (done)
    rest_is_sent(fd);
}

int main(int argc, char **argv) {
  read_pages(argv[argc - 1]);
  epoll_serve(serve, send_rest);
}
