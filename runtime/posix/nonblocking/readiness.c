/* Whether descriptors are ready. */
#include "posix/nonblocking/tries.h"
#include <errno.h>
#include <poll.h>

bool ch_is_ready_now(int fd, short events) {
  struct pollfd p = {.fd = fd, .events = events};
  if (poll(&p, 1, 0) != 0)
    return true;
  errno = EAGAIN;
  return false;
}

int ch_nonblocking_poll(struct pollfd *all, nfds_t n) { return poll(all, n, 0); }
