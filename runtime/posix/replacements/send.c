/* Replacements of write, writev, send, sendto and sendmsg. A blocking call on a stream returns when all bytes have been
 * sent, or returns the number of bytes that were sent before an error. */
#include "posix/single_activity.h"
#include "posix/replacements/replacement.h"
#include "posix/socket_calls.h"
#include "posix/vectors.h"
#include <stdlib.h>
#include <unistd.h>

/* After a wait: a call that has sent a part raises no SIGPIPE, nor does one that waited for a local socket. It is the
 * next call that does. Pipes differ, and take no flags. */
static inline int raises_no_more(int fd, size_t sent) { return sent || !ch_is_of_network(fd); }

/* TCP Fast Open: the first send connects, and has begun to. The plain call waits for that; afterwards it is like any
 * other one that waits for room. */
static inline int connects_first(int fd, ssize_t r, int *flags) {
  if (CH_LIKELY(r >= 0 || errno != EINPROGRESS) || *flags & MSG_DONTWAIT || ch_call_timeout(fd, SO_SNDTIMEO) < 0)
    return 0;
  *flags &= ~MSG_FASTOPEN;
  errno = EAGAIN;
  return 1;
}

CH_REPLACES(write) ssize_t ch_posix_write(int fd, const void *from, size_t n) {
  CH_SINGLE_ACTIVITY(write(fd, from, n));
  int before = errno, no_signal = 0, no_flags = 0;
  int64_t since = 0;
  size_t sent = 0;
  for (;;) {
    ssize_t r = no_signal ? ch_nonblocking_write_on(fd, (const char *)from + sent, n - sent)
                          : ch_nonblocking_write(fd, (const char *)from + sent, n - sent);
    if (r == CH_AS_STORAGE)
      return ch_do_write(fd, (const char *)from + sent, n - sent, -1);
    if (r == CH_BY_THREAD) {
      r = ch_do_device_write(fd, (const char *)from + sent, n - sent);
      return r >= 0 ? (ssize_t)sent + r : as_far_as(sent, r, before);
    }
    if (r >= 0) {
      sent += (size_t)r;
      if (sent >= n || r == 0)
        return (ssize_t)sent;
      if (ch_call_timeout(fd, SO_SNDTIMEO) < 0 || await_more_output(fd, before, sent, &since))
        return as_far_as(sent, 0, before);
    } else if ((errno != EAGAIN && !connects_first(fd, r, &no_flags)) || await_more_output(fd, before, sent, &since)) {
      return as_far_as(sent, r, before);
    }
    no_signal = raises_no_more(fd, sent);
  }
}

CH_SHARED_BODY ssize_t send_bytes(int fd, const void *from, size_t n, int flags) {
  int before = errno;
  int64_t since = 0;
  size_t sent = 0;
  for (;;) {
    ssize_t r = ch_nonblocking_send(fd, (const char *)from + sent, n - sent, flags);
    if (r >= 0) {
      sent += (size_t)r;
      if (sent >= n || r == 0 || flags & MSG_DONTWAIT || ch_call_timeout(fd, SO_SNDTIMEO) < 0 ||
          await_more_output(fd, before, sent, &since))
        return as_far_as(sent, 0, before);
    } else if ((errno != EAGAIN && !connects_first(fd, r, &flags)) || flags & MSG_DONTWAIT ||
               await_more_output(fd, before, sent, &since)) {
      return as_far_as(sent, r, before);
    }
    if (raises_no_more(fd, sent))
      flags |= MSG_NOSIGNAL;
  }
}

CH_REPLACES(send) ssize_t ch_posix_send(int fd, const void *from, size_t n, int flags) {
  CH_SINGLE_ACTIVITY(send(fd, from, n, flags));
  return send_bytes(fd, from, n, flags);
}
ssize_t ch_socket_send(int fd, const void *from, size_t n, int flags) { return send_bytes(fd, from, n, flags); }

/* The receiver is a local one, who may be full although poll says that there is room; and the call would wait. */
static inline int waits_for_receiver(int fd, const struct sockaddr *to, socklen_t length) {
  return to && length >= sizeof to->sa_family && to->sa_family == AF_UNIX && ch_call_timeout(fd, SO_SNDTIMEO) >= 0;
}

CH_REPLACES(sendto)
ssize_t ch_posix_sendto(int fd, const void *from, size_t n, int flags, const struct sockaddr *to, socklen_t length) {
  CH_SINGLE_ACTIVITY(sendto(fd, from, n, flags, to, length));
  int before = errno;
  int64_t since = 0;
  size_t sent = 0;
  for (;;) {
    ssize_t r = ch_nonblocking_sendto(fd, (const char *)from + sent, n - sent, flags, to, length);
    if (CH_UNLIKELY(connects_first(fd, r, &flags)))
      to = NULL;
    if (r >= 0) {
      sent += (size_t)r;
      if (sent >= n || r == 0 || flags & MSG_DONTWAIT || ch_call_timeout(fd, SO_SNDTIMEO) < 0 ||
          await_more_output(fd, before, sent, &since))
        return as_far_as(sent, 0, before);
    } else if (errno == EAGAIN && !(flags & MSG_DONTWAIT) && sent == 0 && waits_for_receiver(fd, to, length)) {
      errno = before;
      struct iovec all = {(void *)from, n};
      struct msghdr m = {.msg_name = (void *)to, .msg_namelen = length, .msg_iov = &all, .msg_iovlen = 1};
      return ch_do_sendmsg(fd, &m, flags);
    } else if (errno != EAGAIN || flags & MSG_DONTWAIT || await_more_output(fd, before, sent, &since)) {
      return as_far_as(sent, r, before);
    }
    if (raises_no_more(fd, sent))
      flags |= MSG_NOSIGNAL;
  }
}

/* What is left of a message after its first part, which carried the control data. */
static ssize_t send_rest(int fd, const struct iovec *v, size_t count, size_t sent, int flags, int is_socket,
                         int64_t since) {
  int before = errno;
  size_t n = ch_iovec_bytes(v, count);
  while (sent < n && !await_more_output(fd, before, sent, &since)) {
    size_t left;
    struct iovec *rest = ch_iovec_rest(v, count, sent, &left);
    if (!rest)
      break;
    struct msghdr more = {.msg_iov = rest, .msg_iovlen = left};
    ssize_t r = is_socket ? ch_nonblocking_sendmsg(fd, &more, flags | MSG_NOSIGNAL)
                          : ch_nonblocking_writev_on(fd, rest, (int)left);
    if (r == CH_BY_THREAD)
      r = ch_do_device_writev(fd, rest, (int)left);
    free(rest);
    if (r == 0 || (r < 0 && errno != EAGAIN))
      break;
    if (r > 0)
      sent += (size_t)r;
  }
  return as_far_as(sent, 0, before);
}

CH_REPLACES(writev) ssize_t ch_posix_writev(int fd, const struct iovec *v, int n) {
  CH_SINGLE_ACTIVITY(writev(fd, v, n));
  int before = errno, no_signal = 0, no_flags = 0;
  int64_t since = 0;
  for (;;) {
    ssize_t r = no_signal ? ch_nonblocking_writev_on(fd, v, n) : ch_nonblocking_writev(fd, v, n);
    if (r == CH_AS_STORAGE)
      return ch_do_writev(fd, v, n, -1, 0);
    if (r == CH_BY_THREAD)
      return ch_do_device_writev(fd, v, n);
    if (r > 0 && (size_t)r < ch_iovec_bytes(v, (size_t)n) && ch_call_timeout(fd, SO_SNDTIMEO) >= 0)
      return send_rest(fd, v, (size_t)n, (size_t)r, 0, 0, since);
    if (r >= 0 || (errno != EAGAIN && !connects_first(fd, r, &no_flags)) || await_output(fd, before, &since))
      return r;
    no_signal = raises_no_more(fd, 0);
  }
}

CH_SHARED_BODY ssize_t send_message(int fd, const struct msghdr *m, int flags) {
  int before = errno;
  int64_t since = 0;
  struct msghdr without_name;
  for (;;) {
    ssize_t r = ch_nonblocking_sendmsg(fd, m, flags);
    if (CH_UNLIKELY(connects_first(fd, r, &flags))) {
      without_name = *m;
      without_name.msg_name = NULL;
      without_name.msg_namelen = 0;
      m = &without_name;
    }
    if (r > 0 && !(flags & MSG_DONTWAIT) && (size_t)r < ch_iovec_bytes(m->msg_iov, m->msg_iovlen) &&
        ch_call_timeout(fd, SO_SNDTIMEO) >= 0)
      return send_rest(fd, m->msg_iov, m->msg_iovlen, (size_t)r, flags, 1, since);
    if (r < 0 && errno == EAGAIN && !(flags & MSG_DONTWAIT) && waits_for_receiver(fd, m->msg_name, m->msg_namelen))
      return errno = before, ch_do_sendmsg(fd, m, flags);
    if (r >= 0 || errno != EAGAIN || flags & MSG_DONTWAIT || await_output(fd, before, &since))
      return r;
    if (raises_no_more(fd, 0))
      flags |= MSG_NOSIGNAL;
  }
}
CH_REPLACES(sendmsg) ssize_t ch_posix_sendmsg(int fd, const struct msghdr *m, int flags) {
  CH_SINGLE_ACTIVITY(sendmsg(fd, m, flags));
  return send_message(fd, m, flags);
}
ssize_t ch_send_message(int fd, const struct msghdr *m, int flags) { return send_message(fd, m, flags); }
