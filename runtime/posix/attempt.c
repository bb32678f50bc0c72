#define _GNU_SOURCE
#include "posix/attempt.h"
#include "charcoal.h"
#include "posix/operations.h"
#include "reactor/operation.h"
#include "reactor/reactor.h"
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/io_uring.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <unistd.h>

/* Law 4: in a cancelled scope nothing begins. */
#define REFUSE_IF_CANCELLED()                                                                                          \
  do {                                                                                                                 \
    if (ch_is_marked())                                                                                                \
      return errno = ECANCELED, -1;                                                                                    \
  } while (0)

/* ---- sockets: a flag of the call ---- */

ssize_t ch_attempt_recv(int fd, void *to, size_t n, int flags) {
  REFUSE_IF_CANCELLED();
  return recv(fd, to, n, flags | MSG_DONTWAIT);
}
ssize_t ch_attempt_recvfrom(int fd, void *to, size_t n, int flags, struct sockaddr *from, socklen_t *length) {
  REFUSE_IF_CANCELLED();
  return recvfrom(fd, to, n, flags | MSG_DONTWAIT, from, length);
}
ssize_t ch_attempt_recvmsg(int fd, struct msghdr *m, int flags) {
  REFUSE_IF_CANCELLED();
  return recvmsg(fd, m, flags | MSG_DONTWAIT);
}
ssize_t ch_attempt_send(int fd, const void *from, size_t n, int flags) {
  REFUSE_IF_CANCELLED();
  return send(fd, from, n, flags | MSG_DONTWAIT);
}
ssize_t ch_attempt_sendto(int fd, const void *from, size_t n, int flags, const struct sockaddr *to, socklen_t length) {
  REFUSE_IF_CANCELLED();
  return sendto(fd, from, n, flags | MSG_DONTWAIT, to, length);
}
ssize_t ch_attempt_sendmsg(int fd, const struct msghdr *m, int flags) {
  REFUSE_IF_CANCELLED();
  return sendmsg(fd, m, flags | MSG_DONTWAIT);
}

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
  REFUSE_IF_CANCELLED();
  if (n == 0)
    return read(fd, to, n);
  ssize_t r = ch_begin_recv(fd, to, n, 0);
  if (r != -1 || errno != ENOTSOCK)
    return r;
  if (is_storage(fd))
    return ch_begin_read(fd, to, n, -1);
  struct iovec v = {to, n};
  return stream_readv(fd, &v, 1);
}

ssize_t ch_attempt_readv(int fd, const struct iovec *v, int n) {
  REFUSE_IF_CANCELLED();
  if (n <= 0 || n > IOV_MAX || ch_iovec_bytes(v, (size_t)n) == 0)
    return readv(fd, v, n);
  struct msghdr m = {.msg_iov = (struct iovec *)v, .msg_iovlen = (size_t)n};
  ssize_t r = recvmsg(fd, &m, MSG_DONTWAIT);
  if (r >= 0 || errno != ENOTSOCK)
    return r;
  return is_storage(fd) ? ch_begin_readv(fd, v, n, -1, 0) : stream_readv(fd, v, n);
}

ssize_t ch_attempt_write(int fd, const void *from, size_t n) {
  REFUSE_IF_CANCELLED();
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
  REFUSE_IF_CANCELLED();
  if (n <= 0 || n > IOV_MAX || ch_iovec_bytes(v, (size_t)n) == 0)
    return writev(fd, v, n);
  struct msghdr m = {.msg_iov = (struct iovec *)v, .msg_iovlen = (size_t)n};
  ssize_t r = sendmsg(fd, &m, MSG_DONTWAIT);
  if (r >= 0 || errno != ENOTSOCK)
    return r;
  return is_storage(fd) ? ch_begin_writev(fd, v, n, -1, 0) : stream_writev(fd, v, n);
}

static long perform_recv(struct ch_operation *op);
static void prepare_recv(const struct ch_operation *op, struct io_uring_sqe *sqe) {
  sqe->opcode = IORING_OP_RECV;
  sqe->fd = op->fd;
  sqe->addr = (uint64_t)(uintptr_t)op->a;
  sqe->len = (uint32_t)op->n;
}
static const struct ch_operation_kind recv_kind = {
    "recv", perform_recv, prepare_recv, .lane = CH_LANE_PATIENT, .closes = true, .interrupt = true, .reads = true};

static ch_outcome recv_later(int fd, void *to, size_t n) {
  struct ch_operation *op = ch_operation_new(&recv_kind, fd);
  if (!op)
    return errno = EAGAIN, -1;
  op->a = to;
  op->n = n;
  return -(ch_outcome)(intptr_t)op;
}

/* With a ring the kernel waits and reads in one. A socket that was just emptied is not even tried. */
ch_outcome ch_begin_recv(int fd, void *to, size_t n, int flags) {
  REFUSE_IF_CANCELLED();
  bool ring = ch_reactor_has_ring() && flags == 0 && n > 0 && n <= 0x7ffff000;
  if (ring && ch_uring_seems_empty(fd) && !is_nonblocking(fd))
    return recv_later(fd, to, n);
  ssize_t r = recv(fd, to, n, flags | MSG_DONTWAIT);
  if (ring && r >= 0)
    ch_uring_note(fd, (size_t)r < n);
  return r < 0 && errno == EAGAIN && ring && !is_nonblocking(fd) ? recv_later(fd, to, n) : r;
}

static long or_error(long r) { return r < 0 ? -errno : r; }

static long perform_recv(struct ch_operation *op) { return or_error(recv(op->fd, (void *)op->a, op->n, 0)); }

static long perform_accept(struct ch_operation *op) {
  return or_error(accept4(op->fd, (struct sockaddr *)op->a, (socklen_t *)op->b, (int)op->flags));
}
static void prepare_accept(const struct ch_operation *op, struct io_uring_sqe *sqe) {
  sqe->opcode = IORING_OP_ACCEPT;
  sqe->fd = op->fd;
  sqe->addr = (uint64_t)(uintptr_t)op->a;
  sqe->addr2 = (uint64_t)(uintptr_t)op->b;
  sqe->accept_flags = op->flags;
}
static const struct ch_operation_kind accept_kind = {
    "accept", perform_accept, prepare_accept, .lane = CH_LANE_PATIENT, .closes = true, .interrupt = true};

/* With a ring the kernel waits and takes in one: nobody else can take the connection in between. */
ch_outcome ch_begin_accept(int fd, struct sockaddr *address, socklen_t *length, int flags) {
  ch_outcome r = ch_attempt_accept4(fd, address, length, flags);
  if (r >= 0 || errno != EAGAIN || !ch_reactor_has_ring() || ch_patience(fd, SO_RCVTIMEO) != CH_FOREVER)
    return r;
  struct ch_operation *op = ch_operation_new(&accept_kind, fd);
  if (!op)
    return errno = EAGAIN, -1;
  op->a = address;
  op->b = length;
  op->flags = (unsigned)flags;
  return -(ch_outcome)(intptr_t)op;
}

static long perform_connect(struct ch_operation *op) { return or_error(connect(op->fd, op->a, (socklen_t)op->n)); }
static void prepare_connect(const struct ch_operation *op, struct io_uring_sqe *sqe) {
  sqe->opcode = IORING_OP_CONNECT;
  sqe->fd = op->fd;
  sqe->addr = (uint64_t)(uintptr_t)op->a;
  sqe->off = op->n;
}
static const struct ch_operation_kind connect_kind = {
    "connect", perform_connect, prepare_connect, .lane = CH_LANE_PATIENT, .closes = true, .interrupt = true};

static ch_outcome connect_later(int fd, const struct sockaddr *address, socklen_t length) {
  struct ch_operation *op = ch_operation_new(&connect_kind, fd);
  if (!op)
    return connect(fd, address, length);
  op->a = address;
  op->n = length;
  return -(ch_outcome)(intptr_t)op;
}

/* A ring waits itself, and the descriptor's mode is left alone. A local socket whose listener's queue is full cannot be
 * waited for in any other way than in the call. */
ch_outcome ch_begin_connect(int fd, const struct sockaddr *address, socklen_t length) {
  REFUSE_IF_CANCELLED();
  int64_t patience = ch_patience(fd, SO_SNDTIMEO);
  if (patience == CH_FOREVER && ch_reactor_has_ring())
    return connect_later(fd, address, length);
  int r = ch_attempt_connect(fd, address, length);
  if (r < 0 && errno == EAGAIN && patience >= 0 && address->sa_family == AF_UNIX)
    return connect_later(fd, address, length);
  return r;
}

/* After a cancellation: the connection may have been made all the same; if it is only under way it is given up. */
int ch_connect_undo(int fd) {
  struct sockaddr_storage peer;
  socklen_t size = sizeof peer;
  if (getpeername(fd, (struct sockaddr *)&peer, &size) == 0)
    return 0;
  struct sockaddr nobody = {.sa_family = AF_UNSPEC};
  connect(fd, &nobody, sizeof nobody);
  return errno = ECANCELED, -1;
}

/* accept has no such flag. A listening socket may be shared with other processes, so its mode is left alone. Where the
 * plain call would not wait, because it is wrong, it is made. */
int ch_attempt_accept4(int fd, struct sockaddr *address, socklen_t *length, int flags) {
  REFUSE_IF_CANCELLED();
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

/* The second call of a connect that was begun without waiting: it tells the outcome, and takes it off the socket. */
int ch_connect_outcome(int fd, const struct sockaddr *address, socklen_t length) {
  return ch_attempt_connect(fd, address, length);
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
