/* The reactor over epoll. A descriptor is registered once, edge-triggered, and stays registered; the readiness cache
 * (readiness_cache.h) tells whether an event can be waited for without a system call.
 *
 * Invariants: 1. table[fd].waiters holds the fd clauses registered for fd; 2. whenever it is not empty, epoll is armed
 * for at least what they want, and has looked at the descriptor since the last time that one of those events may have
 * held, or else the descriptor is `refused`, and `between_looks` is not 0; 3. `waiting` is the number of registered
 * clauses; 4. an event of an earlier `life` of its number is ignored.
 *
 * About 2: an edge-triggered registration reports an event once. An event in `not_ready` did not hold when somebody
 * looked, later than the last report; so its next report is still to come. For all other events the descriptor is armed
 * again (EPOLL_CTL_MOD), and epoll then looks and reports what holds. A registration is lost if code that was not
 * recompiled closes the number and uses it again; the verification of the cache finds that out.
 *
 * About 4: epoll registers an open file description under a number. If the description outlives the number (dup, fork)
 * so does the registration, and nobody can remove it any more. When too many events of such registrations come, a new
 * epoll object replaces this one.
 *
 * A sandbox that the program has entered may refuse the calls that wait in epoll. Then poll(2) is used in their place.
 *
 * Some descriptors epoll refuses although poll(2) takes them: an epoll object of the program's that leads to as many
 * others as the kernel allows (ELOOP), and any descriptor beyond the user's limit of registrations (ENOSPC) or without
 * memory. Those are looked at by poll(2) from time to time (ch_time_until_look). */
#define _GNU_SOURCE
#include "reactor/inbox.h"
#include "frames/interposed.h"
#include "frames/runtime_calls.h"
#include "reactor/readiness_cache.h"
#include "reactor/runtime_descriptors.h"
#include "reactor/reactor.h"
#include "reactor/times.h"
#include "reactor/turns.h"
#include "sched/child.h"
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
  uint32_t armed; /* events that epoll reports, and EPOLLET; 0: epoll does not know the descriptor */
  uint32_t life;  /* how often the number was closed */
  uint32_t round; /* the number of the poll after which it was verified last */
  bool refused;   /* epoll has refused it, and has not been asked again since */
};

enum { MANY_STALE_EVENTS = 1000 };

static __thread int slot = -1; /* the epoll object's (runtime_descriptors.h); -1: there is none */
static __thread struct descriptor *table;
static __thread int table_size;
static __thread unsigned waiting;
static __thread unsigned stale_events; /* how many events came of descriptions whose number is closed */
static __thread uint32_t rounds = 1;   /* how often epoll was asked */
static __thread int wake_event = -1;   /* the slot of the inbox's eventfd */
#define WAKE UINT64_MAX                /* stands in the events of that eventfd */
static __thread int32_t between_looks; /* at the refused ones, in ns; 0: there are none */

static int epoll(void) { return ch_runtime_descriptor(slot); }

static int fd_of(const struct ch_clause *c) { return (int)(intptr_t)c->object; }

static void forget_all(void) {
  if (slot >= 0)
    ch_close_runtime_descriptor(slot);
  slot = -1;
  stale_events = 0;
  for (int i = 0; i < table_size; i++)
    table[i].armed = 0;
}

/* A child of fork inherits the parent's epoll object, but must not use it. It makes one of its own when it waits. */
static void in_child(void) {
  forget_all();
  wake_event = -1; /* the inbox registers it again */
  ch_inbox_in_child();
}

static void hook(void) { ch_child_hook(in_child); }

/* ---- registrations ---- */

/* Only poll's events: epoll has other words in the bits above, such as EPOLLONESHOT. */
static uint32_t wanted_by(const struct ch_clause *c) {
  return (uint16_t)c->value & ~(uint32_t)(POLLERR | POLLHUP | POLLNVAL);
}

/* Whether the program has closed the epoll object by a system call of its own, and perhaps used its number again. The
 * call that finds out has room for no event, so it takes none. */
static bool is_lost(void) {
  int saved = errno;
  bool is = slot >= 0 && (saved == EBADF || saved == EINVAL) && epoll_wait(epoll(), NULL, 1, 0) < 0 &&
            (errno == EBADF || errno == EINVAL);
  errno = saved;
  if (is) {
    ch_forget_runtime_descriptor(slot);
    slot = -1;
  }
  return is;
}

static void start_afresh(void);

static void is_refused(int fd) {
  table[fd].refused = true;
  if (between_looks == 0)
    between_looks = (int32_t)ch_time_until_look(0);
}

/* 0 or -errno. Also 0: there is no epoll object any more (poll_ looks itself then), or it has refused the descriptor.
 * *anew: epoll did not know the descriptor. */
static int arm(int fd, uint32_t wanted, bool *anew) {
  struct descriptor *d = &table[fd];
  d->refused = false;
  if (wanted & EPOLLIN)
    wanted |= EPOLLRDHUP | EPOLLPRI; /* after these a short read means nothing: ch_fd_cache_may_be_ready */
  wanted |= d->armed | EPOLLET;
  struct epoll_event e = {.events = wanted, .data.u64 = (uint64_t)d->life << 32 | (uint32_t)fd};
  int result = epoll_ctl(epoll(), d->armed ? EPOLL_CTL_MOD : EPOLL_CTL_ADD, fd, &e);
  bool lost = result < 0 && errno == ENOENT;
  if (lost) {
    e.data.u64 = (uint64_t)++d->life << 32 | (uint32_t)fd;
    result = epoll_ctl(epoll(), EPOLL_CTL_ADD, fd, &e);
  }
  if (result < 0 && errno == EEXIST)
    result = epoll_ctl(epoll(), EPOLL_CTL_MOD, fd, &e);
  if (CH_UNLIKELY(result < 0 && is_lost())) {
    start_afresh();
    if (slot >= 0)
      return arm(fd, wanted, anew);
    lost = false;
    result = 0;
    wanted = 0;
  }
  if (anew)
    *anew = lost;
  d->armed = result < 0 ? 0 : wanted;
  if (CH_LIKELY(result >= 0))
    return 0;
  if (errno == EPERM || errno == EBADF)
    return -errno;
  is_refused(fd);
  return 0;
}

static int open_epoll(void) {
  static pthread_once_t once = PTHREAD_ONCE_INIT;
  slot = ch_add_runtime_descriptor(epoll_create1(EPOLL_CLOEXEC));
  if (slot < 0)
    return -errno;
  ch_library_once(&once, hook);
  for (int i = 0; i < table_size; i++)
    for (struct ch_link *n = table[i].waiters.next; n != &table[i].waiters; n = n->next)
      if (arm(i, wanted_by((struct ch_clause *)n), NULL) == -EBADF)
        is_refused(i); /* its number was closed meanwhile, which poll(2) tells */
  return 0;
}

static bool make_room(int fd) {
  if (CH_LIKELY(fd < table_size))
    return true;
  int size = ch_fd_table_size(table_size, fd);
  struct descriptor *bigger = size ? calloc((size_t)size, sizeof *bigger) : NULL;
  if (!bigger)
    return errno = size ? ENOMEM : EBADF, false;
  for (int i = 0; i < size; i++) {
    ch_list_init(&bigger[i].waiters);
    if (i >= table_size)
      continue;
    bigger[i].armed = table[i].armed;
    bigger[i].life = table[i].life;
    bigger[i].round = table[i].round;
    bigger[i].refused = table[i].refused;
    if (!ch_list_empty(&table[i].waiters))
      ch_list_take(&bigger[i].waiters, &table[i].waiters);
  }
  free(table);
  table = bigger;
  table_size = size;
  return true;
}

/* Whether epoll knows the descriptor and has reported everything that there is to report at the moment. */
static bool is_sure(int fd, uint32_t wanted) {
  const struct ch_fd_entry *k = ch_fd_entry(fd);
  return k && !k->reused && wanted && (table[fd].armed & wanted) == wanted && !(k->is & CH_SHORT_READS_MISLEAD) &&
         ch_fd_entry_says_not_ready(k, (int)wanted);
}

/* Arms the descriptor if necessary. 0 or -errno. */
static int expect(struct ch_clause *c, int fd) {
  uint32_t wanted = wanted_by(c);
  bool sure = is_sure(fd, wanted);
  int error = sure ? 0 : arm(fd, wanted, NULL);
  if (error)
    return error;
  struct ch_fd_entry *k = ch_fd_entry_make(fd);
  if (!k)
    return -ENOMEM;
  bool call = c->type == &ch_call_clause_type, asked = k->is & CH_JUST_ASKED;
  k->is &= (uint8_t)~CH_JUST_ASKED;
  k->reused = false;
  if (call)
    c->slot = ch_fd_cache_now();
  if (sure || (call && !asked))
    ch_fd_cache_watch(fd);
  return 0;
}

/* Calls stand in the order of their turns. */
static void list(struct ch_clause *c, struct ch_link *waiters) {
  struct ch_link *before = ch_link_prev(waiters);
  while (before != waiters && ch_turn_is_before(c, (struct ch_clause *)before))
    before = ch_link_prev(before);
  ch_list_insert(before->next, &c->link, true);
}

/* What poll always reports of a regular file or a directory, which epoll refuses. Other events never hold there. */
enum { OF_FILES = POLLIN | POLLOUT | POLLRDNORM | POLLWRNORM };

static bool enlist(struct ch_clause *c) {
  int fd = fd_of(c), error = 0;
  if (fd < 0)
    return c->value = -EBADF, true;
  int saved = errno;
  if (!make_room(fd))
    error = -errno;
  if (!error && (slot >= 0 || open_epoll() == 0)) /* without epoll object poll_ looks itself */
    error = expect(c, fd);
  errno = saved;
  if (!error || (error == -EPERM && !(wanted_by(c) & OF_FILES))) {
    list(c, &table[fd].waiters);
    waiting++;
    return false;
  }
  if (error == -EPERM) {
    ch_fd_cache_forget(fd);
    c->value &= ~INT64_C(0xffffffff) | OF_FILES;
  } else {
    c->value = error;
  }
  return true;
}

static void withdraw(struct ch_clause *c) {
  ch_list_remove(&c->link);
  waiting--;
}

/* ---- events ---- */

/* Fires the clauses that wait for these events now. Clauses that a callback registers meanwhile are left out, because
 * for them the events are old. A callback may also move the table. */
static void fire(int fd, int events) {
  struct ch_link before;
  if (ch_list_empty(&table[fd].waiters))
    return;
  ch_list_take(&before, &table[fd].waiters);
  while (!ch_list_empty(&before)) {
    struct ch_clause *c = (struct ch_clause *)before.next;
    int holding = events & ((int)c->value | POLLERR | POLLHUP | POLLNVAL);
    if (holding) {
      waiting--;
      ch_fire(&c->link, ch_turn_with(c, holding));
    } else {
      ch_list_remove(&c->link);
      ch_list_append(&table[fd].waiters, &c->link, true);
    }
  }
}

static void closing(int fd) {
  if (fd < 0 || fd >= table_size)
    return;
  table[fd].armed = 0;
  table[fd].life++;
  fire(fd, POLLNVAL);
}

/* Calls that wait for the descriptor try again. */
static void look_again(int fd) {
  struct ch_link before;
  if (fd < 0 || fd >= table_size || ch_list_empty(&table[fd].waiters))
    return;
  ch_list_take(&before, &table[fd].waiters);
  while (!ch_list_empty(&before)) {
    struct ch_clause *c = (struct ch_clause *)before.next;
    if (c->type == &ch_call_clause_type) {
      waiting--;
      ch_fire(&c->link, ch_turn_with(c, CH_LOOK_AGAIN + ch_fd_cache_waited(c->slot)));
    } else {
      ch_list_remove(&c->link);
      ch_list_append(&table[fd].waiters, &c->link, true);
    }
  }
}

/* Finds out whether it is still the file that was registered, whether no event was missed, and whether a call waits for
 * it without limit. */
static enum ch_verdict verify(int fd) {
  if (fd >= table_size || ch_list_empty(&table[fd].waiters))
    return CH_NOBODY_WAITS;
  uint32_t wanted = 0, by_calls = 0;
  for (struct ch_link *n = table[fd].waiters.next; n != &table[fd].waiters; n = n->next) {
    const struct ch_clause *c = (struct ch_clause *)n;
    wanted |= wanted_by(c);
    if (c->type == &ch_call_clause_type)
      by_calls |= wanted_by(c);
  }
  bool lost;
  table[fd].round = rounds;
  int error = arm(fd, wanted, &lost);
  if (error == -EPERM) { /* it is a regular file now */
    ch_fd_cache_forget(fd);
    fire(fd, (int)wanted & OF_FILES);
    return CH_WAS_WRONG;
  }
  if (error) {
    fire(fd, POLLNVAL);
    return CH_WAS_WRONG;
  }
  if (lost)
    ch_fd_cache_forget(fd);
  if (!lost && (!by_calls || ch_fd_cache_holds(fd, (int)by_calls)))
    return CH_WAS_RIGHT;
  look_again(fd);
  return CH_WAS_WRONG;
}

static int wait_events(struct epoll_event *events, int room, int64_t deadline) {
  if (deadline == 0)
    return epoll_wait(epoll(), events, room, 0);
  int64_t due = ch_fd_cache_due();
  if (due < deadline)
    deadline = due;
  if (deadline == CH_FOREVER)
    return epoll_pwait(epoll(), events, room, -1, ch_inbox_sleep_mask());
  int64_t left = deadline - ch_monotonic_now();
  if (left < 0)
    left = 0;
  static __thread bool has_pwait2 = true; /* since Linux 5.11; Debian 12's valgrind does not know it */
  if (has_pwait2) {
    struct timespec t = ch_timespec_of(left);
    int n = epoll_pwait2(epoll(), events, room, &t, ch_inbox_sleep_mask());
    if (n >= 0 || errno == EINTR || errno == EBADF || errno == EINVAL)
      return n;
    has_pwait2 = false;
  }
  int64_t ms = (left + 999999) / 1000000;
  return epoll_pwait(epoll(), events, room, ms > 1000000 ? 1000000 : (int)ms, ch_inbox_sleep_mask());
}

static void woken(void) {
  uint64_t count;
  if (ch_runtime_read(ch_runtime_descriptor(wake_event), &count, sizeof count) < 0)
    return;
}

static int listen_(int event);

/* open_epoll registers the waiters again. They lose no event, because epoll looks at each descriptor first. If no epoll
 * object can be made now, the next poll tries again. */
static void start_afresh(void) {
  bool lost = slot < 0;
  forget_all();
  if (open_epoll() < 0)
    return;
  if (lost)
    ch_inbox_lost();
  else if (wake_event >= 0)
    listen_(wake_event);
}

static int wanted_on(int fd) {
  uint32_t wanted = 0;
  for (struct ch_link *n = table[fd].waiters.next; n != &table[fd].waiters; n = n->next)
    wanted |= wanted_by((struct ch_clause *)n) | POLLERR;
  return (int)wanted;
}

static void found(int fd, int events) {
  ch_fd_cache_may_be_ready(fd, events);
  fire(fd, events);
}

static int wanted_on_refused(int fd) {
  const int wanted = table[fd].refused ? wanted_on(fd) : 0;
  if (wanted)
    between_looks = 1;
  return wanted;
}
static void look_at_refused(void) {
  const int32_t before = between_looks;
  between_looks = 0; /* until one is found that somebody waits for */
  ch_reactor_makeshift(0, table_size, wanted_on_refused, found);
  if (between_looks != 0)
    between_looks = before;
}
static int64_t until_look(int64_t deadline) {
  between_looks = (int32_t)ch_time_until_look(between_looks);
  const int64_t look = ch_deadline_after(between_looks);
  return look < deadline ? look : deadline;
}

static void poll_(int64_t deadline) {
  if (deadline == 0 && waiting == 0)
    return;
  int saved = errno;
  if (slot < 0 && open_epoll() < 0) {
    ch_reactor_makeshift(deadline, table_size, wanted_on, found);
    errno = saved;
    return;
  }
  struct epoll_event events[256];
  rounds++;
  if (CH_UNLIKELY(between_looks != 0) && deadline != 0)
    deadline = until_look(deadline);
  int n = wait_events(events, 256, deadline);
  if (CH_UNLIKELY(n < 0 && is_lost()))
    start_afresh();
  else if (CH_UNLIKELY(n < 0 && errno != EINTR))
    ch_reactor_makeshift(deadline, table_size, wanted_on, found);
  for (int i = 0; i < n; i++) {
    int fd = (int)(uint32_t)events[i].data.u64;
    if (events[i].data.u64 == WAKE) {
      woken();
    } else if (fd >= table_size || table[fd].life != (uint32_t)(events[i].data.u64 >> 32)) {
      stale_events++;
    } else {
      ch_fd_cache_may_be_ready(fd, (int)events[i].events);
      if (CH_UNLIKELY(table[fd].round == rounds - 1))
        ch_fd_cache_missed(fd); /* unless the event has come only at this moment */
      fire(fd, (int)events[i].events);
    }
  }
  if (CH_UNLIKELY(between_looks != 0))
    look_at_refused();
  ch_fd_cache_verify(verify);
  if (CH_UNLIKELY(stale_events >= MANY_STALE_EVENTS + waiting))
    start_afresh();
  errno = saved;
}

static bool has_news(void) { return false; }
static bool awaits(void) { return waiting > 0; }

static int listen_(int event) {
  if (slot < 0 && (errno = -open_epoll()) != 0)
    return -1;
  struct epoll_event e = {.events = EPOLLIN, .data.u64 = WAKE};
  if (epoll_ctl(epoll(), EPOLL_CTL_ADD, ch_runtime_descriptor(event), &e) < 0)
    return -1;
  wake_event = event;
  return 0;
}

static bool start(struct ch_operation *op) { return (void)op, false; }
static void cancel(struct ch_operation *op) { (void)op; }

static void leave(void) {}

/* Events that the kernel had told when the thread was cancelled are lost. A new epoll object tells them again. */
static void left(void) {
  if (slot >= 0)
    start_afresh();
}

static int rest(void) { return slot < 0 && (errno = -open_epoll()) != 0 ? -1 : epoll(); }

static void end(void) {
  if (slot >= 0)
    ch_close_runtime_descriptor(slot);
  free(table);
  slot = wake_event = -1;
  table = NULL;
  table_size = 0;
}

const struct ch_reactor ch_reactor_epoll = {
    "epoll", ch_monotonic_now, poll_, has_news, awaits, enlist, withdraw, closing, look_again,
    start,   cancel,           end,   listen_,  leave,  left,   rest};
