/* Whether descriptors are ready. */
#include "posix/nonblocking/tries.h"
#include "frames/poll_now.h"
#include <errno.h>

bool ch_is_ready_now(int fd, short events) {
  struct pollfd p = {.fd = fd, .events = events};
  if (ch_poll_now(&p, 1) != 0)
    return true;
  errno = EAGAIN;
  return false;
}

int ch_nonblocking_poll(struct pollfd *all, nfds_t n) { return ch_poll_now(all, n); }
