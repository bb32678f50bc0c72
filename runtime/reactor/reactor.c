/* Chooses the reactor, and does what all reactors have in common. See reactor.h. */
#define _GNU_SOURCE
#include "reactor/reactor.h"
#include "reactor/dns/dns.h"
#include "reactor/turns.h"
#include "reactor/inbox.h"
#include "reactor/readiness_cache.h"
#include "reactor/runtime_descriptors.h"
#include "reactor/operation.h"
#include "reactor/timer.h"
#include "reactor/times.h"
#include "frames/poll_now.h"
#include "frames/runtime_calls.h"
#include "sched/child.h"
#include "wait/several.h"
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

/* ---- which one ---- */

/* This is used until something is waited for, because most short programs never need a ring. */
static const struct ch_reactor undecided;
static bool under_valgrind(void) {
  const char *loaded = getenv("LD_PRELOAD");
  return loaded && strstr(loaded, "/vgpreload_");
}

/* Valgrind lets no other thread run while one waits in a ring. If several threads wait for the first time at once, the
 * first to decide does so for all, even if the kernel gives a ring to only one of them. */
static void decide(void) {
  const struct ch_reactor *before = &undecided;
  bool has_ring = !under_valgrind() && ch_uring_available() == 0;
  bool decides = __atomic_compare_exchange_n(&ch_reactor, &before, has_ring ? &ch_reactor_uring : &ch_reactor_epoll,
                                             false, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST);
  if (CH_UNLIKELY(!decides && has_ring && before != &ch_reactor_uring))
    ch_reactor_uring.end();
}

static bool first_enlist(struct ch_clause *c) { return decide(), ch_reactor->enlist(c); }
static bool first_news(void) { return false; }
static bool first_awaits(void) { return false; }
static void first_withdraw(struct ch_clause *c) { (void)c; }
static void first_closing(int fd) { (void)fd; }
static void first_look_again(int fd) { (void)fd; }
static bool first_start(struct ch_operation *op) { return decide(), ch_reactor->start(op); }
static void first_cancel(struct ch_operation *op) { (void)op; }
static void first_end(void) {}
static int first_listen(int event) { return decide(), ch_reactor->listen(event); }
static void first_leave(void) {}
static void first_left(void) {}
static int first_rest(void) { return decide(), ch_reactor->rest(); }

/* Waits when the domain only waits for time. */
static void first_poll(int64_t deadline) {
  if (deadline == 0)
    return;
  decide();
  (ch_reactor->poll)(deadline);
}

static const struct ch_reactor undecided = {"undecided",      ch_monotonic_now, first_poll,     first_news,
                                            first_awaits,     first_enlist,     first_withdraw, first_closing,
                                            first_look_again, first_start,      first_cancel,   first_end,
                                            first_listen,     first_leave,      first_left,     first_rest};
const struct ch_reactor *ch_reactor = &undecided;

CH_COLD bool ch_reactor_gets_ring(void) {
  if (ch_reactor == &undecided)
    decide();
  return ch_reactor == &ch_reactor_uring && ch_uring_available() == 0;
}

void ch_reactor_choose(void) {
  const struct ch_reactor *all[] = {&ch_reactor_uring, &ch_reactor_epoll, &ch_reactor_simulated};
  const char *name = getenv("CHARCOAL_REACTOR");
  if (!name || !*name)
    return;
  for (size_t i = 0; i < sizeof all / sizeof *all; i++)
    if (strcmp(name, all[i]->name) == 0)
      ch_reactor = all[i];
  if (ch_reactor == &undecided) {
    fprintf(stderr, "charcoal: CHARCOAL_REACTOR='%s' is unknown; use io_uring, epoll or simulated\n", name);
    exit(CH_EXIT_MISUSE);
  }
  int error = ch_reactor == &ch_reactor_uring ? ch_uring_available() : 0;
  if (error) {
    fprintf(stderr,
            "charcoal: CHARCOAL_REACTOR='io_uring' is not possible, the kernel refuses it: %s; use epoll, or allow "
            "io_uring (sysctl kernel.io_uring_disabled=0, and a container's seccomp profile)\n",
            strerror(error));
    exit(CH_EXIT_MISUSE);
  }
}

/* The time between two looks of a domain that lacks a descriptor (ch_time_until_look): how long a wait by poll(2) may
 * last, after which the kernel is asked again for something better, and how long a letter may lie in the inbox if
 * nobody can wake the domain. */
static __thread int64_t between_looks;

CH_COLD void ch_reactor_makeshift(int64_t deadline, int size, int (*wanted)(int fd),
                                  void (*found)(int fd, int events)) {
  nfds_t n = 0;
  int64_t left = ch_time_left(deadline);
  for (int fd = 0; fd < size; fd++)
    n += wanted(fd) != 0;
  struct pollfd *all = malloc((n + 1) * sizeof *all);
  nfds_t used = 0;
  for (int fd = 0; all && fd < size; fd++)
    if (wanted(fd))
      all[used++] = (struct pollfd){.fd = fd, .events = (short)wanted(fd)};
  between_looks = ch_time_until_look(between_looks);
  struct timespec t = ch_timespec_of(left < between_looks ? left : between_looks);
  int r = ppoll(all, used, &t, ch_inbox_sleep_mask());
  if (r > 0)
    between_looks = 0;
  if (r < 0 && errno != EINTR && left > 0) /* there are too many, or no memory: wait and try again */
    ch_runtime_sleep(&t);
  for (nfds_t i = 0; r > 0 && i < used; i++)
    if (all[i].revents)
      found(all[i].fd, all[i].revents);
  free(all);
}

void ch_reactor_leave(void) {
  ch_look_whether_child();
  ch_reactor->leave();
}

void ch_reactor_end(void) {
  ch_look_whether_child();
  ch_dns_end();
  ch_inbox_end();
  ch_reactor->end();
  ch_fd_cache_end();
  ch_timers_end();
}

/* Nothing but a letter or a time can end a sleep of this domain. Where a loop of the program watches the reactor, the
 * reactor is always polled, so that its descriptor does not stay ready. */
static bool waits_for_letters_alone(void) {
  return ch_inbox_of_thread && !ch_domain.watched && !ch_reactor->awaits() && ch_fd_cache_due() == CH_FOREVER;
}

/* Sleeps where there is no descriptor by which a letter could end the sleep. */
static CH_COLD void sleep_deaf(int64_t deadline) {
  const bool is_signalled = ch_inbox_is_signalled();
  between_looks = ch_time_until_look(between_looks);
  if (!is_signalled && ch_time_left(deadline) > between_looks)
    deadline = ch_deadline_after(between_looks);
  (ch_reactor->poll)(ch_inbox_sleeps(false) ? deadline : 0);
  ch_inbox_wakes();
  if (is_signalled)
    ch_inbox_is_signalled_no_more();
}

void ch_reactor_poll(int64_t deadline) {
  ch_look_whether_child();
  if (CH_UNLIKELY(ch_domain.asks_again))
    ch_dns_ask_again();
  bool revived = ch_operations_revive();
  if (ch_inbox_open() || revived)
    deadline = 0;
  const bool rests = deadline != 0 && waits_for_letters_alone();
  if (deadline != 0 && !rests && CH_UNLIKELY(ch_inbox_is_deaf())) {
    sleep_deaf(deadline);
  } else {
    if (deadline != 0 && !ch_inbox_sleeps(rests))
      deadline = 0;
    if (deadline != 0 && rests)
      ch_inbox_rest(deadline);
    else
      (ch_reactor->poll)(deadline);
    ch_inbox_wakes();
  }
  if (ch_inbox_open())
    between_looks = 0;
}

void ch_reactor_left(void) {
  if (ch_inbox_sleep_mask())
    ch_inbox_is_signalled_no_more();
  ch_inbox_wakes();
  ch_reactor->left();
}

int64_t ch_reactor_due(void) {
  int64_t timers = ch_timers_latest(), cache = ch_fd_cache_due();
  return timers < cache ? timers : cache;
}

/* ---- the fd clause ---- */

static int enlist(struct ch_clause *c) {
  ch_look_whether_child();
  return ch_reactor->enlist(c) ? CH_CLAUSE_READY : CH_CLAUSE_LISTED;
}
/* An event that comes now may find nobody who waits, and so not be looked for. */
static bool withdraw(struct ch_clause *c) {
  ch_look_whether_child();
  ch_reactor->withdraw(c);
  ch_fd_cache_forget_readiness((int)(intptr_t)c->object, (int)c->value);
  return true;
}
const struct ch_clause_type ch_fd_clause_type = {
    .what = "descriptor", .by = CH_BY_WORLD, .enlist = enlist, .withdraw = withdraw};
const struct ch_clause_type ch_call_clause_type = {
    .what = "descriptor", .by = CH_BY_WORLD, .enlist = enlist, .withdraw = withdraw};
const struct ch_clause_type ch_timed_call_clause_type = {
    .what = "descriptor", .by = CH_BY_WORLD, .enlist = enlist, .withdraw = withdraw};

__thread struct ch_turns ch_turns;

/* Asks the kernel: what ch_fd_wait returns, or 0. Also 0: the kernel refuses to look, because the process may have no
 * descriptors now, and the reactor will tell. */
static int look_at(int fd, int wanted) {
  struct pollfd p = {.fd = fd, .events = (short)wanted};
  if (fd < 0)
    return -EBADF;
  if (ch_is_marked())
    return -ECANCELED;
  int saved = errno, ready = ch_poll_now(&p, 1);
  errno = saved;
  return ready <= 0 ? 0 : p.revents & POLLNVAL ? -EBADF : p.revents;
}

/* The value with which the clause would be fired now; 0 if nothing has happened. */
static int64_t look_after(const struct ch_clause *c) {
  int ready = ch_reactor == &ch_reactor_simulated ? 0 : look_at((int)(intptr_t)c->object, (int)(uint32_t)c->value);
  return ready > 0 ? ch_turn_with(c, ready) : 0;
}

/* At the end of a limit the kernel looks once more, and so does this: what has come in time counts, although the thread
 * was late to look, because others had the processor. A descriptor that is closed while somebody waits for it is the
 * same error as one that was closed before. */
static intptr_t events(struct ch_clause *all, unsigned selected) {
  int fd = (int)(intptr_t)all[0].object;
  int64_t value = selected == 0 ? all[0].value : look_after(all);
  if (value == 0)
    return 0;
  intptr_t events = (intptr_t)(ch_turn_is_call(all) ? ch_turn_wake(fd, value) : value);
  if (CH_UNLIKELY(events > 0 && events < CH_LOOK_AGAIN && events & POLLNVAL))
    return -EBADF;
  if (events > 0)
    ch_fd_cache_may_be_ready(fd, (int)events);
  return events;
}
static const struct ch_leaf fd_leaf = CH_LEAF_OR("ch_fd_wait", 1, events, -ECANCELED);
static const struct ch_leaf fd_timed_leaf = CH_LEAF_OR("ch_fd_wait", 2, events, -ECANCELED);

struct ch_int_result ch_fd_wait_int(int fd, int wanted, int64_t timeout) CH_INT_NAME(ch_fd_wait);
/* The result of a wait with a limit, if it is known without waiting; otherwise 0. The kernel is asked here, because a
 * short limit may be over before the reactor looks for the first time. */
static int look_before(int fd, int wanted, int64_t timeout) {
  if (ch_reactor == &ch_reactor_simulated || (timeout > 0 && ch_fd_cache_says_not_ready(fd, wanted)))
    return 0;
  return look_at(fd, wanted);
}

struct ch_int_result ch_fd_wait_int(int fd, int wanted, int64_t timeout) {
  if (CH_UNLIKELY(!ch_is_in_branch()))
    return ch_done(-EPERM);
  struct ch_clause c[2] = {ch_fd_clause(fd, wanted)};
  if (timeout == CH_FOREVER)
    return ch_wait_leaf(&fd_leaf, c);
  int ready = look_before(fd, wanted, timeout);
  if (ready)
    return ch_done(ready);
  c[1] = ch_timer_clause(timeout < 0 ? 0 : timeout);
  return ch_wait_leaf(&fd_timed_leaf, c);
}

int ch_fd_wait(int fd, int wanted, int64_t timeout) {
  if (CH_UNLIKELY(!ch_is_in_branch()))
    return -EPERM;
  struct ch_clause c[2] = {ch_fd_clause(fd, wanted)};
  if (timeout == CH_FOREVER)
    return (int)ch_wait_leaf_native(&fd_leaf, c);
  int ready = look_before(fd, wanted, timeout);
  if (ready)
    return ready;
  c[1] = ch_timer_clause(timeout < 0 ? 0 : timeout);
  return (int)ch_wait_leaf_native(&fd_timed_leaf, c);
}

static const struct ch_leaf call_leaf = CH_LEAF_OR("ch_call_wait", 1, events, -ECANCELED);
static const struct ch_leaf timed_call_leaf = CH_LEAF_OR("ch_call_wait", 2, events, -ECANCELED);

/* Fills the clauses of a call, and returns how they are waited for. */
static const struct ch_leaf *call(struct ch_clause c[2], int fd, int wanted, int64_t timeout) {
  const bool timed = timeout != CH_FOREVER;
  c[0] = (struct ch_clause){.type = timed ? &ch_timed_call_clause_type : &ch_call_clause_type,
                            .object = (void *)(intptr_t)fd,
                            .value = ch_turn_take(fd, wanted)};
  if (timed)
    c[1] = ch_timer_clause(timeout);
  return timed ? &timed_call_leaf : &call_leaf;
}

struct ch_int_result ch_call_wait_int(int fd, int wanted, int64_t timeout) CH_INT_NAME(ch_call_wait);
struct ch_int_result ch_call_wait_int(int fd, int wanted, int64_t timeout) {
  if (CH_UNLIKELY(!ch_is_in_branch()))
    return ch_done(-EPERM);
  struct ch_clause c[2];
  return ch_wait_leaf(call(c, fd, wanted, timeout), c);
}

int ch_call_wait(int fd, int wanted, int64_t timeout) {
  if (CH_UNLIKELY(!ch_is_in_branch()))
    return -EPERM;
  struct ch_clause c[2];
  return (int)ch_wait_leaf_native(call(c, fd, wanted, timeout), c);
}

struct ch_wait *ch_poll_wait(const struct pollfd *all, nfds_t n, int64_t deadline) {
  if (n >= CH_ALONE - 1)
    return NULL;
  struct ch_wait *w = malloc(sizeof *w + (n + 1) * sizeof(struct ch_clause));
  if (!w)
    return NULL;
  struct ch_clause *clauses = (struct ch_clause *)(w + 1);
  for (nfds_t i = 0; i < n; i++) {
    if (all[i].fd >= 0)
      ch_fd_cache_not_ready(all[i].fd, all[i].events);
    clauses[i] = all[i].fd < 0 ? ch_never_clause() : ch_fd_clause(all[i].fd, all[i].events);
  }
  if (deadline != CH_FOREVER)
    (void)ch_now();
  clauses[n] = ch_deadline_clause(deadline);
  ch_wait_enter(w, 0, NULL);
  ch_wait_add_all(w, clauses, (unsigned)n + 1);
  return w;
}

int64_t ch_poll_wait_told(const struct ch_wait *w, int selected) {
  return ((const struct ch_clause *)(w + 1))[selected].value;
}

void ch_fd_shut(int fd) {
  ch_look_whether_child();
  ch_reactor->look_again(fd);
}

static void closing(int fd) {
  ch_look_whether_child();
  ch_reactor->closing(fd);
  ch_operations_closing(fd);
  ch_fd_cache_forget(fd);
}

void ch_fd_closing(int fd) {
  if (!ch_is_runtime_descriptor(fd))
    closing(fd);
}

void ch_close_waited_for(int slot) {
  int saved = errno;
  closing(ch_runtime_descriptor(slot));
  ch_close_runtime_descriptor(slot);
  errno = saved;
}
