/* Replacements of mq_receive, mq_send and their timed forms; msgrcv, msgsnd, semop, semtimedop; tcdrain; aio_suspend,
 * lio_listio.
 *
 * A POSIX queue is a descriptor, and is waited for like other descriptors. For the other calls a thread of the pool
 * waits in the call, unless the call need not wait. A signal can interrupt the thread; the call has then done nothing.
 */
#define _GNU_SOURCE
#include "charcoal_abi.h"
#include "posix/addresses.h"
#include "posix/children.h"
#include "posix/plain_waits.h"
#include "posix/queues.h"
#include "posix/single_activity.h"
#include "reactor/times.h"
#include "posix/replacements/replacement.h"
#include <termios.h>

/* Waits for the queue, until the time, or until the clock was set. `watch`: a slot. 0: look again. */
static int await_queue_watching(mqd_t q, int events, int watch) {
  struct pollfd both[2] = {{.fd = q, .events = (short)events}, {.fd = ch_runtime_descriptor(watch), .events = POLLIN}};
  int r = poll(both, 2, -1);
  return r < 0 ? -1 : both[0].revents & POLLNVAL ? (errno = EBADF, -1) : 0;
}

/* In plain code the C library's poll would stop the domain: the clock is looked at every so often there. */
enum { IN_INTERRUPTIBLE_CODE, IN_PLAIN_CODE };

/* 0: look again. -1: errno. */
static int await_queue(mqd_t q, int events, const struct timespec *until, int where) {
  int steady, watch, ready;
  int64_t left = until ? ch_time_until(CLOCK_REALTIME, until) : CH_FOREVER;
  if (left == 0)
    return errno = ETIMEDOUT, -1;
  if (until) {
    steady = 0;
    watch = where == IN_PLAIN_CODE ? -1 : ch_clock_watch(CLOCK_REALTIME, until, &steady);
    if (watch >= 0) {
      ready = await_queue_watching(q, events, watch);
      ch_close_waited_for(watch);
      return ready;
    }
    if (!steady && left > CH_CLOCK_LOOKS)
      left = CH_CLOCK_LOOKS;
  }
  ready = ch_fd_wait(q, events, left);
  return ready < 0 ? (errno = -ready, -1) : 0;
}

/* The kernel refuses such a time also when the call need not wait. */
static int is_no_time(const struct timespec *until) {
  return until && (ch_is_nowhere(until) || ch_duration(until) == CH_NO_TIME);
}

static ssize_t receive(mqd_t q, char *to, size_t n, unsigned *priority, const struct timespec *until, int where) {
  int before = errno;
  if (is_no_time(until))
    return ch_library_mq_timedreceive(q, to, n, priority, until);
  for (;;) {
    ssize_t r = ch_nonblocking_mq_receive(q, to, n, priority);
    if (r >= 0)
      errno = before;
    if (r >= 0 || errno != EAGAIN || !ch_mq_is_blocking(q) || await_queue(q, POLLIN, until, where) < 0)
      return r;
  }
}
static int deliver(mqd_t q, const char *from, size_t n, unsigned priority, const struct timespec *until, int where) {
  int before = errno;
  if (is_no_time(until))
    return ch_library_mq_timedsend(q, from, n, priority, until);
  for (;;) {
    int r = ch_nonblocking_mq_send(q, from, n, priority);
    if (r >= 0)
      errno = before;
    if (r >= 0 || errno != EAGAIN || !ch_mq_is_blocking(q) || await_queue(q, POLLOUT, until, where) < 0)
      return r;
  }
}
/* In plain code, which knows nothing of scopes that are cancelled. */
ssize_t ch_wait_to_receive(mqd_t q, char *to, size_t n, unsigned *priority, const struct timespec *until) {
  struct ch_scope barrier;
  ch_scope_enter(&barrier, CH_SCOPE_BARRIER, "mq_receive");
  ssize_t r = receive(q, to, n, priority, until, IN_PLAIN_CODE);
  ch_scope_leave(&barrier);
  return r;
}
int ch_wait_to_send(mqd_t q, const char *from, size_t n, unsigned priority, const struct timespec *until) {
  struct ch_scope barrier;
  ch_scope_enter(&barrier, CH_SCOPE_BARRIER, "mq_send");
  int r = deliver(q, from, n, priority, until, IN_PLAIN_CODE);
  ch_scope_leave(&barrier);
  return r;
}

CH_REPLACES(mq_receive) ssize_t ch_posix_mq_receive(mqd_t q, char *to, size_t n, unsigned *priority) {
  CH_SINGLE_ACTIVITY(ch_library_mq_receive(q, to, n, priority));
  return receive(q, to, n, priority, NULL, IN_INTERRUPTIBLE_CODE);
}
CH_REPLACES(mq_timedreceive)
ssize_t ch_posix_mq_timedreceive(mqd_t q, char *to, size_t n, unsigned *priority, const struct timespec *until) {
  CH_SINGLE_ACTIVITY(ch_library_mq_timedreceive(q, to, n, priority, until));
  return receive(q, to, n, priority, until, IN_INTERRUPTIBLE_CODE);
}
CH_REPLACES(mq_send) int ch_posix_mq_send(mqd_t q, const char *from, size_t n, unsigned priority) {
  CH_SINGLE_ACTIVITY(ch_library_mq_send(q, from, n, priority));
  return deliver(q, from, n, priority, NULL, IN_INTERRUPTIBLE_CODE);
}
CH_REPLACES(mq_timedsend)
int ch_posix_mq_timedsend(mqd_t q, const char *from, size_t n, unsigned priority, const struct timespec *until) {
  CH_SINGLE_ACTIVITY(ch_library_mq_timedsend(q, from, n, priority, until));
  return deliver(q, from, n, priority, until, IN_INTERRUPTIBLE_CODE);
}

/* At once, or by a thread. -1 with errno. */
static long call(struct ch_queue_call *c, int never_waits) {
  int before = errno;
  if (ch_is_refused(!never_waits))
    return -1;
  long r = never_waits ? ch_call_queue(c) : ch_try_queue(c);
  if (r == -EAGAIN && !never_waits)
    return errno = before, ch_do_call(ch_call_queue, c, CH_CALL_INTERRUPTIBLE);
  return r < 0 ? (errno = (int)-r, -1) : r;
}

static ssize_t take_message(int id, void *to, size_t n, long type, int flags) {
  struct ch_queue_call c = {.call = CH_MSGRCV, .id = id, .flags = flags, .data = to, .n = n, .type = type};
  return call(&c, flags & (IPC_NOWAIT | MSG_COPY)); /* who asks for a copy without IPC_NOWAIT is refused */
}
static int put_message(int id, const void *from, size_t n, int flags) {
  struct ch_queue_call c = {.call = CH_MSGSND, .id = id, .flags = flags, .data = (void *)from, .n = n};
  return (int)call(&c, flags & IPC_NOWAIT);
}
/* An operation with IPC_NOWAIT may be what says EAGAIN to the attempt. The thread's call tells that at once, too. The
 * operations are the kernel's to read, because the program's pointer may be wrong. */
static int operate(int id, struct sembuf *all, size_t n, const struct timespec *timeout) {
  struct ch_queue_call c = {.call = CH_SEMOP, .id = id, .data = all, .n = n, .time = timeout};
  return (int)call(&c, 0);
}

CH_REPLACES(msgrcv) ssize_t ch_posix_msgrcv(int id, void *to, size_t n, long type, int flags) {
  CH_SINGLE_ACTIVITY(ch_library_msgrcv(id, to, n, type, flags));
  return take_message(id, to, n, type, flags);
}
CH_REPLACES(msgsnd) int ch_posix_msgsnd(int id, const void *from, size_t n, int flags) {
  CH_SINGLE_ACTIVITY(ch_library_msgsnd(id, from, n, flags));
  return put_message(id, from, n, flags);
}
CH_REPLACES(semop) int ch_posix_semop(int id, struct sembuf *all, size_t n) {
  CH_SINGLE_ACTIVITY(ch_library_semtimedop(id, all, n, NULL));
  return operate(id, all, n, NULL);
}
CH_REPLACES(semtimedop)
int ch_posix_semtimedop(int id, struct sembuf *all, size_t n, const struct timespec *timeout) {
  CH_SINGLE_ACTIVITY(ch_library_semtimedop(id, all, n, timeout));
  return operate(id, all, n, timeout);
}

/* The same in plain code, which knows nothing of scopes that are cancelled. */
ssize_t ch_wait_to_take_message(int id, void *to, size_t n, long type, int flags) {
  struct ch_scope barrier;
  ch_scope_enter(&barrier, CH_SCOPE_BARRIER, "msgrcv");
  ssize_t r = take_message(id, to, n, type, flags);
  ch_scope_leave(&barrier);
  return r;
}
int ch_wait_to_put_message(int id, const void *from, size_t n, int flags) {
  struct ch_scope barrier;
  ch_scope_enter(&barrier, CH_SCOPE_BARRIER, "msgsnd");
  int r = put_message(id, from, n, flags);
  ch_scope_leave(&barrier);
  return r;
}
int ch_wait_for_semaphores(int id, struct sembuf *all, size_t n, const struct timespec *timeout) {
  struct ch_scope barrier;
  ch_scope_enter(&barrier, CH_SCOPE_BARRIER, "semop");
  int r = operate(id, all, n, timeout);
  ch_scope_leave(&barrier);
  return r;
}

CH_REPLACES(tcdrain) int ch_posix_tcdrain(int fd) {
  CH_SINGLE_ACTIVITY(tcdrain(fd));
  struct ch_queue_call c = {.call = CH_TCDRAIN, .id = fd};
  return (int)call(&c, 0);
}
static int suspend(const struct aiocb *const *all, int n, const struct timespec *timeout) {
  struct ch_queue_call c = {.call = CH_AIO_SUSPEND, .id = n, .requests = all, .time = timeout};
  return (int)ch_do_call(ch_call_queue, &c, CH_CALL_INTERRUPTIBLE);
}
CH_REPLACES(aio_suspend)
int ch_posix_aio_suspend(const struct aiocb *const *all, int n, const struct timespec *timeout) {
  CH_SINGLE_ACTIVITY(aio_suspend(all, n, timeout));
  return suspend(all, n, timeout);
}
CH_REPLACES(aio_suspend64)
int ch_posix_aio_suspend64(const struct aiocb *const *all, int n, const struct timespec *timeout) {
  CH_SINGLE_ACTIVITY(aio_suspend(all, n, timeout));
  return suspend(all, n, timeout);
}

/* Begins the requests and then waits for one after the other. Cancelled, it leaves them to go on, as a signal does. */
static int do_all(int mode, struct aiocb *const *all, int n, struct sigevent *when) {
  int before = errno, failed, error;
  if (mode != LIO_WAIT)
    return ch_plain_lio_listio(mode, all, n, when);
  if (ch_is_refused(1))
    return -1;
  failed = ch_plain_lio_listio(LIO_NOWAIT, all, n, NULL) < 0;
  for (int i = 0; i < n; i++) {
    const struct aiocb *request = all[i];
    if (!request || request->aio_lio_opcode == LIO_NOP)
      continue;
    while ((error = ch_request_error(request)) == EINPROGRESS)
      if (suspend(&request, 1, NULL) < 0)
        return -1;
    failed |= error != 0;
  }
  errno = failed ? EIO : before;
  return failed ? -1 : 0;
}
CH_REPLACES(lio_listio)
int ch_posix_lio_listio(int mode, struct aiocb *const *all, int n, struct sigevent *when) {
  CH_SINGLE_ACTIVITY(lio_listio(mode, all, n, when));
  return do_all(mode, all, n, when);
}
CH_REPLACES(lio_listio64)
int ch_posix_lio_listio64(int mode, struct aiocb *const *all, int n, struct sigevent *when) {
  CH_SINGLE_ACTIVITY(lio_listio(mode, all, n, when));
  return do_all(mode, all, n, when);
}
