/* What the scheduler asks of the world outside: descriptors and the clock. One interface; epoll.c is the real one,
 * simulated.c the one to read first. Chosen at the start of a domain by CHARCOAL_REACTOR (epoll, simulated).
 *
 * A reactor fires clauses: fd clauses (object: the descriptor, value: poll events) that were registered with it. It
 * never runs an activity.
 */
#ifndef CHARCOAL_REACTOR_REACTOR_H
#define CHARCOAL_REACTOR_REACTOR_H

#include "wait/wait.h"

struct ch_reactor {
  const char *name;
  /* Nanoseconds, monotonic. */
  int64_t (*now)(void);
  /* Fires what is ready; waits for it until the deadline (on `now`; 0: not at all; CH_FOREVER: without limit), or until
   * something woke it. Deadlines may be overrun, never underrun by more than the clock's granularity. */
  void (*poll)(int64_t deadline);
  /* The fd clause's operations (wait.h). enlist may give up with value = -errno. */
  bool (*enlist)(struct ch_clause *);
  void (*withdraw)(struct ch_clause *);
  /* The descriptor is about to be closed by this process: those who wait for it are fired with POLLNVAL. */
  void (*closing)(int fd);
};

extern CH_HIDDEN const struct ch_reactor *ch_reactor;
extern CH_HIDDEN const struct ch_reactor ch_reactor_epoll, ch_reactor_simulated;
CH_HIDDEN void ch_reactor_choose(void);

/* The descriptor is about to be closed: see closing. Called by close's twin. */
CH_HIDDEN void ch_fd_closing(int fd);

/* events: poll's. The clause's result is the events that hold, or -errno. */
CH_HIDDEN extern const struct ch_clause_type ch_fd_clause_type;
static inline struct ch_clause ch_fd_clause(int fd, int events) {
  return (struct ch_clause){.type = &ch_fd_clause_type, .object = (void *)(intptr_t)fd, .value = events};
}

#endif
