/* Interruptible twins of C library calls, in Charcoal C: an attempt, and while it says "not now", a wait and another
 * attempt.
 *
 * CH_TWIN(read) gives a function's interruptible version the symbol read.int, which interruptible code calls instead of
 * read. Results and errno are the plain call's. Where they differ: a signal handler that runs meanwhile doesn't end the
 * call with EINTR, for no system call was waiting; and a descriptor that is closed by close() while an activity waits
 * for it ends the wait with EBADF.
 */
#ifndef CHARCOAL_POSIX_TWINS_H
#define CHARCOAL_POSIX_TWINS_H

#include "charcoal.h"
#include "posix/attempt.h"
#include "posix/operations.h"
#include <errno.h>

#define CH_TWIN(name) __attribute__((annotate("charcoal.twin=" #name), visibility("hidden"), used))

/* Waits until the descriptor is ready, as long as the plain call would. 0: try again. -1: errno is what the plain call
 * says. */
static int await(int fd, int events, int64_t patience) {
  int ready;
  if (patience < 0)
    return errno = EAGAIN, -1;
  ready = ch_fd_wait(fd, events, patience);
  if (ready < 0)
    return errno = -ready, -1;
  if (ready == 0)
    return errno = EAGAIN, -1;
  if (ready & POLLNVAL)
    return errno = EBADF, -1;
  return 0;
}

static inline int await_input(int fd) { return await(fd, POLLIN, ch_patience(fd, SO_RCVTIMEO)); }
static inline int await_output(int fd) { return await(fd, POLLOUT, ch_patience(fd, SO_SNDTIMEO)); }

#endif
