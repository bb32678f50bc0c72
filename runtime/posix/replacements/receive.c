/* Replacements of read, readv, recv, recvfrom, recvmsg and recvmmsg. */
#define _GNU_SOURCE
#include "posix/single_activity.h"
#include "posix/replacements/replacement.h"
#include "posix/plain.h"
#include "posix/vectors.h"
#include <stdlib.h>
#include <unistd.h>

/* Receives where poll cannot tell how long to wait: a thread waits in the call. */
static ssize_t receive_vector_by_thread(int fd, const struct iovec *v, size_t n, int flags) {
  struct msghdr m = {.msg_iov = (struct iovec *)v, .msg_iovlen = n};
  return ch_do_recvmsg(fd, &m, flags);
}
static ssize_t receive_by_thread(int fd, void *to, size_t n, int flags) {
  struct iovec all = {to, n};
  return receive_vector_by_thread(fd, &all, 1, flags);
}
/* A stream says nothing of its sender. */
static ssize_t receive_from_by_thread(int fd, void *to, size_t n, int flags, const struct sockaddr *from,
                                      socklen_t *length) {
  ssize_t r = receive_by_thread(fd, to, n, flags);
  if (r >= 0 && from)
    *length = 0;
  return r;
}

CH_REPLACES(read) ssize_t ch_posix_read(int fd, void *to, size_t n) {
  CH_SINGLE_ACTIVITY(read(fd, to, n));
  if (CH_UNLIKELY(ch_waits_for_mark(fd, n, 0)))
    return receive_by_thread(fd, to, n, 0);
  __attribute__((musttail)) return read_some(fd, to, n);
}

CH_REPLACES(readv) ssize_t ch_posix_readv(int fd, const struct iovec *v, int n) {
  CH_SINGLE_ACTIVITY(readv(fd, v, n));
  if (CH_UNLIKELY(n > 0 && ch_waits_for_mark(fd, ch_iovec_bytes(v, (size_t)n), 0)))
    return receive_vector_by_thread(fd, v, (size_t)n, 0);
  int before = errno;
  int64_t since = 0;
  for (;;) {
    ssize_t r = ch_nonblocking_readv(fd, v, n);
    if (r == CH_AS_STORAGE)
      return ch_do_readv(fd, v, n, -1, 0);
    if (r == CH_BY_THREAD)
      return ch_do_device_readv(fd, v, n);
    if (r >= 0 || errno != EAGAIN || await_input(fd, before, &since))
      return r;
  }
}

static inline int never_waits(int fd, int flags) {
  return flags & MSG_DONTWAIT || (flags & MSG_ERRQUEUE && ch_is_of_network(fd));
}

/* What a call that received nothing of n bytes returns. TCP has received 0 of 0 bytes when its time is over. */
static inline ssize_t nothing(int fd, size_t n, int flags, int before) {
  if (n > 0 || errno != EAGAIN || never_waits(fd, flags) || !ch_is_timed_tcp(fd))
    return -1;
  return errno = before, 0;
}

/* MSG_WAITALL asks for all of it, from a stream. With MSG_PEEK the first part stays there, so the descriptor is ready
 * all the time: a thread waits in the call itself. */
static inline int looks_for_more(ssize_t r, size_t n, int flags) {
  enum { LOOK = MSG_WAITALL | MSG_PEEK };
  return r > 0 && (size_t)r < n && (flags & (LOOK | MSG_DONTWAIT)) == LOOK;
}
static inline int is_to_be_filled(size_t n, int flags) {
  return n > 0 && (flags & (MSG_WAITALL | MSG_PEEK | MSG_DONTWAIT)) == MSG_WAITALL;
}
static inline int wants_more(ssize_t r, size_t got, size_t n, int flags) {
  return r > 0 && got < n && is_to_be_filled(n, flags);
}

static inline int blocks_in_stream(int fd) { return ch_call_timeout(fd, SO_RCVTIMEO) >= 0 && ch_is_stream(fd); }

/* The rest of a message that was to be filled. Descriptors come with the last part, if any. */
static ssize_t receive_rest(int fd, struct msghdr *m, size_t control, size_t got, size_t n, int flags, int64_t since) {
  int before = errno, of_network = ch_is_of_network(fd);
  while (got < n && !ch_has_descriptors(fd, m, control)) {
    if (of_network && (await_more_input(fd, before, got, &since) || ch_is_at_mark(fd)))
      break;
    int another = ch_is_of_another(fd, m);
    if (another > 0)
      break;
    size_t left;
    struct iovec *rest = ch_iovec_rest(m->msg_iov, m->msg_iovlen, got, &left);
    if (!rest)
      break;
    struct msghdr more = {
        .msg_iov = rest, .msg_iovlen = left, .msg_control = m->msg_control, .msg_controllen = control};
    ssize_t r = another < 0 ? -1 : ch_nonblocking_recvmsg(fd, &more, flags);
    free(rest);
    if (r == 0 || (r < 0 && (errno != EAGAIN || (!of_network && await_input(fd, before, &since)))))
      break;
    if (r > 0) {
      got += (size_t)r;
      m->msg_controllen = more.msg_controllen;
      m->msg_flags = more.msg_flags;
    }
  }
  return as_far_as(got, 0, before);
}

/* `earlier`: how many messages the call has received before, so that an error is left to the next call. */
CH_SHARED_BODY ssize_t receive_message(int fd, struct msghdr *m, int flags, unsigned earlier) {
  int before = errno;
  int64_t since = 0;
  size_t control = ch_is_nowhere(m) ? 0 : m->msg_controllen;
  for (;;) {
    ssize_t r = ch_nonblocking_recvmsg(fd, m, flags);
    if (r >= 0) {
      size_t n = ch_iovec_bytes(m->msg_iov, m->msg_iovlen);
      if (looks_for_more(r, n, flags) && blocks_in_stream(fd)) {
        m->msg_controllen = control;
        return ch_do_recvmsg(fd, m, flags);
      }
      return wants_more(r, (size_t)r, n, flags) && ch_is_stream(fd)
                 ? receive_rest(fd, m, control, (size_t)r, n, flags, since)
                 : r;
    }
    if (errno != EAGAIN)
      return r;
    if (never_waits(fd, flags) || await_more_input(fd, before, earlier, &since)) {
      r = nothing(fd, ch_iovec_bytes(m->msg_iov, m->msg_iovlen), flags, before);
      if (r == 0)
        ch_message_of_nothing(m);
      return r;
    }
    m->msg_controllen = control;
  }
}

/* A message that is to be filled, by a caller who gives no room for control data. */
static ssize_t receive_without_room(int fd, struct msghdr *m, int flags, unsigned earlier) {
  if (!ch_tells_senders(fd))
    return receive_message(fd, m, flags, earlier);
  struct cmsghdr sender[CH_SENDER_ROOM / sizeof(struct cmsghdr)];
  struct msghdr with = *m;
  with.msg_control = sender;
  with.msg_controllen = sizeof sender;
  ssize_t r = receive_message(fd, &with, flags, earlier);
  if (r >= 0) {
    m->msg_namelen = with.msg_namelen;
    m->msg_flags = with.msg_flags | (with.msg_controllen ? MSG_CTRUNC : 0);
    m->msg_controllen = 0;
  }
  return r;
}

CH_SHARED_BODY ssize_t receive_any(int fd, struct msghdr *m, int flags, unsigned earlier) {
  if (!ch_is_nowhere(m) && is_to_be_filled(1, flags) && (!m->msg_control || m->msg_controllen == 0))
    return receive_without_room(fd, m, flags, earlier);
  return receive_message(fd, m, flags, earlier);
}
CH_REPLACES(recvmsg) ssize_t ch_posix_recvmsg(int fd, struct msghdr *m, int flags) {
  CH_SINGLE_ACTIVITY(recvmsg(fd, m, flags));
  if (CH_UNLIKELY(ch_waits_for_mark(fd, ch_is_nowhere(m) ? 0 : ch_iovec_bytes(m->msg_iov, m->msg_iovlen), flags)))
    return ch_do_recvmsg(fd, m, flags);
  return receive_any(fd, m, flags, 0);
}

/* The time is looked at after each message, as the kernel does it. An error that comes after the first message is left
 * to the next call. */
CH_REPLACES(recvmmsg)
int ch_posix_recvmmsg(int fd, struct mmsghdr *all, unsigned n, int flags, struct timespec *timeout) {
  CH_SINGLE_ACTIVITY(recvmmsg(fd, all, n, flags, timeout));
  int before = errno;
  unsigned got = 0;
  if (ch_is_nowhere(all) || ch_is_wrong(timeout))
    return ch_plain_recvmmsg(fd, all, n, flags | MSG_DONTWAIT, timeout);
  int64_t deadline = ch_deadline_after(ch_duration(timeout));
  if (deadline == CH_NO_TIME)
    return errno = EINVAL, -1;
  if (ch_begin_recvmmsg(fd, all, flags) < 0)
    return -1;
  while (got < n) {
    ssize_t r = receive_any(fd, &all[got].msg_hdr, flags & ~MSG_WAITFORONE, got);
    if (r < 0)
      return (int)as_far_as(got, -1, before);
    all[got++].msg_len = (unsigned)r;
    if (flags & MSG_WAITFORONE)
      flags |= MSG_DONTWAIT;
    if (all[got - 1].msg_hdr.msg_flags & MSG_OOB)
      break;
    if (timeout) {
      int64_t left = ch_time_left(deadline);
      if (deadline != CH_FOREVER)
        *timeout = ch_timespec_of(left);
      if (left == 0)
        break;
    }
  }
  return (int)got;
}

/* What is to be filled is received as a message, which tells where a local stream ends a part. */
static ssize_t fill(int fd, void *to, size_t n, int flags, struct sockaddr *from, socklen_t *length) {
  struct iovec all = {to, n};
  struct msghdr m = {.msg_name = from, .msg_namelen = length ? *length : 0, .msg_iov = &all, .msg_iovlen = 1};
  ssize_t r = receive_without_room(fd, &m, flags, 0);
  if (r >= 0 && from)
    *length = m.msg_namelen;
  return r;
}

CH_REPLACES(recvfrom)
ssize_t ch_posix_recvfrom(int fd, void *to, size_t n, int flags, struct sockaddr *from, socklen_t *length) {
  CH_SINGLE_ACTIVITY(recvfrom(fd, to, n, flags, from, length));
  if (CH_UNLIKELY(ch_waits_for_mark(fd, n, flags)))
    return receive_from_by_thread(fd, to, n, flags, from, length);
  if (is_to_be_filled(n, flags) && (!from || length))
    return fill(fd, to, n, flags, from, length);
  int before = errno;
  int64_t since = 0;
  for (;;) {
    ssize_t r = ch_nonblocking_recvfrom(fd, to, n, flags, from, length);
    if (looks_for_more(r, n, flags) && blocks_in_stream(fd))
      return receive_by_thread(fd, to, n, flags);
    if (r >= 0)
      return r;
    if (errno != EAGAIN || never_waits(fd, flags) || await_input(fd, before, &since)) {
      r = nothing(fd, n, flags, before);
      if (r == 0 && from)
        *length = 0;
      return r;
    }
  }
}

CH_REPLACES(recv) ssize_t ch_posix_recv(int fd, void *to, size_t n, int flags) {
  CH_SINGLE_ACTIVITY(recv(fd, to, n, flags));
  if (CH_UNLIKELY(ch_waits_for_mark(fd, n, flags)))
    return receive_by_thread(fd, to, n, flags);
  if (is_to_be_filled(n, flags))
    return fill(fd, to, n, flags, NULL, NULL);
  int before = errno;
  int64_t since = 0;
  for (;;) {
    ssize_t r = flags ? ch_nonblocking_recv(fd, to, n, flags) : ch_begin_recv(fd, to, n, 0);
    if (r == CH_LATER)
      return ch_do_recv(fd, to, n);
    if (looks_for_more(r, n, flags) && blocks_in_stream(fd))
      return receive_by_thread(fd, to, n, flags);
    if (r >= 0)
      return r;
    if (errno != EAGAIN || never_waits(fd, flags) || await_input(fd, before, &since))
      return nothing(fd, n, flags, before);
  }
}

/* ---- _FORTIFY_SOURCE: the same, with the room that there is; too little is the plain call's to tell ---- */

CH_REPLACES(__read_chk) ssize_t ch_posix_read_chk(int fd, void *to, size_t n, size_t room) {
  return n > room ? ch_plain_read_chk(fd, to, n, room) : read(fd, to, n);
}
CH_REPLACES(__recv_chk) ssize_t ch_posix_recv_chk(int fd, void *to, size_t n, size_t room, int flags) {
  return n > room ? ch_plain_read_chk(fd, to, n, room) : recv(fd, to, n, flags);
}
CH_REPLACES(__recvfrom_chk)
ssize_t ch_posix_recvfrom_chk(int fd, void *to, size_t n, size_t room, int flags, struct sockaddr *from,
                              socklen_t *length) {
  return n > room ? ch_plain_read_chk(fd, to, n, room) : recvfrom(fd, to, n, flags, from, length);
}
