/* Replacements of poll, ppoll, select, pselect, epoll_wait and the like. Each tries the call without waiting, and then
 * waits for all the descriptors that it names, for a timer, and for the signals that its mask lets through. */
#define _GNU_SOURCE
#include "posix/addresses.h"
#include "posix/plain.h"
#include "posix/signals.h"
#include "posix/single_activity.h"
#include "reactor/times.h"
#include "posix/replacements/replacement.h"
#include "wait/several.h"
#include <limits.h>
#include <stdlib.h>
#include <unistd.h>

static const struct timespec at_once = {0, 0};

/* 0: not at all. */
static int64_t deadline_of(int64_t duration) { return duration == 0 ? 0 : ch_deadline_after(duration); }

/* The descriptor that tells of signals which a mask lets through. -1: the process may have none, and the caller looks
 * from time to time; below that: -1 has to be returned, with errno. */
static int open_signals(const sigset_t *through) {
  int saved = errno, slot = ch_signals_open(through);
  if (slot >= 0)
    return slot;
  if (!ch_lacks_descriptors(errno))
    return -2;
  errno = saved;
  return -1;
}
/* Until when to wait, at most, before the next such look. *look: 0 at first. */
static int64_t until_look(int64_t deadline, int64_t *look) {
  *look = ch_time_until_look(*look);
  int64_t next = ch_deadline_after(*look);
  return deadline < next ? deadline : next;
}
static struct pollfd of_signals(int slot) {
  return (struct pollfd){.fd = slot < 0 ? -1 : ch_runtime_descriptor(slot), .events = POLLIN};
}

/* Waits until one of them may be ready. 1: look again; 0: the time is over; -1: errno. */
static int await_any(const struct pollfd *all, nfds_t n, int64_t deadline) {
  struct ch_wait *w = ch_poll_wait(all, n, deadline);
  int selected;
  int64_t told = 0;
  if (!w)
    return errno = ENOMEM, -1;
  selected = ch_wait_any(w);
  if (selected < 0)
    told = selected;
  else if (selected < (int)n)
    told = ch_poll_wait_told(w, selected);
  free(w);
  if (told < 0 && told != -EBADF) /* of a closed descriptor the plain call tells */
    return errno = (int)-told, -1;
  return selected < (int)n;
}

CH_SHARED_BODY int poll_until(struct pollfd *all, nfds_t n, int64_t deadline) {
  if (ch_is_refused(deadline != 0))
    return -1;
  for (;;) {
    int ready = ch_nonblocking_poll(all, n), more;
    if (ready != 0 || deadline == 0)
      return ready;
    more = await_any(all, n, deadline);
    if (more < 0)
      return -1;
    if (more == 0)
      return ch_nonblocking_poll(all, n);
  }
}

CH_REPLACES(poll) int ch_posix_poll(struct pollfd *all, nfds_t n, int timeout) {
  CH_SINGLE_ACTIVITY(poll(all, n, timeout));
  return poll_until(all, n, deadline_of(ch_duration_of_ms(timeout)));
}
CH_REPLACES(__poll_chk) int ch_posix_poll_chk(struct pollfd *all, nfds_t n, int timeout, size_t room) {
  if (room / sizeof *all < n)
    return ch_plain_poll_chk(all, n, timeout, room);
  return poll_until(all, n, deadline_of(ch_duration_of_ms(timeout)));
}

/* With a mask: signals that it lets through end the wait, and then their handlers run. */
CH_SHARED_BODY int ppoll_until(struct pollfd *all, nfds_t n, int64_t deadline, const sigset_t *mask) {
  sigset_t through;
  struct pollfd *more;
  int signals, r;
  int64_t look = 0;
  if (ch_is_refused(deadline != 0))
    return -1;
  if (!ch_is_wrong(mask) && !ch_signals_let_through(mask, &through) && deadline != 0)
    return poll_until(all, n, deadline);
  r = ch_plain_ppoll(all, n, &at_once, mask);
  if (r != 0 || deadline == 0)
    return r;
  more = malloc((n + 1) * sizeof *more);
  signals = more ? open_signals(&through) : -2;
  if (signals < -1) {
    free(more);
    return -1;
  }
  for (nfds_t i = 0; i < n; i++)
    more[i] = all[i];
  do {
    int64_t until = signals < 0 ? until_look(deadline, &look) : deadline;
    more[n] = of_signals(signals);
    r = await_any(more, n + 1, until);
    if (r >= 0) {
      int again = r || until != deadline;
      r = ch_plain_ppoll(all, n, &at_once, mask);
      if (!again)
        break;
    }
  } while (r == 0);
  if (signals >= 0)
    ch_close_waited_for(signals);
  free(more);
  return r;
}

CH_REPLACES(ppoll)
int ch_posix_ppoll(struct pollfd *all, nfds_t n, const struct timespec *timeout, const sigset_t *mask) {
  CH_SINGLE_ACTIVITY(ppoll(all, n, timeout, mask));
  int64_t deadline = deadline_of(ch_duration(timeout));
  if (deadline == CH_NO_TIME)
    return errno = EINVAL, -1;
  return ppoll_until(all, n, deadline, mask);
}
CH_REPLACES(__ppoll_chk)
int ch_posix_ppoll_chk(struct pollfd *all, nfds_t n, const struct timespec *timeout, const sigset_t *mask,
                       size_t room) {
  int64_t deadline = deadline_of(ch_duration(timeout));
  if (room / sizeof *all < n)
    return ch_plain_poll_chk(all, n, 0, room);
  if (deadline == CH_NO_TIME)
    return errno = EINVAL, -1;
  return ppoll_until(all, n, deadline, mask);
}

/* ---- select ---- */

enum { WORD = 8 * sizeof(fd_mask) };
static inline int has(const fd_set *set, int fd) {
  return set && ((const fd_mask *)set)[fd / WORD] & (fd_mask)((unsigned long)1 << fd % WORD);
}
static size_t bytes_of(int n) { return (size_t)(n + WORD - 1) / WORD * sizeof(fd_mask); }
static void copy_bytes(void *to, const void *from, size_t n) {
  if (to)
    __builtin_memcpy(to, from, n);
}

/* The members of the sets as poll's. How many. */
static int list_members(struct pollfd *all, int n, const fd_set *in, const fd_set *out, const fd_set *except) {
  int count = 0;
  for (int fd = 0; fd < n; fd++) {
    int events = (has(in, fd) ? POLLIN : 0) | (has(out, fd) ? POLLOUT : 0) | (has(except, fd) ? POLLPRI : 0);
    if (events)
      all[count++] = (struct pollfd){.fd = fd, .events = (short)events};
  }
  return count;
}

/* poll tells everybody that a descriptor has hung up or has an error, but select tells it only to those who read (and
 * an error to those who write); and it does not look at numbers beyond the process's table. Such a member would end
 * every wait at once, so it is left out. Whether there is one. */
static bool leave_out_unwanted(struct pollfd *all, int count) {
  bool any = false;
  if (ch_nonblocking_poll(all, (nfds_t)count) > 0)
    for (int i = 0; i < count; i++)
      if (all[i].revents && !(all[i].revents & all[i].events)) {
        all[i].fd = -1;
        any = true;
      }
  return any;
}

/* The sets are filled in by the plain call; while it says "none" it has emptied them. */
CH_SHARED_BODY int select_until(int n, fd_set *in, fd_set *out, fd_set *except, int64_t deadline,
                                const sigset_t *mask) {
  size_t size;
  struct pollfd *all;
  sigset_t through;
  int signals = -1, r, count, in_vain = 0;
  bool masked = false;
  int64_t look = 0;
  char *kept;
  if (ch_is_refused(deadline != 0))
    return -1;
  if (n < 0 || deadline == 0 || ch_is_wrong(in) || ch_is_wrong(out) || ch_is_wrong(except))
    return ch_plain_pselect(n, in, out, except, &at_once, mask);
  if (n > FD_SETSIZE)
    n = ch_select_reach(n);
  size = bytes_of(n);
  kept = malloc(3 * size + 1);
  all = malloc(((size_t)n + 1) * sizeof *all);
  if (!kept || !all) {
    free(kept);
    free(all);
    return errno = ENOMEM, -1;
  }
  copy_bytes(in ? kept : NULL, in, size);
  copy_bytes(out ? kept + size : NULL, out, size);
  copy_bytes(except ? kept + 2 * size : NULL, except, size);
  r = ch_plain_pselect(n, in, out, except, &at_once, mask);
  if (r == 0 && ch_signals_let_through(mask, &through)) {
    masked = true;
    signals = open_signals(&through);
    if (signals < -1)
      r = -1;
  }
  while (r == 0) {
    int64_t until = deadline;
    copy_bytes(in, kept, size);
    copy_bytes(out, kept + size, size);
    copy_bytes(except, kept + 2 * size, size);
    count = list_members(all, n, in, out, except);
    if ((in_vain && leave_out_unwanted(all, count)) || (masked && signals < 0)) /* it may change */
      until = until_look(deadline, &look);
    if (signals >= 0)
      all[count++] = of_signals(signals);
    in_vain = await_any(all, (nfds_t)count, until);
    if (in_vain < 0) {
      r = -1;
      break;
    }
    r = ch_plain_pselect(n, in, out, except, &at_once, mask);
    if (!in_vain && until == deadline)
      break;
    in_vain = 1;
  }
  if (signals >= 0)
    ch_close_waited_for(signals);
  if (r < 0) { /* after an error they are as they were */
    copy_bytes(in, kept, size);
    copy_bytes(out, kept + size, size);
    copy_bytes(except, kept + 2 * size, size);
  }
  free(kept);
  free(all);
  return r;
}

/* As Linux does it, the time that is left goes back into the timeout. */
CH_REPLACES(select) int ch_posix_select(int n, fd_set *in, fd_set *out, fd_set *except, struct timeval *timeout) {
  CH_SINGLE_ACTIVITY(select(n, in, out, except, timeout));
  int64_t deadline = deadline_of(ch_duration_of_timeval(timeout));
  int r;
  if (deadline == CH_NO_TIME)
    return errno = EINVAL, -1;
  r = select_until(n, in, out, except, deadline, NULL);
  if (timeout && deadline != CH_FOREVER)
    *timeout = ch_timeval_of(deadline ? ch_time_left(deadline) : 0);
  return r;
}

CH_REPLACES(pselect)
int ch_posix_pselect(int n, fd_set *in, fd_set *out, fd_set *except, const struct timespec *timeout,
                     const sigset_t *mask) {
  CH_SINGLE_ACTIVITY(pselect(n, in, out, except, timeout, mask));
  int64_t deadline = deadline_of(ch_duration(timeout));
  if (deadline == CH_NO_TIME)
    return errno = EINVAL, -1;
  return select_until(n, in, out, except, deadline, mask);
}

/* ---- epoll: its descriptor is readable while an event is there ---- */

CH_SHARED_BODY int epoll_until(int fd, struct epoll_event *events, int room, int64_t deadline, const sigset_t *mask) {
  struct pollfd both[2] = {{.fd = fd, .events = POLLIN}, {.fd = -1, .events = POLLIN}};
  sigset_t through;
  int r, signals = -1;
  bool masked = false;
  int64_t look = 0;
  if (ch_is_refused(deadline != 0))
    return -1;
  r = ch_plain_epoll_pwait(fd, events, room, 0, mask);
  if (r != 0 || deadline == 0)
    return r;
  if (ch_signals_let_through(mask, &through)) {
    masked = true;
    signals = open_signals(&through);
    if (signals < -1)
      return -1;
  }
  while (r == 0) {
    int64_t until = masked && signals < 0 ? until_look(deadline, &look) : deadline;
    both[1] = of_signals(signals);
    /* Without waiting epoll_pwait lets no signal through. */
    if (masked && ch_signals_deliver(mask)) {
      errno = EINTR;
      r = -1;
      break;
    }
    int more = await_any(both, 2, until);
    r = more < 0 ? -1 : ch_plain_epoll_pwait(fd, events, room, 0, mask);
    if (more == 0 && until == deadline)
      break;
  }
  if (signals >= 0)
    ch_close_waited_for(signals);
  return r;
}

CH_REPLACES(epoll_wait) int ch_posix_epoll_wait(int fd, struct epoll_event *events, int room, int timeout) {
  CH_SINGLE_ACTIVITY(epoll_wait(fd, events, room, timeout));
  return epoll_until(fd, events, room, deadline_of(ch_duration_of_ms(timeout)), NULL);
}
CH_REPLACES(epoll_pwait)
int ch_posix_epoll_pwait(int fd, struct epoll_event *events, int room, int timeout, const sigset_t *mask) {
  CH_SINGLE_ACTIVITY(epoll_pwait(fd, events, room, timeout, mask));
  return epoll_until(fd, events, room, deadline_of(ch_duration_of_ms(timeout)), mask);
}
CH_REPLACES(epoll_pwait2)
int ch_posix_epoll_pwait2(int fd, struct epoll_event *events, int room, const struct timespec *timeout,
                          const sigset_t *mask) {
  CH_SINGLE_ACTIVITY(epoll_pwait2(fd, events, room, timeout, mask));
  if (ch_is_wrong(timeout))
    return errno = EFAULT, -1;
  int64_t deadline = deadline_of(ch_duration(timeout));
  if (deadline == CH_NO_TIME)
    return errno = EINVAL, -1;
  return epoll_until(fd, events, room, deadline, mask);
}
