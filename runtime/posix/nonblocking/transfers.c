/* read, write and their like, which take any descriptor: the try is the one that is right for its kind. */
#define _GNU_SOURCE
#include "posix/nonblocking/tries.h"
#include "posix/operations.h"
#include "posix/sockets.h"
#include "posix/vectors.h"
#include "reactor/readiness_cache.h"
#include <errno.h>
#include <poll.h>
#include <unistd.h>

/* Makes the call that is the right one for the descriptor's kind: `of_socket` for sockets, `of_stream` for pipes and
 * devices; the caller deals with storage. The cached kind is good enough for sockets, because the call itself reports
 * ENOTSOCK if the descriptor is no longer one. */
static inline __attribute__((always_inline)) ssize_t by_kind(int fd, const struct iovec *v, int n,
                                                             ch_transfer *of_socket, ch_transfer *of_stream) {
  enum ch_file_kind kind = ch_fd_cache_kind(fd);
  int before = errno;
  if (!ch_is_stream_kind(kind)) {
    if (kind != CH_STORAGE_FILE) {
      ssize_t r = of_socket(fd, v, n);
      if (r != -1 || errno != ENOTSOCK)
        return r;
    }
    kind = ch_fd_cache_ask_kind(fd);
    errno = before; /* a call that succeeds does not change it */
    if (ch_is_storage_kind(kind))
      return CH_AS_STORAGE;
    if (!ch_is_stream_kind(kind))
      return of_socket(fd, v, n);
  }
  ssize_t r = of_stream(fd, v, n);
  if (r != -1)
    errno = before;
  return r;
}

static inline __attribute__((always_inline)) ssize_t receive(int fd, const struct iovec *v, int n) {
  (void)n;
  return ch_begin_recv(fd, v->iov_base, v->iov_len, 0);
}
static inline __attribute__((always_inline)) ssize_t send_one(int fd, const struct iovec *v, int n) {
  (void)n;
  return ch_nonblocking_send(fd, v->iov_base, v->iov_len, 0);
}
static inline __attribute__((always_inline)) ssize_t send_on(int fd, const struct iovec *v, int n) {
  (void)n;
  return ch_nonblocking_send(fd, v->iov_base, v->iov_len, MSG_NOSIGNAL);
}
static ssize_t receive_all(int fd, const struct iovec *v, int n) {
  struct msghdr m = {.msg_iov = (struct iovec *)v, .msg_iovlen = (size_t)n};
  return ch_nonblocking_recvmsg(fd, &m, 0);
}
static ssize_t send_all(int fd, const struct iovec *v, int n) {
  struct msghdr m = {.msg_iov = (struct iovec *)v, .msg_iovlen = (size_t)n};
  return ch_nonblocking_sendmsg(fd, &m, 0);
}
static ssize_t send_all_on(int fd, const struct iovec *v, int n) {
  struct msghdr m = {.msg_iov = (struct iovec *)v, .msg_iovlen = (size_t)n};
  return ch_nonblocking_sendmsg(fd, &m, MSG_NOSIGNAL);
}

/* What transfers nothing, or is an error, never waits. */
static bool is_idle(const struct iovec *v, int n) {
  return n <= 0 || ch_iovec_is_malformed(v, (size_t)n) || ch_iovec_bytes(v, (size_t)n) == 0;
}

/* A read of no bytes does not wait, except for a device: a queue of events about files (inotify) has it wait for the
 * first one. */
static ssize_t read_nothing(int fd, void *to) {
  if (ch_fd_cache_ask_kind(fd) == CH_DEVICE_FILE && ch_fd_cache_ask(fd, SO_RCVTIMEO) == CH_FOREVER)
    return CH_BY_THREAD;
  return read(fd, to, 0);
}
/* A write of no bytes sends an empty message into a socket of messages, for which it may have to wait for room. It
 * waits nowhere else. */
static bool writes_nothing(int fd, size_t n) {
  return n == 0 && (ch_fd_cache_ask_kind(fd) != CH_SOCKET || ch_is_stream(fd));
}

ssize_t ch_nonblocking_read(int fd, void *to, size_t n) {
  REFUSE_IF_CANCELLED();
  return n == 0 ? read_nothing(fd, to) : by_kind(fd, &(struct iovec){to, n}, 1, receive, ch_try_stream_readv);
}
ssize_t ch_nonblocking_readv(int fd, const struct iovec *v, int n) {
  REFUSE_IF_CANCELLED();
  return is_idle(v, n) ? readv(fd, v, n) : by_kind(fd, v, n, receive_all, ch_try_stream_readv);
}
ssize_t ch_nonblocking_write(int fd, const void *from, size_t n) {
  REFUSE_IF_CANCELLED();
  return writes_nothing(fd, n) ? write(fd, from, n)
                               : by_kind(fd, &(struct iovec){(void *)from, n}, 1, send_one, ch_try_stream_writev);
}
ssize_t ch_nonblocking_writev(int fd, const struct iovec *v, int n) {
  REFUSE_IF_CANCELLED();
  return is_idle(v, n) ? writev(fd, v, n) : by_kind(fd, v, n, send_all, ch_try_stream_writev);
}
ssize_t ch_nonblocking_write_on(int fd, const void *from, size_t n) {
  REFUSE_IF_CANCELLED();
  return by_kind(fd, &(struct iovec){(void *)from, n}, 1, send_on, ch_try_stream_writev);
}
ssize_t ch_nonblocking_writev_on(int fd, const struct iovec *v, int n) {
  REFUSE_IF_CANCELLED();
  return by_kind(fd, v, n, send_all_on, ch_try_stream_writev);
}

/* A stream's buffer cannot be handed to a thread. So with devices that are neither pipes nor terminals the call is made
 * when poll has just reported that it need not wait. */
static ssize_t of_stream(int fd, const struct iovec *v, int n, ssize_t r, short event, ch_transfer *plain) {
  if (CH_LIKELY(r != CH_BY_THREAD))
    return r;
  return ch_is_ready_now(fd, event) ? plain(fd, v, n) : -1;
}
ssize_t ch_nonblocking_stream_readv(int fd, const struct iovec *v, int n) {
  return of_stream(fd, v, n, ch_nonblocking_readv(fd, v, n), POLLIN, ch_c_library.readv);
}
ssize_t ch_nonblocking_stream_writev(int fd, const struct iovec *v, int n) {
  return of_stream(fd, v, n, ch_nonblocking_writev(fd, v, n), POLLOUT, ch_c_library.writev);
}
ssize_t ch_nonblocking_stream_writev_on(int fd, const struct iovec *v, int n) {
  return of_stream(fd, v, n, ch_nonblocking_writev_on(fd, v, n), POLLOUT, ch_c_library.writev);
}
