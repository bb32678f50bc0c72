/* Tries calls without ever waiting. nonblocking.h says what each of them returns. */
#define _GNU_SOURCE
#include "posix/nonblocking.h"
#include "charcoal.h"
#include "posix/operations.h"
#include "posix/plain_waits.h"
#include "reactor/negative_limits.h"
#include "reactor/readiness_cache.h"
#include "reactor/runtime_descriptors.h"
#include "reactor/reactor.h"
#include "reactor/turns.h"
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/io_uring.h>
#include <netinet/in.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/signalfd.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <sys/time.h>
#include <termios.h>
#include <unistd.h>

/* Law 4: in a cancelled scope nothing begins. */
#define REFUSE_IF_CANCELLED()                                                                                          \
  do {                                                                                                                 \
    if (ch_is_marked())                                                                                                \
      return errno = ECANCELED, -1;                                                                                    \
  } while (0)

/* ---- sockets: a flag of the call ---- */

/* If a call with these flags fails with EAGAIN, there is nothing to read, or no room to write. Without MSG_DONTWAIT it
 * is a call that waits. */
enum { WAITING = MSG_WAITALL | MSG_NOSIGNAL | MSG_CMSG_CLOEXEC | MSG_MORE, TELLING = WAITING | MSG_DONTWAIT };

/* Whether the call need not be made, because the last try found nothing, the reactor has reported nothing since, and
 * the plain call would wait. Then it sets EAGAIN. A message that is too long is refused also while there is no room, so
 * only output of TCP can be in vain. */
static bool is_vain(int fd, int event, int flags) {
  if (flags & ~WAITING || (event == CH_OUT && ch_fd_cache_kind(fd) != CH_TCP_SOCKET) ||
      !ch_fd_cache_says_not_ready(fd, event) || !ch_fd_cache_all(fd, CH_BLOCKS) ||
      ch_negative_limit(fd, event == CH_IN ? SO_RCVTIMEO : SO_SNDTIMEO))
    return false;
  errno = EAGAIN;
  return true;
}

/* Notes what the outcome of a call for n bytes tells of the descriptor. */
static ssize_t noted(int fd, ssize_t r, size_t n, int event, int flags) {
  if (r >= 0)
    ch_turn_end();
  if (flags & ~TELLING)
    return r;
  if (r >= 0 && event == CH_IN)
    ch_fd_cache_received(fd, r, n);
  else if (r < 0 && errno == EAGAIN)
    ch_fd_cache_not_ready(fd, event);
  return r;
}

/* Whether the kernel refuses these vectors before it looks whether anything is there, or any room. */
static bool is_malformed(const struct iovec *v, size_t n) {
  bool malformed = n > IOV_MAX;
  for (size_t i = 0; v && !malformed && i < n; i++)
    malformed = v[i].iov_len > SSIZE_MAX;
  return malformed;
}
static bool is_malformed_message(const struct msghdr *m) {
  return m->msg_namelen > INT_MAX || is_malformed(m->msg_iov, m->msg_iovlen);
}

/* A part of a message with control data need not be all that is there. */
static size_t all_of(const struct msghdr *m) {
  return m->msg_control || m->msg_name ? 0 : ch_iovec_bytes(m->msg_iov, m->msg_iovlen);
}

/* A call that waits returns 0 when the socket of datagrams is shut down for reading, but a call that does not wait says
 * EAGAIN again and again, where any other socket says 0. Whether the call, which has returned `r`, is to be made once
 * more (something may have come before the end), and EAGAIN then means the end: its branch has just waited for the
 * socket. */
static bool may_have_ended(int fd, ssize_t r, int flags) {
  if (CH_LIKELY(r >= 0 || errno != EAGAIN) || flags & MSG_DONTWAIT || ch_turns.fd != fd || !ch_turns.branch ||
      ch_turns.branch != ch_domain.current)
    return false;
  struct pollfd p = {.fd = fd, .events = POLLRDHUP};
  int type;
  socklen_t size = sizeof type;
  bool ended = poll(&p, 1, 0) == 1 && p.revents & POLLRDHUP && getsockopt(fd, SOL_SOCKET, SO_TYPE, &type, &size) == 0 &&
               type != SOCK_STREAM && type != SOCK_SEQPACKET;
  errno = EAGAIN;
  return ended;
}
/* The end, of which a call succeeds, with errno as it was. */
static ssize_t or_end(ssize_t r, int before) { return r < 0 && errno == EAGAIN ? (errno = before, 0) : r; }

static ssize_t try_recv(int fd, void *to, size_t n, int flags) {
  int before = errno;
  ssize_t r = recv(fd, to, n, flags | MSG_DONTWAIT);
  if (CH_UNLIKELY(may_have_ended(fd, r, flags)))
    r = or_end(recv(fd, to, n, flags | MSG_DONTWAIT), before);
  return noted(fd, r, n, CH_IN, flags);
}
ssize_t ch_nonblocking_recv(int fd, void *to, size_t n, int flags) {
  REFUSE_IF_CANCELLED();
  return is_vain(fd, CH_IN, flags) ? -1 : try_recv(fd, to, n, flags);
}
ssize_t ch_nonblocking_recvfrom(int fd, void *to, size_t n, int flags, struct sockaddr *from, socklen_t *length) {
  REFUSE_IF_CANCELLED();
  if (is_vain(fd, CH_IN, flags))
    return -1;
  int before = errno;
  ssize_t r = recvfrom(fd, to, n, flags | MSG_DONTWAIT, from, length);
  if (CH_UNLIKELY(may_have_ended(fd, r, flags))) {
    r = recvfrom(fd, to, n, flags | MSG_DONTWAIT, from, length);
    if (r < 0 && errno == EAGAIN && from)
      *length = 0;
    r = or_end(r, before);
  }
  return noted(fd, r, n, CH_IN, flags);
}
int ch_begin_recvmmsg(int fd, struct mmsghdr *all, int flags) {
  REFUSE_IF_CANCELLED();
  return recvmmsg(fd, all, 0, flags, NULL);
}
void ch_message_of_nothing(struct msghdr *m) {
  m->msg_namelen = 0;
  m->msg_controllen = 0;
  m->msg_flags = 0;
}
ssize_t ch_nonblocking_recvmsg(int fd, struct msghdr *m, int flags) {
  REFUSE_IF_CANCELLED();
  if (CH_UNLIKELY(!m))
    return recvmsg(fd, m, flags);
  if (CH_UNLIKELY(is_malformed_message(m)))
    return recvmsg(fd, m, flags | MSG_DONTWAIT);
  size_t n = all_of(m);
  if (is_vain(fd, CH_IN, flags))
    return -1;
  int before = errno;
  ssize_t r = recvmsg(fd, m, flags | MSG_DONTWAIT);
  if (CH_UNLIKELY(may_have_ended(fd, r, flags))) {
    r = recvmsg(fd, m, flags | MSG_DONTWAIT);
    if (r < 0 && errno == EAGAIN)
      ch_message_of_nothing(m);
    r = or_end(r, before);
  }
  return noted(fd, r, n, CH_IN, flags);
}
ssize_t ch_nonblocking_send(int fd, const void *from, size_t n, int flags) {
  REFUSE_IF_CANCELLED();
  return is_vain(fd, CH_OUT, flags) ? -1 : noted(fd, send(fd, from, n, flags | MSG_DONTWAIT), n, CH_OUT, flags);
}
/* Who names a receiver may have to wait for that one, although the socket has room. */
ssize_t ch_nonblocking_sendto(int fd, const void *from, size_t n, int flags, const struct sockaddr *to,
                              socklen_t length) {
  if (!to)
    return ch_nonblocking_send(fd, from, n, flags);
  REFUSE_IF_CANCELLED();
  return sendto(fd, from, n, flags | MSG_DONTWAIT, to, length);
}
ssize_t ch_nonblocking_sendmsg(int fd, const struct msghdr *m, int flags) {
  REFUSE_IF_CANCELLED();
  if (CH_UNLIKELY(!m) || m->msg_name || m->msg_controllen || is_malformed_message(m))
    return sendmsg(fd, m, flags | MSG_DONTWAIT);
  return is_vain(fd, CH_OUT, flags) ? -1 : noted(fd, sendmsg(fd, m, flags | MSG_DONTWAIT), all_of(m), CH_OUT, flags);
}

/* ---- anything else ----
 *
 * A blocking call is not made on the grounds that poll has just reported something: another process, thread or domain
 * may take it in between, and then the whole domain would stand still. */

/* Whether there is something now; sets EAGAIN if not. */
static bool is_ready(int fd, short events) {
  struct pollfd p = {.fd = fd, .events = events};
  if (poll(&p, 1, 0) != 0)
    return true;
  errno = EAGAIN;
  return false;
}

/* Whether the file or the kernel does not know RWF_NOWAIT: pipes before Linux 6.4, terminals and many other devices. */
static bool is_without_nowait(void) { return errno == EOPNOTSUPP || errno == ENOSYS || errno == EINVAL; }

/* Whether the terminal does not read lines, and has a time limit or no least number of bytes. poll does not know what
 * such a read does. */
static bool has_timed_reads(const struct termios *t) {
  return !(t->c_lflag & ICANON) && (t->c_cc[VTIME] != 0 || t->c_cc[VMIN] == 0);
}

/* A pipe or a terminal that is opened once more has a mode of its own, and others do not see that it is non-blocking.
 * `is`: the flags with which it is open; `terminal`: its mode, or NULL. -1: it cannot be opened again (opening the
 * master of a pseudo-terminal makes a new one). */
static int open_again(int fd, int is, int how, const struct termios *terminal) {
  unsigned number;
  char name[40];
  if (!terminal && ch_fd_cache_kind(fd) != CH_PIPE_FILE)
    return -1;
  if (terminal && ioctl(fd, TIOCGPTN, &number) == 0)
    return -1;
  snprintf(name, sizeof name, "/proc/self/fd/%d", fd);
  return open(name, how | O_NONBLOCK | O_NOCTTY | O_CLOEXEC | (terminal ? 0 : is & O_DIRECT));
}

typedef ssize_t transfer(int fd, const struct iovec *, int n);

static ssize_t and_close(int again, const struct iovec *v, int n, transfer *plain) {
  ssize_t r = plain(again, v, n);
  int error = errno;
  close(again);
  return errno = error, r;
}

/* Whether the number that begins the vector, of at least as many bytes, is the largest one, or cannot be read: the
 * program's pointer may be wrong, so the kernel copies the number. */
static bool is_largest(const struct iovec *v) {
  uint64_t number = 0;
  struct iovec to = {&number, sizeof number}, from = {v->iov_base, sizeof number};
  ssize_t n = process_vm_readv(getpid(), &to, 1, &from, 1, 0);
  return n < 0 ? errno == EFAULT : n < (ssize_t)sizeof number || number == UINT64_MAX;
}

/* Whether the descriptor is one that refuses such a transfer at once, also while it is not ready: the number of an
 * eventfd or a timerfd and the description of a signal do not come in parts, an eventfd never holds the largest number,
 * and some cannot be read or written at all. What is written to an eventfd has to lie in the first vector. */
static bool is_refused_at_once(int fd, const struct iovec *v, int n, int how) {
  enum { NEVER = INT_MAX };
  static const struct {
    const char *link;
    size_t least_read, least_write;
  } kinds[] = {{"anon_inode:[eventfd]", sizeof(uint64_t), sizeof(uint64_t)},
               {"anon_inode:[timerfd]", sizeof(uint64_t), NEVER},
               {"anon_inode:[signalfd]", sizeof(struct signalfd_siginfo), NEVER},
               {"anon_inode:[eventpoll]", NEVER, NEVER},
               {"anon_inode:[pidfd]", NEVER, NEVER}};
  char link[40], what[32];
  snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
  ssize_t length = readlink(link, what, sizeof what);
  for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
    if (length == (ssize_t)strlen(kinds[i].link) && memcmp(what, kinds[i].link, (size_t)length) == 0) {
      if (how == O_RDONLY)
        return ch_iovec_bytes(v, (size_t)n) < kinds[i].least_read;
      return v->iov_len < kinds[i].least_write || is_largest(v);
    }
  return false;
}

/* Whether a read of this terminal, which is the process's own, stops the process or fails, as it belongs to the
 * terminal's background. */
static bool is_in_background(int fd) {
  int saved = errno;
  pid_t foreground = tcgetpgrp(fd);
  errno = saved;
  return foreground >= 0 && foreground != getpgrp();
}

/* Transfers what is there now. `how`: O_RDONLY or O_WRONLY. CH_BY_THREAD: there may be something, but the call might
 * wait. */
static ssize_t without_nowait(int fd, const struct iovec *v, int n, int how) {
  transfer *plain = how == O_RDONLY ? readv : writev;
  struct termios mode;
  int is = fcntl(fd, F_GETFL);
  if (is < 0 || is & O_NONBLOCK)
    return plain(fd, v, n);
  bool terminal = ioctl(fd, TCGETS, &mode) == 0;
  if (terminal && how == O_RDONLY && has_timed_reads(&mode))
    return CH_BY_THREAD;
  if (!is_ready(fd, how == O_RDONLY ? POLLIN : POLLOUT)) {
    if (!terminal && is_refused_at_once(fd, v, n, how))
      return plain(fd, v, n);
    int again = terminal && how == O_RDONLY && is_in_background(fd) ? open_again(fd, is, how, &mode) : -1;
    return again < 0 ? (errno = EAGAIN, -1) : and_close(again, v, n, plain);
  }
  int again = open_again(fd, is, how, terminal ? &mode : NULL);
  return again < 0 ? CH_BY_THREAD : and_close(again, v, n, plain);
}

static ssize_t stream_readv(int fd, const struct iovec *v, int n) {
  ssize_t r = preadv2(fd, v, n, -1, RWF_NOWAIT);
  return r >= 0 || !is_without_nowait() ? r : without_nowait(fd, v, n, O_RDONLY);
}

static ssize_t stream_writev(int fd, const struct iovec *v, int n) {
  ssize_t r = pwritev2(fd, v, n, -1, RWF_NOWAIT);
  return r >= 0 || !is_without_nowait() ? r : without_nowait(fd, v, n, O_WRONLY);
}

/* poll always reports files and the like as ready, so the plain call is right for them; only it has exactly its
 * results. It also reports what is wrong with a number that is not open. */
static bool is_storage(enum ch_file_kind kind) { return kind == CH_STORAGE_FILE || kind == CH_UNKNOWN_FILE; }
static bool is_stream(enum ch_file_kind kind) { return kind == CH_PIPE_FILE || kind == CH_DEVICE_FILE; }

/* Another process may have changed the mode of a pipe, so the kernel is asked each time before somebody waits. On a
 * terminal, poll does not know everything that ends a read; and an eventfd refuses some numbers at once. */
static bool is_vain_stream(int fd, int event) {
  struct ch_fd_entry *k = ch_fd_entry(fd);
  if (!k)
    return false;
  k->is &= (uint8_t)~CH_JUST_ASKED;
  if (k->kind == CH_DEVICE_FILE)
    return false;
  int there = 0;
  if (!ch_fd_cache_says_not_ready(fd, event) || ch_fd_cache_ask(fd, SO_RCVTIMEO) != CH_FOREVER ||
      (event == CH_IN && ioctl(fd, FIONREAD, &there) == 0 && there > 0)) /* there is another packet */
    return false;
  errno = EAGAIN;
  return true;
}

/* /dev/zero and /dev/full: they never wait, but with RWF_NOWAIT a long read of them may be cut short. */
static bool is_source_of_zeros(int fd) {
  enum { MEMORY = 1, ZERO = 5, FULL = 7 };
  struct stat s;
  return fstat(fd, &s) == 0 && S_ISCHR(s.st_mode) && major(s.st_rdev) == MEMORY &&
         (minor(s.st_rdev) == ZERO || minor(s.st_rdev) == FULL);
}

/* If a call was not done in full, the number may have been used again, unnoticed, for a file. Then the plain call does
 * the rest. */
static bool is_file_after_all(int fd, ssize_t r, size_t n) {
  if ((size_t)r == n || r == 0 || (r < 0 && errno != EAGAIN))
    return false;
  int saved = errno;
  enum ch_file_kind kind = ch_fd_cache_ask_kind(fd);
  bool is = is_storage(kind) || (r > 0 && kind == CH_DEVICE_FILE && is_source_of_zeros(fd));
  errno = saved;
  return is;
}

static ssize_t read_stream(int fd, const struct iovec *v, int n) {
  if (is_vain_stream(fd, CH_IN))
    return -1;
  ssize_t r = stream_readv(fd, v, n);
  if (r == CH_BY_THREAD)
    return r;
  size_t all = ch_iovec_bytes(v, (size_t)n);
  if (CH_UNLIKELY(is_file_after_all(fd, r, all))) {
    if (r > 0)
      lseek(fd, -r, SEEK_CUR);
    return readv(fd, v, n);
  }
  return noted(fd, r, all, CH_IN, 0);
}

static ssize_t write_stream(int fd, const struct iovec *v, int n) {
  if (is_vain_stream(fd, CH_OUT))
    return -1;
  ssize_t r = stream_writev(fd, v, n);
  if (r == CH_BY_THREAD)
    return r;
  size_t all = ch_iovec_bytes(v, (size_t)n), left;
  if (CH_UNLIKELY(is_file_after_all(fd, r, all))) {
    if (r < 0)
      return writev(fd, v, n);
    struct iovec *rest = ch_iovec_rest(v, (size_t)n, (size_t)r, &left);
    ssize_t more = rest ? writev(fd, rest, (int)left) : 0;
    free(rest);
    return more > 0 ? r + more : r;
  }
  return noted(fd, r, all, CH_OUT, 0);
}

/* Makes the call that is the right one for the descriptor's kind: `of_socket` for sockets, `of_stream` for pipes and
 * devices; the caller deals with storage. The cached kind is good enough for sockets, because the call itself reports
 * ENOTSOCK if the descriptor is no longer one. */
static inline __attribute__((always_inline)) ssize_t by_kind(int fd, const struct iovec *v, int n, transfer *of_socket,
                                                             transfer *of_stream) {
  enum ch_file_kind kind = ch_fd_cache_kind(fd);
  int before = errno;
  if (!is_stream(kind)) {
    if (kind != CH_STORAGE_FILE) {
      ssize_t r = of_socket(fd, v, n);
      if (r != -1 || errno != ENOTSOCK)
        return r;
    }
    kind = ch_fd_cache_ask_kind(fd);
    errno = before; /* a call that succeeds does not change it */
    if (is_storage(kind))
      return CH_AS_STORAGE;
    if (!is_stream(kind))
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
  return n <= 0 || is_malformed(v, (size_t)n) || ch_iovec_bytes(v, (size_t)n) == 0;
}

ssize_t ch_nonblocking_read(int fd, void *to, size_t n) {
  REFUSE_IF_CANCELLED();
  return n == 0 ? read(fd, to, n) : by_kind(fd, &(struct iovec){to, n}, 1, receive, read_stream);
}
ssize_t ch_nonblocking_readv(int fd, const struct iovec *v, int n) {
  REFUSE_IF_CANCELLED();
  return is_idle(v, n) ? readv(fd, v, n) : by_kind(fd, v, n, receive_all, read_stream);
}
ssize_t ch_nonblocking_write(int fd, const void *from, size_t n) {
  REFUSE_IF_CANCELLED();
  return n == 0 ? write(fd, from, n) : by_kind(fd, &(struct iovec){(void *)from, n}, 1, send_one, write_stream);
}
ssize_t ch_nonblocking_writev(int fd, const struct iovec *v, int n) {
  REFUSE_IF_CANCELLED();
  return is_idle(v, n) ? writev(fd, v, n) : by_kind(fd, v, n, send_all, write_stream);
}
ssize_t ch_nonblocking_write_on(int fd, const void *from, size_t n) {
  REFUSE_IF_CANCELLED();
  return by_kind(fd, &(struct iovec){(void *)from, n}, 1, send_on, write_stream);
}
ssize_t ch_nonblocking_writev_on(int fd, const struct iovec *v, int n) {
  REFUSE_IF_CANCELLED();
  return by_kind(fd, v, n, send_all_on, write_stream);
}

/* A stream's buffer cannot be handed to a thread. So with devices that are neither pipes nor terminals the call is made
 * when poll has just reported that it need not wait. */
static ssize_t of_stream(int fd, const struct iovec *v, int n, ssize_t r, short event, transfer *plain) {
  if (CH_LIKELY(r != CH_BY_THREAD))
    return r;
  return is_ready(fd, event) ? plain(fd, v, n) : -1;
}
ssize_t ch_nonblocking_stream_readv(int fd, const struct iovec *v, int n) {
  return of_stream(fd, v, n, ch_nonblocking_readv(fd, v, n), POLLIN, readv);
}
ssize_t ch_nonblocking_stream_writev(int fd, const struct iovec *v, int n) {
  return of_stream(fd, v, n, ch_nonblocking_writev(fd, v, n), POLLOUT, writev);
}

/* With a ring the kernel waits and reads in one operation, for the first that waits. If the socket was just emptied, no
 * call is tried before. */
long ch_begin_recv(int fd, void *to, size_t n, int flags) {
  REFUSE_IF_CANCELLED();
  int before = errno;
  bool ring = ch_reactor_has_ring() && flags == 0 && n > 0 && n <= 0x7ffff000 && !ch_uring_is_awaited(fd);
  if (is_vain(fd, CH_IN, flags))
    return ring ? (errno = before, CH_LATER) : -1;
  ssize_t r = try_recv(fd, to, n, flags);
  if (r >= 0 || errno != EAGAIN || !ring)
    return r;
  if (ch_call_timeout(fd, SO_RCVTIMEO) != CH_FOREVER)
    return errno = EAGAIN, -1;
  return errno = before, CH_LATER;
}

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
  if (!is_vain(fd, CH_IN, 0)) {
    if (is_ready(fd, POLLIN))
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
  if (!is_ready(fd, POLLIN) && ch_fd_cache_listens(fd))
    return errno = EAGAIN, -1;
  fcntl(fd, F_SETFL, mode | O_NONBLOCK);
  int r = accept4(fd, address, length, flags), error = errno;
  fcntl(fd, F_SETFL, mode);
  errno = error;
  return r;
}

static int connection_events(int fd) {
  struct pollfd p = {.fd = fd, .events = POLLIN | POLLRDHUP | POLLOUT};
  return poll(&p, 1, 0) == 1 ? p.revents : 0;
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

int ch_nonblocking_poll(struct pollfd *all, nfds_t n) { return poll(all, n, 0); }
int ch_plain_close(int fd) { return ch_is_runtime_descriptor(fd) ? (errno = EBADF, -1) : close(fd); }
int ch_plain_clock_nanosleep(clockid_t clock, int flags, const struct timespec *time, struct timespec *left) {
  return ch_library_clock_nanosleep(clock, flags, time, left);
}

/* ---- about descriptors ---- */

int64_t ch_call_timeout(int fd, int option) {
  if (CH_LIKELY(ch_fd_cache_distrust == 0)) {
    if (ch_fd_cache_all(fd, CH_BLOCKS | (option == SO_RCVTIMEO ? CH_NO_RCVTIMEO : CH_NO_SNDTIMEO))) {
      ch_fd_entry(fd)->is &= (uint8_t)~CH_JUST_ASKED;
      return CH_FOREVER;
    }
    if (is_stream(ch_fd_cache_kind(fd)) && ch_fd_cache_all(fd, CH_JUST_ASKED))
      return CH_FOREVER; /* is_vain_stream has just asked */
  } else {
    ch_fd_cache_distrust--;
  }
  int saved = errno;
  int64_t timeout = ch_fd_cache_ask(fd, option);
  errno = saved;
  return timeout;
}

struct ch_call_limit ch_call_limit(int fd, int option, int64_t since) {
  int64_t timeout = ch_call_timeout(fd, option);
  if (CH_LIKELY(timeout < 0 || timeout == CH_FOREVER))
    return (struct ch_call_limit){timeout, since};
  int64_t now = ch_now();
  if (since == 0 || (option == SO_SNDTIMEO && !ch_is_of_network(fd)))
    since = now;
  return (struct ch_call_limit){timeout - (now - since), since};
}

int ch_is_stream(int fd) {
  int type;
  socklen_t size = sizeof type;
  return getsockopt(fd, SOL_SOCKET, SO_TYPE, &type, &size) < 0 || type == SOCK_STREAM;
}

enum { PASSES_PIDFD = 76 }; /* SO_PASSPIDFD, in every architecture that the runtime knows */

static bool has_option(int fd, int option, int value) {
  int is;
  socklen_t size = sizeof is;
  return getsockopt(fd, SOL_SOCKET, option, &is, &size) == 0 && is == value;
}

bool ch_is_of_network(int fd) {
  int domain, saved = errno;
  socklen_t size = sizeof domain;
  bool keeps = getsockopt(fd, SOL_SOCKET, SO_DOMAIN, &domain, &size) == 0 && domain != AF_UNIX;
  errno = saved;
  return keeps;
}

int ch_take_error(int fd) {
  int error = 0;
  socklen_t size = sizeof error;
  return getsockopt(fd, SOL_SOCKET, SO_ERROR, &error, &size) < 0 ? 0 : error;
}

bool ch_is_at_mark(int fd) {
  int at = 0, saved = errno;
  ioctl(fd, SIOCATMARK, &at);
  errno = saved;
  return at;
}

bool ch_tells_senders(int fd) {
  int saved = errno;
  bool tells = ch_fd_cache_kind(fd) != CH_TCP_SOCKET && has_option(fd, SO_PASSCRED, 1) &&
               has_option(fd, SO_DOMAIN, AF_UNIX) && !has_option(fd, PASSES_PIDFD, 1) && ch_is_stream(fd);
  errno = saved;
  return tells;
}

static const struct ucred *sender_in(const struct msghdr *m) {
  struct msghdr copy = *m;
  for (struct cmsghdr *c = m->msg_control ? CMSG_FIRSTHDR(&copy) : NULL; c; c = CMSG_NXTHDR(&copy, c))
    if (c->cmsg_level == SOL_SOCKET && c->cmsg_type == SCM_CREDENTIALS && c->cmsg_len >= CMSG_LEN(sizeof(struct ucred)))
      return (const struct ucred *)CMSG_DATA(c);
  return NULL;
}

int ch_is_of_another(int fd, const struct msghdr *first) {
  const struct ucred *was = sender_in(first), *is;
  if (!was)
    return 0;
  char byte;
  union {
    struct cmsghdr align;
    char bytes[CH_SENDER_ROOM];
  } control;
  struct msghdr m = {
      .msg_iov = &(struct iovec){&byte, 1}, .msg_iovlen = 1, .msg_control = &control, .msg_controllen = sizeof control};
  ssize_t r = recvmsg(fd, &m, MSG_PEEK | MSG_DONTWAIT);
  if (r < 0)
    return -1;
  is = sender_in(&m);
  return r > 0 && is && memcmp(is, was, sizeof *is) != 0;
}

/* Without any room the kernel also says MSG_CTRUNC where it would have told who has sent it, so that must have had
 * room (ch_tells_senders). */
int ch_has_descriptors(int fd, const struct msghdr *m, size_t room) {
  int saved = errno;
  bool has = m->msg_flags & MSG_CTRUNC && has_option(fd, SO_DOMAIN, AF_UNIX) &&
             ((m->msg_control && room > 0) || has_option(fd, SO_PASSCRED, 0));
  errno = saved;
  struct msghdr copy = *m;
  for (struct cmsghdr *c = m->msg_control ? CMSG_FIRSTHDR(&copy) : NULL; c && !has; c = CMSG_NXTHDR(&copy, c))
    has = c->cmsg_level == SOL_SOCKET && c->cmsg_type == SCM_RIGHTS;
  return has;
}

int ch_is_timed_tcp(int fd) {
  int64_t timeout = ch_call_timeout(fd, SO_RCVTIMEO);
  int protocol;
  socklen_t size = sizeof protocol;
  return timeout >= 0 && timeout != CH_FOREVER && getsockopt(fd, SOL_SOCKET, SO_PROTOCOL, &protocol, &size) == 0 &&
         protocol == IPPROTO_TCP;
}

size_t ch_iovec_bytes(const struct iovec *v, size_t n) {
  size_t sum = 0;
  for (size_t i = 0; v && i < n; i++)
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
