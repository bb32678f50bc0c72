/* See futex.h. */
#define _GNU_SOURCE
#include "posix/futex.h"
#include "posix/operate.h"
#include "offload/pool.h"
#include <errno.h>
#include <linux/futex.h>
#include <linux/io_uring.h>
#include <sys/syscall.h>
#include <unistd.h>

/* ---- requests: `a` is the word, `offset` its value, `n` the bits, and `flags` says if it is shared ---- */

/* On a thread of the pool. If there was no thread it is called in place, and must not block. */
static long perform(const struct ch_request *q) {
  if (ch_domain.group)
    return -EINTR;
  int how = q->flags ? FUTEX_WAIT_BITSET : FUTEX_WAIT_BITSET_PRIVATE;
  return syscall(SYS_futex, q->a, how, (uint32_t)q->offset, NULL, NULL, (uint32_t)q->n) < 0 ? -errno : 0;
}

#ifdef FUTEX2_SIZE_U32
enum { SIZE_U32 = FUTEX2_SIZE_U32, IS_PRIVATE = FUTEX2_PRIVATE };
#else
enum { SIZE_U32 = 2, IS_PRIVATE = FUTEX_PRIVATE_FLAG };
#endif
enum { OP_FUTEX_WAIT = 51 }; /* IORING_OP_FUTEX_WAIT, of Linux 6.7 */

static void prepare(const struct ch_request *q, struct io_uring_sqe *sqe) {
  sqe->opcode = OP_FUTEX_WAIT;
  sqe->fd = SIZE_U32 | (q->flags ? 0 : IS_PRIVATE);
  sqe->addr = (uint64_t)(uintptr_t)q->a;
  sqe->addr2 = (uint64_t)(uint32_t)q->offset;
  sqe->addr3 = (uint64_t)(uint32_t)q->n;
}

static const struct ch_operation_kind by_ring = {"futex", perform, prepare, .queue = CH_POOL_WAITING,
                                                 .interrupt = true};
static const struct ch_operation_kind by_thread = {"futex", perform, NULL, .queue = CH_POOL_WAITING, .interrupt = true};
static bool ring_refuses;

struct ch_request ch_futex_request(const uint32_t *word, uint32_t value, uint32_t bits, bool shared) {
  const bool asks_ring = !__atomic_load_n(&ring_refuses, __ATOMIC_RELAXED);
  return (struct ch_request){
      .kind = asks_ring ? &by_ring : &by_thread, .fd = -1, .a = word, .offset = value, .n = bits, .flags = shared};
}

long ch_futex_ended(const struct ch_request *q, long result) {
  if (result != -EINVAL || q->kind != &by_ring || __atomic_exchange_n(&ring_refuses, true, __ATOMIC_RELAXED))
    return result;
  return -EINTR;
}

int ch_futex_wake(uint32_t *word, int n, bool shared) {
  int saved = errno;
  int woken = (int)syscall(SYS_futex, word, shared ? FUTEX_WAKE : FUTEX_WAKE_PRIVATE, n, NULL, NULL, 0);
  errno = saved;
  return woken < 0 ? 0 : woken;
}

/* ---- the call ---- */

static intptr_t ended(struct ch_clause *all, unsigned selected) {
  const struct ch_operation *op = (struct ch_operation *)all;
  all->value = ch_futex_ended(&op->request, all->value);
  return ch_operation_ended(all, selected);
}
static const struct ch_leaf leaf = CH_OPERATION_LEAF("futex", ended);

static bool is_refused(void) {
  if (!ch_is_marked())
    return false;
  errno = ECANCELED;
  return true;
}

struct ch_int_result ch_do_futex_wait_int(const uint32_t *, uint32_t value, uint32_t bits, bool shared)
    CH_INT_NAME(ch_do_futex_wait);
struct ch_int_result ch_do_futex_wait_int(const uint32_t *word, uint32_t value, uint32_t bits, bool shared) {
  if (is_refused())
    return ch_done(-1);
  struct ch_request request = ch_futex_request(word, value, bits, shared);
  return ch_operate_int(&leaf, &request);
}

long ch_do_futex_wait(const uint32_t *word, uint32_t value, uint32_t bits, bool shared) {
  if (is_refused())
    return -1;
  struct ch_request request = ch_futex_request(word, value, bits, shared);
  return ch_operate(&leaf, &request);
}
