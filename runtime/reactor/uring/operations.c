/* Operations that the ring carries out: their start, the request to end them, and their result. */
#include "reactor/operation.h"
#include "reactor/readiness_cache.h"
#include "reactor/uring/uring.h"
#include <errno.h>

static void list(struct ch_operation *op) {
  struct ch_operation **first = &ch_uring_at(op->request.fd)->operations;
  op->clause.link = (struct ch_link){(struct ch_link *)*first, NULL};
  if (*first)
    (*first)->clause.link.prev = &op->clause.link;
  *first = op;
}

void ch_operation_unlist(struct ch_operation *op) {
  struct ch_link *next = op->clause.link.next, *prev = op->clause.link.prev;
  if (prev)
    prev->next = next;
  else
    ch_uring_at(op->request.fd)->operations = (struct ch_operation *)next;
  if (next)
    next->prev = prev;
}

bool ch_uring_start(struct ch_operation *op) {
  int saved = errno;
  bool ok = ch_uring_runs() && (op->request.fd < 0 || ch_uring_make_room(op->request.fd)) &&
            ch_uring_request(op, CH_ABOUT_OPERATION);
  if (ok) {
    op->clause.slot = CH_OPERATION_RING | CH_OPERATION_OWED;
    list(op);
    if (op->request.kind->relies_on_cache) {
      op->clause.value = ch_fd_cache_now();
      ch_fd_cache_watch(op->request.fd);
    }
  }
  errno = saved;
  return ok;
}

void ch_uring_cancel(struct ch_operation *op) {
  if (op->clause.slot & CH_OPERATION_ANSWERED)
    return;                                  /* the operation's own completion has come */
  if (op->clause.slot < CH_OPERATION_OWED) { /* in a child of fork whose ring has not been asked yet */
    ch_operation_unlist(op);
    ch_operation_end(op, -ECANCELED);
    return;
  }
  int saved = errno;
  if (ch_uring_request(op, CH_ABOUT_OPERATION_CANCEL))
    op->clause.slot += CH_OPERATION_OWED;
  else
    op->clause.slot &= ~(uint32_t)CH_OPERATION_CANCELLING; /* so that it can be asked for again */
  errno = saved;
}

/* Errors by which the kernel notes that a call was interrupted (ERESTARTSYS and similar ones). Plain calls never return
 * them, but a ring does if its worker was in the middle of opening a FIFO. */
enum { FIRST_RESTART = 512, LAST_RESTART = 516 };

/* The operation ends when all completions that it is owed have come. */
static void one_has_come(struct ch_operation *op) {
  op->clause.slot -= CH_OPERATION_OWED;
  if (CH_UNLIKELY(op->clause.slot >= CH_OPERATION_OWED))
    return;
  ch_operation_unlist(op);
  /* The buffer that the device has written, and the frame of the reader, which runs soon, are in no cache. */
  __builtin_prefetch(op->request.a);
  const struct ch_branch *reader = op->clause.branch;
  if (CH_LIKELY(op->clause.index == CH_ALONE && !(reader->flags & CH_NATIVE) && !ch_is_chain_end(reader->top)))
    __builtin_prefetch(((const struct ch_frame *)reader->top)->parent);
  long result = op->clause.value;
  if (CH_UNLIKELY(result <= -FIRST_RESTART && result >= -LAST_RESTART))
    result = -EINTR;
  if (op->request.kind->receives) {
    if (result >= 0 && (size_t)result < op->request.n)
      ch_fd_cache_not_ready(op->request.fd, CH_IN);
    else
      ch_fd_cache_may_be_ready(op->request.fd, CH_IN);
  }
  /* If a file that is to be polled first cannot be polled it is no socket, but the kernel does not say so. */
  if (CH_UNLIKELY(result == -EAGAIN && op->request.kind->receives) && ch_fd_cache_ask_kind(op->request.fd) != CH_SOCKET)
    result = -ENOTSOCK;
  if (CH_UNLIKELY(op->clause.slot & CH_OPERATION_NO_SOCKET && (result == -ECANCELED || result == -EINTR))) {
    op->clause.slot &= ~(uint32_t)CH_OPERATION_CANCELLING;
    result = -ENOTSOCK;
  }
  if (CH_UNLIKELY(result == -ENOTSOCK && op->request.kind->otherwise)) {
    ch_operation_begin_again(op);
    op->request.kind = op->request.kind->otherwise;
    if (!(op->clause.slot & CH_OPERATION_CANCELLING) && ch_uring_start(op))
      return;
    result = op->clause.slot & CH_OPERATION_CANCELLING ? -ECANCELED : -ENOMEM;
  }
  ch_operation_end(op, result);
}

void ch_uring_operation_answered(struct ch_operation *op, int result) {
  op->clause.value = result;
  op->clause.slot |= CH_OPERATION_ANSWERED;
  one_has_come(op);
}

void ch_uring_cancel_answered(struct ch_operation *op, int result) {
  /* The kernel did not find it, because it was between two of the kernel's queues, or because it runs. */
  if (result < 0 && !(op->clause.slot & CH_OPERATION_ANSWERED))
    ch_operation_cancel_again(op);
  one_has_come(op);
}
