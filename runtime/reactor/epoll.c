/* The reactor over epoll. Each wait arms its descriptor once (EPOLLONESHOT), so that a descriptor which was closed,
 * reused or duplicated behind our back costs at most a spurious look, never a missed event.
 *
 * Invariants: 1. table[fd].waiters holds the fd clauses registered for fd; 2. whenever it is not empty, epoll is armed
 * for at least what they want; 3. `waiting` is the number of registered clauses. */
#define _GNU_SOURCE
#include "reactor/inbox.h"
#include "reactor/reactor.h"
#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <time.h>
#include <unistd.h>

struct descriptor {
  struct ch_link waiters;
  uint32_t armed; /* events that epoll will report; 0: none, or not known to epoll */
  bool known;     /* we have added it, and have not seen it closed */
};

static __thread int epoll = -1;
static __thread struct descriptor *table;
static __thread int table_size;
static __thread unsigned waiting;
static __thread int wake_event = -1;

static int64_t now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return t.tv_sec * INT64_C(1000000000) + t.tv_nsec;
}

static int fd_of(const struct ch_clause *c) { return (int)(intptr_t)c->object; }

/* A child of fork shares the parent's epoll object, and must not: it makes its own at its first wait. */
static void in_child(void) {
  if (epoll >= 0)
    close(epoll);
  epoll = -1;
  wake_event = -1; /* the inbox comes again */
  for (int i = 0; i < table_size; i++)
    table[i].armed = 0, table[i].known = false;
  ch_inbox_in_child();
}

static void hook(void) { pthread_atfork(NULL, NULL, in_child); }

static int arm(int fd);

static int open_epoll(void) {
  static pthread_once_t once = PTHREAD_ONCE_INIT;
  epoll = epoll_create1(EPOLL_CLOEXEC);
  if (epoll < 0)
    return -errno;
  pthread_once(&once, hook);
  for (int i = 0; i < table_size; i++)
    if (!ch_list_empty(&table[i].waiters))
      arm(i);
  return 0;
}

static int arm(int fd) {
  struct descriptor *d = &table[fd];
  uint32_t wanted = 0;
  for (struct ch_link *n = d->waiters.next; n != &d->waiters; n = n->next)
    wanted |= (uint32_t)((struct ch_clause *)n)->value & ~(uint32_t)(POLLERR | POLLHUP | POLLNVAL);
  struct epoll_event e = {.events = wanted | EPOLLONESHOT, .data.fd = fd};
  int result = epoll_ctl(epoll, d->known ? EPOLL_CTL_MOD : EPOLL_CTL_ADD, fd, &e);
  if (result < 0 && errno == ENOENT)
    result = epoll_ctl(epoll, EPOLL_CTL_ADD, fd, &e);
  if (result < 0 && errno == EEXIST)
    result = epoll_ctl(epoll, EPOLL_CTL_MOD, fd, &e);
  if (result < 0)
    return -errno;
  d->known = true;
  d->armed = wanted;
  return 0;
}

static bool make_room(int fd) {
  if (fd < table_size)
    return true;
  int size = table_size ? table_size : 64;
  while (size <= fd)
    size *= 2;
  struct descriptor *bigger = calloc((size_t)size, sizeof *bigger);
  if (!bigger)
    return false;
  for (int i = 0; i < size; i++) {
    ch_list_init(&bigger[i].waiters);
    if (i >= table_size)
      continue;
    bigger[i].armed = table[i].armed;
    bigger[i].known = table[i].known;
    if (!ch_list_empty(&table[i].waiters))
      ch_list_take(&bigger[i].waiters, &table[i].waiters);
  }
  free(table);
  table = bigger;
  table_size = size;
  return true;
}

static bool enlist(struct ch_clause *c) {
  int fd = fd_of(c), error = 0;
  if (fd < 0)
    return c->value = -EBADF, true;
  int saved = errno;
  if (epoll < 0)
    error = open_epoll();
  if (!error && !make_room(fd))
    error = -ENOMEM;
  if (!error) {
    ch_list_append(&table[fd].waiters, &c->link, true);
    waiting++;
    error = arm(fd);
    if (error) {
      ch_list_remove(&c->link);
      waiting--;
    }
  }
  errno = saved;
  if (!error)
    return false;
  /* A regular file or directory: epoll refuses it, poll calls it always ready. */
  if (error != -EPERM)
    c->value = error;
  return true;
}

static void withdraw(struct ch_clause *c) {
  ch_list_remove(&c->link);
  waiting--;
}

/* Fires those who wait for these events now: not those whom a callback registers meanwhile, for whom the events are
 * old. A callback may also move the table. */
static void fire(int fd, int events) {
  struct ch_link before;
  ch_list_take(&before, &table[fd].waiters);
  while (!ch_list_empty(&before)) {
    struct ch_clause *c = (struct ch_clause *)before.next;
    int holding = events & ((int)c->value | POLLERR | POLLHUP | POLLNVAL);
    if (holding) {
      waiting--;
      ch_fire(&c->link, holding);
    } else {
      ch_list_remove(&c->link);
      ch_list_append(&table[fd].waiters, &c->link, true);
    }
  }
}

static void closing(int fd) {
  if (fd < 0 || fd >= table_size)
    return;
  table[fd].known = false;
  table[fd].armed = 0;
  fire(fd, POLLNVAL);
}

static int wait_events(struct epoll_event *events, int room, int64_t deadline) {
  if (deadline == 0)
    return epoll_wait(epoll, events, room, 0);
  if (deadline == CH_FOREVER)
    return epoll_wait(epoll, events, room, -1);
  int64_t left = deadline - now();
  if (left < 0)
    left = 0;
  static __thread bool has_pwait2 = true; /* Linux 5.11; valgrind of Debian 12 does not know it */
  if (has_pwait2) {
    struct timespec t = {left / 1000000000, left % 1000000000};
    int n = epoll_pwait2(epoll, events, room, &t, NULL);
    if (n >= 0 || (errno != ENOSYS && errno != EPERM))
      return n;
    has_pwait2 = false;
  }
  int64_t ms = (left + 999999) / 1000000;
  return epoll_wait(epoll, events, room, ms > 1000000 ? 1000000 : (int)ms);
}

static void poll_(int64_t deadline) {
  if (deadline == 0 && waiting == 0)
    return;
  int saved = errno;
  if (epoll < 0 && open_epoll() < 0) {
    fprintf(stderr, "charcoal: no epoll object: %s\n", strerror(errno));
    abort();
  }
  struct epoll_event events[256];
  int n = wait_events(events, 256, deadline);
  for (int i = 0; i < n; i++) {
    int fd = events[i].data.fd;
    if (fd == wake_event) {
      uint64_t count;
      if (read(fd, &count, sizeof count) < 0)
        continue;
    }
    if (fd == wake_event || fd >= table_size)
      continue;
    table[fd].armed = 0;
    fire(fd, (int)events[i].events);
    if (!ch_list_empty(&table[fd].waiters) && arm(fd) < 0)
      fire(fd, POLLNVAL);
  }
  errno = saved;
}

static int listen_(int event) {
  if (epoll < 0 && (errno = -open_epoll()) != 0)
    return -1;
  struct epoll_event e = {.events = EPOLLIN, .data.fd = event};
  if (epoll_ctl(epoll, EPOLL_CTL_ADD, event, &e) < 0)
    return -1;
  wake_event = event;
  return 0;
}

static bool start(struct ch_operation *op) { return (void)op, false; }
static void cancel(struct ch_operation *op) { (void)op; }

static void end(void) {
  if (epoll >= 0)
    close(epoll);
  free(table);
  epoll = wake_event = -1;
  table = NULL;
  table_size = 0;
}

const struct ch_reactor ch_reactor_epoll = {"epoll", now,   poll_,  enlist, withdraw,
                                            closing, start, cancel, end,    listen_};
