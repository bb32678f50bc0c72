/* Any plain code, on a thread of the pool. */
#define _GNU_SOURCE
#include "posix/operations/define.h"

static long perform_call(const req_t *q) { return ((long (*)(void *))(uintptr_t)q->offset)((void *)q->a); }
static void release_call(const req_t *q) { ((struct ch_abandoned *)(uintptr_t)q->a)->release((void *)q->a); }
static const struct ch_operation_kind call_kinds[] = {
    [CH_CALL_FOREIGN] = {"call", perform_call, NULL, .queue = CH_POOL_FOREIGN},
    [CH_CALL_STORAGE] = {"call", perform_call, NULL, .queue = CH_POOL_STORAGE},
    [CH_CALL_WAITING] = {"call", perform_call, NULL, .queue = CH_POOL_WAITING},
    [CH_CALL_INTERRUPTIBLE] = {"call", perform_call, NULL, .queue = CH_POOL_WAITING, .interrupt = true},
    [CH_CALL_CANCELLABLE] = {"call", perform_call, NULL, .queue = CH_POOL_WAITING, .cancellable = true,
                             .in_place = true},
    [CH_CALL_ABANDONED] = {"call", perform_call, NULL, .queue = CH_POOL_FOREIGN, .abandoned = release_call}};

static long begin_call(req_t *q, long (*fn)(void *), void *argument, int how) {
  *q = (req_t){.kind = &call_kinds[how], .fd = -1, .offset = (int64_t)(uintptr_t)fn, .a = argument};
  int error = ch_is_marked() ? ECANCELED : !ch_is_in_branch() ? EPERM : 0;
  if (!error)
    return CH_LATER;
  if (q->kind->abandoned)
    q->kind->abandoned(q);
  return errno = error, -1;
}

/* clang-format off */
CALL(call, (long (*fn)(void *), void *argument, int how), begin_call(&q, fn, argument, how))
/* clang-format on */
