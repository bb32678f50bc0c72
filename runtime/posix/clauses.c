/* The clause forms of calls on descriptors (charcoal/clauses.h).
 *
 * Each clause tries its call without waiting. The clause is ready when the call has succeeded, or has failed for good.
 * Until then a clause of the reactor with a callback watches the descriptor, and the call is tried again after each
 * event. It is tried while the statement's wait is held (ch_claim_begin), so the call either has its effect and its
 * clause is selected, or it has had no effect.
 *
 * The calls are cancellation points of threads, but a wait that is begun, decided or given up must not be left half
 * done. So the cancellation of a thread is held back in all that a clause does.
 *
 * Invariants: 1. while a clause is listed it watches a descriptor, or, if it needs one of its own and there is none to
 * be had, a timer after which the call is tried again; unless its wait has been decided for another;
 * 2. `owns`: that descriptor was made for this wait, lies in `slot`, and is closed when the wait is over.
 */
#define _GNU_SOURCE
#include "wait/wait.h"

#include "charcoal/clauses.h"
#include "frames/poll_now.h"
#include "frames/runtime_calls.h"
#include "posix/addresses.h"
#include "posix/children.h"
#include "posix/descriptors.h"
#include "posix/operations.h"
#include "posix/signals.h"
#include "posix/sockets.h"
#include "reactor/reactor.h"
#include "reactor/readiness_cache.h"
#include "reactor/runtime_descriptors.h"
#include "reactor/timer.h"
#include "reactor/times.h"
#include <errno.h>
#include <poll.h>
#include <linux/sockios.h>
#include <signal.h>
#include <stdio.h>
#include <sys/ioctl.h>
#include <unistd.h>

typedef struct ch_descriptor_clause call_t;

struct ch_descriptor_kind {
  const char *name;
  /* Makes the call if it need not wait. Its result; or -1 and errno, where EAGAIN means that it would have to wait. */
  long (*try)(call_t *);
  /* Called before a descriptor is watched, if the clause owns none: it may get one, which is then watched in place of
   * its own. 0; or -1 and errno. NULL: there is nothing to do. */
  int (*open)(call_t *);
  /* Undoes what `try` has begun. NULL: a try that would have to wait has done nothing. */
  void (*undo)(call_t *);
  bool (*ready)(const call_t *); /* NULL: poll is asked */
  long late;                     /* the result when its time is over */
  int late_error;                /* errno when its time is over */
  signed char tells_error; /* 1: the result itself is an error number; -1: it is the negative of one; 0: neither */
  bool opens_anew;         /* what it owns is of no use any more when it has been tried in vain */
  bool sends;
};

static call_t *of(const struct ch_clause *c) { return (call_t *)(uintptr_t)c; }

/* ---- waiting ---- */

/* The result, and errno where the plain call sets it. */
static void ends(call_t *d, long result, int error) {
  d->result = result;
  d->error = error;
}

/* True: the call has been made. */
static bool try_now(call_t *d) {
  int saved = errno;
  long r = d->kind->try(d);
  bool made = r != -1 || errno != EAGAIN;
  if (made)
    ends(d, r, r == -1 ? errno : 0);
  errno = saved;
  return made;
}

/* It waits with a descriptor of the runtime's. -1 with errno: there is none. */
static int owns(call_t *d, int slot) {
  d->owns = slot >= 0;
  d->slot = (short)slot;
  return d->owns ? 0 : -1;
}

static void close_own(call_t *d) {
  if (d->owns)
    ch_close_waited_for(d->slot);
  d->owns = false;
}

static void stop(call_t *d) {
  if (d->watches)
    ch_clause_unwatch(&d->readiness);
  if (d->ticks)
    ch_clause_unwatch(&d->time);
  d->watches = d->ticks = false;
  close_own(d);
}

static void fired(struct ch_clause *);
static void closed(struct ch_clause *);

/* A call that waits to send into a local socket is told the socket's error, and no signal is raised for it. */
static bool waits_locally(const call_t *d) {
  return d->waited && d->kind->sends && !d->owns && !ch_is_of_network(d->fd);
}

/* What the reactor said of the descriptor ends the call: it is closed, cannot be watched, or has an error to tell. */
static bool is_refused(call_t *d) {
  if (d->readiness.type == &ch_timer_clause_type) /* no descriptor was watched */
    return false;
  int64_t said = d->readiness.value;
  int fd = (int)(intptr_t)d->readiness.object;
  if (d->owns && fd != ch_runtime_descriptor(d->slot)) /* the program has wanted its number */
    return false;
  if (said >= 0 && !(said & POLLNVAL)) {
    ch_fd_cache_may_be_ready(fd, (int)said);
    int error = said & POLLERR && waits_locally(d) ? ch_take_error(fd) : 0;
    if (error)
      ends(d, -1, error);
    return error != 0;
  }
  ends(d, -1, said < 0 ? (int)-said : EBADF);
  return true;
}

/* The process may have no more descriptors now, and the call needs one to be waited for. */
static void try_again_later(call_t *d) {
  d->look = ch_time_until_look(d->look);
  d->readiness = ch_timer_clause(d->look);
  d->watches = true;
  ch_clause_watch(&d->readiness, fired);
}

/* True: it came to that at once that the call has been made. */
static bool watch(call_t *d) {
  for (int tries = 0; tries < 3; tries++) {
    if (d->kind->opens_anew)
      close_own(d);
    if (!d->owns && d->kind->open && (d->kind->open)(d) < 0) {
      if (!ch_lacks_descriptors(errno))
        return ends(d, -1, errno), true;
      return try_again_later(d), false;
    }
    const int fd = d->owns ? ch_runtime_descriptor(d->slot) : d->fd;
    if (!d->kind->opens_anew)
      d->fd = fd;
    d->begins = true;
    if (fd != d->fd && !d->ticks) { /* its own descriptor may be closed meanwhile */
      d->time = ch_fd_clause(d->fd, 0);
      d->ticks = true;
      ch_clause_watch(&d->time, closed);
    }
    d->readiness = ch_fd_clause(fd, d->events);
    d->watches = true;
    ch_clause_watch(&d->readiness, fired);
    d->begins = false;
    if (d->watches)
      return false;
    if (is_refused(d) || try_now(d))
      return true;
  }
  ends(d, -1, EAGAIN); /* the kernel says that it is ready although the call would have to wait */
  return true;
}

/* The watched descriptor or the timer has fired. While the call begins to watch, `watches` and `ticks` are all that
 * says so. Otherwise, unless another clause of the wait has been selected, `try` tells whether the call has ended. */
static void came(call_t *d, bool (*try)(call_t *)) {
  CH_NO_CANCELLATION;
  int saved = errno;
  if (d->begins || !ch_claim_begin(&d->clause))
    return;
  bool made = try(d);
  errno = saved;
  ch_claim_end(&d->clause, made);
  if (!made)
    return;
  stop(d);
  ch_wake(&d->clause);
}

static bool try_or_watch(call_t *d) {
  d->waited = true;
  return is_refused(d) || try_now(d) || watch(d);
}
static void fired(struct ch_clause *readiness) {
  call_t *d = (call_t *)((char *)readiness - offsetof(call_t, readiness));
  d->watches = false;
  came(d, try_or_watch);
}

static call_t *ticked(struct ch_clause *time) {
  call_t *d = (call_t *)((char *)time - offsetof(call_t, time));
  d->ticks = false;
  return d;
}

static bool end_if_closed(call_t *d) {
  if (!(d->time.value & POLLNVAL))
    return false;
  ends(d, -1, EBADF);
  return true;
}
/* Stands for `late` where another descriptor is watched than that of the call. */
static void closed(struct ch_clause *own) { came(ticked(own), end_if_closed); }

static bool end_late(call_t *d) {
  ends(d, d->kind->late, d->kind->late_error);
  return true;
}
static void late(struct ch_clause *time) { came(ticked(time), end_late); }

static void look(struct ch_clause *);
static void look_later(call_t *d) {
  d->time = ch_timer_clause(CH_SHUT_LOOK);
  d->ticks = d->begins = true;
  ch_clause_watch(&d->time, look);
  d->begins = false;
}
static bool try_or_look(call_t *d) {
  d->waited = true;
  if (try_now(d))
    return true;
  look_later(d);
  return false;
}
/* Nothing has been reported, but a local socket may have been shut down (ch_may_be_shut). */
static void look(struct ch_clause *time) { came(ticked(time), try_or_look); }

/* The kernel is asked, whatever the readiness cache says, because something may have come since the reactor last
 * looked. Otherwise a statement whose other clauses are always ready, or that has an `else`, would never notice it. */
static int enlist(struct ch_clause *c) {
  call_t *d = of(c);
  CH_NO_CANCELLATION;
  ch_fd_cache_forget_readiness(d->fd, d->events);
  if (try_now(d))
    return CH_CLAUSE_READY;
  if (d->timeout <= 0) {
    end_late(d);
    return CH_CLAUSE_READY;
  }
  int saved = errno;
  bool made = watch(d);
  errno = saved;
  if (made) {
    stop(d);
    return CH_CLAUSE_READY;
  }
  if (d->kind->sends && !d->ticks && ch_may_be_shut(d->fd))
    look_later(d);
  if (d->timeout != CH_FOREVER) {
    d->time = ch_timer_clause(d->timeout);
    d->ticks = d->begins = true;
    ch_clause_watch(&d->time, late);
    d->begins = false;
    if (!d->ticks) {
      end_late(d);
      stop(d);
      return CH_CLAUSE_READY;
    }
  }
  return CH_CLAUSE_LISTED;
}

static bool withdraw(struct ch_clause *c) {
  if (ch_clause_state(c) >= CH_IS_TAKEN)
    return false;
  CH_NO_CANCELLATION;
  stop(of(c));
  if (of(c)->kind->undo)
    of(c)->kind->undo(of(c));
  return true;
}

static intptr_t selected(struct ch_clause *c) {
  call_t *d = of(c);
  if (d->error && d->kind->tells_error)
    return d->kind->tells_error * d->error;
  if (d->error)
    errno = d->error;
  return d->result;
}

static bool is_ready(const struct ch_clause *c) {
  const call_t *d = of(c);
  CH_NO_CANCELLATION;
  if (d->kind->ready)
    return d->kind->ready(d);
  struct pollfd p = {.fd = d->fd, .events = (short)d->events};
  return d->fd < 0 || ch_poll_now(&p, 1) != 0; /* a negative number is an error at once */
}

static void about(const struct ch_clause *c, struct ch_about *a) {
  a->fd = of(c)->fd;
  a->call = of(c)->kind->name;
}

static const struct ch_clause_type type = {.what = "descriptor",
                                           .by = CH_BY_WORLD,
                                           .enlist = enlist,
                                           .withdraw = withdraw,
                                           .selected = selected,
                                           .ready = is_ready,
                                           .about = about};

static void fill(call_t *d, const struct ch_descriptor_kind *kind, int fd, int events) {
  *d = (call_t){.clause = {.type = &type}, .kind = kind, .fd = fd, .events = events, .timeout = CH_FOREVER};
}

/* ---- receiving ---- */

/* Of a file, whose reading takes as long as a disk does. */
static long or_file(call_t *d, long r, bool writes) {
  if (r != CH_AS_STORAGE)
    return r;
  return writes ? write(d->fd, d->a, d->n) : read(d->fd, (void *)(uintptr_t)d->a, d->n);
}

static long try_read(call_t *d) {
  struct iovec v = {(void *)(uintptr_t)d->a, d->n};
  return or_file(d, d->n == 0 ? read(d->fd, v.iov_base, 0) : ch_nonblocking_stream_readv(d->fd, &v, 1), false);
}
static const struct ch_descriptor_kind read_kind = {.name = "read", .try = try_read};

void read__clause(struct read__clause *c, int fd, void *to, size_t n) {
  fill(&c->call, &read_kind, fd, POLLIN);
  c->call.a = to;
  c->call.n = n;
}

static int input_of(int flags) { return flags & MSG_OOB ? POLLPRI : POLLIN; }

static long try_recv(call_t *d) { return ch_nonblocking_recv(d->fd, (void *)(uintptr_t)d->a, d->n, d->flags); }
static const struct ch_descriptor_kind recv_kind = {.name = "recv", .try = try_recv};

void recv__clause(struct recv__clause *c, int fd, void *to, size_t n, int flags) {
  fill(&c->call, &recv_kind, fd, input_of(flags));
  c->call.a = to;
  c->call.n = n;
  c->call.flags = flags;
}

static long try_recvfrom(call_t *d) {
  return ch_nonblocking_recvfrom(d->fd, (void *)(uintptr_t)d->a, d->n, d->flags, (struct sockaddr *)(uintptr_t)d->b,
                                 (socklen_t *)(uintptr_t)d->c);
}
static const struct ch_descriptor_kind recvfrom_kind = {.name = "recvfrom", .try = try_recvfrom};

void recvfrom__clause(struct recvfrom__clause *c, int fd, void *to, size_t n, int flags, void *address,
                      unsigned *length) {
  fill(&c->call, &recvfrom_kind, fd, input_of(flags));
  c->call.a = to;
  c->call.b = address;
  c->call.c = length;
  c->call.n = n;
  c->call.flags = flags;
}

/* ---- sending ---- */

static int without_signal(const call_t *d) { return waits_locally(d) ? MSG_NOSIGNAL : 0; }

static long try_write(call_t *d) {
  struct iovec v = {(void *)(uintptr_t)d->a, d->n};
  if (d->n == 0)
    return or_file(d, write(d->fd, v.iov_base, 0), true);
  return or_file(d, (without_signal(d) ? ch_nonblocking_stream_writev_on : ch_nonblocking_stream_writev)(d->fd, &v, 1),
                 true);
}
static const struct ch_descriptor_kind write_kind = {.name = "write", .try = try_write, .sends = true};

void write__clause(struct write__clause *c, int fd, const void *from, size_t n) {
  fill(&c->call, &write_kind, fd, POLLOUT);
  c->call.a = from;
  c->call.n = n;
}

static long try_send(call_t *d) { return ch_nonblocking_send(d->fd, d->a, d->n, d->flags | without_signal(d)); }
static const struct ch_descriptor_kind send_kind = {.name = "send", .try = try_send, .sends = true};

void send__clause(struct send__clause *c, int fd, const void *from, size_t n, int flags) {
  fill(&c->call, &send_kind, fd, POLLOUT);
  c->call.a = from;
  c->call.n = n;
  c->call.flags = flags;
}

static long try_sendto(call_t *d) {
  return ch_nonblocking_sendto(d->fd, d->a, d->n, d->flags | without_signal(d), d->b, (socklen_t)(uintptr_t)d->c);
}

/* Whether the socket itself has room, as Linux sees it before it looks at the receiver. */
static bool has_room(int fd) {
  int queued, room;
  socklen_t size = sizeof room;
  return ioctl(fd, SIOCOUTQ, &queued) == 0 && getsockopt(fd, SOL_SOCKET, SO_SNDBUF, &room, &size) == 0 &&
         queued <= room / 4;
}
/* A receiver on this machine may be full, of which poll tells only a socket that is connected to it. So the runtime has
 * one connected for as long as that is waited for. If it cannot be connected, the receiver is another one now, of which
 * the next try tells. */
static int open_receiver(call_t *d) {
  const struct sockaddr *to = d->b;
  const socklen_t length = (socklen_t)(uintptr_t)d->c;
  if (!to || length < sizeof to->sa_family || to->sa_family != AF_UNIX || !has_room(d->fd))
    return 0;
  int fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
  if (fd >= 0)
    (void)connect(fd, to, length);
  return owns(d, ch_add_runtime_descriptor(fd));
}
static const struct ch_descriptor_kind sendto_kind = {
    .name = "sendto", .try = try_sendto, .open = open_receiver, .opens_anew = true, .sends = true};

void sendto__clause(struct sendto__clause *c, int fd, const void *from, size_t n, int flags, const void *address,
                    unsigned length) {
  fill(&c->call, &sendto_kind, fd, POLLOUT);
  c->call.a = from;
  c->call.b = address;
  c->call.c = (void *)(uintptr_t)length;
  c->call.n = n;
  c->call.flags = flags;
}

/* ---- connections ---- */

static long try_accept(call_t *d) {
  int fd = ch_nonblocking_accept(d->fd, (struct sockaddr *)(uintptr_t)d->a, (socklen_t *)(uintptr_t)d->b, d->flags);
  return fd < 0 ? -1 : ch_accepted(d->fd, fd, d->flags);
}
static const struct ch_descriptor_kind accept_kind = {.name = "accept", .try = try_accept};

static void fill_accept(call_t *d, int fd, void *address, unsigned *length, int flags) {
  fill(d, &accept_kind, fd, POLLIN);
  d->a = address;
  d->b = length;
  d->flags = flags;
}
void accept__clause(struct accept__clause *c, int fd, void *address, unsigned *length) {
  fill_accept(&c->call, fd, address, length, 0);
}
void accept4__clause(struct accept4__clause *c, int fd, void *address, unsigned *length, int flags) {
  fill_accept(&c->call, fd, address, length, flags);
}

static long try_connect(call_t *d) {
  int r = d->begun ? ch_connect_outcome(d->fd, d->a, (socklen_t)d->n)
                   : ch_nonblocking_connect(d->fd, d->a, (socklen_t)d->n);
  if (r == 0 || (errno != EINPROGRESS && errno != EALREADY))
    return r < 0 && errno == EISCONN && d->begun ? 0 : r;
  d->begun = true;
  return errno = EAGAIN, -1;
}
static void undo_connect(call_t *d) {
  struct sockaddr nobody = {.sa_family = AF_UNSPEC};
  int saved = errno;
  if (d->begun)
    connect(d->fd, &nobody, sizeof nobody);
  errno = saved;
}
static bool never_ready(const call_t *d) { return (void)d, false; }
static const struct ch_descriptor_kind connect_kind = {
    .name = "connect", .try = try_connect, .undo = undo_connect, .ready = never_ready};

void connect__clause(struct connect__clause *c, int fd, const void *address, unsigned length) {
  fill(&c->call, &connect_kind, fd, POLLOUT);
  c->call.a = address;
  c->call.n = length;
}

/* ---- readiness ---- */

static long try_wait(call_t *d) {
  struct pollfd p = {.fd = d->fd, .events = (short)d->events};
  int r = ch_poll_now(&p, 1);
  if (r == 0 && d->fd >= 0)
    errno = EAGAIN;
  else if (r == 0 || (r > 0 && p.revents & POLLNVAL)) /* poll passes over negative numbers */
    errno = EBADF;
  else if (r > 0)
    return p.revents;
  return -1;
}
static const struct ch_descriptor_kind wait_kind = {.name = "ch_fd_wait", .try = try_wait, .tells_error = -1};

void ch_fd_wait__clause(struct ch_fd_wait__clause *c, int fd, int events, int64_t timeout) {
  fill(&c->call, &wait_kind, fd, events);
  c->call.timeout = timeout;
}

/* ---- children ---- */

static long try_waitpid(call_t *d) {
  pid_t pid = (pid_t)d->n;
  if (pid <= 0)
    return errno = ENOSYS, -1;
  pid_t r = waitpid(pid, (int *)(uintptr_t)d->a, d->flags | WNOHANG);
  return r != 0 || d->flags & WNOHANG ? r : (errno = EAGAIN, -1);
}
static int open_child(call_t *d) {
  if (d->flags & (WUNTRACED | WCONTINUED | __WALL))
    return errno = ENOSYS, -1;
  if (owns(d, ch_pidfd((pid_t)d->n)) == 0)
    return 0;
  if (errno == ESRCH) /* another wait has taken it since this one was tried */
    errno = ECHILD;
  else if (!ch_lacks_descriptors(errno))
    errno = ENOSYS;
  return -1;
}
static bool child_is_ready(const call_t *d) {
  siginfo_t info = {.si_pid = 0};
  int which = d->flags & (int)__WCLONE;
  return waitid(P_PID, (id_t)d->n, &info, WEXITED | WNOHANG | WNOWAIT | which) < 0 || info.si_pid != 0;
}
static const struct ch_descriptor_kind waitpid_kind = {
    .name = "waitpid", .try = try_waitpid, .open = open_child, .ready = child_is_ready};

void waitpid__clause(struct waitpid__clause *c, int pid, int *status, int options) {
  fill(&c->call, &waitpid_kind, -1, POLLIN);
  c->call.a = status;
  c->call.n = (size_t)pid;
  c->call.flags = options;
}

/* ---- signals ---- */

static long try_signal(call_t *d) {
  struct timespec none = {0, 0};
  if (d->flags) /* the time is wrong, which the kernel finds first */
    return errno = d->flags, -1;
  int r = sigtimedwait(d->a, (siginfo_t *)(uintptr_t)d->b, &none);
  if (r > 0 && d->c) {
    *(int *)(uintptr_t)d->c = r;
    return 0;
  }
  return r;
}
static int open_signals(call_t *d) { return owns(d, ch_signals_open(d->a)); }
static bool signal_is_ready(const call_t *d) {
  sigset_t pending;
  sigpending(&pending);
  for (int s = 1; s < _NSIG; s++)
    if (sigismember(&pending, s) == 1 && sigismember(d->a, s) == 1)
      return true;
  return false;
}
static const struct ch_descriptor_kind sigwait_kind = {.name = "sigwait",
                                                       .try = try_signal,
                                                       .open = open_signals,
                                                       .ready = signal_is_ready,
                                                       .tells_error = 1},
                                       signal_kind = {.name = "sigtimedwait",
                                                      .try = try_signal,
                                                      .open = open_signals,
                                                      .ready = signal_is_ready,
                                                      .late = -1,
                                                      .late_error = EAGAIN};

void sigwait__clause(struct sigwait__clause *c, const void *set, int *signal) {
  fill(&c->call, &sigwait_kind, -1, POLLIN);
  c->call.a = set;
  c->call.c = signal;
}
void sigwaitinfo__clause(struct sigwaitinfo__clause *c, const void *set, void *info) {
  fill(&c->call, &signal_kind, -1, POLLIN);
  c->call.a = set;
  c->call.b = info;
}
void sigtimedwait__clause(struct sigtimedwait__clause *c, const void *set, void *info, const struct timespec *timeout) {
  sigwaitinfo__clause((struct sigwaitinfo__clause *)c, set, info);
  c->call.timeout = ch_is_wrong(timeout) ? CH_NO_TIME : ch_duration(timeout);
  if (c->call.timeout == CH_NO_TIME)
    c->call.flags = ch_is_wrong(timeout) ? EFAULT : EINVAL;
}
