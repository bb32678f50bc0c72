/* epoll by hand, with one buffer for all connections: see ../common/epoll_serve.h. */
#define _GNU_SOURCE
#include "../common/epoll_serve.h"
#include <string.h>

struct rest {
  ssize_t size;
  char text[256];
};

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
  struct rest *rest = keep_rest(fd, sizeof *rest);
  rest->size = got - put;
  memcpy(rest->text, text + put, (size_t)(got - put));
}

static void send_rest(int fd) {
  struct rest *rest = rests[fd];
  ssize_t put = write(fd, rest->text, (size_t)rest->size);
  if (put < 0 && errno != EAGAIN) {
    drop(fd);
    return;
  }
  put = put < 0 ? 0 : put;
  rest->size -= put;
  memmove(rest->text, rest->text + put, (size_t)rest->size);
  if (rest->size == 0)
    rest_is_sent(fd);
}

int main(void) { epoll_serve(echo, send_rest); }
