/* pthread_once. Other threads look at the C library's word in a pthread_once_t, so it has the C library's values: 0
 * before the function runs; while it runs, 4 times the number of forks that led to this process, plus 1; then 2. */
#define _GNU_SOURCE
#include "posix/futex.h"
#include "frames/interposed.h"
#include "posix/locks/others.h"
#include "posix/locks/queue.h"
#include "posix/single_activity.h"
#include "sched/tsan.h"
#include <limits.h>
#include <stdlib.h>

enum { RUNS = 1, HAS_RUN = 2, STATES = 3 };

/* Those that activities of this domain run. */
struct running {
  struct running *next;
  pthread_once_t *once;
  struct ch_branch *by;
};
static __thread struct running *runs;

static struct running **running(const void *once) {
  struct running **at = &runs;
  while (*at && (*at)->once != once)
    at = &(*at)->next;
  return at;
}

static void note(pthread_once_t *once, struct ch_branch *by) {
  struct running *r = malloc(sizeof *r);
  if (r) {
    *r = (struct running){runs, once, by};
    runs = r;
  }
}
static struct ch_branch *holder(const void *once, const void **place) {
  struct running *r = *running(once);
  *place = NULL;
  return r ? r->by : NULL;
}

static __thread const pthread_once_t *asked;
static __thread int forks;
static void look_at_forks(void) { forks = *asked & ~STATES; }
static void count_forks(void) {
  pthread_once_t of_now = PTHREAD_ONCE_INIT;
  asked = &of_now;
  ch_library_once(&of_now, look_at_forks);
}

/* 0: it has been run; 1: it is the caller's to run; -1: it is being run. */
static int begin(pthread_once_t *once) {
  int is = __atomic_load_n(once, __ATOMIC_ACQUIRE);
  ch_tsan_acquire(once);
  if (is & HAS_RUN)
    return 0;
  count_forks();
  for (;;) {
    ch_tsan_acquire(once);
    if (is & HAS_RUN)
      return 0;
    if (is == (forks | RUNS))
      return -1; /* a function that ran before a fork does not run any more */
    if (__atomic_compare_exchange_n(once, &is, forks | RUNS, false, __ATOMIC_ACQUIRE, __ATOMIC_ACQUIRE))
      return 1;
  }
}

static bool take(struct ch_lock_wait *w) {
  int r = begin(w->clause.object);
  if (r < 0)
    return false;
  if (r > 0)
    note(w->clause.object, ch_activity_of(w->clause.branch));
  w->result = r;
  return true;
}

static enum ch_await await(struct ch_queue *q, struct ch_word *word) {
  pthread_once_t *once = q->object;
  int is = __atomic_load_n(once, __ATOMIC_ACQUIRE);
  if (is != (forks | RUNS))
    return CH_AWAIT_FREE;
  if (*running(once))
    return CH_AWAIT_HERE;
  *word = (struct ch_word){.word = (uint32_t *)once, .value = (uint32_t)is};
  return CH_AWAIT_WORD;
}

static const struct ch_lock_type type = {.clause = {.what = "pthread_once",
                                                    .enlist = ch_queue_enlist,
                                                    .withdraw = ch_queue_withdraw,
                                                    .cancel = ch_queue_refuse},
                                         .take = take,
                                         .await = await,
                                         .holder = holder};
static const struct ch_leaf leaf = CH_LOCK_LEAF("pthread_once");

static bool must_wait(struct ch_lock_wait *w, pthread_once_t *once, int *result) {
  *result = begin(once);
  if (*result > 0)
    note(once, ch_activity_of(ch_domain.current));
  if (*result < 0)
    *w = (struct ch_lock_wait){.clause = {.type = &type.clause, .object = once}};
  return *result < 0;
}

struct ch_int_result ch_once_take_int(pthread_once_t *) CH_INT_NAME(ch_once_take);
struct ch_int_result ch_once_take_int(pthread_once_t *once) {
  struct ch_lock_wait w;
  int result;
  return must_wait(&w, once, &result) ? ch_lock_wait_int(&leaf, &w) : ch_done(result);
}
int ch_once_take(pthread_once_t *once) {
  struct ch_lock_wait w;
  int result;
  return must_wait(&w, once, &result) ? ch_lock_wait(&w) : result;
}

/* ---- in plain code ---- */

static bool is_being_run(pthread_once_t *once) {
  int is = __atomic_load_n(once, __ATOMIC_ACQUIRE);
  if ((is & STATES) != RUNS)
    return false;
  count_forks();
  return is == (forks | RUNS);
}

/* Only waits until it is being run no more. */
static bool pass(struct ch_lock_wait *w) { return !is_being_run(w->clause.object); }
static const struct ch_lock_type plain_type = {.clause = {.what = "pthread_once",
                                                          .enlist = ch_queue_enlist,
                                                          .withdraw = ch_queue_withdraw,
                                                          .cancel = ch_queue_refuse},
                                               .take = pass,
                                               .await = await,
                                               .holder = holder};

/* Before the C library's own, which waits with the thread: an activity of this domain may be what runs the function. It
 * is still the C library that runs it for plain code, because the function may throw a C++ exception. */
static int once_plainly(pthread_once_t *once, void (*init)(void)) {
  while (ch_domain.current && is_being_run(once) &&
         (*running(once) || ch_domain.live > 1 || !ch_is_single_activity())) {
    struct ch_lock_wait w = {.clause = {.type = &plain_type.clause, .object = once}};
    ch_lock_wait(&w);
  }
  return ch_library_once(once, init);
}
CH_INTERPOSED int pthread_once(pthread_once_t *once, void (*init)(void)) { return once_plainly(once, init); }
CH_INTERPOSED void call_once(once_flag *once, void (*init)(void)) { once_plainly((pthread_once_t *)once, init); }

/* ---- its end ---- */

/* Its function runs no more. */
static void set(pthread_once_t *once, int state) {
  ch_tsan_release(once);
  __atomic_store_n(once, state, __ATOMIC_RELEASE);
  ch_futex_wake((uint32_t *)once, INT_MAX, false);
  struct ch_queue *q = ch_queue_of(once);
  if (q)
    ch_queue_serve(q);
}

static pthread_once_t *forget(struct running **at) {
  struct running *gone = *at;
  pthread_once_t *once = gone->once;
  *at = gone->next;
  free(gone);
  return once;
}

void ch_once_end(pthread_once_t *once) {
  struct running **at = running(once);
  if (*at)
    forget(at);
  set(once, HAS_RUN);
}

/* POSIX: then it is as if the call had never been made. */
void ch_onces_left(struct ch_branch *by) {
  for (struct running **at = &runs; *at;)
    if ((*at)->by == by)
      set(forget(at), 0);
    else
      at = &(*at)->next;
}
