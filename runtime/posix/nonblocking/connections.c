/* accept and connect, which have no flag for not waiting. */
#define _GNU_SOURCE
#include "posix/nonblocking/tries.h"
#include "frames/poll_now.h"
#include "posix/call_limit.h"
#include "posix/operations.h"
#include "reactor/readiness_cache.h"
#include "reactor/reactor.h"
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

/* Whether the process may have another descriptor. accept says that it may not (EMFILE) before it waits. */
static bool has_number_left(int fd) {
  int another = fcntl(fd, F_DUPFD_CLOEXEC, 0);
  if (another >= 0)
    close(another);
  return another >= 0;
}

/* accept has no flag for not waiting, and the listener may be shared with other processes, so its mode is left alone.
 * Between a look and the call another one may accept the connection. So a ring waits and accepts in one operation, and
 * without a ring a thread accepts when there is something to accept. */
long ch_begin_accept(int fd, struct sockaddr *address, socklen_t *length, int flags) {
  REFUSE_IF_CANCELLED();
  int64_t timeout = flags & ~(SOCK_NONBLOCK | SOCK_CLOEXEC) ? -1 : ch_call_timeout(fd, SO_RCVTIMEO);
  if (timeout < 0) /* the call does not wait, or is wrong */
    return accept4(fd, address, length, flags);
  if (timeout == CH_FOREVER && ch_reactor_has_ring())
    return CH_LATER;
  if (!ch_fd_cache_listens(fd))
    return accept4(fd, address, length, flags); /* which fails at once */
  if (!ch_try_is_vain(fd, CH_IN, 0)) {
    if (ch_is_ready_now(fd, POLLIN))
      return CH_BY_THREAD;
    ch_fd_cache_not_ready(fd, CH_IN);
  }
  return has_number_left(fd) ? (errno = EAGAIN, -1) : -1;
}

int ch_nonblocking_accept(int fd, struct sockaddr *address, socklen_t *length, int flags) {
  REFUSE_IF_CANCELLED();
  int mode = fcntl(fd, F_GETFL);
  if (mode < 0 || mode & O_NONBLOCK)
    return accept4(fd, address, length, flags);
  if (!ch_is_ready_now(fd, POLLIN) && ch_fd_cache_listens(fd))
    return errno = EAGAIN, -1;
  fcntl(fd, F_SETFL, mode | O_NONBLOCK);
  int r = accept4(fd, address, length, flags), error = errno;
  fcntl(fd, F_SETFL, mode);
  errno = error;
  return r;
}

static int connection_events(int fd) {
  struct pollfd p = {.fd = fd, .events = POLLIN | POLLRDHUP | POLLOUT};
  return ch_poll_now(&p, 1) == 1 ? p.revents : 0;
}

/* Whether the socket may have to tell the outcome of a connection that was begun before. poll reports of one that has
 * never been connected that it is writable and hung up, or, if it knows no connections, that it is writable; after a
 * failure it also reports the end of the input. */
static bool may_have_begun(int fd) { return (connection_events(fd) & ~POLLHUP) != POLLOUT; }

/* With a ring the kernel waits in the call, and the descriptor's mode stays as it is. The kernel is asked whether the
 * call may wait without limit: a connection is made only once, so the readiness cache would save nothing. A ring does
 * not wait for a connection that was begun before, and begins a second one where that has failed. A local socket whose
 * listener's queue is full cannot be waited for in any other way than in the call. */
long ch_begin_connect(int fd, const struct sockaddr *address, socklen_t length) {
  REFUSE_IF_CANCELLED();
  int before = errno;
  int64_t timeout = ch_reactor_has_ring() ? ch_fd_cache_ask(fd, SO_SNDTIMEO) : ch_call_timeout(fd, SO_SNDTIMEO);
  if (timeout == CH_FOREVER && ch_reactor_has_ring() && !may_have_begun(fd))
    return errno = before, CH_LATER;
  int r = ch_nonblocking_connect(fd, address, length);
  if (r < 0 && errno == EAGAIN && timeout >= 0 && address->sa_family == AF_UNIX)
    return errno = before, CH_LATER;
  return r;
}

/* After a cancellation. The connection may have been made all the same; if it is still being made it is given up. */
int ch_connect_undo(int fd) {
  struct sockaddr_storage peer;
  socklen_t size = sizeof peer;
  if (getpeername(fd, (struct sockaddr *)&peer, &size) == 0)
    return 0;
  struct sockaddr nobody = {.sa_family = AF_UNSPEC};
  connect(fd, &nobody, sizeof nobody);
  return errno = ECANCELED, -1;
}

/* After a ring has reported a failure. The plain call then leaves the socket as if it had never been connected, but the
 * ring only tells the error, and the next call would report the failure again. */
int ch_connect_failed(int fd) {
  enum { FAILED = POLLHUP | POLLRDHUP };
  int error = errno;
  struct sockaddr nobody = {.sa_family = AF_UNSPEC};
  if (error != EISCONN && (connection_events(fd) & FAILED) == FAILED)
    connect(fd, &nobody, sizeof nobody);
  return errno = error, -1;
}

int ch_nonblocking_connect(int fd, const struct sockaddr *address, socklen_t length) {
  REFUSE_IF_CANCELLED();
  int flags = fcntl(fd, F_GETFL);
  if (flags < 0 || flags & O_NONBLOCK)
    return connect(fd, address, length);
  fcntl(fd, F_SETFL, flags | O_NONBLOCK);
  int r = connect(fd, address, length), error = errno;
  fcntl(fd, F_SETFL, flags);
  errno = error;
  return r;
}

/* The second call of a connect that was begun without waiting. It returns the outcome, which the socket then forgets.
 * If somebody else has taken the outcome, this call may begin a new connection, so it must not wait, either. */
int ch_connect_outcome(int fd, const struct sockaddr *address, socklen_t length) {
  return ch_nonblocking_connect(fd, address, length);
}
