/* Mutexes of the C library. mutex.h says how their owner is noted. */
#define _GNU_SOURCE
#define CHARCOAL_RUNTIME_LOCKS
#include "posix/futex.h"
#include "posix/locks/mutex.h"
#include "frames/interposed.h"
#include "posix/locks/others.h"
#include "posix/locks/tsan.h"
#include "posix/locks/replacement.h"
#include "reactor/times.h"
#include <errno.h>
#include <limits.h>
#include <linux/futex.h>
#include <stdlib.h>
#include <unistd.h>

/* ---- what the C library's mutex says (its layout is a part of its ABI) ---- */

enum { NORMAL, RECURSIVE, ERRORCHECK, ADAPTIVE, KIND = 3, ROBUST = 16, INHERIT = 32, PROTECT = 64, SHARED = 128 };

static int kind_of(const pthread_mutex_t *m) { return m->__data.__kind & KIND; }
static bool is_robust(const pthread_mutex_t *m) { return m->__data.__kind & ROBUST; }
/* Its word is 0: free; 1: taken; 2: taken, and somebody may wait in the kernel. */
#define PLAIN_KIND(m) ((m)->__data.__kind & (KIND | ROBUST | INHERIT | PROTECT | SHARED))
#define PLAIN_NORMAL(m) (PLAIN_KIND(m) == NORMAL)
static bool is_simple(const pthread_mutex_t *m) { return !(m->__data.__kind & (ROBUST | INHERIT | PROTECT)); }
static bool has_owner(const pthread_mutex_t *m) { return kind_of(m) == RECURSIVE || kind_of(m) == ERRORCHECK; }
static bool is_shared(const pthread_mutex_t *m) { return is_robust(m) || m->__data.__kind & SHARED; }
static uint32_t *word_of(const pthread_mutex_t *m) { return (uint32_t *)(uintptr_t)&m->__data.__lock; }

static inline bool is_of(const pthread_mutex_t *m, int thread) {
  return __atomic_load_n(&m->__data.__owner, __ATOMIC_RELAXED) == thread;
}
/* A robust mutex whose last owner died, and that is not consistent yet, names no thread beside its word. */
static CH_COLD bool is_inconsistent_here(const pthread_mutex_t *m) {
  enum { INCONSISTENT = INT_MAX };
  return is_of(m, INCONSISTENT) &&
         (__atomic_load_n(word_of(m), __ATOMIC_RELAXED) & FUTEX_TID_MASK) == (uint32_t)gettid();
}
static inline bool is_here(const pthread_mutex_t *m) {
  return is_of(m, ch_thread_here()) || (CH_UNLIKELY(is_robust(m)) && is_inconsistent_here(m));
}
bool ch_mutex_is_here(const pthread_mutex_t *m) { return is_here(m); }

/* ---- who has it ---- */

static inline struct ch_branch *self(void) {
  struct ch_branch *b = ch_domain.current;
  return CH_LIKELY(b != NULL) ? ch_activity_of(b) : NULL;
}

/* Of robust mutexes. */
struct note {
  struct note *next;
  const void *mutex, *place;
  struct ch_branch *owner;
};
static __thread struct note *notes;

static struct note **note_of(const void *mutex) {
  struct note **at = &notes;
  while (*at && (*at)->mutex != mutex)
    at = &(*at)->next;
  return at;
}

static void forget(struct note **at) {
  struct note *gone = *at;
  if (gone) {
    *at = gone->next;
    free(gone);
  }
}

static inline void note_in(pthread_mutex_t *m, struct ch_branch *owner, const void *place) {
  m->__data.__list.__prev = (struct __pthread_internal_list *)owner;
  m->__data.__list.__next = (struct __pthread_internal_list *)(uintptr_t)place;
}
static void set_owner(pthread_mutex_t *m, struct ch_branch *owner, const void *place) {
  if (!is_robust(m)) {
    note_in(m, owner, place);
    return;
  }
  struct note **at = note_of(m);
  if (!*at && (*at = calloc(1, sizeof **at)))
    (*at)->mutex = m;
  if (*at)
    (*at)->owner = owner, (*at)->place = place;
}

/* The lowest bit of the note is set if its owner may be set aside meanwhile, because interruptible code has taken the
 * mutex, or somebody who has waited in a queue. So it is never set in a mutex that plain code alone has, and only for a
 * moment, such as those of a malloc that locks; and a mutex that is free has no note. A robust one always may last. */
enum { MAY_LAST = 1 };
static inline struct ch_branch *lasting(struct ch_branch *owner) {
  return (struct ch_branch *)((uintptr_t)owner | MAY_LAST);
}
static inline uintptr_t note_in_it(const pthread_mutex_t *m) {
  return (uintptr_t)__atomic_load_n(&m->__data.__list.__prev, __ATOMIC_RELAXED);
}
static inline struct ch_branch *noted_in(const pthread_mutex_t *m) {
  return (struct ch_branch *)(note_in_it(m) & ~(uintptr_t)MAY_LAST);
}
static inline bool may_last(const pthread_mutex_t *m) { return is_robust(m) || note_in_it(m) & MAY_LAST; }
/* The caller has it: from now on it may last. */
static inline void lasts(pthread_mutex_t *m) {
  if (!is_robust(m))
    m->__data.__list.__prev = (struct __pthread_internal_list *)lasting(noted_in(m));
}

/* Of one that is not robust, and held here. */
static inline bool is_noted_for(const pthread_mutex_t *m, const struct ch_branch *owner) {
  return noted_in(m) == owner;
}

/* NULL: not of this domain, or unknown. */
static struct ch_branch *owner_of(const pthread_mutex_t *m, const void **place) {
  const struct note *n;
  if (!is_here(m))
    return NULL;
  if (CH_LIKELY(!is_robust(m))) {
    *place = m->__data.__list.__next;
    return noted_in(m);
  }
  n = *note_of(m);
  *place = n ? n->place : NULL;
  return n ? n->owner : NULL;
}
struct ch_branch *ch_mutex_holder(const void *mutex, const void **place) { return owner_of(mutex, place); }

/* It is held here, and by another activity than the one that runs, if any does. */
static bool is_siblings(const pthread_mutex_t *m) {
  const void *place;
  const struct ch_branch *owner = owner_of(m, &place), *me = self();
  return me && owner && owner != me;
}

/* ---- taking and giving back ---- */

/* The word of a simple one is taken. */
static inline void note_taken(pthread_mutex_t *m, int here, struct ch_branch *owner, const void *place) {
  m->__data.__owner = here;
  m->__data.__nusers++;
  note_in(m, owner, place);
}
static inline __attribute__((always_inline)) void taken(pthread_mutex_t *m, struct ch_branch *owner,
                                                        const void *place) {
  note_taken(m, ch_thread_here(), owner, place);
  ch_tsan_locked(m, false);
}

static inline bool take_word(pthread_mutex_t *m, int with) {
  int none = 0;
  return __atomic_compare_exchange_n(&m->__data.__lock, &none, with, false, __ATOMIC_ACQUIRE, __ATOMIC_RELAXED);
}

/* The C library's own functions, behind those of the same names below; under ThreadSanitizer its wrappers. The second
 * names are those of a static C library. */
__typeof__(pthread_mutex_trylock) ___pthread_mutex_trylock __attribute__((weak));
__typeof__(pthread_mutex_clocklock) ___pthread_mutex_clocklock __attribute__((weak));
__typeof__(pthread_mutex_unlock) ___pthread_mutex_unlock __attribute__((weak));
#define BEHIND(name) CH_NEXT_DEFINITION(name, ___##name)
#define OF_LIBRARY(name) (ch_tsan_is_here() ? name : BEHIND(name))

/* The C library's trylock (as of glibc 2.36) leaves a robust mutex that cannot be recovered with its caller, so that
 * everybody would wait for it from then on. Its lock gives it back, and tells each caller. */
static int trylock_as_thread(pthread_mutex_t *m) {
  int r = OF_LIBRARY(pthread_mutex_trylock)(m);
  if (r == ENOTRECOVERABLE && (__atomic_load_n(word_of(m), __ATOMIC_RELAXED) & FUTEX_TID_MASK) == (uint32_t)gettid()) {
    __atomic_store_n(word_of(m), 0, __ATOMIC_RELEASE);
    ch_futex_wake(word_of(m), INT_MAX, is_shared(m));
  }
  return r;
}

/* 0; EBUSY: somebody else has it; or the plain call's error. `with`: the word, for a simple one. */
static int try_for(pthread_mutex_t *m, struct ch_branch *owner, const void *place, int with) {
  if (is_simple(m) && !is_here(m)) {
    if (!take_word(m, with))
      return EBUSY;
    taken(m, owner, place);
    if (has_owner(m))
      m->__data.__count = 1;
    return 0;
  }
  if (is_here(m)) {
    const void *where;
    struct ch_branch *has = owner_of(m, &where);
    if (!has_owner(m) || (owner && has && has != owner))
      return EBUSY;
    if (kind_of(m) == ERRORCHECK)
      return EDEADLK;
    if (m->__data.__count + 1 == 0)
      return EAGAIN;
    m->__data.__count++;
    return 0;
  }
  int r = trylock_as_thread(m);
  if (r == 0 || r == EOWNERDEAD)
    set_owner(m, owner, place);
  return r;
}

/* The word of one that is held says from now on that somebody may wait in the kernel. */
static void say_that_others_wait(pthread_mutex_t *m) {
  if (is_robust(m)) {
    __atomic_fetch_or(word_of(m), FUTEX_WAITERS, __ATOMIC_RELAXED);
    return;
  }
  uint32_t held = 1;
  __atomic_compare_exchange_n(word_of(m), &held, 2, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED);
}

/* Who has been woken by the kernel says that others may still wait there, as the C library does. */
static bool take(struct ch_lock_wait *w) {
  pthread_mutex_t *m = w->clause.object;
  struct ch_queue *q = w->queue;
  int r = try_for(m, ch_lock_asker(w), w->place, q && q->watched ? 2 : 1);
  if (r == EBUSY)
    return false;
  if (is_robust(m) && q && q->watched)
    say_that_others_wait(m);
  if (r != 0)
    w->result = r;
  else
    lasts(m);
  return true;
}

/* Blocks the thread. until NULL: for ever. */
static int lock_as_thread(pthread_mutex_t *m, clockid_t clock, const struct timespec *until) {
  static const struct timespec never = {INT64_MAX / 2, 0};
  return BEHIND(pthread_mutex_clocklock)(m, clock, until ? until : &never);
}

/* Does the same for a while; EBUSY: the mutex could not be had in this time. */
static int lock_as_thread_for_a_while(pthread_mutex_t *m, clockid_t clock, const struct timespec *until) {
  enum { A_WHILE = 1000000 };
  if (until && ch_time_until(clock, until) <= A_WHILE)
    return lock_as_thread(m, clock, until);
  struct timespec now;
  clock_gettime(CLOCK_REALTIME, &now);
  const int64_t ns = now.tv_nsec + A_WHILE, second = 1000000000;
  const int r = lock_as_thread(m, CLOCK_REALTIME, &(struct timespec){now.tv_sec + ns / second, ns % second});
  return r == ETIMEDOUT ? EBUSY : r;
}

/* Whoever had it has given it back then. */
static int borrow(const struct ch_loan *loan) {
  int error = lock_as_thread(loan->object, CLOCK_REALTIME, NULL);
  if (error == 0)
    OF_LIBRARY(pthread_mutex_unlock)(loan->object);
  return error;
}

static enum ch_await await(struct ch_queue *q, struct ch_word *to) {
  pthread_mutex_t *m = q->object;
  uint32_t *word = word_of(m), is = __atomic_load_n(word, __ATOMIC_RELAXED);
  if (is_here(m)) {
    /* The kernel may have woken this queue after an activity of its own domain has taken the mutex, by trylock. */
    if (q->watched && !(m->__data.__kind & (INHERIT | PROTECT)))
      say_that_others_wait(m);
    return CH_AWAIT_HERE;
  }
  if (m->__data.__kind & (INHERIT | PROTECT)) /* a ring has no operation that waits for such a mutex */
    return ch_queue_first(q)->timed || is_robust(m) ? CH_AWAIT_TIME : CH_AWAIT_LOAN;
  for (;;) {
    uint32_t wanted = is_robust(m) ? is | FUTEX_WAITERS : 2;
    if (is_robust(m) ? !(is & FUTEX_TID_MASK) || is & FUTEX_OWNER_DIED : !is)
      return CH_AWAIT_FREE;
    if (is == wanted || __atomic_compare_exchange_n(word, &is, wanted, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED)) {
      *to = (struct ch_word){.word = word, .value = wanted, .shared = is_shared(m)};
      return CH_AWAIT_WORD;
    }
  }
}

const struct ch_lock_type ch_mutex_type = {
    .clause = {.what = "mutex", .enlist = ch_queue_enlist, .withdraw = ch_queue_withdraw, .cancel = ch_queue_refuse},
    .take = take,
    .await = await,
    .borrow = borrow,
    .holder = ch_mutex_holder};

void ch_mutex_give(pthread_mutex_t *m, struct ch_lock_wait *w) {
  w->clause.type = &ch_mutex_type.clause;
  w->clause.object = m;
  if (ch_queue_join(w))
    ch_lock_fire(w, w->result);
}

void ch_mutex_note(pthread_mutex_t *m) {
  if (!is_here(m))
    return;
  set_owner(m, self(), NULL);
  lasts(m);
}

bool ch_mutex_lend(pthread_mutex_t *m, bool lend) {
  struct ch_queue *q = ch_queue_of(m);
  if (is_robust(m))
    return false;
  m->__data.__owner = lend ? -1 : ch_thread_here();
  set_owner(m, lend ? NULL : self(), NULL);
  lasts(m);
  if (lend && q) /* from now on those in the queue wait for another thread */
    ch_queue_serve(q);
  return true;
}

/* ---- lock ---- */

static const struct ch_leaf lock_leaf = CH_LOCK_LEAF("pthread_mutex_lock");

/* The usual case: an ordinary or a recursive mutex is free or the caller's, and nobody here waits for any lock. This
 * function calls none, so that its caller saves no registers. */
static inline __attribute__((always_inline)) bool lock_at_once(pthread_mutex_t *m, const void *place) {
  const int kind = PLAIN_KIND(m), here = ch_thread_number;
  if (CH_UNLIKELY(kind > RECURSIVE || ch_domain.lock_queues != 0 || !here || ch_tsan_is_here()))
    return false;
  struct ch_branch *owner = self();
  if (kind == RECURSIVE && is_of(m, here)) {
    if (CH_UNLIKELY(!is_noted_for(m, owner) || m->__data.__count + 1 == 0))
      return false;
    m->__data.__count++;
    m->__data.__list.__prev = (struct __pthread_internal_list *)lasting(owner);
    return true;
  }
  if (CH_UNLIKELY(!take_word(m, 1)))
    return false;
  note_taken(m, here, lasting(owner), place);
  if (kind == RECURSIVE)
    m->__data.__count = 1;
  return true;
}

/* Takes the mutex if the caller need not wait; otherwise the result is EBUSY. */
static int lock_now(pthread_mutex_t *m, const void *place) {
  return ch_queue_of(m) && !is_here(m) ? EBUSY /* others came before */ : try_for(m, self(), place, 1);
}

/* The same in interruptible code. */
static int lock_now_lastingly(pthread_mutex_t *m, const void *place) {
  int r = lock_now(m, place);
  if (r == 0)
    lasts(m);
  return r;
}

static struct ch_lock_wait wait_for(pthread_mutex_t *m, const void *place) {
  return (struct ch_lock_wait){.clause = {.type = &ch_mutex_type.clause, .object = m}, .place = place};
}

static __attribute__((noinline)) struct ch_int_result lock(pthread_mutex_t *m, const void *place) {
  int r = lock_now_lastingly(m, place);
  if (r != EBUSY)
    return ch_done(r);
  struct ch_lock_wait w = wait_for(m, place);
  return ch_lock_wait_int(&lock_leaf, &w);
}
CH_REPLACES_IN_C(pthread_mutex_lock, pthread_mutex_t *m) {
  /* ch_done is not needed: a loop that takes a free lock also gives it back, and that is a yield point. */
  return CH_LIKELY(lock_at_once(m, CH_HERE)) ? (struct ch_int_result){CH_DONE, 0} : lock(m, CH_HERE);
}

struct ch_int_result ch_mutex_lock_int(pthread_mutex_t *) CH_INT_NAME(ch_mutex_lock);
struct ch_int_result ch_mutex_lock_int(pthread_mutex_t *m) { return lock(m, NULL); }

/* Sets the wait's limit, if there is one; not 0: the call ends with that. Threads let the kernel lock a mutex that
 * inherits priorities, and it refuses a time before the clock's beginning. */
static int limit(struct ch_lock_wait *w, clockid_t clock, const struct timespec *until) {
  const pthread_mutex_t *m = w->clause.object;
  if (until && until->tv_sec < 0 && m->__data.__kind & INHERIT)
    return EINVAL;
  int r = until ? ch_lock_until(w, clock, until) : 0;
  return r ? r : ch_lock_is_late(w) ? ETIMEDOUT : 0;
}

/* In plain code. until NULL: for ever. */
static int lock_natively(pthread_mutex_t *m, const void *place, clockid_t clock, const struct timespec *until) {
  int r = lock_now(m, place);
  if (CH_LIKELY(r != EBUSY))
    return r;
  struct ch_lock_wait w = wait_for(m, place);
  r = limit(&w, clock, until);
  return r ? r : ch_lock_wait(&w);
}
int ch_mutex_lock(pthread_mutex_t *m) { return lock_natively(m, NULL, CLOCK_REALTIME, NULL); }

/* Also for a thread's first lock, and for all locks under ThreadSanitizer: so it looks once more whether the mutex is
 * free. What nobody of this domain has is waited for by the thread, as the runtime's own locks and those of a malloc
 * have to be. But if an activity of another domain has it, it may be set aside until one of this domain gives back what
 * that one has. And where activities of this domain wait for the mutex, the kernel may wake their watch instead of the
 * thread. Both may begin while the thread waits, which does not see it; so it waits for a while, and looks again. */
static __attribute__((noinline)) int lock_plainly_slowly(pthread_mutex_t *m, const void *place, clockid_t clock,
                                                         const struct timespec *until) {
  struct ch_branch *b = self();
  if (CH_LIKELY(PLAIN_NORMAL(m)) && CH_LIKELY(take_word(m, 1))) {
    taken(m, b, place);
    return 0;
  }
  if (b && is_here(m))
    return lock_natively(m, place, clock, until);
  int r = trylock_as_thread(m);
  while (r == EBUSY) {
    const bool queued = b && ch_queue_of(m), can_go_on = b && ch_lock_lets_others_go_on();
    if (can_go_on && (queued || may_last(m)))
      return lock_natively(m, place, clock, until);
    r = (queued || can_go_on ? lock_as_thread_for_a_while : lock_as_thread)(m, clock, until);
  }
  if (b && (r == 0 || r == EOWNERDEAD))
    set_owner(m, b, place);
  return r;
}
/* Before the C library's own. The usual case makes no call, so it saves no registers. */
static inline __attribute__((always_inline)) int lock_plainly(pthread_mutex_t *m, const void *place, clockid_t clock,
                                                              const struct timespec *until) {
  const int here = ch_thread_number;
  if (CH_UNLIKELY(!PLAIN_NORMAL(m) || !here || ch_tsan_is_here() || !take_word(m, 1)))
    return lock_plainly_slowly(m, place, clock, until);
  note_taken(m, here, self(), place);
  return 0;
}
CH_INTERPOSED int pthread_mutex_lock(pthread_mutex_t *m) { return lock_plainly(m, CH_HERE, CLOCK_REALTIME, NULL); }
CH_INTERPOSED int pthread_mutex_timedlock(pthread_mutex_t *m, const struct timespec *t) {
  return lock_plainly(m, CH_HERE, CLOCK_REALTIME, t);
}
CH_INTERPOSED int pthread_mutex_clocklock(pthread_mutex_t *m, clockid_t clock, const struct timespec *t) {
  return ch_lock_knows(clock) ? lock_plainly(m, CH_HERE, clock, t) : EINVAL;
}

/* As in the C library, an ordinary mutex does not tell its owner that it is he who has it. */
static int trylock(pthread_mutex_t *m, const void *place) {
  int r = try_for(m, self(), place, 1);
  return r == EDEADLK && !(m->__data.__kind & (ROBUST | INHERIT | PROTECT)) ? EBUSY : r;
}
static int trylock_lastingly(pthread_mutex_t *m, const void *place) {
  int r = trylock(m, place);
  if (r == 0)
    lasts(m);
  return r;
}
CH_REPLACES_IN_C(pthread_mutex_trylock, pthread_mutex_t *m) { return ch_done(trylock_lastingly(m, CH_HERE)); }
/* Before the C library's own, which lets all activities of a thread into a recursive mutex, and notes none of them. */
CH_INTERPOSED int pthread_mutex_trylock(pthread_mutex_t *m) {
  return CH_UNLIKELY(ch_tsan_is_here()) ? BEHIND(pthread_mutex_trylock)(m) : trylock(m, CH_HERE);
}

static const struct ch_leaf timed_leaf = CH_LOCK_LEAF("pthread_mutex_timedlock");
static struct ch_int_result lock_until(pthread_mutex_t *m, const void *place, clockid_t clock,
                                       const struct timespec *t) {
  int r = lock_now_lastingly(m, place);
  if (r != EBUSY)
    return ch_done(r);
  struct ch_lock_wait w = wait_for(m, place);
  r = limit(&w, clock, t);
  return r ? ch_done(r) : ch_lock_wait_int(&timed_leaf, &w);
}
CH_REPLACES_IN_C(pthread_mutex_timedlock, pthread_mutex_t *m, const struct timespec *t) {
  return lock_until(m, CH_HERE, CLOCK_REALTIME, t);
}
CH_REPLACES_IN_C(pthread_mutex_clocklock, pthread_mutex_t *m, clockid_t clock, const struct timespec *t) {
  return ch_lock_knows(clock) ? lock_until(m, CH_HERE, clock, t) : ch_done(EINVAL);
}

/* ---- unlock ---- */

/* True: others may wait in the kernel. */
static inline bool free_word(pthread_mutex_t *m) {
  m->__data.__list.__prev = NULL;
  m->__data.__owner = 0;
  m->__data.__nusers--;
  return __atomic_exchange_n(&m->__data.__lock, 0, __ATOMIC_RELEASE) > 1;
}
static inline bool release(pthread_mutex_t *m) {
  ch_tsan_unlocked(m, false);
  return free_word(m);
}

/* For a simple mutex. */
static void give_back(pthread_mutex_t *m) {
  if (has_owner(m))
    m->__data.__count = 0;
  if (release(m))
    ch_futex_wake(word_of(m), 1, is_shared(m));
}

/* How often in a row it is handed over within the domain while others wait in the kernel. */
enum { HAND_OVERS = 16 };

/* For a simple mutex with a queue. The first in the queue has it from now on, and its word does not change. But now and
 * then others get their turn: for 100 us nobody from here asks for it. */
static void hand_over(pthread_mutex_t *m, struct ch_queue *q) {
  if (__atomic_load_n(&m->__data.__lock, __ATOMIC_RELAXED) == 2 && ++q->handed_on > HAND_OVERS) {
    q->handed_on = 0;
    if (has_owner(m))
      m->__data.__count = 0;
    release(m);
    q->watched = ch_futex_wake(word_of(m), 1, is_shared(m)) > 0;
    if (q->watched)
      ch_queue_pause(q, 100000);
    else
      ch_queue_serve(q);
    return;
  }
  struct ch_lock_wait *w = ch_queue_claim(q);
  if (CH_UNLIKELY(!w)) {
    give_back(m);
    return;
  }
  ch_tsan_unlocked(m, false);
  ch_tsan_locked(m, false);
  if (has_owner(m))
    m->__data.__count = 1;
  set_owner(m, ch_lock_asker(w), w->place);
  lasts(m);
  ch_queue_leave(w, w->result);
}

static __attribute__((noinline)) int unlock_slowly(pthread_mutex_t *m) {
  bool simple = is_simple(m), here = is_here(m);
  if (has_owner(m)) {
    if (!here || is_siblings(m))
      return EPERM;
    if (kind_of(m) == RECURSIVE && m->__data.__count > 1)
      return m->__data.__count--, is_of(m, ch_thread_here()) ? 0 : ENOTRECOVERABLE;
  }
  struct ch_queue *q = ch_queue_of(m);
  if (simple && q && here) {
    hand_over(m, q);
    return 0;
  }
  if (simple) {
    give_back(m);
  } else {
    if (is_robust(m)) /* the note goes before somebody else can have the mutex */
      forget(note_of(m));
    else
      note_in(m, NULL, NULL);
    int r = OF_LIBRARY(pthread_mutex_unlock)(m);
    if (r)
      return r;
  }
  if (q)
    ch_queue_serve(q);
  return 0;
}

static __attribute__((noinline)) int wake(pthread_mutex_t *m) {
  ch_futex_wake(word_of(m), 1, false);
  return 0;
}

/* The usual case is that of `lock_at_once`. */
static inline __attribute__((always_inline)) int unlock(pthread_mutex_t *m) {
  const int kind = PLAIN_KIND(m), here = ch_thread_number;
  if (CH_UNLIKELY(kind > RECURSIVE || ch_domain.lock_queues != 0 || !here || ch_tsan_is_here()))
    return unlock_slowly(m);
  if (kind == RECURSIVE) {
    if (CH_UNLIKELY(!is_of(m, here) || !is_noted_for(m, self())))
      return unlock_slowly(m);
    if (--m->__data.__count > 0)
      return 0;
  }
  return CH_UNLIKELY(free_word(m)) ? wake(m) : 0;
}
int ch_mutex_unlock(pthread_mutex_t *m) { return unlock(m); }
CH_REPLACES_IN_C(pthread_mutex_unlock, pthread_mutex_t *m) { return ch_done(unlock(m)); }
/* Before the C library's own, which takes any activity of a thread for the owner. */
CH_INTERPOSED int pthread_mutex_unlock(pthread_mutex_t *m) {
  return CH_UNLIKELY(ch_tsan_is_here()) ? BEHIND(pthread_mutex_unlock)(m) : unlock(m);
}

/* ---- C11: the same objects ---- */

_Static_assert(sizeof(mtx_t) == sizeof(pthread_mutex_t), "C11's mutexes are the same objects");

static intptr_t ended_as_thrd(struct ch_clause *all, unsigned selected) {
  return ch_thrd_result((int)ch_lock_ended(all, selected));
}
static const struct ch_leaf mtx_leaf = CH_LOCK_LEAF_OF("mtx_lock", struct ch_lock_wait, ended_as_thrd);

/* t: NULL, without limit. */
static struct ch_int_result lock_mtx(pthread_mutex_t *m, const void *place, const struct timespec *t) {
  int r = lock_now_lastingly(m, place);
  if (CH_LIKELY(r != EBUSY))
    return ch_done(ch_thrd_result(r));
  struct ch_lock_wait w = wait_for(m, place);
  r = limit(&w, CLOCK_REALTIME, t);
  return r ? ch_done(ch_thrd_result(r)) : ch_lock_wait_int(&mtx_leaf, &w);
}
CH_REPLACES_IN_C(mtx_lock, mtx_t *m) { return lock_mtx((pthread_mutex_t *)m, CH_HERE, NULL); }
CH_REPLACES_IN_C(mtx_timedlock, mtx_t *m, const struct timespec *t) {
  return lock_mtx((pthread_mutex_t *)m, CH_HERE, t);
}
CH_REPLACES_IN_C(mtx_trylock, mtx_t *m) {
  return ch_done(ch_thrd_result(trylock_lastingly((pthread_mutex_t *)m, CH_HERE)));
}
CH_REPLACES_IN_C(mtx_unlock, mtx_t *m) { return ch_done(ch_thrd_result(ch_mutex_unlock((pthread_mutex_t *)m))); }

CH_INTERPOSED int mtx_lock(mtx_t *m) {
  return ch_thrd_result(lock_plainly((pthread_mutex_t *)m, CH_HERE, CLOCK_REALTIME, NULL));
}
CH_INTERPOSED int mtx_timedlock(mtx_t *m, const struct timespec *t) {
  return ch_thrd_result(lock_plainly((pthread_mutex_t *)m, CH_HERE, CLOCK_REALTIME, t));
}
CH_INTERPOSED int mtx_trylock(mtx_t *m) { return ch_thrd_result(trylock((pthread_mutex_t *)m, CH_HERE)); }
CH_INTERPOSED int mtx_unlock(mtx_t *m) { return ch_thrd_result(unlock((pthread_mutex_t *)m)); }

/* ---- as clauses ---- */

static bool is_free(const struct ch_clause *c) {
  const pthread_mutex_t *m = c->object;
  uint32_t is = __atomic_load_n(word_of(m), __ATOMIC_ACQUIRE);
  if (is_here(m))
    return has_owner(m) && !is_siblings(m);
  if (ch_queue_of(m))
    return false;
  if (is_robust(m))
    return !(is & FUTEX_TID_MASK) || is & FUTEX_OWNER_DIED;
  return !(m->__data.__kind & PROTECT ? is & 0x7ffffu /* without the ceiling */ : is);
}
static intptr_t locked_as_thrd(struct ch_clause *c) { return ch_thrd_result((int)c->value); }
/* After the body: what could not be had is not given back. */
static void held(struct ch_clause *c) {
  if (c->value == 0 || c->value == EOWNERDEAD)
    ch_mutex_unlock(c->object);
}

#define CLAUSE_TYPE(...)                                                                                               \
  {.clause = {.what = "mutex",                                                                                         \
              .enlist = ch_queue_enlist,                                                                               \
              .withdraw = ch_queue_withdraw,                                                                           \
              .cancel = ch_queue_refuse,                                                                               \
              .ready = is_free,                                                                                        \
              __VA_ARGS__},                                                                                            \
   .take = take,                                                                                                       \
   .await = await,                                                                                                     \
   .borrow = borrow,                                                                                                   \
   .holder = ch_mutex_holder}
static const struct ch_lock_type lock_type = CLAUSE_TYPE(), mtx_type = CLAUSE_TYPE(.selected = locked_as_thrd),
                                 hold_type = CLAUSE_TYPE(.leave = held);

static void fill(void *form, const struct ch_lock_type *type, void *mutex, const void *place) {
  struct ch_lock_wait *w = form;
  *w = wait_for(mutex, place);
  w->clause.type = &type->clause;
  w->asker = self();
}
_Static_assert(sizeof(struct ch_lock_wait) <= sizeof(struct ch_lock_clause), "a form has room for the wait");

void pthread_mutex_lock__clause(struct pthread_mutex_lock__clause *c, void *m) { fill(c, &lock_type, m, CH_HERE); }
void mtx_lock__clause(struct mtx_lock__clause *c, void *m) { fill(c, &mtx_type, m, CH_HERE); }
void ch_pthread_hold__clause(struct ch_pthread_hold__clause *c, void *m) { fill(c, &hold_type, m, CH_HERE); }

struct ch_int_result ch_pthread_hold_int(void *) CH_INT_NAME(ch_pthread_hold);
struct ch_int_result ch_pthread_hold_int(void *m) { return lock(m, CH_HERE); }
int ch_pthread_hold(void *m) { return lock_plainly(m, CH_HERE, CLOCK_REALTIME, NULL); }
