/* An operation is a system call that the kernel's ring or a thread of the pool makes for an activity.
 *
 * A *request* is a value that says which call is to be made. An *operation* is a request that is under way, together
 * with the clause of its only waiter. The operation lies in the frame of the waiting call, or on the native stack of a
 * plain call. It has to stay there until it has ended, and so does everything that its arguments point to. So a
 * cancelled waiter may request the end of the operation, but still has to wait for it (exact cancellation: AC paper,
 * section 2.2; law 4). In any case there are two possible outcomes: -ECANCELED, and nothing has happened; or the call's
 * result, and everything that it says has happened.
 *
 * Invariants: 1. an operation that has begun is waited for before any other code of its branch runs, and ends once;
 * 2. neither ring nor pool has a pointer to an operation that has ended; 3. a thread of the pool touches the
 * operation's `aside`, never the operation.
 */
#ifndef CHARCOAL_REACTOR_OPERATION_H
#define CHARCOAL_REACTOR_OPERATION_H

#include "wait/wait.h"

struct ch_request;
struct io_uring_sqe;

struct ch_operation_kind {
  const char *name;
  long (*perform)(const struct ch_request *); /* the plain call, on a thread of the pool; -errno for failures */
  /* Describes the call to the ring; NULL: the ring does not know it. */
  void (*prepare)(const struct ch_request *, struct io_uring_sqe *);
  uint8_t queue;        /* of the pool */
  bool closes;          /* it waits for a peer on `fd`, and ends with -EBADF when that is closed here */
  bool interrupt;       /* the pool's thread may be interrupted in it, as EINTR means that nothing has happened */
  bool receives;        /* it takes up to `n` bytes from a peer; if it takes fewer, no more are there */
  bool relies_on_cache; /* it waits without limit because of what the readiness cache says of `fd` (SO_RCVTIMEO), and
                           that is verified */
  bool goes_on;         /* `before` means something */
  bool cancellable; /* like interrupt, by the cancellation of the pool's thread: the call is one of POSIX's cancellation
                     * points, and asks for it (ch_pool_cancellable) */
  bool in_place;    /* without room in the ring and the pool the caller makes the call itself and blocks, although the
                     * call may wait: callers do not expect ENOMEM, and what ends it is mostly outside this domain */
  /* Not NULL: the call cannot be ended, but nobody need wait for it, because it touches only what is its own. If it is
   * cancelled it ends at once for the waiter. This function releases what the arguments point to when the thread has
   * come back, or will never begin. */
  void (*abandoned)(const struct ch_request *);
  const struct ch_operation_kind *otherwise; /* what the ring is asked for after ENOTSOCK; or NULL */
  /* Not NULL: called with each result of the ring that is no error, by the caller's thread. */
  void (*answered)(const struct ch_request *, long result);
};

/* Which arguments mean something depends on the kind. */
struct ch_request {
  const struct ch_operation_kind *kind;
  int fd, fd2;
  const void *a;
  union {
    const void *b;
    int64_t offset;
  };
  size_t n;
  unsigned flags;
  union {
    unsigned mode;
    unsigned before; /* bytes that were read before: the first part of the same call */
  };
  int64_t position; /* of a file whose position the call moves: where it stood; -1: unknown */
};

struct ch_operation {
  /* The clause of the waiter. `link` is on the ring's list of what is in flight on `fd`. `object` is the aside, or
   * NULL. `value` is the result when the operation has ended. `slot` consists of bits CH_OPERATION_*. */
  struct ch_clause clause;
  struct ch_request request;
};

enum {
  CH_OPERATION_RING = 1,       /* the ring has it; else the pool */
  CH_OPERATION_CANCELLING = 2, /* its end has been asked for */
  CH_OPERATION_CLOSED = 4,     /* because its descriptor is closed */
  CH_OPERATION_TIMED_OUT = 8,  /* because the socket's timeout is over */
  CH_OPERATION_ANSWERED = 16,  /* the ring's own completion has come: `value` is its result */
  CH_OPERATION_NO_SOCKET = 32, /* CANCELLING, only because its descriptor has turned out to be none */
  CH_OPERATION_OWED = 64       /* times the completions that the ring still owes */
};

/* True: it is under way, and the caller waits for it now. False: `clause.value` is the result. Where neither ring nor
 * pool has room the call is made in place; but if it may wait for somebody, and others could run meanwhile, the result
 * is -ENOMEM. */
CH_HIDDEN bool ch_operation_start(struct ch_operation *);
/* Asks for the end of the operation, which still has to be waited for. */
CH_HIDDEN void ch_operation_cancel(struct ch_operation *);

/* Called before the descriptor is closed: operations in the pool that wait for it end with -EBADF. */
CH_HIDDEN void ch_operations_closing(int fd);

/* Called in a child of fork: operations that the parent's threads were carrying out for this domain begin anew, or end
 * as interrupted. Returns whether there were any. */
CH_HIDDEN bool ch_operations_revive(void);

/* ---- for those who carry it out ---- */

/* Says that the operation has ended. */
CH_HIDDEN void ch_operation_end(struct ch_operation *, long result);
/* Says that the request to end the operation did not reach it, and has to be made again in a while. */
CH_HIDDEN void ch_operation_cancel_again(struct ch_operation *);
/* Carries the operation out once more, from the beginning. */
CH_HIDDEN void ch_operation_begin_again(struct ch_operation *);
/* Called when the ring of the operation is gone: the pool carries it out from the beginning, or it ends with -EINTR. */
CH_HIDDEN void ch_operation_by_thread(struct ch_operation *);
/* Makes the operation end with -EAGAIN `after` ns from now, at the socket's timeout. False: there is no memory for a
 * timer. */
CH_HIDDEN bool ch_operation_time_out(struct ch_operation *, int64_t after);

#endif
