/* Barriers of POSIX. The layout of pthread_barrier_t is a part of the C library's ABI (since 2.25): how many threads
 * have arrived, the number of the first arrival that has not been let through, how many make a round, whether processes
 * share the barrier, and how many have left. */
#define _GNU_SOURCE
#include "posix/futex.h"
#include "frames/interposed.h"
#include "posix/locks/queue.h"
#include "posix/locks/replacement.h"
#include "posix/operations.h"
#include "sched/tsan.h"
#include <dlfcn.h>
#include <errno.h>
#include <limits.h>
#include <pthread.h>

struct glibc_barrier {
  unsigned in, through, count;
  int shared; /* not 0 */
  unsigned out;
};
_Static_assert(sizeof(struct glibc_barrier) <= sizeof(pthread_barrier_t), "it is what a pthread_barrier_t holds");

/* Where the C library begins to count anew. */
static unsigned most(const struct glibc_barrier *b) { return UINT_MAX / 2 - UINT_MAX / 2 % b->count; }

/* Arrival number i has been let through: it leaves, and touches the barrier no more. The result is the call's. */
static int pass(struct glibc_barrier *b, unsigned i) {
  ch_tsan_acquire(b);
  unsigned count = b->count, last = most(b);
  bool shared = b->shared != 0;
  if (__atomic_add_fetch(&b->out, 1, __ATOMIC_ACQ_REL) == last) {
    b->through = 0;
    b->out = 0;
    __atomic_store_n(&b->in, 0, __ATOMIC_RELEASE);
    ch_futex_wake(&b->in, INT_MAX, shared);
  }
  return i % count == 0 ? PTHREAD_BARRIER_SERIAL_THREAD : 0;
}

/* `how`: the number of the arrival. */
static bool take(struct ch_lock_wait *w) {
  struct glibc_barrier *b = w->clause.object;
  if (w->how > __atomic_load_n(&b->through, __ATOMIC_ACQUIRE))
    return false;
  w->result = pass(b, w->how);
  return true;
}

static enum ch_await await(struct ch_queue *q, struct ch_word *word) {
  struct glibc_barrier *b = q->object;
  unsigned through = __atomic_load_n(&b->through, __ATOMIC_ACQUIRE);
  if (ch_queue_first(q)->how <= through)
    return CH_AWAIT_FREE;
  *word = (struct ch_word){.word = &b->through, .value = through, .shared = b->shared != 0};
  return CH_AWAIT_WORD;
}

static const struct ch_lock_type type = {
    .clause = {.what = "barrier", .enlist = ch_queue_enlist, .withdraw = ch_queue_withdraw, .cancel = ch_queue_refuse},
    .take = take,
    .await = await};
static const struct ch_leaf leaf = CH_LOCK_LEAF("pthread_barrier_wait");

/* The caller arrives. Whether it has to wait. */
static bool arrive(struct ch_lock_wait *w, pthread_barrier_t *barrier, const void *place, int *result) {
  struct glibc_barrier *b = (struct glibc_barrier *)barrier;
  ch_tsan_release(b);
  unsigned i = __atomic_add_fetch(&b->in, 1, __ATOMIC_ACQ_REL);
  unsigned through = __atomic_load_n(&b->through, __ATOMIC_RELAXED), now = i - i % b->count;
  while (through + b->count <= i)
    if (__atomic_compare_exchange_n(&b->through, &through, now, false, __ATOMIC_ACQ_REL, __ATOMIC_RELAXED)) {
      ch_futex_wake(&b->through, INT_MAX, b->shared != 0);
      through = now;
    }
  if (i > through) {
    *w = (struct ch_lock_wait){.clause = {.type = &type.clause, .object = barrier}, .place = place, .how = i};
    return true;
  }
  struct ch_queue *q = ch_queue_of(barrier);
  if (q)
    ch_queue_serve(q);
  *result = pass(b, i);
  return false;
}

int __pthread_barrier_wait(pthread_barrier_t *) __attribute__((weak)); /* of a static C library */

/* The C library's own, behind the function of that name below. It knows how to begin anew. */
static long arrive_plainly(void *barrier) {
  return CH_NEXT_DEFINITION(pthread_barrier_wait, __pthread_barrier_wait)(barrier);
}
static bool is_far(const pthread_barrier_t *barrier) {
  const struct glibc_barrier *b = (const struct glibc_barrier *)barrier;
  return __atomic_load_n(&b->in, __ATOMIC_RELAXED) > most(b) - b->count;
}

struct ch_int_result ch_do_call_int(long (*)(void *), void *, int) CH_INT_NAME(ch_do_call);
CH_REPLACES_IN_C(pthread_barrier_wait, pthread_barrier_t *barrier) {
  struct ch_lock_wait w;
  int result;
  if (ch_is_marked())
    return ch_done(ECANCELED);
  if (CH_UNLIKELY(is_far(barrier)))
    return ch_do_call_int(arrive_plainly, barrier, CH_CALL_WAITING);
  return arrive(&w, barrier, CH_HERE, &result) ? ch_lock_wait_int(&leaf, &w) : ch_done(result);
}

/* Before the C library's own: those who have not arrived may be activities of this domain. */
CH_INTERPOSED int pthread_barrier_wait(pthread_barrier_t *barrier) {
  struct ch_lock_wait w;
  int result;
  if (!ch_domain.current || is_far(barrier))
    return (int)arrive_plainly(barrier);
  return arrive(&w, barrier, CH_HERE, &result) ? ch_lock_wait(&w) : result;
}
