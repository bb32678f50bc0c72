/* Read-write locks of the C library, for activities (queue.h).
 *
 * They are fair: first come first served, and readers that are next to each other in the queue are let in together. So
 * a reader that comes after a waiting writer waits behind it. But an activity that has the lock for reading may take it
 * again, as POSIX demands.
 *
 * The way in which the C library's rwlock counts and wakes is not a part of its ABI, except for the field that names
 * the writer. So this file only ever tries to take the lock, and notes beside it which activities of the domain have
 * it. While somebody else has it, a thread of the pool takes it for the first waiter, and passes it on. */
#define _GNU_SOURCE
#include "frames/interposed.h"
#include "posix/locks/queue.h"
#include "posix/locks/rwlock_calls.h"
#include "posix/locks/tsan.h"
#include "posix/locks/replacement.h"
#include "reactor/times.h"
#include <pthread.h>
#include <errno.h>
#include <stdlib.h>

/* ---- who has what, of this domain ---- */

struct holding {
  struct holding *next;
  const void *lock, *place;
  struct ch_branch *owner;
  unsigned times;
};
enum { BUCKETS = 64, SPARE = 16 };
struct holdings {
  struct holding *buckets[BUCKETS], *spare;
  unsigned spares;
};
static __thread struct holdings *holdings;

static struct holding **first_in(const void *lock) {
  return &holdings->buckets[((uintptr_t)lock >> 3 ^ (uintptr_t)lock >> 10) % BUCKETS];
}

/* Of this owner, from here on; owner == NULL: of anybody. */
static struct holding **find_from(struct holding **at, const void *lock, const struct ch_branch *owner) {
  while (*at && ((*at)->lock != lock || (owner && (*at)->owner != owner)))
    at = &(*at)->next;
  return at;
}
static struct holding **find(const void *lock, const struct ch_branch *owner) {
  static struct holding *none;
  return holdings ? find_from(first_in(lock), lock, owner) : &none;
}

static void note(const void *lock, struct ch_branch *owner, const void *place) {
  if (!holdings && !(holdings = calloc(1, sizeof *holdings)))
    return;
  struct holding **first = first_in(lock), *h = *find_from(first, lock, owner);
  if (h) {
    h->times++;
    return;
  }
  h = holdings->spare;
  if (h)
    holdings->spare = h->next, holdings->spares--;
  else if (!(h = malloc(sizeof *h)))
    return;
  *h = (struct holding){*first, lock, place, owner, 1};
  *first = h;
}

/* The owner's, or if it has none anybody's: an activity may give back what another has taken. */
static void forget(const void *lock, struct ch_branch *owner) {
  struct holding **at = find(lock, owner), *h = *at;
  if (!h && !(h = *(at = find(lock, NULL))))
    return;
  if (--h->times > 0)
    return;
  *at = h->next;
  if (holdings->spares < SPARE) {
    h->next = holdings->spare;
    holdings->spare = h;
    holdings->spares++;
  } else {
    free(h);
  }
}

static unsigned holds_here(const void *lock) {
  unsigned n = 0;
  for (struct holding *h = holdings ? *first_in(lock) : NULL; h; h = h->next)
    n += h->lock == lock ? h->times : 0;
  return n;
}

static struct ch_branch *holder(const void *lock, const void **place) {
  struct holding *h = *find(lock, NULL);
  *place = h ? h->place : NULL;
  return h ? h->owner : NULL;
}

/* ---- taking ---- */

enum { READ, WRITE };

/* It has just been taken for this activity. A sanitizer of threads hears of the domain's first reader and the last. */
static void taken(pthread_rwlock_t *l, int write, struct ch_branch *owner, const void *place) {
  note(l, owner, place);
  if (ch_tsan_is_here() && (write || holds_here(l) == 1))
    ch_tsan_locked(l, !write);
}

/* While the pool asks on behalf of the first, it alone is asked. */
static bool take(struct ch_lock_wait *w) {
  if (w->queue && w->queue->watch)
    return false;
  int r = ch_rwlock_try(w->clause.object, (int)w->how);
  if (r == EBUSY)
    return false;
  if (r == 0)
    taken(w->clause.object, (int)w->how, ch_activity_of(w->clause.branch), w->place);
  w->result = r;
  return true;
}

/* ---- what somebody else has ---- */

/* The C library notes a thread as the writer. That is nobody (-1) until the domain hears of the loan, and the domain's
 * thread from then on. */
static int borrow(const struct ch_loan *loan) {
  pthread_rwlock_t *l = loan->object;
  int error = ch_rwlock_take(l, (int)loan->how, loan->clock, loan->timed ? &loan->until : NULL);
  if (error == 0 && loan->how == WRITE)
    __atomic_store_n(&l->__data.__cur_writer, -1, __ATOMIC_RELAXED);
  return error;
}

static void lent(struct ch_queue *q, int result) {
  struct ch_lock_wait *w = ch_queue_first(q);
  pthread_rwlock_t *l = q->object;
  if (result == ETIMEDOUT && ch_rwlock_try(l, (int)w->how) == 0)
    result = 0; /* the letter comes late, as in time_passed (queue.c) */
  if (result == 0 && w->how == WRITE)
    __atomic_store_n(&l->__data.__cur_writer, ch_thread_here(), __ATOMIC_RELAXED);
  if (result == 0)
    taken(l, (int)w->how, ch_activity_of(w->clause.branch), w->place);
  ch_queue_leave(w, result);
}

static enum ch_await await(struct ch_queue *q, struct ch_word *word) {
  const pthread_rwlock_t *l = q->object;
  unsigned readers = __atomic_load_n(&l->__data.__readers, __ATOMIC_RELAXED) >> 3;
  (void)word;
  if (l->__data.__cur_writer == ch_thread_here() || (holds_here(l) > 0 && readers <= holds_here(l)))
    return CH_AWAIT_HERE;
  return CH_AWAIT_LOAN;
}

/* Whoever is asked for by the pool hears the end from there. */
static bool late(struct ch_lock_wait *w) { return !(w->queue->watch && ch_queue_first(w->queue) == w); }

static const struct ch_lock_type type = {
    .clause = {.what = "rwlock", .enlist = ch_queue_enlist, .withdraw = ch_queue_withdraw, .cancel = ch_queue_refuse},
    .take = take,
    .await = await,
    .borrow = borrow,
    .lent = lent,
    .late = late,
    .holder = holder};
static const struct ch_leaf leaf = CH_LOCK_LEAF("pthread_rwlock_lock");

/* A reader gets in beside itself. */
static int take_now(pthread_rwlock_t *l, int write, const void *place) {
  struct ch_branch *self = ch_activity_of(ch_domain.current);
  if (ch_queue_of(l) && (write || !*find(l, self)))
    return EBUSY;
  if (write && *find(l, self))
    return EDEADLK;
  int r = ch_rwlock_try(l, write);
  if (r == 0)
    taken(l, write, self, place);
  else if (r == EBUSY && l->__data.__cur_writer == ch_thread_here() && *find(l, self))
    return EDEADLK;
  return r;
}
static int try_it(pthread_rwlock_t *l, int write, const void *place) {
  int r = take_now(l, write, place);
  return r == EDEADLK ? EBUSY : r;
}

static struct ch_lock_wait wait_for(pthread_rwlock_t *l, int write, const void *place) {
  return (struct ch_lock_wait){
      .clause = {.type = &type.clause, .object = l}, .place = place, .how = write ? WRITE : READ};
}

static bool is_written(const pthread_rwlock_t *l) {
  return __atomic_load_n(&l->__data.__cur_writer, __ATOMIC_RELAXED) != 0;
}

/* Sets the wait's limit, if there is one. EBUSY: the caller has to wait. */
static int take_in_time(struct ch_lock_wait *w, clockid_t clock, const struct timespec *until) {
  int r = until ? ch_lock_until(w, clock, until) : 0;
  if (r == 0)
    r = take_now(w->clause.object, (int)w->how, w->place);
  if (r == EDEADLK && until && w->how == WRITE && !is_written(w->clause.object))
    r = EBUSY; /* its own reading lock: with a limit it waits, as the plain call does, for it cannot wait for ever */
  return r == EBUSY && ch_lock_is_late(w) ? ETIMEDOUT : r;
}

/* Most calls need not wait, so they need no ch_lock_wait. EBUSY: the caller has to make one and ask again. */
static int take_without_wait(pthread_rwlock_t *l, int write, const void *place, const struct timespec *until) {
  return until ? EBUSY : take_now(l, write, place);
}

static struct ch_int_result lock(pthread_rwlock_t *l, int write, const void *place, clockid_t clock,
                                 const struct timespec *until) {
  int r = take_without_wait(l, write, place, until);
  if (r != EBUSY)
    return ch_done(r);
  struct ch_lock_wait w = wait_for(l, write, place);
  r = take_in_time(&w, clock, until);
  return r == EBUSY ? ch_lock_wait_int(&leaf, &w) : ch_done(r);
}

CH_REPLACES_IN_C(pthread_rwlock_rdlock, pthread_rwlock_t *l) { return lock(l, READ, CH_HERE, CLOCK_REALTIME, NULL); }
CH_REPLACES_IN_C(pthread_rwlock_wrlock, pthread_rwlock_t *l) { return lock(l, WRITE, CH_HERE, CLOCK_REALTIME, NULL); }
CH_REPLACES_IN_C(pthread_rwlock_timedrdlock, pthread_rwlock_t *l, const struct timespec *until) {
  return lock(l, READ, CH_HERE, CLOCK_REALTIME, until);
}
CH_REPLACES_IN_C(pthread_rwlock_timedwrlock, pthread_rwlock_t *l, const struct timespec *until) {
  return lock(l, WRITE, CH_HERE, CLOCK_REALTIME, until);
}
CH_REPLACES_IN_C(pthread_rwlock_clockrdlock, pthread_rwlock_t *l, clockid_t clock, const struct timespec *until) {
  return lock(l, READ, CH_HERE, clock, until);
}
CH_REPLACES_IN_C(pthread_rwlock_clockwrlock, pthread_rwlock_t *l, clockid_t clock, const struct timespec *until) {
  return lock(l, WRITE, CH_HERE, clock, until);
}
CH_REPLACES_IN_C(pthread_rwlock_tryrdlock, pthread_rwlock_t *l) { return ch_done(try_it(l, READ, CH_HERE)); }
CH_REPLACES_IN_C(pthread_rwlock_trywrlock, pthread_rwlock_t *l) { return ch_done(try_it(l, WRITE, CH_HERE)); }

static int unlock(pthread_rwlock_t *l) {
  if (ch_tsan_is_here()) {
    bool writes = __atomic_load_n(&l->__data.__cur_writer, __ATOMIC_RELAXED) == ch_thread_here();
    if (writes || holds_here(l) <= 1)
      ch_tsan_unlocked(l, !writes);
  }
  int r = ch_rwlock_give(l);
  if (r != 0)
    return r;
  forget(l, ch_activity_of(ch_domain.current));
  struct ch_queue *q = ch_queue_of(l);
  if (q)
    ch_queue_serve(q);
  return 0;
}
CH_REPLACES_IN_C(pthread_rwlock_unlock, pthread_rwlock_t *l) { return ch_done(unlock(l)); }

/* ---- in plain code ---- */

static bool ends_within(const struct ch_lock_wait *w, int64_t ns) {
  return w->timed && ch_time_until(w->clock, &w->until) <= ns;
}

/* These come before the C library's own, which take all activities of a domain for one owner. What somebody else has is
 * waited for by the thread, if nobody of this domain waits for it already; but only for a while, because it may be an
 * activity of another domain that waits for what one of this domain has. */
static int lock_plainly(pthread_rwlock_t *l, int write, const void *place, clockid_t clock,
                        const struct timespec *until) {
  enum { A_WHILE = 1000000 };
  if (!ch_domain.current)
    return ch_rwlock_take(l, write, clock, until);
  int r = take_without_wait(l, write, place, until);
  if (r != EBUSY)
    return r;
  struct ch_lock_wait w = wait_for(l, write, place);
  r = take_in_time(&w, clock, until);
  if (r != EBUSY)
    return r;
  if (ch_queue_of(l) || holds_here(l) > 0)
    return ch_lock_wait(&w);
  const bool for_a_while = ch_lock_lets_others_go_on() && !ends_within(&w, A_WHILE);
  const struct timespec soon = ch_timespec_of(ch_monotonic_now() + A_WHILE);
  r = for_a_while ? ch_rwlock_take(l, write, CLOCK_MONOTONIC, &soon) : ch_rwlock_take(l, write, clock, until);
  if (r == ETIMEDOUT && for_a_while)
    return ch_lock_wait(&w);
  if (r == 0)
    taken(l, write, ch_activity_of(ch_domain.current), place);
  return r;
}
CH_INTERPOSED int pthread_rwlock_rdlock(pthread_rwlock_t *l) {
  return lock_plainly(l, READ, CH_HERE, CLOCK_REALTIME, NULL);
}
CH_INTERPOSED int pthread_rwlock_wrlock(pthread_rwlock_t *l) {
  return lock_plainly(l, WRITE, CH_HERE, CLOCK_REALTIME, NULL);
}
CH_INTERPOSED int pthread_rwlock_timedrdlock(pthread_rwlock_t *l, const struct timespec *until) {
  return lock_plainly(l, READ, CH_HERE, CLOCK_REALTIME, until);
}
CH_INTERPOSED int pthread_rwlock_timedwrlock(pthread_rwlock_t *l, const struct timespec *until) {
  return lock_plainly(l, WRITE, CH_HERE, CLOCK_REALTIME, until);
}
CH_INTERPOSED int pthread_rwlock_clockrdlock(pthread_rwlock_t *l, clockid_t clock, const struct timespec *until) {
  return lock_plainly(l, READ, CH_HERE, clock, until);
}
CH_INTERPOSED int pthread_rwlock_clockwrlock(pthread_rwlock_t *l, clockid_t clock, const struct timespec *until) {
  return lock_plainly(l, WRITE, CH_HERE, clock, until);
}
CH_INTERPOSED int pthread_rwlock_tryrdlock(pthread_rwlock_t *l) {
  return ch_domain.current ? try_it(l, READ, CH_HERE) : ch_rwlock_try(l, READ);
}
CH_INTERPOSED int pthread_rwlock_trywrlock(pthread_rwlock_t *l) {
  return ch_domain.current ? try_it(l, WRITE, CH_HERE) : ch_rwlock_try(l, WRITE);
}
CH_INTERPOSED int pthread_rwlock_unlock(pthread_rwlock_t *l) {
  return ch_domain.current ? unlock(l) : ch_rwlock_give(l);
}

void ch_rwlocks_end(void) {
  for (int i = 0; holdings && i <= BUCKETS; i++)
    for (struct holding *gone = i < BUCKETS ? holdings->buckets[i] : holdings->spare, *next; gone; gone = next) {
      next = gone->next;
      free(gone);
    }
  free(holdings);
  holdings = NULL;
}
