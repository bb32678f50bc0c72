/* The calls for sockets, which take a flag for not waiting. */
#define _GNU_SOURCE
#include "posix/nonblocking/tries.h"
#include "frames/poll_now.h"
#include "posix/call_limit.h"
#include "posix/vectors.h"
#include "reactor/negative_limits.h"
#include "reactor/readiness_cache.h"
#include "reactor/reactor.h"
#include "reactor/turns.h"
#include "posix/operations.h"
#include <errno.h>
#include <limits.h>
#include <sys/socket.h>

/* A message that is too long is refused also while there is no room, so only output of TCP can be in vain. */
bool ch_try_is_vain(int fd, int event, int flags) {
  const struct ch_fd_entry *k = ch_fd_entry(fd);
  if (CH_LIKELY(!ch_fd_entry_says_not_ready(k, event)) || flags & ~CH_WAITING_FLAGS ||
      (event == CH_OUT && k->kind != CH_TCP_SOCKET) || !(k->is & CH_BLOCKS) ||
      ch_negative_limit(fd, event == CH_IN ? SO_RCVTIMEO : SO_SNDTIMEO))
    return false;
  errno = EAGAIN;
  return true;
}

/* Whether the kernel refuses the message before it looks whether anything is there, or any room. */
static bool is_malformed_message(const struct msghdr *m) {
  return m->msg_namelen > INT_MAX || ch_iovec_is_malformed(m->msg_iov, m->msg_iovlen);
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
  bool ended = ch_poll_now(&p, 1) == 1 && p.revents & POLLRDHUP &&
               getsockopt(fd, SOL_SOCKET, SO_TYPE, &type, &size) == 0 && type != SOCK_STREAM && type != SOCK_SEQPACKET;
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
  return ch_try_noted(fd, r, n, CH_IN, flags);
}
ssize_t ch_nonblocking_recv(int fd, void *to, size_t n, int flags) {
  REFUSE_IF_CANCELLED();
  return ch_try_is_vain(fd, CH_IN, flags) ? -1 : try_recv(fd, to, n, flags);
}
ssize_t ch_nonblocking_recvfrom(int fd, void *to, size_t n, int flags, struct sockaddr *from, socklen_t *length) {
  REFUSE_IF_CANCELLED();
  if (ch_try_is_vain(fd, CH_IN, flags))
    return -1;
  int before = errno;
  ssize_t r = recvfrom(fd, to, n, flags | MSG_DONTWAIT, from, length);
  if (CH_UNLIKELY(may_have_ended(fd, r, flags))) {
    r = recvfrom(fd, to, n, flags | MSG_DONTWAIT, from, length);
    if (r < 0 && errno == EAGAIN && from)
      *length = 0;
    r = or_end(r, before);
  }
  return ch_try_noted(fd, r, n, CH_IN, flags);
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
  if (CH_UNLIKELY(ch_is_nowhere(m)))
    return recvmsg(fd, m, flags);
  if (CH_UNLIKELY(is_malformed_message(m)))
    return recvmsg(fd, m, flags | MSG_DONTWAIT);
  size_t n = all_of(m);
  if (ch_try_is_vain(fd, CH_IN, flags))
    return -1;
  int before = errno;
  ssize_t r = recvmsg(fd, m, flags | MSG_DONTWAIT);
  if (CH_UNLIKELY(may_have_ended(fd, r, flags))) {
    r = recvmsg(fd, m, flags | MSG_DONTWAIT);
    if (r < 0 && errno == EAGAIN)
      ch_message_of_nothing(m);
    r = or_end(r, before);
  }
  return ch_try_noted(fd, r, n, CH_IN, flags);
}
ssize_t ch_nonblocking_send(int fd, const void *from, size_t n, int flags) {
  REFUSE_IF_CANCELLED();
  return ch_try_is_vain(fd, CH_OUT, flags)
             ? -1
             : ch_try_noted(fd, send(fd, from, n, flags | MSG_DONTWAIT), n, CH_OUT, flags);
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
  if (CH_UNLIKELY(ch_is_nowhere(m)) || m->msg_name || m->msg_controllen || is_malformed_message(m))
    return sendmsg(fd, m, flags | MSG_DONTWAIT);
  return ch_try_is_vain(fd, CH_OUT, flags)
             ? -1
             : ch_try_noted(fd, sendmsg(fd, m, flags | MSG_DONTWAIT), all_of(m), CH_OUT, flags);
}

/* With a ring the kernel waits and reads in one operation, for the first that waits. If the socket was just emptied, no
 * call is tried before. */
long ch_begin_recv(int fd, void *to, size_t n, int flags) {
  REFUSE_IF_CANCELLED();
  int before = errno;
  bool ring = ch_reactor_has_ring() && flags == 0 && n > 0 && n <= 0x7ffff000 && !ch_uring_is_awaited(fd);
  if (ch_try_is_vain(fd, CH_IN, flags))
    return ring ? (errno = before, CH_LATER) : -1;
  ssize_t r = try_recv(fd, to, n, flags);
  if (r >= 0 || errno != EAGAIN || !ring)
    return r;
  if (ch_call_timeout(fd, SO_RCVTIMEO) != CH_FOREVER)
    return errno = EAGAIN, -1;
  return errno = before, CH_LATER;
}
