/* connect, accept, accept4, close */
#define _GNU_SOURCE
#include "posix/twins/twins.h"

CH_HIDDEN void ch_fd_closing(int fd);

CH_TWIN(connect) int ch_posix_connect(int fd, const struct sockaddr *address, socklen_t length) {
  int64_t pause = 1000000;
  for (;;) {
    int r = ch_attempt_connect(fd, address, length), error = errno;
    if (r == 0 || (error != EINPROGRESS && error != EAGAIN))
      return r;
    int64_t patience = ch_patience(fd, SO_SNDTIMEO);
    if (patience < 0)
      return r;
    if (error == EINPROGRESS) {
      r = await(fd, POLLOUT, patience);
      if (r < 0) {
        if (errno == EAGAIN)
          errno = EINPROGRESS;
        return r;
      }
      return ch_connect_outcome(fd);
    }
    if (address->sa_family != AF_UNIX)
      return errno = error, r;
    /* A local listener's queue is full, and nothing tells when there is room: the one place where we have to ask again.
     */
    ch_sleep(pause);
    if (pause < 64000000)
      pause *= 2;
  }
}

CH_TWIN(accept4) int ch_posix_accept4(int fd, struct sockaddr *address, socklen_t *length, int flags) {
  for (;;) {
    int r = ch_attempt_accept4(fd, address, length, flags);
    if (r >= 0 || errno != EAGAIN || await_input(fd))
      return r;
  }
}

CH_TWIN(accept) int ch_posix_accept(int fd, struct sockaddr *address, socklen_t *length) {
  for (;;) {
    int r = ch_attempt_accept4(fd, address, length, 0);
    if (r >= 0 || errno != EAGAIN || await_input(fd))
      return r;
  }
}

CH_TWIN(close) int ch_posix_close(int fd) {
  ch_fd_closing(fd);
  return ch_plain_close(fd);
}
