/* How a call that the ring or the pool makes is defined: from its kind (struct ch_operation_kind), and from how it
 * begins.
 *
 * A request is either made at once, and its result returned (-1 and errno), or written to *q. In the latter case
 * CH_LATER tells the caller to carry it out as an operation. */
#ifndef CHARCOAL_POSIX_OPERATIONS_DEFINE_H
#define CHARCOAL_POSIX_OPERATIONS_DEFINE_H

#include "offload/pool.h"
#include "posix/operate.h"
#include "posix/operations.h"
#include "reactor/reactor.h"
#include <errno.h>
#include <linux/io_uring.h>
#include <stdint.h>

typedef struct ch_request req_t;
typedef struct io_uring_sqe sqe_t;

static inline long or_error(long r) { return r < 0 ? -errno : r; }
static inline long refused(void) { return errno = ECANCELED, -1; }

static inline long in_place(const req_t *q) {
  long r = q->kind->perform(q);
  return r < 0 ? (errno = (int)-r, -1) : r;
}

/* A call that waits for somebody: after a try has said "not now". */
static inline long begin_wait(req_t *q, req_t request) {
  *q = request;
  return ch_is_marked() ? refused() : CH_LATER;
}

/* A call that takes its time: in place, where nothing else could run meanwhile, or where it takes none (`at_once`). */
static inline long begin(req_t *q, req_t request, bool at_once) {
  long r = begin_wait(q, request);
  return r == CH_LATER && (ch_is_alone() || at_once) ? in_place(q) : r;
}

/* Defines ch_do_NAME and its interruptible version: the name, the parameters, and how the call begins. `known`: the
 * name by which the program knows the call. */
#define CALL(name, parameters, ...) CALL_AS(#name, name, parameters, __VA_ARGS__)
#define CALL_AS(known, name, parameters, ...)                                                                          \
  static const struct ch_leaf leaf_##name = CH_OPERATION_LEAF(known, ch_operation_ended);                              \
  struct ch_int_result ch_do_##name##_int parameters CH_INT_NAME(ch_do_##name);                                        \
  struct ch_int_result ch_do_##name##_int parameters {                                                                 \
    req_t q;                                                                                                           \
    int before = errno;                                                                                                \
    long r = __VA_ARGS__;                                                                                              \
    return r == CH_LATER ? (errno = before, ch_operate_int(&leaf_##name, &q)) : ch_done(r);                            \
  } CH_COLD long ch_do_##name parameters {                                                                             \
    req_t q;                                                                                                           \
    int before = errno;                                                                                                \
    long r = __VA_ARGS__;                                                                                              \
    return r == CH_LATER ? (errno = before, ch_operate(&leaf_##name, &q)) : r;                                         \
  }
/* A call that waits, and one that takes its time, with the members of its request. */
#define WAIT(known, name, parameters, ...)                                                                             \
  CALL_AS(known, name, parameters, begin_wait(&q, (req_t){.kind = &name##_kind, __VA_ARGS__}))
#define TASK(name, parameters, ...) CALL(name, parameters, begin(&q, (req_t){.kind = &name##_kind, __VA_ARGS__}, false))

/* Shared with other kinds of the same call. */
CH_HIDDEN long ch_perform_read(const req_t *);
CH_HIDDEN void ch_prepare_read(const req_t *, sqe_t *);

#endif
