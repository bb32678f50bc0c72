/* Waiting for an operation, and ch_offload: leaves in plain C. */
#include "posix/operations.h"
#include "reactor/operation.h"
#include <errno.h>

/* Result and errno; the operation's memory is given back. */
static intptr_t outcome(struct ch_operation *op) {
  long r = op->result;
  size_t before = op->before;
  if (op->cancelling && r == -EINTR)
    r = -ECANCELED; /* a call that was interrupted has done nothing */
  ch_operation_free(op);
  if (r >= 0 || before)
    return (intptr_t)before + (r < 0 ? 0 : r);
  errno = (int)-r;
  return -1;
}

static intptr_t ended(struct ch_clause *all, unsigned selected) { return (void)selected, outcome(all[0].object); }
static const struct ch_leaf operate_leaf = CH_LEAF("ch_operate", 1, ended);

/* True: it has started, and is under way. */
static bool begin(struct ch_operation *op) {
  if (ch_is_marked()) {
    op->result = -ECANCELED;
    return false;
  }
  ch_operation_start(op);
  return !op->done;
}

struct ch_int_result ch_operate_int(struct ch_operation *op) CH_INT_NAME(ch_operate);
struct ch_int_result ch_operate_int(struct ch_operation *op) {
  if (!begin(op))
    return (struct ch_int_result){CH_DONE, outcome(op)};
  struct ch_clause c = ch_operation_clause(op);
  return ch_wait_leaf(&operate_leaf, &c, 1);
}

long ch_operate(struct ch_operation *op) {
  if (!begin(op))
    return outcome(op);
  struct ch_clause c = ch_operation_clause(op);
  return ch_wait_leaf_native(&operate_leaf, &c, 1);
}

/* ---- ch_offload ---- */

static intptr_t offload_ended(struct ch_clause *all, unsigned selected) {
  int saved = errno;
  int error = ended(all, selected) < 0 ? errno : 0;
  errno = saved;
  return error;
}
static const struct ch_leaf offload_leaf = CH_LEAF("ch_offload", 1, offload_ended);

/* NULL: *error says why not. */
static struct ch_operation *begin_offload(void (*fn)(void *), void *argument, int *error) {
  int saved = errno;
  ch_outcome r = ch_begin_call((long (*)(void *))(void *)fn, argument, CH_CALL_FOREIGN);
  *error = errno;
  errno = saved;
  if (!CH_IS_LATER(r))
    return NULL;
  struct ch_operation *op = CH_OPERATION(r);
  if (begin(op))
    return op;
  *error = op->result < 0 ? (int)-op->result : 0;
  ch_operation_free(op);
  return NULL;
}

struct ch_int_result ch_offload_int(void (*fn)(void *), void *argument) CH_INT_NAME(ch_offload);
struct ch_int_result ch_offload_int(void (*fn)(void *), void *argument) {
  int error;
  struct ch_operation *op = begin_offload(fn, argument, &error);
  if (!op)
    return (struct ch_int_result){CH_DONE, error};
  struct ch_clause c = ch_operation_clause(op);
  return ch_wait_leaf(&offload_leaf, &c, 1);
}

int ch_offload(void (*fn)(void *), void *argument) {
  int error;
  struct ch_operation *op = begin_offload(fn, argument, &error);
  if (!op)
    return error;
  struct ch_clause c = ch_operation_clause(op);
  return (int)ch_wait_leaf_native(&offload_leaf, &c, 1);
}
