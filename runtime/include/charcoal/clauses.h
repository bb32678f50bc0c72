/* Clause forms of Charcoal's own calls and of the C library's: what can stand in `waituntil (…)` without further ado.
 * Included by charcoal.h. The calls mean what they mean alone; of a clause that is not selected no call has been made.
 */
#ifndef CHARCOAL_CLAUSES_H
#define CHARCOAL_CLAUSES_H

#include <charcoal/clause.h>

#ifdef __cplusplus
extern "C" {
#endif

#if defined(__CHARCOAL__) || defined(CHARCOAL_RUNTIME) || defined(CHARCOAL_LIBRARY)

/* A duration counts from when the statement's arguments are evaluated. */
struct ch_sleep__clause {
  struct ch_clause clause;
};
CH_CLAUSE_FORM(int, ch_sleep, int64_t duration);

struct ch_sleep_until__clause {
  struct ch_clause clause;
};
CH_CLAUSE_FORM(int, ch_sleep_until, int64_t time);

struct ch_tick__clause {
  struct ch_clause clause;
};
CH_CLAUSE_FORM(int, ch_tick, ch_ticker *ticker);

struct ch_sem_wait__clause {
  struct ch_clause clause;
};
CH_CLAUSE_FORM(int, ch_sem_wait, ch_sem *semaphore);

struct ch_activity_wait__clause {
  struct ch_clause clause;
};
CH_CLAUSE_FORM(int, ch_activity_wait, ch_activity *handle);

/* ---- the C library's calls on descriptors ----
 *
 * A clause is selected when the call can be made without waiting: it is made at that moment, so of the others no byte
 * and no connection has been taken, and none has been sent. The result is the plain call's, and errno is set with it.
 * What differs:
 *   - a descriptor's O_NONBLOCK and its own time-outs (SO_RCVTIMEO) do not end the wait; ch_sleep beside it does;
 *   - write, send and their like take what there is room for, so the result may be short;
 *   - files and directories are always ready, and read at once, on the domain's own thread;
 *   - a connect begins with the statement; one that loses is taken back, and its peer may see a connection that ends;
 *   - a listener whose connection another process has taken in between is waited for again; for the length of the call
 *     its mode is non-blocking. */

struct sockaddr;
struct timespec;

struct ch_descriptor_kind;
struct ch_descriptor_clause {
  struct ch_clause clause;
  struct ch_clause readiness, time;      /* under way while `watches`, `ticks` */
  const struct ch_descriptor_kind *kind; /* which call it is */
  const void *a, *b, *c;                 /* its arguments */
  size_t n;
  int64_t timeout;
  long result;
  int fd, flags, events, error;
  ch_bool watches, ticks, begins, begun, owns; /* owns: `fd` is closed with it */
};

#define CH_DESCRIPTOR_FORM(type, function, ...)                                                                        \
  struct function##__clause {                                                                                          \
    struct ch_descriptor_clause call;                                                                                  \
  };                                                                                                                   \
  CH_CLAUSE_FORM(type, function, __VA_ARGS__)

CH_DESCRIPTOR_FORM(long, read, int fd, void *to, size_t n);
CH_DESCRIPTOR_FORM(long, recv, int fd, void *to, size_t n, int flags);
CH_DESCRIPTOR_FORM(long, recvfrom, int fd, void *to, size_t n, int flags, void *address, unsigned *length);
CH_DESCRIPTOR_FORM(long, write, int fd, const void *from, size_t n);
CH_DESCRIPTOR_FORM(long, send, int fd, const void *from, size_t n, int flags);
CH_DESCRIPTOR_FORM(long, sendto, int fd, const void *from, size_t n, int flags, const void *address, unsigned length);
CH_DESCRIPTOR_FORM(int, accept, int fd, void *address, unsigned *length);
CH_DESCRIPTOR_FORM(int, accept4, int fd, void *address, unsigned *length, int flags);
CH_DESCRIPTOR_FORM(int, connect, int fd, const void *address, unsigned length);
CH_DESCRIPTOR_FORM(int, ch_fd_wait, int fd, int events, int64_t timeout);

/* Of one child (pid > 0); of several ECHILD, ENOSYS: wait for them in an activity of its own. */
CH_DESCRIPTOR_FORM(int, waitpid, int pid, int *status, int options);

/* Signals that are blocked, as these calls demand. `set`: a sigset_t. */
CH_DESCRIPTOR_FORM(int, sigwait, const void *set, int *signal);
CH_DESCRIPTOR_FORM(int, sigwaitinfo, const void *set, void *info);
CH_DESCRIPTOR_FORM(int, sigtimedwait, const void *set, void *info, const struct timespec *timeout);

/* ---- the C library's mutexes ----
 *
 * Unlike the plain calls these end when their scope is cancelled, as all clauses do. */

struct ch_lock_clause {
  struct ch_clause clause;
  void *room[16];
};
#define CH_LOCK_FORM(function)                                                                                         \
  struct function##__clause {                                                                                          \
    struct ch_lock_clause lock;                                                                                        \
  };                                                                                                                   \
  CH_CLAUSE_FORM(int, function, void *mutex)

CH_LOCK_FORM(pthread_mutex_lock);
CH_CLAUSE_HOLDS(pthread_mutex_lock);
CH_LOCK_FORM(mtx_lock);
CH_CLAUSE_HOLDS(mtx_lock);
/* As pthread_mutex_lock, but in a clause: held for the length of the body only, however that is left. `mutex`: a
 * pthread_mutex_t. */
int ch_pthread_hold(void *mutex);
CH_LOCK_FORM(ch_pthread_hold);
CH_CLAUSE_LEAVES(ch_pthread_hold);

/* ---- what threads of the pool do meanwhile ----
 *
 * The call begins with the statement, and the clause is ready when it has ended. One that is not selected is never made
 * if it has not begun; else it goes on, nobody waits for its end, and what it gives is dropped. */

struct addrinfo;

struct ch_pool_clause {
  struct ch_clause clause;
  void *work; /* while it is under way */
  const void *a, *b, *c;
  void (*fn)(void *);
  void *to;
  int error;
};
#define CH_POOL_FORM(function, ...)                                                                                    \
  struct function##__clause {                                                                                          \
    struct ch_pool_clause call;                                                                                        \
  };                                                                                                                   \
  CH_CLAUSE_FORM(int, function, __VA_ARGS__)

/* What fn uses has to stay until it has returned, which may be after the statement. */
CH_POOL_FORM(ch_offload, void (*fn)(void *), void *argument);
/* The C library's own way, with all of its sources. The arguments are copied. */
CH_POOL_FORM(getaddrinfo, const char *node, const char *service, const struct addrinfo *hints,
             struct addrinfo **result);

#endif

#ifdef __cplusplus
}
#endif

#endif
