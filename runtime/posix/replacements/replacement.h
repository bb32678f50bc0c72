/* Hand-written replacements of C library calls, in Charcoal C. A replacement tries the call without waiting, and as
 * long as the answer is "not now" it waits and tries again.
 *
 * CH_REPLACES(read) gives a function's interruptible version the symbol read.int, which interruptible code calls
 * instead of read. Results and errno are the plain call's. Where they differ: a signal handler that runs meanwhile
 * doesn't end the call with EINTR, for no system call was waiting; and a descriptor that is closed by close() while an
 * activity waits for it ends the wait with EBADF.
 *
 * A call that succeeds leaves errno as it was. An attempt that says "not now" sets it; so a call that may wait keeps
 * what errno was before its first attempt, and each wait that ends well gives it back (`before`).
 */
#ifndef CHARCOAL_POSIX_REPLACEMENT_H
#define CHARCOAL_POSIX_REPLACEMENT_H

#include "charcoal.h"
#include "posix/nonblocking.h"
#include "posix/operations.h"
#include "posix/sockets.h"
#include "reactor/call.h"
#include "reactor/runtime_descriptors.h"
#include "reactor/times.h"
#include <errno.h>

#define CH_REPLACES(name) __attribute__((annotate("charcoal.replaces=" #name), visibility("hidden"), used))

/* A function that does the whole work of several replacements. It is inlined into each of them. Otherwise they would
 * end in a tail call of it, and reports would name it instead of the call that the program has made. */
#define CH_SHARED_BODY static inline __attribute__((__always_inline__))

/* Law 4: a call that may wait does not begin in a cancelled scope, also if it need not wait this time. It refuses
 * before its first attempt. */
static inline int ch_is_refused(int may_wait) {
  if (!may_wait || !ch_cancelled())
    return 0;
  errno = ECANCELED;
  return 1;
}

/* ch_fd_wait for input of a descriptor of the runtime's own, which gets another number if the program wants its number.
 */
static inline int await_slot(int slot, int64_t timeout) {
  int64_t deadline = ch_deadline_after(timeout);
  int fd, ready;
  do {
    fd = ch_runtime_descriptor(slot);
    ready = ch_fd_wait(fd, POLLIN, ch_time_left(deadline));
  } while (ready == -EBADF && fd != ch_runtime_descriptor(slot));
  return ready;
}

/* Waits for at most so long; below 0, not at all. 0: try again, with errno `before`. -1: errno is what the plain call
 * says. If something has been transferred already (`done`) an error that the socket has to tell is left to the next
 * call: then -1, too. A local socket tells it to the call that waits to send. */
static int await_for(int64_t timeout, int fd, int events, int option, int before, size_t done) {
  int ready;
  if (timeout < 0)
    return errno = EAGAIN, -1;
  bool looks = timeout == CH_FOREVER && events & POLLOUT && ch_may_be_shut(fd);
  ready = ch_call_wait(fd, events, looks ? CH_SHUT_LOOK : timeout);
  if (ready == 0 && looks) {
    ch_ask_for_limit(fd);
    return errno = before, 0;
  }
  if (ready >=
      CH_LOOK_AGAIN) { /* no longer than this, if there is a limit; the next attempt says what else was wrong */
    int64_t waited = (ready - CH_LOOK_AGAIN) * INT64_C(1000000);
    timeout = ch_call_timeout(fd, option);
    if (timeout < 0 || timeout == CH_FOREVER)
      return errno = before, 0;
    ready = ch_call_wait(fd, events, timeout > waited ? timeout - waited : 0);
  }
  if (ready < 0)
    return errno = -ready, -1;
  if (ready == 0)
    return errno = EAGAIN, -1;
  if (ready & POLLNVAL)
    return errno = EBADF, -1;
  if (ready & POLLERR && (done || events & POLLOUT)) {
    int error = 0;
    if (ch_is_of_network(fd) ? done != 0 : events & POLLOUT && (error = ch_take_error(fd)) != 0)
      return errno = error, -1;
  }
  return errno = before, 0;
}

/* Waits until the descriptor is ready, as long as the plain call would (ch_call_limit of the option). `since`: when the
 * call began to wait under a limit; 0 before its first wait. */
CH_SHARED_BODY int await(int fd, int events, int option, int before, size_t done, int64_t *since) {
  struct ch_call_limit limit = ch_call_limit(fd, option, *since);
  *since = limit.since;
  return await_for(limit.left, fd, events, option, before, done);
}

CH_SHARED_BODY int await_input(int fd, int before, int64_t *since) {
  return await(fd, POLLIN, SO_RCVTIMEO, before, 0, since);
}
CH_SHARED_BODY int await_output(int fd, int before, int64_t *since) {
  return await(fd, POLLOUT, SO_SNDTIMEO, before, 0, since);
}
CH_SHARED_BODY int await_more_input(int fd, int before, size_t done, int64_t *since) {
  return await(fd, POLLIN, SO_RCVTIMEO, before, done, since);
}
CH_SHARED_BODY int await_more_output(int fd, int before, size_t done, int64_t *since) {
  return await(fd, POLLOUT, SO_SNDTIMEO, before, done, since);
}

/* What read does, also for other replacements: they must not call it by that name, because a program may have a
 * function of its own under the name. */
CH_SHARED_BODY ssize_t read_some(int fd, void *to, size_t n) {
  int before = errno;
  int64_t since = 0;
  for (;;) {
    ssize_t r = ch_nonblocking_read(fd, to, n);
    if (r == CH_LATER) __attribute__
      ((musttail)) return ch_do_receive(fd, to, n);
    if (r == CH_AS_STORAGE)
      return ch_do_read(fd, to, n, -1);
    if (r == CH_BY_THREAD)
      return ch_do_device_read(fd, to, n);
    if (r >= 0 || errno != EAGAIN || await_input(fd, before, &since))
      return r;
  }
}
/* As write for other replacements, but it may send less than n bytes. */
CH_SHARED_BODY ssize_t write_some(int fd, const void *from, size_t n) {
  int before = errno;
  int64_t since = 0;
  for (;;) {
    ssize_t r = ch_nonblocking_write(fd, from, n);
    if (r == CH_AS_STORAGE)
      return ch_do_write(fd, from, n, -1);
    if (r == CH_BY_THREAD)
      return ch_do_device_write(fd, from, n);
    if (r >= 0 || errno != EAGAIN || await_output(fd, before, &since))
      return r;
  }
}
/* What sendmsg does, for other replacements (send.c). */
CH_HIDDEN ssize_t ch_send_message(int fd, const struct msghdr *, int flags);

/* The result of a call that has transferred so much before its last attempt or wait failed: what was done counts. */
static inline ssize_t as_far_as(size_t done, ssize_t failure, int before) {
  return done ? (errno = before, (ssize_t)done) : failure;
}

#endif
