/* What is asked of the kernel: the entries of the submission queue, and the backlog of requests for which it had no
 * room. Requests are made in the order of their asking. */
#include "reactor/runtime_descriptors.h"
#include "reactor/uring/uring.h"
#include <linux/io_uring.h>
#include <poll.h>
#include <stdlib.h>

/* A request for which there was no room, in a list in their order. */
struct late {
  struct late *next;
  uint64_t what; /* as in user_data */
};
static __thread struct late *backlog, **backlog_end; /* backlog_end is valid if the backlog is not empty */

static inline __attribute__((always_inline)) bool put(uint64_t what) {
  struct io_uring_sqe *sqe = ch_ring_room();
  if (!sqe)
    return false;
  uint64_t target = what & ~(uint64_t)CH_ABOUT_MASK;
  switch ((enum ch_uring_about)(what & CH_ABOUT_MASK)) {
  case CH_ABOUT_POLL: {
    struct ch_poll *p = (struct ch_poll *)(uintptr_t)target;
    p->entered = true;
    p->entry = ch_ring->tail;
    sqe->opcode = IORING_OP_POLL_ADD;
    sqe->fd = p->fd;
    sqe->poll32_events = (uint32_t)(uint16_t)p->events | ch_poll_beside(p);
    sqe->len = p->goes_on ? IORING_POLL_ADD_MULTI : 0;
    break;
  }
  case CH_ABOUT_POLL_CANCEL:
    sqe->opcode = IORING_OP_POLL_REMOVE;
    sqe->fd = -1;
    sqe->addr = target | CH_ABOUT_POLL;
    break;
  case CH_ABOUT_OPERATION: {
    const struct ch_operation *op = (struct ch_operation *)(uintptr_t)target;
    op->request.kind->prepare(&op->request, sqe);
    break;
  }
  case CH_ABOUT_OPERATION_CANCEL:
    sqe->opcode = IORING_OP_ASYNC_CANCEL;
    sqe->fd = -1;
    sqe->addr = target | CH_ABOUT_OPERATION;
    break;
  case CH_ABOUT_WAKE:
    sqe->opcode = IORING_OP_POLL_ADD;
    sqe->fd = ch_runtime_descriptor(ch_uring.wake_event - 1);
    sqe->poll32_events = POLLIN;
    break;
  }
  sqe->user_data = what;
  ch_ring->tail++;
  return true;
}

bool ch_uring_has_backlog(void) { return backlog != NULL; }

static void forget_first(void) {
  struct late *gone = backlog;
  backlog = gone->next;
  free(gone);
}

void ch_uring_drain_backlog(void) {
  while (backlog && put(backlog->what))
    forget_first();
}

void ch_uring_drop_backlog(void) {
  while (backlog)
    forget_first();
}

static __attribute__((noinline)) bool put_later(uint64_t what) {
  struct late *l = malloc(sizeof *l);
  if (!l)
    return false;
  *l = (struct late){NULL, what};
  *(backlog ? backlog_end : &backlog) = l;
  backlog_end = &l->next;
  return true;
}

bool ch_uring_request(const void *target, enum ch_uring_about about) {
  uint64_t what = (uint64_t)(uintptr_t)target | about;
  if (CH_UNLIKELY(backlog != NULL) || !put(what))
    if (!put_later(what))
      return false;
  ch_uring.in_flight += about != CH_ABOUT_WAKE;
  return true;
}
