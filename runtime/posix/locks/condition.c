/* Conditions of the C library. condition.h says how activities and other threads share one. */
#define _GNU_SOURCE
#define CHARCOAL_RUNTIME_LOCKS
#include "posix/locks/condition.h"
#include "frames/interposed.h"
#include "frames/forks.h"
#include "frames/out_of_memory.h"
#include "posix/locks/mutex.h"
#include "frames/interposed.h"
#include "posix/locks/others.h"
#include "posix/locks/replacement.h"
#include "posix/locks/tsan.h"
#include "posix/operations.h"
#include "posix/single_activity.h"
#include "reactor/inbox.h"
#include "sched/child.h"
#include "sched/host.h"
#include <dlfcn.h>
#include <errno.h>
#include <stdlib.h>
#include <threads.h>
#include <unistd.h>

/* Values of `how`. SIGNALLED: it is in no line; a letter is on its way, or it waits for the mutex. */
enum { WAITING, SIGNALLED };

struct cond_wait {
  struct ch_lock_wait w; /* object: the condition; link: in the line while WAITING */
  struct ch_letter letter;
  struct ch_inbox *inbox;
  pthread_mutex_t *mutex;
};

/* The waiters for one condition, of all domains. */
struct line {
  struct line *next;
  pthread_cond_t *cond;
  struct ch_link waiters;
  bool others_had; /* the last signal was for one of the C library's waiters, too */
};

enum { BUCKETS = 64 };
static struct line *lines[BUCKETS];
static struct line *unused;       /* lines that have been left */
CH_FORK_LOCK(lock, CH_OUTER_LOCK) /* protects all lines, and each waiter's `how` */
static unsigned waiting;          /* how many waiters all lines have */

static struct line **line_of(const pthread_cond_t *cond) {
  struct line **at = &lines[((uintptr_t)cond >> 3 ^ (uintptr_t)cond >> 10) % BUCKETS];
  while (*at && (*at)->cond != cond)
    at = &(*at)->next;
  return at;
}

/* ---- the C library's own ---- */

int ch_condition_is_shared(const pthread_cond_t *c) { return c->__data.__wrefs & 1; }
static unsigned others(const pthread_cond_t *c) { return __atomic_load_n(&c->__data.__wrefs, __ATOMIC_ACQUIRE) >> 3; }
static clockid_t clock_of(const pthread_cond_t *c) { return c->__data.__wrefs & 2 ? CLOCK_MONOTONIC : CLOCK_REALTIME; }

/* Of a static C library. */
__typeof__(pthread_cond_signal) __pthread_cond_signal __attribute__((weak));
__typeof__(pthread_cond_broadcast) __pthread_cond_broadcast __attribute__((weak));
__typeof__(pthread_cond_wait) ___pthread_cond_wait __attribute__((weak));
__typeof__(pthread_cond_clockwait) ___pthread_cond_clockwait __attribute__((weak));

static int signal_others(pthread_cond_t *c) {
  return others(c) ? CH_NEXT_DEFINITION(pthread_cond_signal, __pthread_cond_signal)(c) : 0;
}
static int broadcast_others(pthread_cond_t *c) {
  return others(c) ? CH_NEXT_DEFINITION(pthread_cond_broadcast, __pthread_cond_broadcast)(c) : 0;
}
/* Blocks the thread. ThreadSanitizer's wrappers stand before ours, and have to see it. */
static int wait_as_thread(pthread_cond_t *cond, pthread_mutex_t *m, clockid_t clock, const struct timespec *until) {
  bool wrapped = ch_tsan_is_here();
  if (!until)
    return (wrapped ? pthread_cond_wait : CH_NEXT_DEFINITION(pthread_cond_wait, ___pthread_cond_wait))(cond, m);
  if (clock < 0)
    clock = clock_of(cond);
  return (wrapped ? pthread_cond_clockwait
                  : CH_NEXT_DEFINITION(pthread_cond_clockwait, ___pthread_cond_clockwait))(cond, m, clock, until);
}

/* ---- the line ---- */

static struct cond_wait *wait_of(struct ch_link *n) { return (struct cond_wait *)n; }
static struct cond_wait *wait_at(struct ch_letter *l) {
  return (struct cond_wait *)((char *)l - offsetof(struct cond_wait, letter));
}

/* Called without the lock, and returns with it, when there is an unused line: a malloc may wake a thread of its own, as
 * that of jemalloc does, and to signal a condition takes the lock. */
static void lock_with_line(void) {
  pthread_mutex_lock(&lock);
  while (CH_UNLIKELY(!unused)) {
    pthread_mutex_unlock(&lock);
    struct line *l = malloc(sizeof *l);
    if (!l)
      ch_out_of_memory("those who wait for a condition");
    pthread_mutex_lock(&lock);
    l->next = unused;
    unused = l;
  }
}

/* These are called with the lock. */
static void enter(struct cond_wait *c) {
  struct line **at = line_of(c->w.clause.object), *l = *at;
  if (!l) {
    l = unused;
    unused = l->next;
    *l = (struct line){.cond = c->w.clause.object};
    ch_list_init(&l->waiters);
    *at = l;
  }
  ch_list_append(&l->waiters, &c->w.clause.link, true);
  __atomic_add_fetch(&waiting, 1, __ATOMIC_SEQ_CST);
}

/* It stays for the next condition that is waited for. */
static void remove_line(struct line **at) {
  struct line *l = *at;
  *at = l->next;
  l->next = unused;
  unused = l;
}

static void leave(struct cond_wait *c) {
  struct line **at = line_of(c->w.clause.object);
  ch_list_remove(&c->w.clause.link);
  __atomic_sub_fetch(&waiting, 1, __ATOMIC_SEQ_CST);
  c->w.how = SIGNALLED;
  if (ch_list_empty(&(*at)->waiters))
    remove_line(at);
}

/* It waits for its mutex from now on. On its domain's thread. */
static void go_on(struct cond_wait *c, int result) {
  ch_lock_stop_timer(&c->w);
  c->w.timed = false;
  c->w.result = result;
  ch_mutex_give(c->mutex, &c->w);
}
static void letter_opened(struct ch_letter *l) { go_on(wait_at(l), 0); }

/* Without the lock: its own line is left. */
static void wake(struct cond_wait *c, const struct ch_inbox *here) {
  if (c->inbox == here) {
    go_on(c, 0);
  } else {
    c->letter.open = letter_opened;
    ch_inbox_post(c->inbox, &c->letter);
  }
}

static const struct ch_inbox *inbox_here(void) { return ch_domain.group ? ch_inbox_here() : NULL; }

/* The C library counts a waiter until it has run again, also if it has been signalled already, and a signal to such a
 * one has no effect. So a signal to its waiters is never instead of one to ours, which would be lost. */
int ch_condition_signal(pthread_cond_t *cond) {
  struct cond_wait *first = NULL;
  bool both = false;
  if (__atomic_load_n(&waiting, __ATOMIC_SEQ_CST) == 0)
    return signal_others(cond);
  pthread_mutex_lock(&lock);
  struct line *l = *line_of(cond);
  if (l) {
    both = l->others_had = others(cond) != 0 && !l->others_had;
    first = wait_of(l->waiters.next);
    leave(first);
  }
  pthread_mutex_unlock(&lock);
  if (first)
    wake(first, inbox_here());
  return first && !both ? 0 : signal_others(cond);
}

int ch_condition_broadcast(pthread_cond_t *cond) {
  if (__atomic_load_n(&waiting, __ATOMIC_SEQ_CST) != 0) {
    struct ch_link all;
    ch_list_init(&all);
    pthread_mutex_lock(&lock);
    for (struct line *l; (l = *line_of(cond));) {
      struct cond_wait *c = wait_of(l->waiters.next);
      leave(c);
      ch_list_append(&all, &c->w.clause.link, true);
    }
    pthread_mutex_unlock(&lock);
    const struct ch_inbox *here = inbox_here();
    while (!ch_list_empty(&all)) {
      struct cond_wait *c = wait_of(all.next);
      ch_list_remove(&c->w.clause.link);
      wake(c, here);
    }
  }
  return broadcast_others(cond);
}

/* Plain code calls these. They are weak, because a program may have functions of its own under these names.
 * ThreadSanitizer's are weak, too, and come first, so there charcoal-cc makes the names mean ch_in_front_of_*. */
#define IN_FRONT_OF(name, object, result)                                                                              \
  __attribute__((visibility("default"))) int ch_in_front_of_##name(object *c);                                         \
  int ch_in_front_of_##name(object *c) { return result; }                                                              \
  __attribute__((weak, alias("ch_in_front_of_" #name), visibility("default"))) int name(object *)
_Static_assert(sizeof(cnd_t) == sizeof(pthread_cond_t), "C11's conditions are the same objects");
IN_FRONT_OF(pthread_cond_signal, pthread_cond_t, ch_condition_signal(c));
IN_FRONT_OF(pthread_cond_broadcast, pthread_cond_t, ch_condition_broadcast(c));
IN_FRONT_OF(cnd_signal, cnd_t, ch_condition_signal((pthread_cond_t *)c) ? thrd_error : thrd_success);
IN_FRONT_OF(cnd_broadcast, cnd_t, ch_condition_broadcast((pthread_cond_t *)c) ? thrd_error : thrd_success);
/* Activities call these in any case, because ThreadSanitizer has functions of its own under those names. */
CH_REPLACES_IN_C(pthread_cond_signal, pthread_cond_t *c) { return ch_done(ch_condition_signal(c)); }
CH_REPLACES_IN_C(pthread_cond_broadcast, pthread_cond_t *c) { return ch_done(ch_condition_broadcast(c)); }

/* ---- waiting ---- */

/* The wait ends without a signal, unless it has been signalled before: that cannot be undone. */
static bool leave_in_time(struct cond_wait *c) {
  pthread_mutex_lock(&lock);
  bool waits = c->w.how == WAITING;
  if (waits)
    leave(c);
  pthread_mutex_unlock(&lock);
  return waits;
}

/* It has been signalled by another thread, but does not wait: takes its letter back, which would come when its memory
 * is gone, and passes the signal on. */
CH_COLD static void hand_on(struct cond_wait *c) {
  for (unsigned tries = 1; !ch_inbox_recall(&c->letter); tries++)
    ch_atomic_relax(tries); /* that thread is about to post it */
  ch_condition_signal(c->w.clause.object);
}

static int enlist(struct ch_clause *clause) {
  struct cond_wait *c = (struct cond_wait *)clause;
  lock_with_line();
  enter(c);
  pthread_mutex_unlock(&lock);
  int error = ch_mutex_unlock(c->mutex);
  if (CH_UNLIKELY(error != 0)) { /* the mutex is not the caller's */
    if (!leave_in_time(c))
      hand_on(c);
    return clause->value = error, CH_CLAUSE_READY;
  }
  ch_lock_start_timer(&c->w);
  return CH_CLAUSE_LISTED;
}

static bool late(struct ch_lock_wait *w) {
  if (leave_in_time((struct cond_wait *)w))
    go_on((struct cond_wait *)w, ETIMEDOUT);
  return false;
}

/* It ends when it has the mutex. */
static bool cancel(struct ch_clause *clause) {
  if (leave_in_time((struct cond_wait *)clause))
    go_on((struct cond_wait *)clause, ECANCELED);
  return false;
}
static bool cancel_in_plain_code(struct ch_clause *clause) {
  return ch_queue_cancelled_in_plain_code(clause) && cancel(clause);
}
/* Only in a child of fork; anywhere else the wait ends with its mutex. */
static bool withdraw(struct ch_clause *clause) {
  struct cond_wait *c = (struct cond_wait *)clause;
  bool waits = leave_in_time(c);
  if (waits)
    ch_lock_stop_timer(&c->w);
  return waits;
}

static const struct ch_lock_type type = {
    .clause = {.what = "condition", .enlist = enlist, .withdraw = withdraw, .cancel = cancel}, .late = late};
/* In plain code, which knows nothing of scopes that are cancelled. */
static const struct ch_lock_type plain_type = {
    .clause = {.what = "condition", .enlist = enlist, .withdraw = withdraw, .cancel = cancel_in_plain_code},
    .late = late};

/* Those of other threads are the parent's. */
static void in_child(void) {
  const struct ch_inbox *here = inbox_here();
  for (int i = 0; i < BUCKETS; i++)
    for (struct line *l = lines[i], *next; l; l = next) {
      next = l->next;
      for (struct ch_link *n = l->waiters.next, *after; n != &l->waiters; n = after) {
        after = n->next;
        if (wait_of(n)->inbox != here) {
          ch_list_remove(n);
          waiting--;
        }
      }
      if (ch_list_empty(&l->waiters))
        remove_line(line_of(l->cond));
    }
}
static void hook(void) { ch_child_hook(in_child); }

static int prepare(struct cond_wait *c, pthread_cond_t *cond, pthread_mutex_t *m, clockid_t clock,
                   const struct timespec *until) {
  static pthread_once_t once = PTHREAD_ONCE_INIT;
  ch_library_once(&once, hook);
  int saved = errno;
  *c = (struct cond_wait){
      .w = {.clause = {.type = &type.clause, .object = cond}, .how = WAITING}, .inbox = ch_inbox_here(), .mutex = m};
  int error = c->inbox ? 0 : errno;
  errno = saved;
  if (!error && until)
    error = ch_lock_until(&c->w, clock < 0 ? clock_of(cond) : clock, until);
  return error;
}

static const struct ch_leaf leaf = CH_LOCK_LEAF_OF("pthread_cond_wait", struct cond_wait, ch_lock_ended);

struct ch_int_result ch_condition_wait_int(pthread_cond_t *, pthread_mutex_t *, clockid_t, const struct timespec *)
    CH_INT_NAME(ch_condition_wait);
struct ch_int_result ch_condition_wait_int(pthread_cond_t *cond, pthread_mutex_t *m, clockid_t clock,
                                           const struct timespec *until) {
  struct cond_wait c;
  int error = prepare(&c, cond, m, clock, until);
  return error ? ch_done(error) : ch_lock_wait_int(&leaf, &c.w);
}

int ch_condition_wait(pthread_cond_t *cond, pthread_mutex_t *m, clockid_t clock, const struct timespec *until) {
  struct cond_wait c;
  int error = prepare(&c, cond, m, clock, until);
  return error ? error : ch_lock_wait(&c.w);
}

static void note_again(void *mutex) { ch_mutex_note(mutex); }
int ch_condition_wait_plainly(pthread_cond_t *cond, pthread_mutex_t *m, clockid_t clock, const struct timespec *until) {
  int result;
  pthread_cleanup_push(note_again, m);
  result = wait_as_thread(cond, m, clock, until);
  pthread_cleanup_pop(1);
  return result;
}

/* In plain code: an activity of this domain may be who signals it. */
static int wait_in_plain_code(pthread_cond_t *cond, pthread_mutex_t *m, clockid_t clock, const struct timespec *until) {
  if (!ch_domain.current)
    return wait_as_thread(cond, m, clock, until);
  if (ch_condition_is_shared(cond) || (ch_domain.live == 1 && ch_is_single_activity()))
    return ch_condition_wait_plainly(cond, m, clock, until);
  struct cond_wait c;
  int error = prepare(&c, cond, m, clock, until);
  c.w.clause.type = &plain_type.clause;
  if (!error)
    error = ch_lock_wait(&c.w);
  if (error == ECANCELED)
    ch_host_exit_if_cancelled();
  return error;
}
CH_INTERPOSED int pthread_cond_wait(pthread_cond_t *c, pthread_mutex_t *m) {
  return wait_in_plain_code(c, m, -1, NULL);
}
CH_INTERPOSED int pthread_cond_timedwait(pthread_cond_t *c, pthread_mutex_t *m, const struct timespec *t) {
  return wait_in_plain_code(c, m, -1, t);
}
CH_INTERPOSED int pthread_cond_clockwait(pthread_cond_t *c, pthread_mutex_t *m, clockid_t clock,
                                         const struct timespec *t) {
  return wait_in_plain_code(c, m, ch_condition_clock(clock), t);
}
CH_INTERPOSED int cnd_wait(cnd_t *c, mtx_t *m) {
  return ch_thrd_result(wait_in_plain_code((pthread_cond_t *)c, (pthread_mutex_t *)m, -1, NULL));
}
CH_INTERPOSED int cnd_timedwait(cnd_t *c, mtx_t *m, const struct timespec *t) {
  return ch_thrd_result(wait_in_plain_code((pthread_cond_t *)c, (pthread_mutex_t *)m, -1, t));
}

/* ---- conditions that other processes share ---- */

/* The mutex is the domain's thread's, which has lent it: its owner, where that counts, is now this one. */
long ch_call_shared_wait(void *data) {
  struct ch_shared_wait *w = data;
  int here = (int)gettid();
  __atomic_store_n(&w->mutex->__data.__owner, here, __ATOMIC_RELAXED);
  w->result = wait_as_thread(w->cond, w->mutex, w->clock, w->until);
  __atomic_store_n(&w->mutex->__data.__owner, -1, __ATOMIC_RELAXED);
  return 0;
}

/* A robust one cannot be lent, for the kernel knows it as this thread's: the domain stands still meanwhile. */
int ch_condition_lend(struct ch_shared_wait *w) {
  if (w->clock < 0)
    w->clock = clock_of(w->cond);
  if (!ch_mutex_lend(w->mutex, true)) {
    w->result = wait_as_thread(w->cond, w->mutex, w->clock, w->until);
    return 0;
  }
  return 1;
}
void ch_condition_take_back(struct ch_shared_wait *w) { ch_mutex_lend(w->mutex, false); }
