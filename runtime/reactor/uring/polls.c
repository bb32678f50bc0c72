/* Polls: the waits for descriptors, and which clause is served by which completion. */
#include "frames/poll_now.h"
#include "frames/runtime_calls.h"
#include "reactor/readiness_cache.h"
#include "reactor/turns.h"
#include "reactor/uring/uring.h"
#include <errno.h>
#include <linux/io_uring.h>
#include <poll.h>
#include <string.h>

/* The poll that was registered next after this one, on the same descriptor. */
static struct ch_poll *newer(const struct ch_poll *p) {
  if (p->at == &ch_uring.table[p->fd].polls)
    return NULL;
  return (struct ch_poll *)((char *)p->at - offsetof(struct ch_poll, next));
}

static void list(struct ch_poll *p, struct ch_poll **at) {
  p->at = at;
  p->next = *at;
  if (p->next)
    p->next->at = &p->next;
  else
    ch_uring.table[p->fd].oldest = p;
  *at = p;
}

static void unlist(struct ch_poll *p) {
  if (ch_uring.table[p->fd].oldest == p)
    ch_uring.table[p->fd].oldest = newer(p);
  *p->at = p->next;
  if (p->next)
    p->next->at = p->at;
}

void ch_poll_give_back(struct ch_poll *p) {
  unlist(p);
  p->clause = NULL;
  ch_poll_free(p);
}

/* The call waits because the readiness cache says so, unless the kernel has just been asked. */
static void watch(struct ch_clause *c, int fd) {
  struct ch_fd_entry *k = ch_fd_entry(fd);
  c->slot = ch_fd_cache_now();
  if (k && k->is & CH_JUST_ASKED)
    k->is &= (uint8_t)~CH_JUST_ASKED;
  else
    ch_fd_cache_watch(fd);
}

bool ch_poll_ask(struct ch_poll *p) {
  if (!ch_uring_request(p, CH_ABOUT_POLL))
    return false;
  p->expected = 1;
  return true;
}

bool ch_poll_enlist(struct ch_clause *c) {
  int fd = (int)(intptr_t)c->object;
  if (fd < 0)
    return c->value = -EBADF, true;
  int saved = errno;
  errno = ENOMEM;
  struct ch_poll *p = ch_uring_make_room(fd) ? ch_poll_take() : NULL;
  if (!p) {
    c->value = -errno;
    errno = saved;
    return true;
  }
  bool has_ring = ch_uring_runs(); /* without a ring the reactor looks itself (without_ring.c) */
  *p = (struct ch_poll){.clause = c, .fd = fd, .events = (short)c->value};
  struct ch_poll **at = &ch_uring.table[fd].polls;
  while (*at && (*at)->clause && ch_turn_is_before(c, (*at)->clause))
    at = &(*at)->next;
  list(p, at);
  ch_uring.unasked |= !has_ring;
  if (has_ring && !ch_poll_ask(p)) {
    ch_poll_give_back(p);
    c->value = -ENOMEM;
    errno = saved;
    return true;
  }
  c->link.next = (struct ch_link *)p; /* the clause is on no list, so its link leads to its poll */
  if (c->type == &ch_call_clause_type)
    watch(c, fd);
  errno = saved;
  return false;
}

void ch_poll_cancel(struct ch_poll *p) {
  if (p->cancelling || p->expected == 0)
    return;
  int saved = errno;
  if (ch_uring_request(p, CH_ABOUT_POLL_CANCEL)) {
    p->cancelling = true;
    p->expected++;
  }
  errno = saved;
}

/* A poll that has not been submitted needs no cancellation. So it is with most polls of a wait for several things,
 * which are withdrawn before the domain submits anything. The last entry of the queue is removed; any other is changed
 * to do nothing. False: the kernel has the poll, or it is in the backlog. */
static bool take_back(struct ch_poll *p) {
  struct ch_ring *ring = ch_ring;
  if (p->cancelling || !p->entered || (int)(p->entry - ring->submitted) < 0)
    return false;
  if (p->entry == ring->tail - 1) {
    ring->tail--;
    ch_uring.in_flight--;
    ch_poll_give_back(p);
    return true;
  }
  struct io_uring_sqe *sqe = &ring->sqes[p->entry & ring->sq_mask];
  uint64_t what = sqe->user_data;
  memset(sqe, 0, sizeof *sqe);
  sqe->opcode = IORING_OP_NOP;
  sqe->user_data = what;
  p->cancelling = true;
  return true;
}

void ch_poll_withdraw(struct ch_clause *c) {
  struct ch_poll *p = (struct ch_poll *)c->link.next;
  CH_INVARIANT(p->clause == c, "a registered clause and its poll know each other");
  p->clause = NULL;
  if (p->expected == 0)
    ch_poll_give_back(p);
  else if (!take_back(p))
    ch_poll_cancel(p);
}

void ch_poll_fire(struct ch_poll *p, int64_t value) {
  struct ch_clause *c = p->clause;
  p->clause = NULL;
  if (p->expected == 0)
    ch_poll_give_back(p);
  if (c)
    ch_clause_fired(c, ch_turn_with(c, value));
}

/* A callback may change the list. What it registers is left out, because for that the events are old: a call that is
 * tried in vain waits for the next ones. */
void ch_polls_found(int fd, int events) {
  struct ch_uring_descriptor *d = &ch_uring.table[fd];
  for (struct ch_poll *p = d->polls; p; p = p->next)
    p->found = (short)(events & ((uint16_t)p->events | POLLERR | POLLHUP | POLLNVAL));
  for (struct ch_poll *p = d->polls ? d->oldest : NULL; p;) {
    const int found = (uint16_t)p->found;
    if (!found) {
      p = newer(p);
      continue;
    }
    p->found = 0;
    ch_poll_fire(p, found);
    d = &ch_uring.table[fd];
    p = d->polls ? d->oldest : NULL;
  }
}

/* The kernel completes all polls for the same event, the newest first, but the clause that came first is to be served
 * first. So the two polls exchange their clauses, and the one that stays takes the newer one's place in the list. */
static void serve_oldest(struct ch_poll *p) {
  struct ch_poll *oldest = ch_uring.table[p->fd].oldest;
  if (CH_LIKELY(oldest == p) || !p->clause || p->closing)
    return;
  while (oldest != p && (!oldest->clause || oldest->events != p->events || oldest->cancelling))
    oldest = newer(oldest);
  if (oldest == p)
    return;
  struct ch_clause *served = oldest->clause, *left = p->clause;
  p->clause = served;
  served->link.next = (struct ch_link *)p;
  oldest->clause = left;
  left->link.next = (struct ch_link *)oldest;
  unlist(oldest);
  list(oldest, p->at);
}

/* A ring hears of urgent data only from a wake-up that it also waits for because of something else (Linux 6.18 does):
 * that of sockets is for input of all kinds. Then it takes the wake-up's word for what has happened, although that is
 * said of any input. So the poll asks for a kind of input that sockets never have, and the answer is verified. */
uint32_t ch_poll_beside(const struct ch_poll *p) { return p->events & POLLPRI ? POLLRDBAND : 0; }

/* The events that hold of those that are waited for, and errors. */
static int verified(const struct ch_poll *p) {
  CH_NO_CANCELLATION; /* the completion has been taken from the ring, and must not be lost */
  struct pollfd now = {.fd = p->fd, .events = p->events};
  return ch_poll_now(&now, 1) == 1 ? now.revents : 0;
}

/* Those of the events that the kernel tells for which the poll's clause waits. A ring also tells, unasked, that a
 * socket's peer has ended its side. And it takes a wake-up's word for an error, which is also said of a listener that
 * is shut down, although poll tells none there. */
static int wanted_of(const struct ch_poll *p, int events) {
  return p->events & POLLPRI || events & POLLERR ? verified(p)
                                                 : events & ((uint16_t)p->events | POLLERR | POLLHUP | POLLNVAL);
}

static bool is_waited_for(const struct ch_poll *p) { return p->clause && !p->closing && !p->cancelling; }

/* Its clause is told what it waits for. The readiness cache, which is behind calls, also learns that the peer's side
 * has ended: after that a short read means nothing. */
static void tell(struct ch_poll *p, int events, int wanted) {
  serve_oldest(p);
  ch_poll_fire(p, p->clause->type == &ch_fd_clause_type ? wanted : wanted | (events & POLLRDHUP));
}

void ch_poll_answered(struct ch_poll *p, int result) {
  p->expected--;
  if (CH_UNLIKELY(result == -EINVAL) && p->clause && !p->closing && !p->goes_on)
    return; /* a regular file never has such events: the clause waits on, without a request */
  if (CH_LIKELY(result > 0) && is_waited_for(p)) {
    const int wanted = wanted_of(p, result);
    if (CH_LIKELY(wanted != 0)) {
      tell(p, result, wanted);
      return;
    }
    p->goes_on = true;
    if (ch_poll_ask(p))
      return;
    result = -ENOMEM;
  }
  serve_oldest(p);
  ch_poll_fire(p, result);
}

/* What a ring tells unasked may hold for as long as the connection lasts, and every further request would be answered
 * at once because of that. So after an answer in which nothing is wanted the kernel is asked for all that comes. */
void ch_poll_told(struct ch_poll *p, int events) {
  const int wanted = is_waited_for(p) ? wanted_of(p, events) : 0;
  if (wanted || !p->clause)
    ch_poll_cancel(p);
  if (wanted)
    tell(p, events, wanted);
}

void ch_poll_cancel_answered(struct ch_poll *p, int result) {
  if (--p->expected == 0) {
    ch_poll_give_back(p);
  } else if (result == -EALREADY) {
    /* The kernel was about to look whether an event holds. If it does not hold any more, the poll goes on. */
    p->cancelling = false;
    ch_poll_cancel(p);
  }
}

bool ch_uring_is_awaited(int fd) {
  if (fd < 0 || fd >= ch_uring.table_size)
    return false;
  for (const struct ch_poll *p = ch_uring.table[fd].polls; p; p = p->next)
    if (p->clause && p->events & POLLIN)
      return true;
  for (const struct ch_operation *op = ch_uring.table[fd].operations; op; op = ch_operation_next(op))
    if (op->request.kind->receives)
      return true;
  return false;
}
