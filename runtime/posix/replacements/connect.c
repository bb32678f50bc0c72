/* Replacements of connect, accept, accept4 and close. */
#define _GNU_SOURCE
#include "posix/descriptors.h"
#include "posix/single_activity.h"
#include "posix/replacements/replacement.h"
#include "posix/plain.h"
#include "posix/socket_calls.h"

CH_HIDDEN void ch_fd_closing(int fd);

CH_SHARED_BODY int connect_one(int fd, const struct sockaddr *address, socklen_t length) {
  int64_t timeout, since = 0;
  int r, begun, before = errno;
  long outcome = ch_begin_connect(fd, address, length);
  if (outcome == CH_LATER) {
    r = (int)ch_do_connect(fd, address, length);
    return r == 0 ? 0 : errno == ECANCELED ? ch_connect_undo(fd) : ch_connect_failed(fd);
  }
  r = (int)outcome;
  begun = errno; /* EALREADY: by an earlier call */
  if (r == 0 || (begun != EINPROGRESS && begun != EALREADY))
    return r;
  timeout = ch_call_timeout(fd, SO_SNDTIMEO);
  if (timeout < 0)
    return errno = begun, -1;
  while ((r = await_output(fd, before, &since)) == 0) {
    r = ch_connect_outcome(fd, address, length);
    if (r == 0 || (errno != EINPROGRESS && errno != EALREADY))
      return r;
  }
  if (errno == ECANCELED)
    return begun == EALREADY ? -1 : ch_connect_undo(fd);
  if (errno == EAGAIN)
    errno = begun;
  return r;
}

CH_REPLACES(connect) int ch_posix_connect(int fd, const struct sockaddr *address, socklen_t length) {
  CH_SINGLE_ACTIVITY(connect(fd, address, length));
  return connect_one(fd, address, length);
}

CH_SHARED_BODY int accept_one(int fd, struct sockaddr *address, socklen_t *length, int flags) {
  int before = errno;
  int64_t since = 0;
  for (;;) {
    long r = ch_begin_accept(fd, address, length, flags);
    if (r == CH_LATER)
      return ch_accepted(fd, (int)ch_do_accept(fd, address, length, flags), flags);
    if (r == CH_BY_THREAD)
      return ch_accepted(fd, (int)ch_do_accept_by_thread(fd, address, length, flags), flags);
    if (r >= 0 || errno != EAGAIN || await_input(fd, before, &since))
      return ch_accepted(fd, (int)r, flags);
  }
}

CH_REPLACES(accept4) int ch_posix_accept4(int fd, struct sockaddr *address, socklen_t *length, int flags) {
  CH_SINGLE_ACTIVITY(ch_accepted(fd, accept4(fd, address, length, flags), flags));
  return accept_one(fd, address, length, flags);
}
CH_REPLACES(accept) int ch_posix_accept(int fd, struct sockaddr *address, socklen_t *length) {
  CH_SINGLE_ACTIVITY(ch_accepted(fd, accept(fd, address, length), 0));
  return accept_one(fd, address, length, 0);
}

/* Never refused, and never waits: cancelled or not, the descriptor is gone afterwards. */
CH_REPLACES(close) int ch_posix_close(int fd) {
  ch_fd_closing(fd);
  return ch_plain_close(fd);
}

/* The same for the runtime's servers, without the calls of a single activity, whose names may be the program's own. */
int ch_socket_connect(int fd, const struct sockaddr *address, socklen_t length) {
  return connect_one(fd, address, length);
}
int ch_socket_accept(int fd, int flags) { return accept_one(fd, NULL, NULL, flags); }
int ch_socket_close(int fd) { return ch_posix_close(fd); }
