/* What the tries of this folder share. */
#ifndef CHARCOAL_POSIX_NONBLOCKING_TRIES_H
#define CHARCOAL_POSIX_NONBLOCKING_TRIES_H

#include "charcoal.h"
#include "posix/nonblocking.h"
#include "reactor/readiness_cache.h"
#include "reactor/turns.h"
#include <errno.h>
#include <stdbool.h>

/* Law 4: in a cancelled scope nothing begins. */
#define REFUSE_IF_CANCELLED()                                                                                          \
  do {                                                                                                                 \
    if (ch_is_marked())                                                                                                \
      return errno = ECANCELED, -1;                                                                                    \
  } while (0)

/* readv or writev, or a function like them. */
typedef ssize_t ch_transfer(int fd, const struct iovec *, int n);

/* If a call with these flags fails with EAGAIN, there is nothing to read, or no room to write. Without MSG_DONTWAIT it
 * is a call that waits. */
enum {
  CH_WAITING_FLAGS = MSG_WAITALL | MSG_NOSIGNAL | MSG_CMSG_CLOEXEC | MSG_MORE,
  CH_TELLING_FLAGS = CH_WAITING_FLAGS | MSG_DONTWAIT
};

/* Whether the socket's call need not be made, because the last try found nothing, the reactor has reported nothing
 * since, and the plain call would wait. Then it sets EAGAIN. */
CH_HIDDEN bool ch_try_is_vain(int fd, int event, int flags);
/* Notes what the outcome of a call for n bytes tells of the descriptor. Returns the outcome. */
static inline ssize_t ch_try_noted(int fd, ssize_t outcome, size_t n, int event, int flags) {
  if (outcome >= 0)
    ch_turn_end();
  if (flags & ~CH_TELLING_FLAGS)
    return outcome;
  if (outcome >= 0 && event == CH_IN)
    ch_fd_cache_received(fd, outcome, n);
  else if (outcome < 0 && errno == EAGAIN)
    ch_fd_cache_not_ready(fd, event);
  return outcome;
}

/* Whether poll reports one of the events now. Sets EAGAIN if not. */
CH_HIDDEN bool ch_is_ready_now(int fd, short events);

/* Of a pipe or a device. */
CH_HIDDEN ssize_t ch_try_stream_readv(int fd, const struct iovec *, int n);
CH_HIDDEN ssize_t ch_try_stream_writev(int fd, const struct iovec *, int n);

#endif
