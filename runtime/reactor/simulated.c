/* The simulated reactor never asks the kernel about descriptors and has virtual time, which stands still while anything
 * can run. Read it before the other reactors.
 *
 * An activity that asks again and again whether something has happened can always run. So once this thread has used
 * its processor for a second since time has moved, time moves all the same, to the next event or deadline; and
 * sooner the next time, unless all activities have waited in between.
 */
#include "reactor/simulated.h"
#include "reactor/inbox.h"
#include "reactor/reactor.h"
#include "reactor/timer.h"
#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

struct event {
  struct event *next;
  int64_t at;
  int fd, events;
};

static struct event *script; /* in no order */
static int64_t clock_now;
static struct ch_link waiters;

/* After how much work of the processor, in nanoseconds, time moves while an activity can run. */
static const int64_t longest_limit = 1000000000, shortest_limit = 100000;
static int64_t work_limit;    /* 0: all activities have waited at the last move of time, and nobody has looked since */
static int64_t worked_before; /* when time has moved last, if work_limit > 0 */
enum { LOOKS_PER_QUESTION = 64 };

void ch_simulated_event(int64_t at, int fd, int events) {
  struct event *e = malloc(sizeof *e);
  if (!e)
    abort();
  *e = (struct event){script, at, fd, events};
  script = e;
}

void ch_simulated_clear(int fd) {
  for (struct event **e = &script; *e;)
    if ((*e)->fd == fd) {
      struct event *gone = *e;
      *e = gone->next;
      free(gone);
    } else {
      e = &(*e)->next;
    }
}

static int64_t now(void) { return clock_now; }
static int fd_of(const struct ch_clause *c) { return (int)(intptr_t)c->object; }

static int holding(const struct ch_clause *c) {
  int events = 0;
  for (struct event *e = script; e; e = e->next)
    if (e->fd == fd_of(c) && e->at <= clock_now)
      events |= e->events;
  return events & ((int)c->value | POLLERR | POLLHUP | POLLNVAL);
}

static void fire_ready(void) {
  for (;;) {
    struct ch_link *n = waiters.next;
    while (n && n != &waiters && !holding((struct ch_clause *)n))
      n = n->next;
    if (!n || n == &waiters)
      return;
    ch_fire(n, holding((struct ch_clause *)n));
  }
}

/* Work of other threads takes no time on the simulated clock, which stands still until they have answered. */
static bool waits_for_threads(void) {
  if (ch_inbox_expected == 0)
    return false;
  struct pollfd p = {.fd = ch_inbox_descriptor(), .events = POLLIN};
  uint64_t count;
  if (p.fd < 0) /* there is no descriptor that could wake us */
    poll(NULL, 0, 1);
  else if (poll(&p, 1, -1) > 0 && read(p.fd, &count, sizeof count) < 0)
    return false;
  return true;
}

/* What comes first: an event that somebody waits for, or the deadline. */
static int64_t first_until(int64_t deadline) {
  int64_t next = deadline;
  for (struct ch_link *n = waiters.next; n && n != &waiters; n = n->next)
    for (struct event *e = script; e; e = e->next)
      if (e->fd == fd_of((struct ch_clause *)n) && e->events & ((struct ch_clause *)n)->value && e->at < next)
        next = e->at;
  return next;
}

/* The work of this thread. */
static int64_t worked(void) {
  struct timespec t;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
  return t.tv_sec * INT64_C(1000000000) + t.tv_nsec;
}

static void move_to(int64_t time) {
  if (time > clock_now)
    clock_now = time;
  fire_ready();
}

/* An activity can run. */
static void look(void) {
  static unsigned looks;
  fire_ready();
  if ((++looks % LOOKS_PER_QUESTION != 0 && !ch_tls.slice_over) || ch_inbox_expected != 0)
    return;
  int64_t next = first_until(ch_timers_next()), work = worked();
  if (work_limit == 0) {
    work_limit = longest_limit;
    worked_before = work;
  }
  if (next == CH_FOREVER || work - worked_before < work_limit)
    return;
  move_to(next);
  worked_before = work;
  work_limit = work_limit / 4 > shortest_limit ? work_limit / 4 : shortest_limit;
}

static void poll_(int64_t deadline) {
  if (deadline == 0) {
    look();
    return;
  }
  if (waits_for_threads())
    return;
  int64_t next = first_until(deadline);
  if (next == CH_FOREVER)
    ch_deadlock(ch_domain.group, "the simulated world has no more events");
  move_to(next);
  work_limit = 0;
}

static bool enlist(struct ch_clause *c) {
  if (fd_of(c) < 0)
    return c->value = -EBADF, true;
  int events = holding(c);
  if (events)
    return c->value = events, true;
  ch_list_append(&waiters, &c->link, true);
  return false;
}
static void withdraw(struct ch_clause *c) { ch_list_remove(&c->link); }
static void closing(int fd) {
  for (struct ch_link *n = waiters.next; n && n != &waiters;) {
    struct ch_clause *c = (struct ch_clause *)n;
    n = n->next;
    if (fd_of(c) == fd) {
      ch_fire(&c->link, POLLNVAL);
      n = waiters.next;
    }
  }
}

static bool awaits(void) { return true; }
static void look_again(int fd) { (void)fd; }
static bool start(struct ch_operation *op) { return (void)op, false; }
static void cancel(struct ch_operation *op) { (void)op; }
static int listen_(int event) { return (void)event, 0; }
static int rest(void) { return errno = ENOTSUP, -1; }

static void end(void) {}
static void leave(void) {}
static void left(void) {}

const struct ch_reactor ch_reactor_simulated = {"simulated", now,   poll_,  NULL, awaits,  enlist, withdraw, closing,
                                                look_again,  start, cancel, end,  listen_, leave,  left,     rest};
