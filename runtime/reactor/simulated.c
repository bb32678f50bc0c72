/* The simulated reactor makes no system calls and has virtual time, which stands still while anything can run. Read it
 * before the other reactors. */
#include "reactor/simulated.h"
#include "reactor/inbox.h"
#include "reactor/reactor.h"
#include "reactor/timer.h"
#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <unistd.h>

struct event {
  struct event *next;
  int64_t at;
  int fd, events;
};

static struct event *script; /* in no order */
static int64_t clock_now;
static struct ch_link waiters;

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

static void poll_(int64_t deadline) {
  if (deadline != 0 && waits_for_threads())
    return;
  /* What comes first is an event that somebody waits for, or the deadline. */
  int64_t next = deadline;
  for (struct ch_link *n = waiters.next; n && n != &waiters; n = n->next)
    for (struct event *e = script; e; e = e->next)
      if (e->fd == fd_of((struct ch_clause *)n) && e->events & ((struct ch_clause *)n)->value && e->at < next)
        next = e->at;
  if (next == CH_FOREVER)
    ch_deadlock(ch_domain.group, "the simulated world has no more events");
  if (next > clock_now)
    clock_now = next;
  fire_ready();
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

const struct ch_reactor ch_reactor_simulated = {"simulated", now,   poll_,  NULL, awaits,  enlist, withdraw, closing,
                                                look_again,  start, cancel, end,  listen_, leave,  rest};
