/* Waits for operations, and implements ch_offload. Both are interruptible functions in plain C. */
#include "posix/operate.h"
#include "offload/pool.h"
#include "sched/host.h"
#include <errno.h>

/* Result and errno. */
static long outcome(const struct ch_operation *op) {
  long r = op->clause.value, before = op->request.kind->goes_on ? (long)op->request.before : 0;
  if (CH_LIKELY(r >= 0)) {
    if (op->request.kind->answered && op->clause.slot & CH_OPERATION_RING)
      op->request.kind->answered(&op->request, r);
    return before + r;
  }
  if (before)
    return before;
  if (r == -EINTR && op->clause.slot & CH_OPERATION_CANCELLING)
    r = -ECANCELED; /* a call that was interrupted has done nothing */
  errno = (int)-r;
  return -1;
}

intptr_t ch_operation_ended(struct ch_clause *all, unsigned selected) {
  return (void)selected, outcome((struct ch_operation *)all);
}

struct ch_int_result ch_operate_int(const struct ch_leaf *leaf, const struct ch_request *request) {
  struct ch_frame *f = ch_frame_take(&leaf->info);
  struct ch_operation *op = (struct ch_operation *)f->image;
  op->request = *request;
  if (CH_UNLIKELY(!ch_operation_start(op))) {
    intptr_t result = leaf->finish(&op->clause, 0);
    ch_frame_give(f);
    return ch_done(result);
  }
  ch_wait_listed(&op->clause);
  return ch_leaf_blocks(f);
}

intptr_t ch_operate(const struct ch_leaf *leaf, const struct ch_request *request) {
  struct ch_operation op;
  op.request = *request;
  if (ch_operation_start(&op)) {
    ch_wait_listed(&op.clause);
    ch_wait_native(CH_BY_WORLD);
  }
  return leaf->finish(&op.clause, 0);
}

/* ---- ch_offload ---- */

static intptr_t offload_ended(struct ch_clause *all, unsigned selected) {
  return (void)selected, all[0].value < 0 ? (intptr_t)-all[0].value : 0;
}
static const struct ch_leaf offload_leaf = CH_OPERATION_LEAF("ch_offload", offload_ended);

long ch_offload_perform(const struct ch_request *q) {
  bool had_domain = ch_domain.group != NULL;
  ((void (*)(void *))(uintptr_t)q->offset)((void *)q->a);
  /* The pool's thread goes on, but the activities that the call has started end here. */
  if (CH_UNLIKELY(!had_domain && ch_domain.group))
    ch_host_end();
  return 0;
}
static const struct ch_operation_kind foreign_kind = {"offloaded call", ch_offload_perform, NULL,
                                                      .queue = CH_POOL_FOREIGN};

static int begin_offload(struct ch_request *q, void (*fn)(void *), void *argument) {
  *q = (struct ch_request){.kind = &foreign_kind, .fd = -1, .a = argument, .offset = (int64_t)(uintptr_t)fn};
  return !ch_is_in_branch() ? EPERM : ch_is_marked() ? ECANCELED : 0;
}

struct ch_int_result ch_offload_int(void (*fn)(void *), void *argument) CH_INT_NAME(ch_offload);
struct ch_int_result ch_offload_int(void (*fn)(void *), void *argument) {
  struct ch_request q;
  int error = begin_offload(&q, fn, argument);
  return error ? ch_done(error) : ch_operate_int(&offload_leaf, &q);
}

int ch_offload(void (*fn)(void *), void *argument) {
  struct ch_request q;
  int error = begin_offload(&q, fn, argument);
  return error ? error : (int)ch_operate(&offload_leaf, &q);
}
