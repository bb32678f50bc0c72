/* What the reactor does while the thread has no ring.
 *
 * A child of fork must not touch its parent's ring, and does not see it (MADV_DONTFORK). When it waits it makes a ring
 * of its own and asks that for everything that is waited for; a child that only ends or calls exec needs none.
 * Operations that were under way belong to the parent: those that only wait are begun anew, and others count as
 * interrupted. Where the kernel refuses a ring, the thread waits by poll(2) and its operations are left to the pool. */
#include "reactor/inbox.h"
#include "frames/interposed.h"
#include "frames/runtime_calls.h"
#include "reactor/times.h"
#include "reactor/uring/uring.h"
#include "sched/child.h"
#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <sys/eventfd.h>
#include <unistd.h>

/* A refused attempt is dear, because the kernel makes the ring before it looks for a descriptor. So the next one is
 * made only after a time, and only if there is a descriptor then. */
static void wait_longer(void) {
  ch_uring.between_attempts = ch_time_until_look(ch_uring.between_attempts);
  ch_uring.next_attempt = ch_monotonic_now() + ch_uring.between_attempts;
}

static bool may_attempt(void) {
  if (ch_uring.why_not == 0)
    return true;
  if (ch_monotonic_now() < ch_uring.next_attempt)
    return false;
  CH_NO_CANCELLATION;
  int fd = eventfd(0, EFD_CLOEXEC);
  if (fd >= 0)
    close(fd);
  else
    wait_longer();
  return fd >= 0;
}

static void interrupted(struct ch_operation *op) {
  ch_operation_unlist(op);
  ch_operation_end(op, -EINTR);
}

static void begin_anew(struct ch_operation *op) {
  if (op->clause.slot >= CH_OPERATION_OWED)
    return;
  if (ch_uring_request(op, CH_ABOUT_OPERATION))
    op->clause.slot += CH_OPERATION_OWED;
  else
    interrupted(op);
}

static void leave_to_parent(struct ch_operation *op) {
  if (!op->request.kind->interrupt || op->clause.slot & CH_OPERATION_CANCELLING)
    interrupted(op);
  else
    op->clause.slot = CH_OPERATION_RING;
}

static void ask_anew(struct ch_poll *p) {
  if (p->expected == 0 && !ch_poll_ask(p))
    ch_poll_fire(p, -ENOMEM);
}

static void forget_answers(struct ch_poll *p) {
  p->cancelling = p->closing = p->entered = false;
  p->expected = 0;
  if (!p->clause)
    ch_poll_give_back(p);
}

/* Calls one of the functions for all that is in flight. Each may take what it is given off its list. */
static void for_all(void (*operation)(struct ch_operation *), void (*on_poll)(struct ch_poll *)) {
  for (int fd = -1; fd < ch_uring.table_size; fd++) {
    for (struct ch_operation *op = ch_uring_at(fd)->operations, *next; op; op = next) {
      next = ch_operation_next(op);
      operation(op);
    }
    for (struct ch_poll *p = ch_uring_at(fd)->polls, *next; p; p = next) {
      next = p->next;
      on_poll(p);
    }
  }
}

static void in_child(void) {
  ch_uring.why_not = 0;
  if (!ch_ring->runs)
    return;
  ch_ring_forget();
  ch_uring.unasked = true;
  ch_uring_drop_backlog();
  ch_uring.in_flight = 0;
  ch_uring.wake_event = 0; /* the inbox registers it again */
  for_all(leave_to_parent, forget_answers);
  ch_inbox_in_child();
}
static void hook(void) { ch_child_hook(in_child); }

bool ch_uring_runs_again(void) {
  if (!may_attempt())
    return false;
  ch_uring.why_not = ch_ring_start();
  if (ch_uring.why_not != 0) {
    wait_longer();
    return false;
  }
  ch_uring.between_attempts = 0;
  static pthread_once_t once = PTHREAD_ONCE_INIT;
  ch_library_once(&once, hook);
  ch_uring.unasked = false;
  for_all(begin_anew, ask_anew);
  return true;
}

/* Leaves all operations to the pool. Returns whether there were any. */
static bool give_operations_up(void) {
  bool any = false;
  for (int fd = -1; fd < ch_uring.table_size; fd++)
    for (struct ch_operation *op; (op = ch_uring_at(fd)->operations); any = true) {
      ch_operation_unlist(op);
      ch_operation_by_thread(op);
    }
  return any;
}

static int wanted_on(int fd) {
  int events = 0;
  for (const struct ch_poll *p = ch_uring.table[fd].polls; p; p = p->next)
    events |= (uint16_t)p->events | POLLERR;
  return events;
}

void ch_uring_poll_without(int64_t deadline) {
  if (give_operations_up())
    deadline = 0;
  ch_reactor_makeshift(deadline, ch_uring.table_size, wanted_on, ch_polls_found);
}
