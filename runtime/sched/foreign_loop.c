/* A domain that the event loop of another library drives (charcoal/loop.h).
 *
 * The code of that loop belongs to an activity, usually main, and is plain code. In a step this activity gives way
 * until no other one can run. Between two steps the domain's inbox is asleep, so a posted letter makes the descriptor
 * ready that the loop watches. This descriptor is an epoll descriptor that contains the reactor's, because the reactor
 * may replace its own.
 *
 * Invariant: when ch_loop_timeout has returned more than 0, no activity can run, all requests to the kernel have been
 * submitted, the descriptor watches the reactor's present descriptor, and the inbox is empty. */
#define _GNU_SOURCE
#include "charcoal/loop.h"
#include "frames/interposed.h"
#include "reactor/inbox.h"
#include "reactor/reactor.h"
#include "sched/child.h"
#include "sched/domain.h"
#include "sched/native.h"
#include <errno.h>
#include <pthread.h>
#include <sys/epoll.h>
#include <unistd.h>

/* The longest step, and the longest time for which a domain may sleep whose descriptor could not be made. */
#define STEP_NS INT64_C(10000000)
#define DEAF_NS INT64_C(3000000)

/* The descriptor that the loop watches; -1: the loop has not asked for it. */
static int watched(void) { return ch_domain.watched - 1; }

void ch_foreign_loop_end(void) {
  if (watched() >= 0)
    close(watched());
  ch_domain.watched = 0;
}
static void hook(void) { ch_child_hook(ch_foreign_loop_end); }

/* 0; or the error that says why there can be no such loop here. */
static int refused(void) {
  if (!ch_is_in_branch())
    return EPERM;
  return ch_reactor == &ch_reactor_simulated ? ENOTSUP : ch_domain.stepping ? EBUSY : 0;
}

/* Puts what the reactor waits for into the descriptor, unless it is there. 0, or -1 with errno. */
static int watch_reactor(void) {
  int inner = ch_reactor->rest();
  struct epoll_event e = {.events = EPOLLIN};
  if (inner < 0)
    return -1;
  return epoll_ctl(watched(), EPOLL_CTL_ADD, inner, &e) == 0 || errno == EEXIST ? 0 : -1;
}

int ch_loop_fd(void) {
  static pthread_once_t once = PTHREAD_ONCE_INIT;
  int error = refused();
  if (error && error != EBUSY)
    return errno = error, -1;
  if (watched() >= 0)
    return watched();
  ch_library_once(&once, hook);
  if (!ch_inbox_here())
    return -1;
  ch_domain.watched = epoll_create1(EPOLL_CLOEXEC) + 1;
  if (watched() >= 0 && watch_reactor() == 0)
    return watched();
  error = errno;
  ch_foreign_loop_end();
  return errno = error, -1;
}

static bool can_run(void) {
  const struct ch_branch *b = ch_domain.current;
  return ch_domain.base.head || (b->scope && b->scope->root->head);
}

/* The deadline is in the past, but not 0: the reactor is to look even if nobody waits, so that the descriptor is not
 * ready any more when nothing is left. */
static void look(void) { ch_look_outside(1); }

int ch_loop_step(void) {
  int error = ch_tls.atomic_depth > 0 ? EPERM : refused();
  if (error)
    return error;
  int64_t end = ch_reactor->now() + STEP_NS;
  ch_domain.stepping = true;
  for (look(); can_run() && ch_reactor->now() < end; look())
    ch_native_yield();
  ch_domain.stepping = false;
  return 0;
}

int64_t ch_loop_timeout(void) {
  int error = refused();
  if (error)
    return -error;
  look();
  if (can_run() || ch_has_sources())
    return 0;
  int64_t now = ch_reactor->now(), until = ch_reactor_due();
  bool deaf = ch_inbox_is_deaf(); /* asked first, because it may be a request to the kernel */
  if (((watched() >= 0 && watch_reactor() < 0) || deaf) && until > now + DEAF_NS)
    until = now + DEAF_NS;
  if (!ch_inbox_sleeps(false))
    return 0;
  return until == CH_FOREVER ? CH_FOREVER : until > now ? until - now : 0;
}
