#define _GNU_SOURCE
#include "posix/locks.h"
#include "offload/pool.h"
#include "reactor/reactor.h"
#include <errno.h>
#include <limits.h>
#include <linux/futex.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <threads.h>
#include <unistd.h>

/* ---- mutexes ---- */

enum { NORMAL = 0, RECURSIVE = 1, ERRORCHECK = 2, ADAPTIVE = 3, KIND = 3, ROBUST = 16, INHERIT = 32, PROTECT = 64 };

static int kind_of(const pthread_mutex_t *m) { return m->__data.__kind & KIND; }
int ch_mutex_is_plain(const pthread_mutex_t *m) { return !(m->__data.__kind & (ROBUST | INHERIT | PROTECT)); }

static int this_thread(void) {
  static __thread int id;
  static __thread pid_t of;
  if (of != getpid())
    of = getpid(), id = gettid();
  return id;
}

int ch_mutex_is_here(const pthread_mutex_t *m) {
  return __atomic_load_n(&m->__data.__owner, __ATOMIC_RELAXED) == this_thread();
}

/* Who has which recursive or error-checking mutex: by address, a few lists. */
struct holding {
  struct holding *next;
  const void *mutex;
  struct ch_branch *owner; /* the activity's first branch */
  unsigned times;
};
enum { LISTS = 64 };
/* Behind a pointer: a library that is loaded late has little thread-local memory. */
struct lists {
  struct holding *held[LISTS];
  struct ch_mutex_queue *queues[LISTS];
  struct ch_condition *conditions[LISTS];
};
static struct lists no_lists; /* before there is anything to note; never written */
static __thread struct lists *lists = &no_lists;
#define held (lists->held)
#define queues (lists->queues)
#define conditions (lists->conditions)

static bool have_lists(void) {
  if (CH_UNLIKELY(lists == &no_lists)) {
    struct lists *own = calloc(1, sizeof *own);
    if (!own)
      return false;
    lists = own;
  }
  return true;
}

/* What is left in them is of locks that nobody can give back any more. */
void ch_locks_end(void) {
  if (lists == &no_lists)
    return;
  for (int i = 0; i < LISTS; i++)
    for (struct holding *gone = held[i], *next; gone; gone = next) {
      next = gone->next;
      free(gone);
    }
  free(lists);
  lists = &no_lists;
}

static unsigned place(const void *p) { return (unsigned)((uintptr_t)p >> 4 ^ (uintptr_t)p >> 11) % LISTS; }
static struct ch_branch *self(void) { return ch_domain.current ? ch_activity_of(ch_domain.current) : NULL; }

static struct holding **find(const void *mutex) {
  struct holding **at = &held[place(mutex)];
  while (*at && (*at)->mutex != mutex)
    at = &(*at)->next;
  return at;
}
static void forget(struct holding **at) {
  struct holding *gone = *at;
  *at = gone->next;
  free(gone);
}

int ch_mutex_try(pthread_mutex_t *m, int lock) {
  int kind = kind_of(m), r;
  if (kind != RECURSIVE && kind != ERRORCHECK)
    return pthread_mutex_trylock(m);
  struct holding **at = find(m);
  if (*at && !ch_mutex_is_here(m))
    forget(at); /* plain code has unlocked it */
  if (*at && (*at)->owner != self())
    return EBUSY;
  if (*at && kind == ERRORCHECK)
    return lock ? EDEADLK : EBUSY;
  r = pthread_mutex_trylock(m);
  if (r != 0)
    return r;
  if (*at) {
    (*at)->times++;
    return 0;
  }
  struct holding *h = have_lists() ? malloc(sizeof *h) : NULL;
  if (h) {
    *h = (struct holding){held[place(m)], m, self(), 1};
    held[place(m)] = h;
  }
  return 0;
}

static void wake_first(const void *mutex) {
  for (struct ch_mutex_queue *q = queues[place(mutex)]; q; q = q->next)
    if (q->mutex == mutex) {
      if (!ch_list_empty(&q->turn.waiters))
        ch_sem_post(&q->turn);
      return;
    }
}

int ch_mutex_unlock(pthread_mutex_t *m) {
  int kind = kind_of(m);
  if (kind == RECURSIVE || kind == ERRORCHECK) {
    struct holding **at = find(m);
    if (*at && ch_mutex_is_here(m) && (*at)->owner != self())
      return EPERM;
    if (*at && --(*at)->times == 0)
      forget(at);
  }
  int r = pthread_mutex_unlock(m);
  if (r == 0)
    wake_first(m);
  return r;
}

struct ch_mutex_queue *ch_mutex_join(const pthread_mutex_t *m) {
  struct ch_mutex_queue *q = queues[place(m)];
  while (q && q->mutex != m)
    q = q->next;
  if (!q) {
    q = have_lists() ? calloc(1, sizeof *q) : NULL;
    if (!q)
      return NULL;
    q->mutex = m;
    q->next = queues[place(m)];
    queues[place(m)] = q;
  }
  q->users++;
  return q;
}

void ch_mutex_leave(struct ch_mutex_queue *q) {
  if (--q->users > 0)
    return;
  struct ch_mutex_queue **at = &queues[place(q->mutex)];
  while (*at != q)
    at = &(*at)->next;
  *at = q->next;
  free(q);
}

/* ---- for the pool ---- */

long ch_call_mutex(void *mutex) {
  if (ch_domain.group) /* the pool has no thread, and this one may be its holder's */
    return -EAGAIN;
  if (pthread_mutex_lock(mutex) == 0)
    pthread_mutex_unlock(mutex);
  return 0;
}
static int take_rwlock(const struct ch_rwlock_call *c) {
  if (!c->until)
    return c->write ? pthread_rwlock_wrlock(c->lock) : pthread_rwlock_rdlock(c->lock);
  return c->write ? pthread_rwlock_clockwrlock(c->lock, c->clock, c->until)
                  : pthread_rwlock_clockrdlock(c->lock, c->clock, c->until);
}
long ch_call_rwlock(void *data) {
  const struct ch_rwlock_call *c = data;
  int r = take_rwlock(c);
  if (r == 0)
    pthread_rwlock_unlock(c->lock);
  return -r;
}
long ch_call_barrier(void *barrier) { return pthread_barrier_wait(barrier) == PTHREAD_BARRIER_SERIAL_THREAD; }
long ch_call_sem_wait(void *sem) { return sem_wait(sem) < 0 ? -errno : 0; }
long ch_call_sem_timedwait(void *data) {
  struct ch_timed_sem *t = data;
  return sem_clockwait(t->sem, t->clock, t->until) < 0 ? -errno : 0;
}
long ch_call_join(void *data) {
  struct ch_join *j = data;
  ch_pool_cancellable(true); /* POSIX: a thread that is cancelled in pthread_join has not joined the other */
  j->error =
      j->until ? pthread_clockjoin_np(j->thread, &j->result, j->clock, j->until) : pthread_join(j->thread, &j->result);
  ch_pool_cancellable(false);
  return 0;
}

long ch_call_thrd_join(void *data) {
  struct ch_join *j = data;
  int result = 0;
  ch_pool_cancellable(true);
  j->error = thrd_join((thrd_t)j->thread, &result);
  ch_pool_cancellable(false);
  j->result = (void *)(intptr_t)result;
  return 0;
}

int ch_plain_tryjoin(pthread_t thread, void **result) { return pthread_tryjoin_np(thread, result); }
int ch_plain_sem_trywait(sem_t *s) { return sem_trywait(s); }
int ch_plain_mutex_lock(pthread_mutex_t *m) { return pthread_mutex_lock(m); }
int ch_plain_mutex_timedlock(pthread_mutex_t *m, clockid_t clock, const struct timespec *until) {
  return pthread_mutex_clocklock(m, clock, until);
}
int ch_rwlock_try(pthread_rwlock_t *l, int write) {
  return write ? pthread_rwlock_trywrlock(l) : pthread_rwlock_tryrdlock(l);
}
int ch_plain_spin_trylock(pthread_spinlock_t *l) { return pthread_spin_trylock(l); }

/* ---- once ----
 *
 * glibc's own word, for other threads look at it, too: 0; or the number of forks behind this process, times 4, and 1
 * while the function runs; or 2. */

enum { RUNS = 1, HAS_RUN = 2, STATES = 3 };

static __thread const pthread_once_t *asked;
static __thread int forks;
static void look_at_forks(void) { forks = *asked & ~STATES; }

int ch_once_begin(pthread_once_t *once) {
  int is = __atomic_load_n(once, __ATOMIC_ACQUIRE);
  if (is & HAS_RUN)
    return 0;
  pthread_once_t of_now = PTHREAD_ONCE_INIT;
  asked = &of_now;
  pthread_once(&of_now, look_at_forks);
  for (;;) {
    if (is & HAS_RUN)
      return 0;
    if (is == (forks | RUNS))
      return -1; /* what ran before a fork runs no more */
    if (__atomic_compare_exchange_n(once, &is, forks | RUNS, false, __ATOMIC_ACQUIRE, __ATOMIC_ACQUIRE))
      return 1;
  }
}

void ch_once_end(pthread_once_t *once) {
  __atomic_store_n(once, HAS_RUN, __ATOMIC_RELEASE);
  syscall(SYS_futex, once, FUTEX_WAKE_PRIVATE, INT_MAX, NULL, NULL, 0);
}

long ch_call_once(void *once) {
  int is = __atomic_load_n((pthread_once_t *)once, __ATOMIC_ACQUIRE);
  if (is & RUNS)
    syscall(SYS_futex, once, FUTEX_WAIT_PRIVATE, is, NULL, NULL, 0);
  return 0;
}

/* ---- conditions ---- */

struct ch_condition {
  struct ch_job job; /* the thread that waits, while `waits` */
  struct ch_condition *next;
  pthread_cond_t *cond;
  pthread_mutex_t *mutex;
  unsigned users;
  bool waits; /* the thread has not come back */
  bool ended; /* it is to come back, since nobody waits any more */
  ch_sem turn, over;
};

/* The mutex is locked by the domain's thread, which has lent it: its owner, where that counts, is now this one. */
static void wait_for_all(struct ch_job *job) {
  struct ch_condition *c = (struct ch_condition *)job;
  __atomic_store_n(&c->mutex->__data.__owner, (int)gettid(), __ATOMIC_RELAXED);
  pthread_cond_wait(c->cond, c->mutex);
  pthread_mutex_unlock(c->mutex);
}

static void unlist_condition(struct ch_condition *c) {
  struct ch_condition **at = &conditions[place(c->cond)];
  while (*at && *at != c)
    at = &(*at)->next;
  if (*at)
    *at = c->next;
}

/* Its thread has come back: all may go, and who waits next makes a new one. */
static void has_come_back(struct ch_letter *letter) {
  struct ch_condition *c = (struct ch_condition *)letter;
  ch_inbox_expected--;
  ch_domain.base.outside--;
  c->waits = false;
  unlist_condition(c);
  while (!ch_list_empty(&c->turn.waiters))
    ch_sem_post(&c->turn);
  if (c->ended)
    ch_sem_post(&c->over);
}

struct ch_condition *ch_condition_join(pthread_cond_t *cond, pthread_mutex_t *mutex) {
  struct ch_condition *c = conditions[place(cond)];
  while (c && (c->cond != cond || c->ended))
    c = c->next;
  if (c) {
    c->users++;
    ch_mutex_unlock(mutex);
    return c;
  }
  c = have_lists() ? calloc(1, sizeof *c) : NULL;
  if (!c)
    return NULL;
  c->cond = cond;
  c->mutex = mutex;
  c->users = 1;
  c->job.letter.open = has_come_back;
  c->job.work = wait_for_all;
  c->job.home = ch_inbox_here();
  /* Lent: until the thread writes its own name there nobody has it, or the next activity would be let in. */
  int owner = mutex->__data.__owner;
  mutex->__data.__owner = -1;
  int error = c->job.home ? ch_pool_submit(&c->job, CH_LANE_PATIENT) : errno;
  if (error) {
    mutex->__data.__owner = owner;
    free(c);
    errno = error;
    return NULL;
  }
  c->waits = true;
  ch_inbox_expected++;
  ch_domain.base.outside++;
  c->next = conditions[place(cond)];
  conditions[place(cond)] = c;
  struct holding **at = find(mutex);
  if (*at)
    forget(at);
  wake_first(mutex);
  return c;
}

ch_sem *ch_condition_turn(struct ch_condition *c) { return &c->turn; }
ch_sem *ch_condition_over(struct ch_condition *c) { return &c->over; }

int ch_condition_leave(struct ch_condition *c) {
  if (--c->users > 0)
    return 0;
  if (c->waits) {
    c->ended = true;
    return 1;
  }
  free(c);
  return 0;
}

/* With the mutex taken its thread is sure to wait, and hears this. Others who wait take it for a spurious wake-up. */
void ch_condition_end(struct ch_condition *c) { pthread_cond_broadcast(c->cond); }
void ch_condition_free(struct ch_condition *c) { free(c); }

clockid_t ch_condition_clock(const pthread_cond_t *c) {
  return c->__data.__wrefs & 2 ? CLOCK_MONOTONIC : CLOCK_REALTIME;
}
int ch_plain_cond_timedwait(pthread_cond_t *c, pthread_mutex_t *m, clockid_t clock, const struct timespec *until) {
  return until ? pthread_cond_clockwait(c, m, clock, until) : pthread_cond_wait(c, m);
}
