/* Clause forms of Charcoal's own functions and of the C library's: calls of these can stand in `waituntil (…)`. A call
 * in a clause has the same meaning as elsewhere; if a clause is not selected, its call has not been made. charcoal.h
 * includes this file.
 *
 * Result: that of the call.
 * Cancel: ends the wait of the statement; then no call of its clauses has been made.
 * Threads: any thread with a domain. */
#ifndef CHARCOAL_CLAUSES_H
#define CHARCOAL_CLAUSES_H

#include <charcoal/clause.h>

#ifdef __cplusplus
extern "C" {
#endif

#if defined(__CHARCOAL__) || defined(CHARCOAL_RUNTIME) || defined(CHARCOAL_LIBRARY)

/* The duration, in nanoseconds, counts from the moment at which the statement's arguments are evaluated. */
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

/* If the clause is not selected, the caller still has the handle. */
struct ch_task;
struct ch_task_join__clause {
  struct ch_clause clause;
  intptr_t *result;
};
CH_CLAUSE_FORM(int, ch_task_join, struct ch_task *task, intptr_t *result);

/* If the clause is not selected, the domain may still be joined. */
struct ch_domain_join__clause {
  struct ch_clause clause;
};
CH_CLAUSE_FORM(int, ch_domain_join, ch_thread *thread);

/* ---- the C library's calls on descriptors ----
 *
 * A clause is selected when its call can be made without waiting, and the call is made at that moment. The calls of the
 * other clauses have taken no byte and no connection, and have sent nothing. The result is that of the plain call, and
 * errno is set with it. What differs from the plain call:
 *   - The descriptor's O_NONBLOCK and its own timeouts (SO_RCVTIMEO) do not end the wait, nor does MSG_DONTWAIT; a
 *     ch_sleep or an `else` beside it does.
 *   - write, send and the like write what there is room for, so the result may be short.
 *   - Files and directories are always ready. They are read at once, on the domain's own thread.
 *   - A connect begins when the statement begins. If its clause is not selected, the connection is closed again, and
 *     the peer may see a connection that ends.
 *   - If another process has taken a listener's connection in between, the clause goes on waiting. For the length of
 *     the call the listener's mode is non-blocking. */

struct sockaddr;
struct timespec;

struct ch_descriptor_kind;
struct ch_descriptor_clause {
  struct ch_clause clause;
  struct ch_clause readiness, time;      /* under way while `watches` or `ticks` is set, respectively; where another
                                          * descriptor is watched than `fd`, `time` tells that `fd` is closed */
  const struct ch_descriptor_kind *kind; /* which call it is */
  const void *a, *b, *c;                 /* arguments of the call, like `n`, `timeout`, `fd` and `flags` */
  size_t n;
  int64_t timeout;
  int64_t look; /* while no descriptor is left for it to own: the time in ns from one try of the call to the next */
  long result;
  int fd, flags, events, error;
  ch_bool watches, ticks, begins, begun, owns; /* owns: a descriptor of the runtime's is watched, and closed when
                                                * the clause is left */
  ch_bool waited;                              /* something has been reported since the statement began to wait */
  short slot;                                  /* valid while `owns` is set: where the runtime has it */
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

/* Waits for the end of one child: pid > 0. A clause cannot wait for several children, nor for a child that only stops
 * (WUNTRACED, WCONTINUED, __WALL), and fails with ENOSYS if it is asked to; an activity of its own can wait for them.
 */
CH_DESCRIPTOR_FORM(int, waitpid, int pid, int *status, int options);

/* The signals have to be blocked, as these calls demand elsewhere, too. `set` points to a sigset_t. */
CH_DESCRIPTOR_FORM(int, sigwait, const void *set, int *signal);
CH_DESCRIPTOR_FORM(int, sigwaitinfo, const void *set, void *info);
CH_DESCRIPTOR_FORM(int, sigtimedwait, const void *set, void *info, const struct timespec *timeout);

/* ---- the C library's mutexes ----
 *
 * Unlike the plain calls, these clauses end when their scope is cancelled, as all clauses do. */

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
/* Locks a mutex as pthread_mutex_lock does, and waits until it is free. As a clause of `waituntil` it unlocks the mutex
 * at the end of the clause's body, however that is left. `mutex` points to a pthread_mutex_t.
 * Result: that of pthread_mutex_lock.
 * Cancel: ends the wait of a statement of which this is a clause; it does not end the wait of a plain call. */
int ch_pthread_hold(void *mutex);
CH_LOCK_FORM(ch_pthread_hold);
CH_CLAUSE_LEAVES(ch_pthread_hold);

/* ---- calls that a thread of the pool makes ----
 *
 * The call begins when the statement begins, and the clause is ready when the call has ended. If the clause is not
 * selected and the call has not begun, it is never made. If it has begun, it goes on until it ends, although nobody
 * waits for it any more, and its result is dropped. */

struct addrinfo;

struct ch_pool_clause {
  struct ch_clause clause;
  void *work; /* valid while the call is under way */
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

/* What fn uses has to stay valid until fn has returned, which may be after the statement. */
CH_POOL_FORM(ch_offload, void (*fn)(void *), void *argument);
/* The C library's own getaddrinfo, with all sources of names that it knows. The arguments are copied. */
CH_POOL_FORM(getaddrinfo, const char *node, const char *service, const struct addrinfo *hints,
             struct addrinfo **result);

#endif

#ifdef __cplusplus
}
#endif

#endif
