/* Replacements of pthread_mutex_*, pthread_cond_*, pthread_rwlock_*, pthread_once, pthread_join, pthread_barrier_wait,
 * pthread_spin_lock, sem_*, and of C11's names for some of them: see posix/locks/queue.h.
 *
 * Taking a mutex or an rwlock cannot be cancelled, because POSIX does not make it a cancellation point, and programs do
 * not look at its result. pthread_cond_wait, sem_wait and pthread_join can be cancelled: they return ECANCELED, the
 * first of them after it has taken the mutex again. pthread_barrier_wait does not begin in a cancelled scope, but once
 * it has begun it waits to the end. */
#define _GNU_SOURCE
#include "charcoal_abi.h"
#include "posix/locks/condition.h"
#include "posix/locks/mutex.h"
#include "posix/locks/others.h"
#include "posix/plain.h"
#include "posix/plain_waits.h"
#include "posix/single_activity.h"
#include "posix/replacements/replacement.h"
#include <threads.h>

/* ---- conditions ---- */

/* Not cancelled. */
static int wait_with_others(pthread_cond_t *c, pthread_mutex_t *m, clockid_t clock, const struct timespec *t) {
  struct ch_shared_wait w = {c, m, clock, t, 0};
  struct ch_scope barrier;
  int saved = errno;
  if (!ch_condition_lend(&w))
    return w.result;
  ch_scope_enter(&barrier, CH_SCOPE_BARRIER, "a condition of pthreads");
  ch_do_call(ch_call_shared_wait, &w, CH_CALL_WAITING);
  ch_scope_leave(&barrier);
  ch_condition_take_back(&w);
  errno = saved;
  return w.result;
}

static int wait_on(pthread_cond_t *c, pthread_mutex_t *m, clockid_t clock, const struct timespec *t) {
  if (ch_cancelled()) { /* others go on meanwhile, also when the caller comes back again and again */
    struct ch_scope barrier;
    int saved = errno, r = ch_mutex_unlock(m);
    if (r)
      return r;
    ch_scope_enter(&barrier, CH_SCOPE_BARRIER, "a condition of pthreads");
    ch_sleep(1);
    ch_scope_leave(&barrier);
    r = ch_mutex_lock(m);
    errno = saved;
    return r ? r : ECANCELED;
  }
  return ch_condition_is_shared(c) ? wait_with_others(c, m, clock, t) : ch_condition_wait(c, m, clock, t);
}

CH_REPLACES(pthread_cond_wait) int ch_posix_pthread_cond_wait(pthread_cond_t *c, pthread_mutex_t *m) {
  CH_SINGLE_ACTIVITY_OF_THREAD(ch_condition_wait_plainly(c, m, -1, NULL));
  return wait_on(c, m, -1, NULL);
}
CH_REPLACES(pthread_cond_timedwait)
int ch_posix_pthread_cond_timedwait(pthread_cond_t *c, pthread_mutex_t *m, const struct timespec *t) {
  CH_SINGLE_ACTIVITY(ch_condition_wait_plainly(c, m, -1, t));
  return wait_on(c, m, -1, t);
}
CH_REPLACES(pthread_cond_clockwait)
int ch_posix_pthread_cond_clockwait(pthread_cond_t *c, pthread_mutex_t *m, clockid_t clock, const struct timespec *t) {
  clock = ch_condition_clock(clock);
  CH_SINGLE_ACTIVITY(ch_condition_wait_plainly(c, m, clock, t));
  return wait_on(c, m, clock, t);
}

/* ---- the others ---- */

/* The C library's knows nothing of a cancellation that has ended the domain's sleep. */
CH_REPLACES(pthread_testcancel) void ch_posix_pthread_testcancel(void) {
  ch_cancellation_point();
  ch_plain_testcancel();
}

static void once(pthread_once_t *o, void (*init)(void)) {
  if (ch_once_take(o)) {
    init();
    ch_once_end(o);
  }
}
CH_REPLACES(pthread_once) int ch_posix_pthread_once(pthread_once_t *o, void (*init)(void)) { return once(o, init), 0; }

/* All three, because in a shared object the plain names may be those of the C++ library. */
CH_REPLACES(__cxa_guard_acquire) int ch_posix_guard_acquire(uint64_t *guard) { return ch_variable_take(guard); }
CH_REPLACES(__cxa_guard_release) void ch_posix_guard_release(uint64_t *guard) { ch_variable_end(guard, 1); }
CH_REPLACES(__cxa_guard_abort) void ch_posix_guard_abort(uint64_t *guard) { ch_variable_end(guard, 0); }

CH_REPLACES(pthread_spin_lock) int ch_posix_pthread_spin_lock(pthread_spinlock_t *l) {
  int r = ch_plain_spin_trylock(l);
  if (r != EBUSY)
    return r;
  CH_SINGLE_ACTIVITY_NO_POINT(pthread_spin_lock(l));
  while ((r = ch_plain_spin_trylock(l)) == EBUSY)
    ch_reschedule();
  return r;
}

/* Which is wrong also for a thread that has ended. */
static inline int is_no_clock(clockid_t clock) { return clock != CLOCK_REALTIME && clock != CLOCK_MONOTONIC; }

/* As the C library, which asks first whether there is anything to join. */
static int error_of_joining_oneself(void) {
  pthread_attr_t mine;
  int state = PTHREAD_CREATE_JOINABLE;
  if (pthread_getattr_np(pthread_self(), &mine) == 0) {
    pthread_attr_getdetachstate(&mine, &state);
    pthread_attr_destroy(&mine);
  }
  return state == PTHREAD_CREATE_DETACHED ? EINVAL : EDEADLK;
}

static int join(pthread_t thread, void **result, clockid_t clock, const struct timespec *until) {
  struct ch_join j = {.thread = thread, .clock = clock, .until = until};
  if (pthread_equal(thread, pthread_self()))
    return error_of_joining_oneself();
  int saved = errno, r;
  if (ch_cancelled())
    return ECANCELED;
  r = ch_plain_tryjoin(thread, result);
  if (r != EBUSY)
    return r;
  r = ch_do_call(ch_call_join, &j, CH_CALL_CANCELLABLE) < 0 ? errno : j.error;
  errno = saved;
  if (r == 0 && result)
    *result = j.result;
  return r;
}
CH_REPLACES(pthread_join) int ch_posix_pthread_join(pthread_t thread, void **result) {
  CH_SINGLE_ACTIVITY_OF_THREAD(ch_library_join(thread, result));
  return join(thread, result, CLOCK_REALTIME, NULL);
}
CH_REPLACES(pthread_timedjoin_np)
int ch_posix_pthread_timedjoin(pthread_t thread, void **result, const struct timespec *until) {
  CH_SINGLE_ACTIVITY_OF_THREAD(ch_library_timedjoin(thread, result, until));
  return join(thread, result, CLOCK_REALTIME, until);
}
CH_REPLACES(pthread_clockjoin_np)
int ch_posix_pthread_clockjoin(pthread_t thread, void **result, clockid_t clock, const struct timespec *until) {
  CH_SINGLE_ACTIVITY_OF_THREAD(ch_library_clockjoin(thread, result, clock, until));
  return is_no_clock(clock) ? EINVAL : join(thread, result, clock, until);
}

/* In plain code, which knows nothing of scopes that are cancelled. */
int ch_wait_for_thread(pthread_t thread, void **result, clockid_t clock, const struct timespec *until) {
  if (is_no_clock(clock))
    return EINVAL;
  struct ch_scope barrier;
  ch_scope_enter(&barrier, CH_SCOPE_BARRIER, "pthread_join");
  int r = join(thread, result, clock, until);
  ch_scope_leave(&barrier);
  return r;
}

static int result_of_sem(int error) { return error ? (errno = error, -1) : 0; }
CH_REPLACES(sem_wait) int ch_posix_sem_wait(sem_t *s) {
  CH_SINGLE_ACTIVITY(sem_wait(s));
  return result_of_sem(ch_posix_sem_take(s, CLOCK_REALTIME, NULL));
}
CH_REPLACES(sem_timedwait) int ch_posix_sem_timedwait(sem_t *s, const struct timespec *t) {
  CH_SINGLE_ACTIVITY(sem_timedwait(s, t));
  return result_of_sem(ch_posix_sem_take(s, CLOCK_REALTIME, t));
}
CH_REPLACES(sem_clockwait) int ch_posix_sem_clockwait(sem_t *s, clockid_t clock, const struct timespec *t) {
  CH_SINGLE_ACTIVITY(sem_clockwait(s, clock, t));
  return result_of_sem(ch_posix_sem_take(s, clock, t));
}

/* ---- C11: in glibc the same objects under other names ---- */

CH_REPLACES(cnd_wait) int ch_posix_cnd_wait(cnd_t *c, mtx_t *m) {
  CH_SINGLE_ACTIVITY_OF_THREAD(
      ch_thrd_result(ch_condition_wait_plainly((pthread_cond_t *)c, (pthread_mutex_t *)m, CLOCK_REALTIME, NULL)));
  return ch_thrd_result(wait_on((pthread_cond_t *)c, (pthread_mutex_t *)m, CLOCK_REALTIME, NULL));
}
CH_REPLACES(cnd_timedwait) int ch_posix_cnd_timedwait(cnd_t *c, mtx_t *m, const struct timespec *t) {
  CH_SINGLE_ACTIVITY(
      ch_thrd_result(ch_condition_wait_plainly((pthread_cond_t *)c, (pthread_mutex_t *)m, CLOCK_REALTIME, t)));
  return ch_thrd_result(wait_on((pthread_cond_t *)c, (pthread_mutex_t *)m, CLOCK_REALTIME, t));
}
CH_REPLACES(call_once) void ch_posix_call_once(once_flag *o, void (*init)(void)) { once((pthread_once_t *)o, init); }
static int join_c11(thrd_t thread, int *result) {
  struct ch_join j = {.thread = (pthread_t)thread};
  int saved = errno;
  if (pthread_equal(j.thread, pthread_self()))
    return thrd_error;
  if (ch_do_call(ch_call_thrd_join, &j, CH_CALL_CANCELLABLE) < 0)
    return thrd_error;
  errno = saved;
  if (j.error == thrd_success && result)
    *result = (int)(intptr_t)j.result;
  return j.error;
}
/* By thrd_join itself: who made the thread may keep accounts of it. Cancelled: thrd_error, with errno ECANCELED. */
CH_REPLACES(thrd_join) int ch_posix_thrd_join(thrd_t thread, int *result) {
  CH_SINGLE_ACTIVITY_OF_THREAD(ch_library_thrd_join(thread, result));
  return join_c11(thread, result);
}
int ch_wait_for_c11_thread(thrd_t thread, int *result) {
  struct ch_scope barrier;
  ch_scope_enter(&barrier, CH_SCOPE_BARRIER, "thrd_join");
  int r = join_c11(thread, result);
  ch_scope_leave(&barrier);
  return r;
}
