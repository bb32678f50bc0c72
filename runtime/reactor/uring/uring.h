/* The reactor over io_uring, shared by the files of this folder: what is in flight of a thread, and on which
 * descriptor.
 *
 * Waiting for a descriptor is a poll request of its own, once. Since a clause lives in the frame of whoever waits, and
 * a request until the kernel has answered, a *poll* stands between them; when the clause is withdrawn its poll stays,
 * as an orphan, until the answer. An operation (operation.h) is its own request: its owner waits for the answer.
 *
 * Invariants: 1. a request's memory is kept until all completions that it is owed have come: its own, and its
 * cancellation's; 2. no request is lost: what finds no room in the submission queue stands in the backlog, which goes
 * first; a completion queue that runs over is kept by the kernel (IORING_FEAT_NODROP), and we take it from there;
 * 3. while a poll is in flight it stands in its descriptor's list, orphan or not: so close() can make the kernel let go
 * of the file first, and the peer sees the end; 4. completions are taken only by the reactor's `poll` and `closing`,
 * never while somebody registers clauses. */
#ifndef CHARCOAL_REACTOR_URING_URING_H
#define CHARCOAL_REACTOR_URING_URING_H

#include "reactor/operation.h"
#include "reactor/reactor.h"
#include "reactor/uring/ring.h"
#include "wait/wait.h"
#include <stdbool.h>
#include <stdint.h>

struct ch_poll {
  struct ch_clause *clause;   /* NULL: an orphan */
  struct ch_poll *next, **at; /* in flight: its descriptor's list. Else: the free list */
  int fd;
  short events;
  uint8_t expected; /* completions owed; 0: the kernel has not been asked, as there is no ring now, or knows no such
                       event */
  bool cancelling;  /* its cancellation is submitted or in the backlog, or its entry does nothing (take_back) */
  bool closing;     /* its descriptor is being closed */
  bool entered;     /* it has had an entry in the submission queue of this ring, so `entry` is valid */
  bool goes_on;     /* the kernel is asked to tell all events, and not only the first: see ch_poll_told */
  short found;      /* the events of these that poll(2) has just told and that its clause has not got yet */
  unsigned entry;   /* the position of its entry, counted as `tail` of the ring is */
};

/* What is in flight on one descriptor. */
struct ch_uring_descriptor {
  struct ch_poll *polls;           /* the newest first, and calls in the order of their turns */
  struct ch_poll *oldest;          /* the last one of these; valid if there is one */
  struct ch_operation *operations; /* doubly linked by their clauses' links; `prev` of the first one is NULL */
};

/* The reactor of this thread. */
struct ch_uring {
  struct ch_uring_descriptor *table; /* by the descriptor's number */
  int table_size;
  struct ch_uring_descriptor none; /* has the operations without a descriptor */
  unsigned in_flight;              /* completions owed, without that of the wake-up */
  int wake_event;                  /* the slot (runtime_descriptors.h) of the inbox's eventfd, + 1; 0: none */
  int why_not;                     /* the error number of the last attempt to start a ring, if it failed */
  int64_t next_attempt;            /* when another attempt may be made, if it failed */
  int64_t between_attempts;        /* how long to wait after that attempt; 0: none has failed since the last ring */
  bool unasked;                    /* there are polls or operations of which no ring has been asked */
};
extern CH_HIDDEN __thread struct ch_uring ch_uring;

/* Number -1 stands for what has no descriptor. */
static inline struct ch_uring_descriptor *ch_uring_at(int fd) { return fd < 0 ? &ch_uring.none : &ch_uring.table[fd]; }

/* Makes the table reach that number. False with errno: it cannot. */
CH_HIDDEN bool ch_uring_enlarge(int fd);
static inline bool ch_uring_make_room(int fd) { return CH_LIKELY(fd < ch_uring.table_size) || ch_uring_enlarge(fd); }

/* ---- requests.c: what is asked of the kernel ---- */

/* What a completion is about, in the low bits of its user_data. The other bits are the address of the poll or the
 * operation. */
enum ch_uring_about {
  CH_ABOUT_POLL,
  CH_ABOUT_POLL_CANCEL,
  CH_ABOUT_OPERATION,
  CH_ABOUT_OPERATION_CANCEL,
  CH_ABOUT_WAKE
};
enum { CH_ABOUT_MASK = 7 };

/* Makes a request, or puts it into the backlog. A cancellation never comes before what it cancels. False: there is no
 * memory. */
CH_HIDDEN bool ch_uring_request(const void *target, enum ch_uring_about);
/* Tells whether requests wait for room in the submission queue. */
CH_HIDDEN bool ch_uring_has_backlog(void);
CH_HIDDEN void ch_uring_drain_backlog(void);
/* Forgets these requests, because there is no ring any more. */
CH_HIDDEN void ch_uring_drop_backlog(void);

/* ---- poll_memory.c ---- */

/* NULL: there is no memory. The contents are undefined. */
CH_HIDDEN struct ch_poll *ch_poll_take(void);
CH_HIDDEN void ch_poll_free(struct ch_poll *);
/* Frees all polls of the thread. Orphans that are still in flight end with the ring. */
CH_HIDDEN void ch_polls_end(void);

/* ---- polls.c ---- */

/* The reactor's `enlist` and `withdraw`. */
CH_HIDDEN bool ch_poll_enlist(struct ch_clause *);
CH_HIDDEN void ch_poll_withdraw(struct ch_clause *);
/* Asks the kernel for the poll. False: there is no memory. */
CH_HIDDEN bool ch_poll_ask(struct ch_poll *);
/* The poll's completion comes in any case, because of the event or of the cancellation. If there is no memory for the
 * cancellation, it comes with the event. */
CH_HIDDEN void ch_poll_cancel(struct ch_poll *);
/* Makes the poll's clause ready. A callback of the clause may change the descriptor's list. */
CH_HIDDEN void ch_poll_fire(struct ch_poll *, int64_t value);
/* Takes the poll off its descriptor's list and frees it. */
CH_HIDDEN void ch_poll_give_back(struct ch_poll *);
/* Makes all clauses ready for which one of these events is what they wait for, the first that came first. */
CH_HIDDEN void ch_polls_found(int fd, int events);
/* What else the kernel has to be asked for, so that it tells the poll's events. */
CH_HIDDEN uint32_t ch_poll_beside(const struct ch_poll *);
/* Called at a completion; `told` at one after which the poll goes on. */
CH_HIDDEN void ch_poll_answered(struct ch_poll *, int result);
CH_HIDDEN void ch_poll_told(struct ch_poll *, int events);
CH_HIDDEN void ch_poll_cancel_answered(struct ch_poll *, int result);

/* ---- operations.c ---- */

static inline struct ch_operation *ch_operation_next(const struct ch_operation *op) {
  return (struct ch_operation *)op->clause.link.next;
}
CH_HIDDEN void ch_operation_unlist(struct ch_operation *);
/* The reactor's `start` and `cancel`. */
CH_HIDDEN bool ch_uring_start(struct ch_operation *);
CH_HIDDEN void ch_uring_cancel(struct ch_operation *);
/* Called at a completion. */
CH_HIDDEN void ch_uring_operation_answered(struct ch_operation *, int result);
CH_HIDDEN void ch_uring_cancel_answered(struct ch_operation *, int result);

/* ---- verify.c ---- */

/* Called by the readiness cache (ch_fd_cache_verify). */
CH_HIDDEN enum ch_verdict ch_uring_verify(int fd);
/* The reactor's `look_again`: the calls that wait by a poll look at the descriptor again. */
CH_HIDDEN void ch_uring_look_again(int fd);

/* ---- without_ring.c ---- */

/* Starts a ring and asks it for everything that is waited for. Returns false, with `why_not` set, if the kernel refuses
 * one. */
CH_HIDDEN bool ch_uring_runs_again(void);
/* Waits without a ring, where there can be none at the moment. */
CH_HIDDEN void ch_uring_poll_without(int64_t deadline);
/* Tells whether there is a ring, or can be. */
static inline bool ch_uring_runs(void) { return CH_LIKELY(ch_ring->runs) || ch_uring_runs_again(); }

#endif
