/* pthread_mutex_*, pthread_cond_*, pthread_rwlock_*, pthread_once, pthread_join, pthread_barrier_wait,
 * pthread_spin_lock, sem_*, and C11's names for some of them: see posix/locks.h.
 *
 * Taking a mutex or rwlock is not cancelled: POSIX does not make it a cancellation point, and programs do not look at
 * its result. pthread_cond_wait, sem_wait and pthread_join are (ECANCELED; the mutex is taken again first).
 * pthread_barrier_wait does not begin in a cancelled scope, and is waited for once it has begun. */
#define _GNU_SOURCE
#include "charcoal_abi.h"
#include "posix/locks.h"
#include "posix/sole.h"
#include "posix/twins/twins.h"
#include "reactor/times.h"
#include <threads.h>

/* How long somebody here may have a lock before we look whether plain code, which tells nobody, has given it back. */
#define PATIENCE INT64_C(20000000)

/* Everybody else goes on for a moment, siblings too, which a mere pause would not let run. Not cancelled. */
static void give_way(int64_t ns) {
  struct ch_scope barrier;
  ch_scope_enter(&barrier, CH_SCOPE_BARRIER, "a lock of pthreads");
  ch_sleep(ns);
  ch_scope_leave(&barrier);
}

/* Until the mutex may be free. Not cancelled. One of those who wait here looks for plain code's unlocking. */
static void await_mutex(pthread_mutex_t *m, int64_t patience) {
  struct ch_scope barrier;
  struct ch_mutex_queue *queue = ch_mutex_join(m);
  int here = ch_mutex_is_here(m);
  if (!queue) { /* no memory: looks now and then */
    give_way(1000000);
    return;
  }
  ch_scope_enter(&barrier, CH_SCOPE_BARRIER, "pthread_mutex_lock");
  if (here || queue->helped)
    here = ch_sem_timedwait(&queue->turn, patience) == 0;
  if (!here && !queue->helped) {
    queue->helped = 1;
    if (ch_do_call(ch_call_mutex, m, CH_CALL_PATIENT) < 0)
      give_way(1000000);
    queue->helped = 0;
  }
  ch_mutex_leave(queue);
  ch_scope_leave(&barrier);
}

static int lock(pthread_mutex_t *m) {
  int64_t patience = PATIENCE;
  int r, saved = errno;
  if (!ch_mutex_is_plain(m))
    return ch_plain_mutex_lock(m);
  while ((r = ch_mutex_try(m, 1)) == EBUSY) {
    await_mutex(m, patience);
    if (patience < 50 * PATIENCE)
      patience *= 2;
  }
  errno = saved;
  return r;
}

CH_TWIN(pthread_mutex_lock) int ch_posix_pthread_mutex_lock(pthread_mutex_t *m) { return lock(m); }
CH_TWIN(pthread_mutex_trylock) int ch_posix_pthread_mutex_trylock(pthread_mutex_t *m) { return ch_mutex_try(m, 0); }
CH_TWIN(pthread_mutex_unlock) int ch_posix_pthread_mutex_unlock(pthread_mutex_t *m) { return ch_mutex_unlock(m); }

/* A lock that a real thread has is looked at again every so often: a thread of the pool could not give up in time. */
static int lock_until(pthread_mutex_t *m, clockid_t clock, const struct timespec *t) {
  int r = ch_mutex_try(m, 1), saved = errno;
  struct ch_scope barrier;
  if (r != EBUSY || !ch_mutex_is_plain(m))
    return r != EBUSY ? r : ch_plain_mutex_timedlock(m, clock, t);
  if (t->tv_nsec < 0 || t->tv_nsec >= 1000000000)
    return EINVAL;
  ch_scope_enter(&barrier, CH_SCOPE_BARRIER, "pthread_mutex_timedlock");
  int64_t pause = 100000;
  while ((r = ch_mutex_try(m, 1)) == EBUSY) {
    int64_t left = ch_time_until(clock, t);
    if (left <= 0) {
      r = left == 0 ? ETIMEDOUT : EINVAL;
      break;
    }
    struct ch_mutex_queue *queue = ch_mutex_join(m);
    int64_t patience = ch_mutex_is_here(m) ? PATIENCE : pause;
    if (pause < PATIENCE)
      pause *= 2;
    if (queue) {
      ch_sem_timedwait(&queue->turn, left < patience ? left : patience);
      ch_mutex_leave(queue);
    } else {
      ch_sleep(left < patience ? left : patience);
    }
  }
  ch_scope_leave(&barrier);
  errno = saved;
  return r;
}

CH_TWIN(pthread_mutex_timedlock) int ch_posix_pthread_mutex_timedlock(pthread_mutex_t *m, const struct timespec *t) {
  return lock_until(m, CLOCK_REALTIME, t);
}
CH_TWIN(pthread_mutex_clocklock)
int ch_posix_pthread_mutex_clocklock(pthread_mutex_t *m, clockid_t clock, const struct timespec *t) {
  return lock_until(m, clock, t);
}

/* ---- conditions ---- */

/* 0, ETIMEDOUT or ECANCELED, with the mutex taken in any case. */
static int wait_on(pthread_cond_t *cond, pthread_mutex_t *m, clockid_t clock, const struct timespec *t) {
  struct ch_condition *c;
  struct ch_scope barrier;
  int r, saved = errno;
  if (t && (t->tv_nsec < 0 || t->tv_nsec >= 1000000000))
    return EINVAL;
  if (ch_cancelled()) { /* others go on meanwhile, also when the caller comes back again and again */
    ch_mutex_unlock(m);
    give_way(1);
    lock(m);
    errno = saved;
    return ECANCELED;
  }
  if (!ch_mutex_is_plain(m))
    return ch_plain_cond_timedwait(cond, m, clock, t);
  c = ch_condition_join(cond, m);
  if (!c) { /* no memory, or no thread: a wake-up for nothing, after a while */
    ch_mutex_unlock(m);
    give_way(1000000);
    lock(m);
    errno = saved;
    return t && ch_time_until(clock, t) == 0 ? ETIMEDOUT : 0;
  }
  r = t ? ch_sem_timedwait(ch_condition_turn(c), ch_time_until(clock, t)) : ch_sem_wait(ch_condition_turn(c));
  if (ch_condition_leave(c)) {
    ch_scope_enter(&barrier, CH_SCOPE_BARRIER, "pthread_cond_wait");
    lock(m);
    ch_condition_end(c);
    ch_mutex_unlock(m);
    ch_sem_wait(ch_condition_over(c));
    ch_condition_free(c);
    ch_scope_leave(&barrier);
  }
  lock(m);
  errno = saved;
  return r;
}

CH_TWIN(pthread_cond_wait) int ch_posix_pthread_cond_wait(pthread_cond_t *c, pthread_mutex_t *m) {
  return wait_on(c, m, CLOCK_REALTIME, NULL);
}
CH_TWIN(pthread_cond_timedwait)
int ch_posix_pthread_cond_timedwait(pthread_cond_t *c, pthread_mutex_t *m, const struct timespec *t) {
  return wait_on(c, m, ch_condition_clock(c), t);
}
CH_TWIN(pthread_cond_clockwait)
int ch_posix_pthread_cond_clockwait(pthread_cond_t *c, pthread_mutex_t *m, clockid_t clock, const struct timespec *t) {
  return wait_on(c, m, clock, t);
}

/* ---- the others ---- */

/* A thread takes it and gives it back at once, as long as there is time; then we try. Not cancelled: no lock is. */
static int rwlock_until(pthread_rwlock_t *l, int write, clockid_t clock, const struct timespec *until) {
  struct ch_rwlock_call c = {l, write, clock, until};
  int r, saved = errno;
  while ((r = ch_rwlock_try(l, write)) == EBUSY) {
    struct ch_scope barrier;
    ch_scope_enter(&barrier, CH_SCOPE_BARRIER, "pthread_rwlock");
    r = ch_do_call(ch_call_rwlock, &c, CH_CALL_PATIENT) < 0 ? errno : 0;
    ch_scope_leave(&barrier);
    if (r)
      break;
  }
  errno = saved;
  return r;
}
CH_TWIN(pthread_rwlock_rdlock) int ch_posix_pthread_rwlock_rdlock(pthread_rwlock_t *l) {
  return rwlock_until(l, 0, CLOCK_REALTIME, NULL);
}
CH_TWIN(pthread_rwlock_wrlock) int ch_posix_pthread_rwlock_wrlock(pthread_rwlock_t *l) {
  return rwlock_until(l, 1, CLOCK_REALTIME, NULL);
}
CH_TWIN(pthread_rwlock_timedrdlock)
int ch_posix_pthread_rwlock_timedrdlock(pthread_rwlock_t *l, const struct timespec *until) {
  return rwlock_until(l, 0, CLOCK_REALTIME, until);
}
CH_TWIN(pthread_rwlock_timedwrlock)
int ch_posix_pthread_rwlock_timedwrlock(pthread_rwlock_t *l, const struct timespec *until) {
  return rwlock_until(l, 1, CLOCK_REALTIME, until);
}
CH_TWIN(pthread_rwlock_clockrdlock)
int ch_posix_pthread_rwlock_clockrdlock(pthread_rwlock_t *l, clockid_t clock, const struct timespec *until) {
  return rwlock_until(l, 0, clock, until);
}
CH_TWIN(pthread_rwlock_clockwrlock)
int ch_posix_pthread_rwlock_clockwrlock(pthread_rwlock_t *l, clockid_t clock, const struct timespec *until) {
  return rwlock_until(l, 1, clock, until);
}

static void once(pthread_once_t *o, void (*init)(void)) {
  struct ch_scope barrier;
  int begun, saved = errno;
  while ((begun = ch_once_begin(o)) < 0) {
    ch_scope_enter(&barrier, CH_SCOPE_BARRIER, "pthread_once");
    ch_do_call(ch_call_once, o, CH_CALL_PATIENT);
    ch_scope_leave(&barrier);
  }
  errno = saved;
  if (begun) {
    init();
    ch_once_end(o);
  }
}
CH_TWIN(pthread_once) int ch_posix_pthread_once(pthread_once_t *o, void (*init)(void)) { return once(o, init), 0; }

CH_TWIN(pthread_spin_lock) int ch_posix_pthread_spin_lock(pthread_spinlock_t *l) {
  int r;
  while ((r = ch_plain_spin_trylock(l)) == EBUSY)
    ch_reschedule();
  return r;
}

CH_TWIN(pthread_barrier_wait) int ch_posix_pthread_barrier_wait(pthread_barrier_t *b) {
  long r = ch_do_call(ch_call_barrier, b, CH_CALL_PATIENT);
  return r < 0 ? errno : r ? PTHREAD_BARRIER_SERIAL_THREAD : 0;
}

static int join(pthread_t thread, void **result, clockid_t clock, const struct timespec *until) {
  struct ch_join j = {thread, NULL, 0, clock, until};
  int saved = errno, r = ch_plain_tryjoin(thread, result);
  if (r != EBUSY)
    return r;
  r = ch_do_call(ch_call_join, &j, CH_CALL_CANCELLABLE) < 0 ? errno : j.error;
  errno = saved;
  if (r == 0 && result)
    *result = j.result;
  return r;
}
CH_TWIN(pthread_join) int ch_posix_pthread_join(pthread_t thread, void **result) {
  return join(thread, result, CLOCK_REALTIME, NULL);
}
CH_TWIN(pthread_timedjoin_np)
int ch_posix_pthread_timedjoin(pthread_t thread, void **result, const struct timespec *until) {
  return join(thread, result, CLOCK_REALTIME, until);
}
CH_TWIN(pthread_clockjoin_np)
int ch_posix_pthread_clockjoin(pthread_t thread, void **result, clockid_t clock, const struct timespec *until) {
  return join(thread, result, clock, until);
}

CH_TWIN(sem_wait) int ch_posix_sem_wait(sem_t *s) {
  CH_SOLE(sem_wait(s));
  if (ch_cancelled())
    return errno = ECANCELED, -1;
  if (ch_plain_sem_trywait(s) == 0)
    return 0;
  if (errno != EAGAIN)
    return -1;
  return (int)ch_do_call(ch_call_sem_wait, s, CH_CALL_INTERRUPTIBLE);
}
static int sem_until(sem_t *s, clockid_t clock, const struct timespec *t) {
  struct ch_timed_sem timed = {s, clock, t};
  if (ch_cancelled())
    return errno = ECANCELED, -1;
  if (ch_plain_sem_trywait(s) == 0)
    return 0;
  if (errno != EAGAIN)
    return -1;
  return (int)ch_do_call(ch_call_sem_timedwait, &timed, CH_CALL_INTERRUPTIBLE);
}
CH_TWIN(sem_timedwait) int ch_posix_sem_timedwait(sem_t *s, const struct timespec *t) {
  CH_SOLE(sem_timedwait(s, t));
  return sem_until(s, CLOCK_REALTIME, t);
}
CH_TWIN(sem_clockwait) int ch_posix_sem_clockwait(sem_t *s, clockid_t clock, const struct timespec *t) {
  CH_SOLE(sem_clockwait(s, clock, t));
  return sem_until(s, clock, t);
}

/* ---- C11: in glibc the same objects under other names ---- */

static int thrd(int r) {
  return r == 0           ? thrd_success
         : r == ETIMEDOUT ? thrd_timedout
         : r == EBUSY     ? thrd_busy
         : r == ENOMEM    ? thrd_nomem
                          : thrd_error;
}
CH_TWIN(mtx_lock) int ch_posix_mtx_lock(mtx_t *m) { return thrd(lock((pthread_mutex_t *)m)); }
CH_TWIN(mtx_trylock) int ch_posix_mtx_trylock(mtx_t *m) { return thrd(ch_mutex_try((pthread_mutex_t *)m, 0)); }
CH_TWIN(mtx_unlock) int ch_posix_mtx_unlock(mtx_t *m) { return thrd(ch_mutex_unlock((pthread_mutex_t *)m)); }
CH_TWIN(mtx_timedlock) int ch_posix_mtx_timedlock(mtx_t *m, const struct timespec *t) {
  return thrd(lock_until((pthread_mutex_t *)m, CLOCK_REALTIME, t));
}
CH_TWIN(cnd_wait) int ch_posix_cnd_wait(cnd_t *c, mtx_t *m) {
  return thrd(wait_on((pthread_cond_t *)c, (pthread_mutex_t *)m, CLOCK_REALTIME, NULL));
}
CH_TWIN(cnd_timedwait) int ch_posix_cnd_timedwait(cnd_t *c, mtx_t *m, const struct timespec *t) {
  return thrd(wait_on((pthread_cond_t *)c, (pthread_mutex_t *)m, CLOCK_REALTIME, t));
}
CH_TWIN(call_once) void ch_posix_call_once(once_flag *o, void (*init)(void)) { once((pthread_once_t *)o, init); }
/* By thrd_join itself: who made the thread may keep accounts of it. Cancelled: thrd_error, with errno ECANCELED. */
CH_TWIN(thrd_join) int ch_posix_thrd_join(thrd_t thread, int *result) {
  struct ch_join j = {.thread = (pthread_t)thread};
  int saved = errno;
  if (ch_do_call(ch_call_thrd_join, &j, CH_CALL_CANCELLABLE) < 0)
    return thrd_error;
  errno = saved;
  if (j.error == thrd_success && result)
    *result = (int)(intptr_t)j.result;
  return j.error;
}
