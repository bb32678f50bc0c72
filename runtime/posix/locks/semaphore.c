/* Semaphores of POSIX. The layout of sem_t is a part of the C library's ABI: a 64-bit word with the value in its lower
 * half and the number of waiters in its upper half; then whether processes share the semaphore. */
#define _GNU_SOURCE
#include "frames/forks.h"
#include "frames/interposed.h"
#include "posix/locks/others.h"
#include "posix/locks/queue.h"
#include "posix/locks/replacement.h"
#include "posix/single_activity.h"
#include "sched/host.h"
#include "sched/tsan.h"
#include <errno.h>
#include <limits.h>
#include <pthread.h>

struct glibc_sem {
  uint64_t data;
  int shared; /* not 0 */
};
_Static_assert(sizeof(struct glibc_sem) <= sizeof(sem_t), "it is what a sem_t holds");
#define ONE_WAITER (UINT64_C(1) << 32)

static struct glibc_sem *of(void *s) { return s; }
static uint32_t *value_of(struct glibc_sem *s) {
  return (uint32_t *)&s->data + (__BYTE_ORDER__ == __ORDER_BIG_ENDIAN__);
}

static bool take_unit(struct glibc_sem *s) {
  uint64_t is = __atomic_load_n(&s->data, __ATOMIC_RELAXED);
  while ((uint32_t)is != 0)
    if (__atomic_compare_exchange_n(&s->data, &is, is - 1, true, __ATOMIC_ACQUIRE, __ATOMIC_RELAXED)) {
      ch_tsan_acquire(s);
      return true;
    }
  return false;
}
static bool take(struct ch_lock_wait *w) { return take_unit(w->clause.object); }

/* In a semaphore that processes share, a child of fork has not been counted: what is counted there is its parent's
 * queue, and must stay. */
static void gone(struct ch_queue *);
static void in_child(void) {
  for (struct ch_queue *q = ch_queue_after(NULL); q; q = ch_queue_after(q))
    if (q->type->gone == gone && of(q->object)->shared)
      q->counted = false;
}
static void hook(void) { ch_child_hook(in_child); }

static enum ch_await await(struct ch_queue *q, struct ch_word *word) {
  static pthread_once_t once = PTHREAD_ONCE_INIT;
  struct glibc_sem *s = q->object;
  ch_library_once(&once, hook);
  if (!q->counted) { /* so that a post knows that somebody waits */
    __atomic_add_fetch(&s->data, ONE_WAITER, __ATOMIC_SEQ_CST);
    q->counted = true;
  }
  if (__atomic_load_n(value_of(s), __ATOMIC_SEQ_CST) != 0)
    return CH_AWAIT_FREE;
  *word = (struct ch_word){.word = value_of(s), .value = 0, .shared = s->shared != 0};
  return CH_AWAIT_WORD;
}
static void gone(struct ch_queue *q) {
  if (q->counted)
    __atomic_sub_fetch(&of(q->object)->data, ONE_WAITER, __ATOMIC_RELAXED);
}

static const struct ch_lock_type type = {
    .clause = {.what = "semaphore", .enlist = ch_queue_enlist, .withdraw = ch_queue_withdraw},
    .take = take,
    .await = await,
    .gone = gone};
static const struct ch_leaf leaf = CH_LOCK_LEAF("sem_wait");
/* In plain code, which knows nothing of scopes that are cancelled. */
static const struct ch_lock_type plain_type = {.clause = {.what = "semaphore",
                                                          .enlist = ch_queue_enlist,
                                                          .withdraw = ch_queue_withdraw,
                                                          .cancel = ch_queue_cancelled_in_plain_code},
                                               .take = take,
                                               .await = await,
                                               .gone = gone};

/* 0, an error, or EAGAIN: wait. */
static int begin(struct ch_lock_wait *w, sem_t *s, clockid_t clock, const struct timespec *until) {
  if (ch_is_marked())
    return ECANCELED;
  *w = (struct ch_lock_wait){.clause = {.type = &type.clause, .object = s}};
  int error = until ? ch_lock_until(w, clock, until) : 0;
  if (error)
    return error;
  if (!ch_queue_of(s) && take_unit(of(s)))
    return 0;
  return ch_lock_is_late(w) ? ETIMEDOUT : EAGAIN;
}

struct ch_int_result ch_posix_sem_take_int(sem_t *, clockid_t, const struct timespec *) CH_INT_NAME(ch_posix_sem_take);
struct ch_int_result ch_posix_sem_take_int(sem_t *s, clockid_t clock, const struct timespec *until) {
  struct ch_lock_wait w;
  int r = begin(&w, s, clock, until);
  return r == EAGAIN ? ch_lock_wait_int(&leaf, &w) : ch_done(r);
}
int ch_posix_sem_take(sem_t *s, clockid_t clock, const struct timespec *until) {
  struct ch_lock_wait w;
  int r = begin(&w, s, clock, until);
  return r == EAGAIN ? ch_lock_wait(&w) : r;
}

/* Of a static C library. */
__typeof__(sem_wait) __new_sem_wait __attribute__((weak));
__typeof__(sem_clockwait) ___sem_clockwait __attribute__((weak));

/* Blocks the thread. A wait without a limit is the C library's sem_wait: the kernel goes on with that one after a
 * handler that asks for it (SA_RESTART), but ends each wait with a limit. until NULL: for ever. */
static int wait_as_thread(sem_t *s, clockid_t clock, const struct timespec *until) {
  return until ? CH_NEXT_DEFINITION(sem_clockwait, ___sem_clockwait)(s, clock, until)
               : CH_NEXT_DEFINITION(sem_wait, __new_sem_wait)(s);
}

/* This comes before the C library's own, because the post may come from another activity of this domain. until NULL:
 * for ever. */
static int take_in_plain_code(sem_t *s, clockid_t clock, const struct timespec *until) {
  struct ch_lock_wait w = {.clause = {.type = &plain_type.clause, .object = s}};
  if (ch_domain.live <= 1) /* POSIX: it is a cancellation point of threads even if there is a unit */
    pthread_testcancel();
  int error = until ? ch_lock_until(&w, clock, until) : 0;
  if (!error && !ch_queue_of(s) && take_unit(of(s)))
    return 0;
  if (!ch_domain.current || (ch_domain.live == 1 && ch_is_single_activity()))
    return wait_as_thread(s, clock, until);
  if (!error)
    error = ch_lock_is_late(&w) ? ETIMEDOUT : ch_lock_wait(&w);
  if (error == ECANCELED)
    ch_host_exit_if_cancelled();
  return error ? (errno = error, -1) : 0;
}
CH_INTERPOSED int sem_wait(sem_t *s) { return take_in_plain_code(s, CLOCK_REALTIME, NULL); }
CH_INTERPOSED int sem_timedwait(sem_t *s, const struct timespec *until) {
  return take_in_plain_code(s, CLOCK_REALTIME, until);
}
CH_INTERPOSED int sem_clockwait(sem_t *s, clockid_t clock, const struct timespec *until) {
  return take_in_plain_code(s, clock, until);
}

/* A unit goes to the first who waits here, and in turn to the others who wait. */
static int give(sem_t *s) {
  struct ch_queue *q = ch_queue_of(s);
  if (!q)
    return sem_post(s);
  bool both = __atomic_load_n(&of(s)->data, __ATOMIC_RELAXED) >> 32 > q->counted;
  q->handed_on = both && !q->handed_on;
  if (both && !q->handed_on)
    return sem_post(s);
  ch_queue_leave(ch_queue_first(q), 0);
  return 0;
}
CH_REPLACES_IN_C(sem_post, sem_t *s) { return ch_done(give(s)); }
