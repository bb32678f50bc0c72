#define _GNU_SOURCE
#include "posix/attempt.h"
#include "charcoal.h"
#include "posix/operations.h"
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <unistd.h>

/* ---- sockets: a flag of the call ---- */

ssize_t ch_attempt_recv(int fd, void *to, size_t n, int flags) { return recv(fd, to, n, flags | MSG_DONTWAIT); }
ssize_t ch_attempt_recvfrom(int fd, void *to, size_t n, int flags, struct sockaddr *from, socklen_t *length) {
  return recvfrom(fd, to, n, flags | MSG_DONTWAIT, from, length);
}
ssize_t ch_attempt_recvmsg(int fd, struct msghdr *m, int flags) { return recvmsg(fd, m, flags | MSG_DONTWAIT); }
ssize_t ch_attempt_send(int fd, const void *from, size_t n, int flags) {
  return send(fd, from, n, flags | MSG_DONTWAIT);
}
ssize_t ch_attempt_sendto(int fd, const void *from, size_t n, int flags, const struct sockaddr *to, socklen_t length) {
  return sendto(fd, from, n, flags | MSG_DONTWAIT, to, length);
}
ssize_t ch_attempt_sendmsg(int fd, const struct msghdr *m, int flags) { return sendmsg(fd, m, flags | MSG_DONTWAIT); }

/* ---- anything else ---- */

static bool is_nonblocking(int fd) {
  int flags = fcntl(fd, F_GETFL);
  return flags < 0 || flags & O_NONBLOCK;
}

/* Files that never make anybody wait in poll's sense: the plain call is right for them, and alone gives its exact
 * results. */
static bool is_storage(int fd) {
  struct stat s;
  if (fstat(fd, &s) < 0)
    return true; /* let the plain call say what is wrong */
  return S_ISREG(s.st_mode) || S_ISDIR(s.st_mode) || S_ISBLK(s.st_mode);
}

/* Whether the plain call would not block now; sets EAGAIN if it would. */
static bool is_ready(int fd, short events) {
  struct pollfd p = {.fd = fd, .events = events};
  if (is_nonblocking(fd) || poll(&p, 1, 0) != 0)
    return true;
  errno = EAGAIN;
  return false;
}

/* Pipes and the like. Newer kernels have a flag of the call for them, too; with older ones ask poll and then call:
 * between the two another process may take what was there. */
static ssize_t stream_readv(int fd, const struct iovec *v, int n) {
  ssize_t r = preadv2(fd, v, n, -1, RWF_NOWAIT);
  if (r >= 0 || (errno != EOPNOTSUPP && errno != ENOSYS && errno != EINVAL))
    return r;
  return is_ready(fd, POLLIN) ? readv(fd, v, n) : -1;
}

static ssize_t stream_writev(int fd, const struct iovec *v, int n) {
  ssize_t r = pwritev2(fd, v, n, -1, RWF_NOWAIT);
  if (r >= 0 || (errno != EOPNOTSUPP && errno != ENOSYS && errno != EINVAL))
    return r;
  if (is_nonblocking(fd))
    return writev(fd, v, n);
  if (!is_ready(fd, POLLOUT))
    return -1;
  /* A pipe that poll calls writable has room for PIPE_BUF bytes; more than that could block half-way. */
  while (n > 0 && v->iov_len == 0)
    v++, n--;
  if (n <= 0)
    return writev(fd, v, 0);
  if (ch_iovec_bytes(v, (size_t)n) <= PIPE_BUF)
    return writev(fd, v, n);
  return write(fd, v->iov_base, v->iov_len < PIPE_BUF ? v->iov_len : PIPE_BUF);
}

ssize_t ch_attempt_read(int fd, void *to, size_t n) {
  if (n == 0)
    return read(fd, to, n);
  ssize_t r = recv(fd, to, n, MSG_DONTWAIT);
  if (r >= 0 || errno != ENOTSOCK)
    return r;
  if (is_storage(fd))
    return ch_begin_read(fd, to, n, -1);
  struct iovec v = {to, n};
  return stream_readv(fd, &v, 1);
}

ssize_t ch_attempt_readv(int fd, const struct iovec *v, int n) {
  if (n <= 0 || n > IOV_MAX || ch_iovec_bytes(v, (size_t)n) == 0)
    return readv(fd, v, n);
  struct msghdr m = {.msg_iov = (struct iovec *)v, .msg_iovlen = (size_t)n};
  ssize_t r = recvmsg(fd, &m, MSG_DONTWAIT);
  if (r >= 0 || errno != ENOTSOCK)
    return r;
  return is_storage(fd) ? ch_begin_readv(fd, v, n, -1, 0) : stream_readv(fd, v, n);
}

ssize_t ch_attempt_write(int fd, const void *from, size_t n) {
  if (n == 0)
    return write(fd, from, n);
  ssize_t r = send(fd, from, n, MSG_DONTWAIT);
  if (r >= 0 || errno != ENOTSOCK)
    return r;
  if (is_storage(fd))
    return ch_begin_write(fd, from, n, -1);
  struct iovec v = {(void *)from, n};
  return stream_writev(fd, &v, 1);
}

ssize_t ch_attempt_writev(int fd, const struct iovec *v, int n) {
  if (n <= 0 || n > IOV_MAX || ch_iovec_bytes(v, (size_t)n) == 0)
    return writev(fd, v, n);
  struct msghdr m = {.msg_iov = (struct iovec *)v, .msg_iovlen = (size_t)n};
  ssize_t r = sendmsg(fd, &m, MSG_DONTWAIT);
  if (r >= 0 || errno != ENOTSOCK)
    return r;
  return is_storage(fd) ? ch_begin_writev(fd, v, n, -1, 0) : stream_writev(fd, v, n);
}

/* accept has no such flag. A listening socket may be shared with other processes, so its mode is left alone. Where the
 * plain call would not wait, because it is wrong, it is made. */
int ch_attempt_accept4(int fd, struct sockaddr *address, socklen_t *length, int flags) {
  struct pollfd p = {.fd = fd, .events = POLLIN};
  if (poll(&p, 1, 0) == 0) {
    int listening = 0;
    socklen_t size = sizeof listening;
    bool bad = getsockopt(fd, SOL_SOCKET, SO_ACCEPTCONN, &listening, &size) < 0 || !listening ||
               flags & ~(SOCK_NONBLOCK | SOCK_CLOEXEC);
    if (!bad)
      return errno = EAGAIN, -1;
  }
  return accept4(fd, address, length, flags);
}

int ch_attempt_connect(int fd, const struct sockaddr *address, socklen_t length) {
  int flags = fcntl(fd, F_GETFL);
  if (flags < 0 || flags & O_NONBLOCK)
    return connect(fd, address, length);
  fcntl(fd, F_SETFL, flags | O_NONBLOCK);
  int r = connect(fd, address, length), error = errno;
  fcntl(fd, F_SETFL, flags);
  errno = error;
  return r;
}

int ch_connect_outcome(int fd) {
  int error = 0;
  socklen_t size = sizeof error;
  if (getsockopt(fd, SOL_SOCKET, SO_ERROR, &error, &size) < 0)
    return -1;
  if (error == 0)
    return 0;
  errno = error;
  return -1;
}

int ch_attempt_poll(struct pollfd *all, nfds_t n) { return poll(all, n, 0); }
int ch_plain_close(int fd) { return close(fd); }
int ch_plain_clock_nanosleep(clockid_t clock, int flags, const struct timespec *time, struct timespec *left) {
  return clock_nanosleep(clock, flags, time, left);
}

/* ---- about descriptors ---- */

int64_t ch_patience(int fd, int option) {
  int flags = fcntl(fd, F_GETFL);
  if (flags >= 0 && flags & O_NONBLOCK)
    return -1;
  struct timeval t;
  socklen_t size = sizeof t;
  if (getsockopt(fd, SOL_SOCKET, option, &t, &size) < 0)
    return is_storage(fd) ? -1 : CH_FOREVER;
  if (t.tv_sec == 0 && t.tv_usec == 0)
    return CH_FOREVER;
  return t.tv_sec * INT64_C(1000000000) + t.tv_usec * 1000;
}

int ch_is_stream(int fd) {
  int type;
  socklen_t size = sizeof type;
  return getsockopt(fd, SOL_SOCKET, SO_TYPE, &type, &size) < 0 || type == SOCK_STREAM;
}

size_t ch_iovec_bytes(const struct iovec *v, size_t n) {
  size_t sum = 0;
  for (size_t i = 0; i < n; i++)
    sum += v[i].iov_len;
  return sum;
}

struct iovec *ch_iovec_rest(const struct iovec *v, size_t n, size_t skip, size_t *left) {
  while (n > 0 && skip >= v->iov_len)
    skip -= v->iov_len, v++, n--;
  struct iovec *rest = malloc((n ? n : 1) * sizeof *rest);
  if (!rest)
    return NULL;
  memcpy(rest, v, n * sizeof *rest);
  if (n > 0) {
    rest[0].iov_base = (char *)rest[0].iov_base + skip;
    rest[0].iov_len -= skip;
  }
  *left = n;
  return rest;
}
