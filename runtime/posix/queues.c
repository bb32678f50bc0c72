/* Message queues and semaphores of POSIX and System V. See queues.h. */
#define _GNU_SOURCE
#include "posix/queues.h"
#include "posix/addresses.h"
#include "posix/plain_waits.h"
#include "reactor/times.h"
#include "activity/scope.h"
#include "wait/wait.h"
#include <errno.h>
#include <termios.h>

/* A time that has passed: what cannot be done now is not waited for. But a signal that comes meanwhile ends even such a
 * call with EINTR, before it has had an effect, and it is made again. */
static const struct timespec past = {0, 0};
#define NOT_INTERRUPTED(call)                                                                                          \
  ({                                                                                                                   \
    __typeof__(call) result_;                                                                                          \
    do                                                                                                                 \
      result_ = (call);                                                                                                \
    while (result_ < 0 && errno == EINTR);                                                                             \
    result_;                                                                                                           \
  })

bool ch_mq_is_blocking(mqd_t q) {
  struct mq_attr a;
  return mq_getattr(q, &a) == 0 && !(a.mq_flags & O_NONBLOCK);
}

ssize_t ch_nonblocking_mq_receive(mqd_t q, char *to, size_t n, unsigned *priority) {
  if (ch_is_marked())
    return errno = ECANCELED, -1;
  ssize_t r = NOT_INTERRUPTED(ch_library_mq_timedreceive(q, to, n, priority, &past));
  if (r < 0 && errno == ETIMEDOUT)
    errno = EAGAIN;
  return r;
}
int ch_nonblocking_mq_send(mqd_t q, const char *from, size_t n, unsigned priority) {
  if (ch_is_marked())
    return errno = ECANCELED, -1;
  int r = NOT_INTERRUPTED(ch_library_mq_timedsend(q, from, n, priority, &past));
  if (r < 0 && errno == ETIMEDOUT)
    errno = EAGAIN;
  return r;
}

static long make(const struct ch_queue_call *c, int flags, const struct timespec *time) {
  switch (c->call) {
  case CH_MSGRCV:
    return ch_library_msgrcv(c->id, c->data, c->n, c->type, c->flags | flags);
  case CH_MSGSND:
    return ch_library_msgsnd(c->id, c->data, c->n, c->flags | flags);
  case CH_SEMOP:
    return ch_library_semtimedop(c->id, c->data, c->n, time);
  case CH_TCDRAIN:
    return tcdrain(c->id);
  case CH_AIO_SUSPEND:
    return aio_suspend(c->requests, c->id, time);
  }
  return -1;
}

long ch_try_queue(struct ch_queue_call *c) {
  if (ch_is_marked())
    return -ECANCELED;
  if (c->call == CH_TCDRAIN)
    return -EAGAIN;
  /* The kernel refuses such a time also when the call need not wait. */
  bool is_wrong = c->call == CH_SEMOP && c->time && (ch_is_nowhere(c->time) || ch_duration(c->time) == CH_NO_TIME);
  long r = NOT_INTERRUPTED(make(c, IPC_NOWAIT, is_wrong ? c->time : &past));
  if (r >= 0)
    return r;
  return errno == ENOMSG && !(c->flags & IPC_NOWAIT) ? -EAGAIN : -errno;
}

long ch_call_queue(void *data) {
  struct ch_queue_call *c = data;
  long r = make(c, 0, c->time);
  return r < 0 ? -errno : r;
}

int ch_plain_lio_listio(int mode, struct aiocb *const *all, int n, struct sigevent *when) {
  return lio_listio(mode, all, n, when);
}
int ch_request_error(const struct aiocb *request) { return aio_error(request); }
