/* Calls on message queues and semaphores of POSIX and System V: tried without waiting, or made by the pool. */
#ifndef CHARCOAL_POSIX_QUEUES_H
#define CHARCOAL_POSIX_QUEUES_H

#include "posix/nonblocking.h"
#include <aio.h>
#include <mqueue.h>
#include <stdbool.h>
#include <sys/ipc.h>
#include <sys/msg.h>
#include <sys/sem.h>

/* EAGAIN: it would have waited, for it is not the user who made it non-blocking. */
CH_HIDDEN ssize_t ch_nonblocking_mq_receive(mqd_t, char *, size_t, unsigned *priority);
CH_HIDDEN int ch_nonblocking_mq_send(mqd_t, const char *, size_t, unsigned priority);

CH_HIDDEN bool ch_mq_is_blocking(mqd_t);

/* One of these, for the pool: a signal ends it, and then it has done nothing. */
struct ch_queue_call {
  enum { CH_MSGRCV, CH_MSGSND, CH_SEMOP, CH_TCDRAIN, CH_AIO_SUSPEND } call;
  int id, flags;
  void *data;
  size_t n;
  long type;
  const struct timespec *time;
  const struct aiocb *const *requests;
};
/* -EAGAIN: it would have to wait. Otherwise its result, or -errno. */
CH_HIDDEN long ch_try_queue(struct ch_queue_call *);
CH_HIDDEN long ch_call_queue(void *queue_call);

/* The plain call. */
CH_HIDDEN int ch_plain_lio_listio(int mode, struct aiocb *const *, int n, struct sigevent *);
/* What has become of the request: 0 or an error number; EINPROGRESS: nothing yet. */
CH_HIDDEN int ch_request_error(const struct aiocb *);

#endif
