/* The reactor over io_uring (uring.h): the table of descriptors, completions, and the functions of struct ch_reactor.
 */
#include "reactor/uring/uring.h"
#include "frames/runtime_calls.h"
#include "reactor/operation.h"
#include "reactor/readiness_cache.h"
#include "reactor/reactor.h"
#include "reactor/runtime_descriptors.h"
#include "reactor/times.h"
#include <errno.h>
#include <linux/io_uring.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define ring (*ch_ring)
__thread struct ch_uring ch_uring;

bool ch_uring_enlarge(int fd) {
  struct ch_uring *u = &ch_uring;
  int size = ch_fd_table_size(u->table_size, fd);
  struct ch_uring_descriptor *bigger = size ? realloc(u->table, (size_t)size * sizeof *bigger) : NULL;
  if (!bigger)
    return errno = size ? ENOMEM : EBADF, false;
  memset(bigger + u->table_size, 0, (size_t)(size - u->table_size) * sizeof *bigger);
  for (int i = 0; i < u->table_size; i++) {
    if (bigger[i].polls)
      bigger[i].polls->at = &bigger[i].polls;
  }
  u->table = bigger;
  u->table_size = size;
  ch_fd_entry_make(fd); /* close_range calls `closing` for the descriptors in that table */
  return true;
}

/* ---- completions ---- */

static void woken(void) {
  uint64_t count;
  ssize_t size =
      ch_uring.wake_event ? ch_runtime_read(ch_runtime_descriptor(ch_uring.wake_event - 1), &count, sizeof count) : 0;
  (void)size; /* the letters are looked at in any case */
  ch_uring_request(NULL, CH_ABOUT_WAKE);
}

static void answered(uint64_t what, int result, bool goes_on) {
  void *target = (void *)(uintptr_t)(what & ~(uint64_t)CH_ABOUT_MASK);
  enum ch_uring_about about = what & CH_ABOUT_MASK;
  if (CH_UNLIKELY(goes_on)) { /* only polls do */
    ch_poll_told(target, result);
    return;
  }
  ch_uring.in_flight -= about != CH_ABOUT_WAKE;
  switch (about) {
  case CH_ABOUT_POLL:
    ch_poll_answered(target, result);
    break;
  case CH_ABOUT_POLL_CANCEL:
    ch_poll_cancel_answered(target, result);
    break;
  case CH_ABOUT_OPERATION:
    ch_uring_operation_answered(target, result);
    break;
  case CH_ABOUT_OPERATION_CANCEL:
    ch_uring_cancel_answered(target, result);
    break;
  case CH_ABOUT_WAKE:
    woken();
    break;
  }
}

/* The next operations lie in frames that are not in the cache, and neither are their branches. `left` is the number of
 * completions after this one. */
static inline void fetch_ahead(unsigned head, unsigned left) {
  if (left >= 3) {
    const char *third =
        (const char *)(uintptr_t)(ring.cqes[(head + 3) & ring.cq_mask].user_data & ~(uint64_t)CH_ABOUT_MASK);
    __builtin_prefetch(third);
    __builtin_prefetch(third + 64);
  }
  uint64_t next = ring.cqes[(head + 1) & ring.cq_mask].user_data;
  if (left >= 1 && (next & CH_ABOUT_MASK) == CH_ABOUT_OPERATION)
    __builtin_prefetch(((const struct ch_operation *)(uintptr_t)next)->clause.branch);
}

/* Each entry is read and handed back before its callback is called, so a callback may make requests. What is answered
 * meanwhile is left for the next time: a cancellation that is made again is refused again until the kernel has been
 * entered for events. */
static void take_completions(void) {
  unsigned tail = __atomic_load_n(ring.cq_tail, __ATOMIC_ACQUIRE);
  for (;;) {
    unsigned head = *ring.cq_head;
    if ((int)(tail - head) <= 0)
      return;
    struct io_uring_cqe cqe = ring.cqes[head & ring.cq_mask];
    fetch_ahead(head, tail - head - 1);
    __atomic_store_n(ring.cq_head, head + 1, __ATOMIC_RELEASE);
    answered(cqe.user_data, cqe.res, (cqe.flags & IORING_CQE_F_MORE) != 0);
  }
}

static bool has_news(void) { return ring.runs && ch_ring_has_news(); }

/* Without a ring, as long as it is not sure that there is nothing. */
static bool awaits(void) { return ring.runs ? ch_uring.in_flight > 0 || ch_uring_has_backlog() : ch_uring.unasked; }

static void poll_(int64_t deadline) {
  int saved = errno;
  if (CH_UNLIKELY(!ring.runs)) {
    if (deadline == 0 && !ch_uring.unasked)
      return;
    if (!ch_uring_runs()) {
      ch_uring_poll_without(deadline);
      errno = saved;
      return;
    }
  }
  if (CH_UNLIKELY(ring.told))
    ch_ring_was_told();
  ch_uring_drain_backlog();
  bool ready = ch_ring_has_completions();
  if (deadline == 0 || ready) {
    if (ch_ring_unsubmitted() || ch_ring_wishes())
      ch_ring_submit(0, IORING_ENTER_GETEVENTS, -1);
  } else {
    int64_t timeout = -1, due = ch_fd_cache_due();
    if (due < deadline)
      deadline = due;
    if (deadline != CH_FOREVER) {
      timeout = deadline - ch_monotonic_now();
      if (timeout < 0)
        timeout = 0;
    }
    if (ch_uring_has_backlog() && (timeout < 0 || timeout > 1000000))
      timeout = 1000000; /* the kernel has no room for the backlog now, but may have soon */
    ch_ring_submit(1, IORING_ENTER_GETEVENTS, timeout);
  }
  take_completions();
  ch_fd_cache_verify(ch_uring_verify);
  errno = saved;
}

/* ---- waiting elsewhere ---- */

static int rest(void) {
  if (!ch_uring_runs())
    return errno = ch_uring.why_not, -1;
  if (CH_UNLIKELY(!ring.told) && ch_ring_get_told() < 0)
    return -1;
  ch_uring_drain_backlog();
  if (ch_ring_unsubmitted())
    ch_ring_submit(0, 0, -1);
  ch_ring_get_told_again();
  return ch_ring_teller();
}

/* Whether an operation on it is being ended because it is closed. */
static bool is_held(int fd) {
  for (struct ch_operation *op = ch_uring.table[fd].operations; op; op = ch_operation_next(op))
    if (op->clause.slot & CH_OPERATION_CLOSED)
      return true;
  return false;
}

/* The kernel holds a file as long as it polls it, so the polls and operations are cancelled first. A cancellation is
 * mostly answered at once. */
static void closing(int fd) {
  if (fd < 0 || fd >= ch_uring.table_size || (!ch_uring.table[fd].polls && !ch_uring.table[fd].operations))
    return;
  int saved = errno;
  for (struct ch_operation *op = ch_uring.table[fd].operations, *next; op; op = next) {
    next = ch_operation_next(op);
    if (op->request.kind->closes) {
      op->clause.slot |= CH_OPERATION_CLOSED;
      ch_operation_cancel(op);
    }
  }
  for (struct ch_poll *p = ch_uring.table[fd].polls; p; p = p->next) {
    p->closing = true;
    ch_poll_cancel(p);
  }
  /* After each call the loop begins again, because a callback may change the list. */
  for (struct ch_poll *p = ch_uring.table[fd].polls; p;)
    if (p->closing && p->clause) {
      ch_poll_fire(p, POLLNVAL);
      p = ch_uring.table[fd].polls;
    } else {
      p = p->next;
    }
  for (int tries = 0; ring.runs && (ch_uring.table[fd].polls || is_held(fd)) && tries < 1000; tries++) {
    ch_uring_drain_backlog();
    ch_ring_submit(0, IORING_ENTER_GETEVENTS, -1);
    take_completions();
  }
  errno = saved;
}

static int listen_(int event) {
  if (!ch_uring_runs())
    return -1;
  ch_uring.wake_event = event + 1;
  return ch_uring_request(NULL, CH_ABOUT_WAKE) ? 0 : (errno = ENOMEM, -1);
}

/* The kernel lets go of the files some time after the process has ended, and until then a port that is listened on is
 * in use. So everything is cancelled before the end, without calling anybody. */
static void leave(void) {
  if (!ring.runs)
    return;
  for (int fd = -1; fd < ch_uring.table_size; fd++) {
    for (struct ch_poll *p = ch_uring_at(fd)->polls; p; p = p->next)
      ch_poll_cancel(p);
    for (struct ch_operation *op = ch_uring_at(fd)->operations; op; op = ch_operation_next(op))
      if (!(op->clause.slot & CH_OPERATION_CANCELLING))
        ch_uring_request(op, CH_ABOUT_OPERATION_CANCEL);
  }
  for (int tries = 0; ch_uring.in_flight > 0 && tries < 1000; tries++) {
    ch_uring_drain_backlog();
    ch_ring_submit(0, IORING_ENTER_GETEVENTS, -1);
    unsigned head = *ring.cq_head, tail = __atomic_load_n(ring.cq_tail, __ATOMIC_ACQUIRE);
    for (; head != tail; head++) {
      struct io_uring_cqe answer = ring.cqes[head & ring.cq_mask];
      enum ch_uring_about about = answer.user_data & CH_ABOUT_MASK;
      ch_uring.in_flight -= about != CH_ABOUT_WAKE && !(answer.flags & IORING_CQE_F_MORE);
      if (about == CH_ABOUT_POLL_CANCEL && answer.res == -EALREADY)
        ch_uring_request((void *)(uintptr_t)(answer.user_data & ~(uint64_t)CH_ABOUT_MASK), about);
    }
    __atomic_store_n(ring.cq_head, head, __ATOMIC_RELEASE);
  }
  ch_ring_stop();
}

static void end(void) {
  ch_ring_end();
  ch_polls_end();
  ch_uring_drop_backlog();
  free(ch_uring.table);
  ch_uring = (struct ch_uring){0};
}

/* This is called during the first call that waits, so it keeps errno: a refusal is no result of that call. */
int ch_uring_available(void) {
  if (CH_LIKELY(ring.runs))
    return 0;
  int saved = errno, error = ch_uring_runs_again() ? 0 : ch_uring.why_not;
  errno = saved;
  return error;
}

bool ch_reactor_has_ring(void) {
  const struct ch_reactor *r = ch_reactor;
  return r != &ch_reactor_epoll && (CH_LIKELY(ring.runs && r == &ch_reactor_uring) || ch_reactor_gets_ring());
}

const struct ch_reactor ch_reactor_uring = {
    .name = "io_uring",
    .now = ch_monotonic_now,
    .poll = poll_,
    .has_news = has_news,
    .awaits = awaits,
    .enlist = ch_poll_enlist,
    .withdraw = ch_poll_withdraw,
    .closing = closing,
    .look_again = ch_uring_look_again,
    .start = ch_uring_start,
    .cancel = ch_uring_cancel,
    .end = end,
    .listen = listen_,
    .leave = leave,
    .left = ch_ring_left,
    .rest = rest,
};
