/* Replacements of sendmmsg, eventfd_read and eventfd_write. */
#define _GNU_SOURCE
#include "posix/plain.h"
#include "posix/addresses.h"
#include "posix/single_activity.h"
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
  while (!ch_is_nowhere(all) && sent < n) {
    ssize_t r = ch_send_message(fd, &all[sent].msg_hdr, flags);
    if (r < 0)
      return (int)as_far_as(sent, -1, before);
    all[sent++].msg_len = (unsigned)r;
  }
  return sent ? (int)sent : ch_plain_sendmmsg(fd, all, n, flags);
}

CH_REPLACES(eventfd_read) int ch_posix_eventfd_read(int fd, eventfd_t *value) {
  CH_SINGLE_ACTIVITY(ch_plain_eventfd_read(fd, value));
  return read_some(fd, value, sizeof *value) == sizeof *value ? 0 : -1;
}
CH_REPLACES(eventfd_write) int ch_posix_eventfd_write(int fd, eventfd_t value) {
  CH_SINGLE_ACTIVITY(ch_plain_eventfd_write(fd, value));
  return write_some(fd, &value, sizeof value) == sizeof value ? 0 : -1;
}
