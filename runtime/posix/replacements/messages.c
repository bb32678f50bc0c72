/* Replacements of sendmmsg, recvmmsg, eventfd_read and eventfd_write. */
#define _GNU_SOURCE
#include "posix/plain.h"
#include "posix/single_activity.h"
#include "reactor/times.h"
#include "posix/replacements/replacement.h"
#include <limits.h>
#include <sys/eventfd.h>
#include <unistd.h>

/* The first message that does not go at once is waited for, unless others have gone: as the plain call, which reports
 * an error only if it is the first. */
CH_REPLACES(sendmmsg) int ch_posix_sendmmsg(int fd, struct mmsghdr *all, unsigned n, int flags) {
  CH_SINGLE_ACTIVITY(sendmmsg(fd, all, n, flags));
  int before = errno;
  unsigned sent = 0;
  if (n > IOV_MAX) /* the kernel takes no more of them, either */
    n = IOV_MAX;
  while (all && sent < n) {
    ssize_t r = sendmsg(fd, &all[sent].msg_hdr, flags);
    if (r < 0)
      return (int)as_far_as(sent, -1, before);
    all[sent++].msg_len = (unsigned)r;
  }
  return all && n ? (int)sent : ch_plain_sendmmsg(fd, all, n, flags);
}

/* The time is looked at after each message, as the kernel does it. */
CH_REPLACES(recvmmsg)
int ch_posix_recvmmsg(int fd, struct mmsghdr *all, unsigned n, int flags, struct timespec *timeout) {
  CH_SINGLE_ACTIVITY(recvmmsg(fd, all, n, flags, timeout));
  int before = errno;
  unsigned got = 0;
  int64_t deadline = ch_deadline_after(ch_duration(timeout));
  if (deadline == CH_NO_TIME)
    return errno = EINVAL, -1;
  if (!all)
    return ch_plain_recvmmsg(fd, all, n, flags | MSG_DONTWAIT, timeout);
  if (ch_begin_recvmmsg(fd, all, flags) < 0)
    return -1;
  while (got < n) {
    ssize_t r = recvmsg(fd, &all[got].msg_hdr, flags & ~MSG_WAITFORONE);
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

CH_REPLACES(eventfd_read) int ch_posix_eventfd_read(int fd, eventfd_t *value) {
  return read(fd, value, sizeof *value) == sizeof *value ? 0 : -1;
}
CH_REPLACES(eventfd_write) int ch_posix_eventfd_write(int fd, eventfd_t value) {
  return write(fd, &value, sizeof value) == sizeof value ? 0 : -1;
}
