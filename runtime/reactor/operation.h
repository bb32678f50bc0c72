/* A system call that is made on somebody's behalf: by the kernel's ring, or by a thread of the pool.
 *
 * The caller fills in a kind and its arguments, starts it, and waits for it by a clause. Everything that the arguments
 * point to stays where it is until the operation has ended: so also who is cancelled waits for the end, which he may
 * ask for (exact cancellation: AC paper, section 2.2; law 4). Asked or not, the outcome is one of two: -ECANCELED, and
 * nothing has happened; or the call's own result, and everything that it says has happened.
 *
 * Invariants: 1. `result` means something once `done`; 2. an operation that is done is known to neither ring nor pool;
 * 3. `waiter` is registered only while it is not done.
 */
#ifndef CHARCOAL_REACTOR_OPERATION_H
#define CHARCOAL_REACTOR_OPERATION_H

#include "offload/pool.h"
#include "wait/wait.h"

struct ch_operation;
struct io_uring_sqe;

struct ch_operation_kind {
  const char *name;
  long (*perform)(struct ch_operation *); /* the plain call, on a thread of the pool; -errno for failures */
  /* Describes it to the ring; NULL: the ring does not know it. */
  void (*prepare)(const struct ch_operation *, struct io_uring_sqe *);
  uint8_t lane;   /* of the pool */
  bool closes;    /* waits for a peer, on `fd`: ends with -EBADF when that is closed here */
  bool interrupt; /* the pool's thread may be interrupted in it: EINTR means that nothing has happened */
  bool reads;     /* takes up to `n` bytes from a socket: has SO_RCVTIMEO, and empties it when it takes fewer */
};

struct ch_operation {
  struct ch_job job; /* while the pool has it */
  const struct ch_operation_kind *kind;
  struct ch_clause *waiter;
  /* arguments; which of them mean something depends on the kind */
  int fd, fd2;
  const void *a, *b;
  size_t n;
  int64_t offset, offset2;
  unsigned flags, mode;
  size_t before; /* bytes that were read before it was started: the first part of the same call */
  long result;
  /* private */
  struct ch_operation *next, **at; /* the ring's: what is in flight on `fd` */
  struct ch_clause again;          /* asks for the end once more, */
  int64_t pause;                   /* after so many ns */
  uint8_t by, expected;            /* CH_BY_*; completions that the ring still owes */
  bool done, cancelling, closed, answered, repeating, timed_out;
  uint32_t began; /* of one that reads: ch_known_now when it was started */
};
enum { CH_BY_NOBODY, CH_BY_RING, CH_BY_POOL };

/* With all arguments 0. NULL: no memory. */
CH_HIDDEN struct ch_operation *ch_operation_new(const struct ch_operation_kind *, int fd);
CH_HIDDEN void ch_operation_free(struct ch_operation *);
/* Never fails: where neither ring nor pool has room the call is made in place, and blocks. */
CH_HIDDEN void ch_operation_start(struct ch_operation *);
/* Asks for the end. The operation still has to be waited for. */
CH_HIDDEN void ch_operation_cancel(struct ch_operation *);
/* For those who carry it out: the request to end it has missed it, and is to be made again in a while. */
CH_HIDDEN void ch_operation_cancel_again(struct ch_operation *);
/* For those who carry it out: it has ended. */
CH_HIDDEN void ch_operation_end(struct ch_operation *, long result);

CH_HIDDEN extern const struct ch_clause_type ch_operation_clause_type;
static inline struct ch_clause ch_operation_clause(struct ch_operation *op) {
  return (struct ch_clause){.type = &ch_operation_clause_type, .object = op};
}

#endif
