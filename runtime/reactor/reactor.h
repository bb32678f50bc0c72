/* The reactor waits for descriptors and the clock on behalf of the scheduler. There are three behind one interface:
 * uring/ uses io_uring, epoll.c is for kernels that forbid io_uring, and simulated.c is for tests (read it first). The
 * variable CHARCOAL_REACTOR (io_uring, epoll, simulated) forces one of them, and the program ends with a message if the
 * kernel refuses that one. Without it the first reactor that works is chosen when something is waited for.
 *
 * A reactor makes fd clauses ready that were registered with it (object: the descriptor; value: events of poll). It may
 * also carry out operations (operation.h). It never runs an activity.
 */
#ifndef CHARCOAL_REACTOR_REACTOR_H
#define CHARCOAL_REACTOR_REACTOR_H

#include "wait/wait.h"

struct ch_operation;

struct ch_reactor {
  const char *name;
  /* Nanoseconds, monotonic. */
  int64_t (*now)(void);
  /* Fires what is ready; waits for it until the deadline (on `now`; 0: not at all; CH_FOREVER: without limit), or until
   * something woke it. Deadlines may be overrun, never underrun by more than the clock's granularity. */
  void (*poll)(int64_t deadline);
  /* Whether a poll would find something, as far as that can be told without a system call. */
  bool (*has_news)(void);
  /* Whether anything but a letter or a time may end a sleep of this thread. */
  bool (*awaits)(void);
  /* The fd clause's operations (wait.h). enlist may give up with value = -errno. */
  bool (*enlist)(struct ch_clause *);
  void (*withdraw)(struct ch_clause *);
  /* The descriptor is about to be closed by this process: those who wait for it are fired with POLLNVAL. */
  void (*closing)(int fd);
  /* Calls that wait for the descriptor without a limit try again (CH_LOOK_AGAIN). */
  void (*look_again)(int fd);
  /* Carries out an operation, and calls ch_operation_end. false: it cannot, and the pool has to. */
  bool (*start)(struct ch_operation *);
  /* Asks for the end of an operation that it has started and that has not ended. */
  void (*cancel)(struct ch_operation *);
  /* The domain of this thread ends: nothing is registered any more. */
  void (*end)(void);
  /* A sleeping poll also ends when the descriptor at this place (runtime_descriptors.h) becomes readable; it is then
   * read. 0, or -1 with errno. */
  int (*listen)(int event);
  /* The process ends, and this thread waits no more: lets go of the files that are waited for. */
  void (*leave)(void);
  /* pthread_cancel has ended a poll, perhaps just after the kernel had told it of events. */
  void (*left)(void);
  /* The thread is about to wait elsewhere: hands to the kernel what was asked for. The result is a descriptor that is
   * readable when a poll would find something; or -1 with errno. It may be another one the next time. */
  int (*rest)(void);
};

extern CH_HIDDEN const struct ch_reactor *ch_reactor;
extern CH_HIDDEN const struct ch_reactor ch_reactor_uring, ch_reactor_epoll, ch_reactor_simulated;
CH_HIDDEN void ch_reactor_choose(void);
/* Tells whether operations are carried out by a ring, without a thread. */
CH_HIDDEN bool ch_reactor_has_ring(void);
/* The same while this thread has none yet: chooses the reactor, and starts a ring. */
CH_HIDDEN bool ch_reactor_gets_ring(void);
/* For IORING_OP_RECV when the socket is probably empty: wait before the first attempt, where the kernel can. */
CH_HIDDEN extern uint16_t ch_uring_recv_flags;
/* Tells whether somebody of this thread's domain waits for input on the descriptor. An operation that began now could
 * overtake them, because the kernel serves the last one first. */
CH_HIDDEN bool ch_uring_is_awaited(int fd);
/* Returns 0, or the error number with which the kernel refuses this thread a ring. */
CH_HIDDEN int ch_uring_available(void);

/* Where the kernel gives no descriptor or memory for waiting (the limit of open files, a child of fork), a reactor
 * waits by poll(2), which needs none, until it does: until the deadline, but not for long. `wanted`: the events that
 * are waited for on each number below `size`, with POLLERR, which poll reports in any case, or 0 if nobody waits;
 * `found` is told of those that hold. */
CH_HIDDEN void ch_reactor_makeshift(int64_t deadline, int size, int (*wanted)(int fd),
                                    void (*found)(int fd, int events));

/* Gives up what this thread's domain waits for, because the process ends. */
CH_HIDDEN void ch_reactor_leave(void);
/* Closes the reactor's descriptors, because the domain of this thread ends. */
CH_HIDDEN void ch_reactor_end(void);
/* Polls the reactor, and opens the domain's letters (inbox.h). The loop calls this. */
CH_HIDDEN void ch_reactor_poll(int64_t deadline);
/* Called after pthread_cancel has ended a poll of this thread: makes up for what the poll did not do any more. */
CH_HIDDEN void ch_reactor_left(void);
/* Returns the time by which a loop that sleeps elsewhere has to poll again, because a timer is due or an entry of the
 * readiness cache has to be verified. */
CH_HIDDEN int64_t ch_reactor_due(void);

/* Called by the replacement of close before the descriptor is closed: see `closing`. Nothing happens to the runtime's
 * own descriptors, which stay open. */
CH_HIDDEN void ch_fd_closing(int fd);
/* Called by the replacement of shutdown after it has shut the sending half: no event tells who waits for room in a full
 * local stream. */
CH_HIDDEN void ch_fd_shut(int fd);

/* The clause of a wait for events of poll. Its result is the events that hold, or the negative of an error number. */
CH_HIDDEN extern const struct ch_clause_type ch_fd_clause_type;
static inline struct ch_clause ch_fd_clause(int fd, int events) {
  return (struct ch_clause){.type = &ch_fd_clause_type, .object = (void *)(intptr_t)fd, .value = events};
}

/* The same for ch_call_wait (call.h), without a limit and with one. */
CH_HIDDEN extern const struct ch_clause_type ch_call_clause_type, ch_timed_call_clause_type;

#endif
