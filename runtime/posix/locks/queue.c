/* The queues of activities that wait for locks of the C library. queue.h has the invariants. */
#define _GNU_SOURCE
#include "posix/locks/queue.h"
#include "posix/locks/holder.h"
#include "posix/locks/replacement.h"
#include "posix/futex.h"
#include "posix/operate.h"
#include "frames/out_of_memory.h"
#include "offload/pool.h"
#include "frames/interposed.h"
#include "reactor/reactor.h"
#include "reactor/timer.h"
#include "reactor/times.h"
#include "sched/child.h"
#include "sched/host.h"
#include <errno.h>
#include <limits.h>
#include <linux/futex.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* ---- all queues of the domain ---- */

enum { BUCKETS = 128, SPARE = 16 };

/* This is reached by a pointer, because a library that is loaded late has little thread-local memory. */
struct queues {
  struct ch_queue *buckets[BUCKETS];
  struct ch_link all;
  struct ch_link watches; /* all watches, linked by ch_watch.link */
  struct ch_queue *spare; /* unused queues, linked by `next` */
  unsigned spares;
};
static __thread struct queues *queues;

CH_COLD static _Noreturn void out_of_memory(void) { ch_out_of_memory("those who wait for a lock"); }

static void need_queues(void) {
  if (CH_LIKELY(queues != NULL))
    return;
  queues = calloc(1, sizeof *queues);
  if (!queues)
    out_of_memory();
  ch_list_init(&queues->all);
  ch_list_init(&queues->watches);
}

static unsigned bucket(const void *p) { return (unsigned)((uintptr_t)p >> 3 ^ (uintptr_t)p >> 10) % BUCKETS; }

struct ch_queue *ch_queue_find(const void *object) {
  if (ch_domain.lock_queues == 0)
    return NULL;
  struct ch_queue *q = queues->buckets[bucket(object)];
  while (q && q->object != object)
    q = q->next;
  return q;
}

static struct ch_queue *make(const struct ch_lock_type *type, void *object) {
  need_queues();
  struct ch_queue *q = queues->spare;
  if (q) {
    queues->spare = q->next;
    queues->spares--;
  } else if (!(q = malloc(sizeof *q))) {
    out_of_memory();
  }
  struct ch_queue **at = &queues->buckets[bucket(object)];
  *q = (struct ch_queue){.type = type, .object = object, .next = *at};
  *at = q;
  ch_list_init(&q->waiters);
  ch_list_append(&queues->all, &q->all, false);
  ch_domain.lock_queues++;
  return q;
}

static void stop_watch(struct ch_queue *);
static void pass_on(struct ch_queue *);

static void drop(struct ch_queue *q) {
  struct ch_queue **at = &queues->buckets[bucket(q->object)];
  while (*at != q)
    at = &(*at)->next;
  *at = q->next;
  ch_list_remove(&q->all);
  ch_domain.lock_queues--;
  if (q->paused)
    ch_clause_unwatch(&q->pause);
  if (q->watch)
    stop_watch(q);
  if (q->type->gone)
    q->type->gone(q);
  pass_on(q);
  if (queues->spares < SPARE) {
    q->next = queues->spare;
    queues->spare = q;
    queues->spares++;
  } else {
    free(q);
  }
}

/* Between use and leave_be a queue stays, even if its last waiter leaves: whoever is fired leaves the queues of the
 * other clauses of its wait, and that may be this one. */
static void use(struct ch_queue *q) { q->users++; }
static void leave_be(struct ch_queue *q) {
  if (--q->users == 0 && ch_list_empty(&q->waiters))
    drop(q);
}
/* Takes the waiter off its queue, and returns that. The caller uses it. */
static struct ch_queue *leave(struct ch_lock_wait *w) {
  struct ch_queue *q = w->queue;
  use(q);
  w->queue = NULL;
  ch_list_remove(&w->clause.link);
  return q;
}

/* ---- this thread's number ---- */

__thread __attribute__((tls_model("initial-exec"))) int ch_thread_number;

static void in_child(void) { ch_thread_number = 0; }
static void hook(void) { ch_child_hook(in_child); }

int ch_thread_learn(void) {
  static pthread_once_t once = PTHREAD_ONCE_INIT;
  ch_library_once(&once, hook);
  return ch_thread_number = (int)gettid();
}

/* ---- watches ---- */

struct ch_watch {
  struct ch_operation op; /* in its request, `a` is the word, `offset` its value, and `flags` says if it is shared */
  struct ch_link link;
  struct ch_queue *queue; /* NULL: an orphan */
  struct ch_loan loan;    /* valid if the operation is one */
};
_Static_assert(offsetof(struct ch_watch, op) == 0, "an operation's clause leads to its watch");

/* If there was no thread it is called in place, and must not block. */
static long perform_loan(const struct ch_request *q) {
  const struct ch_loan *loan = q->a;
  if (ch_domain.group)
    return -EINTR;
  return ((int (*)(const struct ch_loan *))(uintptr_t)q->offset)(loan);
}
static const struct ch_operation_kind by_loan = {"lock", perform_loan, NULL, .queue = CH_POOL_WAITING};

static struct ch_word word_of(const struct ch_request *q) {
  return (struct ch_word){.word = (uint32_t *)(uintptr_t)q->a, .value = (uint32_t)q->offset, .shared = q->flags != 0};
}
static void wake(const struct ch_word *w, int n) { ch_futex_wake(w->word, n, w->shared); }

/* The queue has taken a wake-up, and nobody of it has asked for the object since. */
static void pass_on(struct ch_queue *q) {
  if (CH_UNLIKELY(q->woken.word != NULL))
    wake(&q->woken, 1);
  q->woken.word = NULL;
}

static void watch_ended(struct ch_clause *c) {
  struct ch_watch *w = (struct ch_watch *)c;
  struct ch_queue *q = w->queue;
  int64_t result = c->value;
  const struct ch_request request = w->op.request;
  const struct ch_word word = word_of(&request);
  const bool woken = result == 0 && request.kind != &by_loan;
  ch_list_remove(&w->link);
  ch_domain.watches--;
  free(w);
  ch_futex_ended(&request, result);
  if (q) {
    q->watch = NULL;
    if (result == -EINTR) /* this comes in a child of fork, where the domain looks before it sleeps */
      return;
    if (woken)
      q->woken = word;
    if (request.kind == &by_loan && q->type->lent)
      q->type->lent(q, (int)result);
    else
      ch_queue_serve(q);
  } else if (woken) {
    wake(&word, 1);
  }
}

static struct ch_watch *new_watch(struct ch_queue *q) {
  struct ch_watch *w = calloc(1, sizeof *w);
  if (!w)
    out_of_memory();
  w->queue = q;
  return w;
}

static void start_watch(struct ch_queue *q, struct ch_watch *w) {
  int saved = errno;
  if (ch_operation_start(&w->op)) {
    ch_clause_watched(&w->op.clause, watch_ended);
    ch_list_append(&queues->watches, &w->link, false);
    ch_domain.watches++;
    q->watch = w;
  } else { /* there is no thread, so it is tried again later */
    free(w);
    ch_queue_pause(q, 1000000);
  }
  errno = saved;
}

static void watch_word(struct ch_queue *q, const struct ch_word *word) {
  struct ch_watch *w = new_watch(q);
  w->op.request = ch_futex_request(word->word, word->value, FUTEX_BITSET_MATCH_ANY, word->shared);
  start_watch(q, w);
  q->watched = true;
}

static void borrow(struct ch_queue *q) {
  struct ch_watch *w = new_watch(q);
  const struct ch_lock_wait *first = ch_queue_first(q);
  w->loan = (struct ch_loan){
      .object = q->object, .until = first->until, .clock = first->clock, .how = first->how, .timed = first->timed};
  w->op.request =
      (struct ch_request){.kind = &by_loan, .fd = -1, .a = &w->loan, .offset = (int64_t)(uintptr_t)q->type->borrow};
  start_watch(q, w);
}

/* From now on the kernel must not count the watch among those that wait: it would be woken instead of a thread, and the
 * wake-up passed on only when this domain looks, which may never happen, because its thread may be about to wait for
 * that one in plain code. The cancellation takes effect too late for this, so all that wait are woken. */
static void stop_watch(struct ch_queue *q) {
  struct ch_watch *w = q->watch;
  const struct ch_word word = word_of(&w->op.request);
  const bool is_loan = w->op.request.kind == &by_loan;
  q->watch = NULL;
  w->queue = NULL;
  ch_operation_cancel(&w->op);
  if (!is_loan)
    wake(&word, INT_MAX);
}

/* ---- serving ---- */

static struct ch_queue *paused_at(struct ch_clause *c) {
  return (struct ch_queue *)((char *)c - offsetof(struct ch_queue, pause));
}
static void pause_over(struct ch_clause *c) {
  struct ch_queue *q = paused_at(c);
  q->paused = false;
  ch_queue_serve(q);
}

void ch_queue_pause(struct ch_queue *q, int64_t ns) {
  if (q->paused)
    return;
  q->paused = true;
  q->pause = ch_timer_clause(ns);
  ch_clause_watch(&q->pause, pause_over);
}

/* Its wait has been decided for another clause. */
CH_COLD static void is_decided(struct ch_lock_wait *w) {
  ch_list_remove(&w->clause.link);
  w->queue = NULL;
  ch_lock_stop_timer(w);
  w->clause.state = CH_IS_OUT;
}

/* Gives the object to as many as can have it. The caller uses the queue. False: it has become empty. */
static bool give(struct ch_queue *q) {
  while (!ch_list_empty(&q->waiters)) {
    struct ch_lock_wait *w = ch_queue_first(q);
    if (CH_UNLIKELY(!ch_claim_begin(&w->clause))) {
      is_decided(w);
      continue;
    }
    bool has = ch_lock_type_of(w)->take(w);
    ch_claim_end(&w->clause, has);
    if (!has)
      return true;
    q->woken.word = NULL;
    ch_list_remove(&w->clause.link);
    ch_lock_fire(w, w->result);
  }
  return false;
}

/* The first waiter cannot have the object now. Sees to it that the queue is served when that may have changed. False:
 * it has changed already. */
static bool await(struct ch_queue *q) {
  struct ch_word word;
  if (q->watch || q->paused)
    return true;
  const enum ch_await what = q->type->await(q, &word);
  if (what == CH_AWAIT_FREE)
    return false;
  q->woken.word = NULL; /* whoever has the object wakes the next */
  switch (what) {
  case CH_AWAIT_WORD:
    watch_word(q, &word);
    break;
  case CH_AWAIT_LOAN:
    borrow(q);
    break;
  case CH_AWAIT_TIME:
    ch_queue_pause(q, 1000000);
    break;
  case CH_AWAIT_HERE:
  case CH_AWAIT_FREE:
    break;
  }
  return true;
}

void ch_queue_serve(struct ch_queue *q) {
  if (q->paused)
    return;
  use(q);
  while (give(q) && !await(q))
    ;
  leave_be(q);
}

struct ch_queue *ch_queue_after(struct ch_queue *q) {
  struct ch_link *n = !queues ? NULL : q ? q->all.next : queues->all.next;
  return !n || n == &queues->all ? NULL : (struct ch_queue *)((char *)n - offsetof(struct ch_queue, all));
}

/* Any queue may go meanwhile. So those that have had their turn stand at the end of the list, and the first one is
 * always the next. */
void ch_locks_look(void) {
  for (unsigned left = ch_domain.lock_queues; left > 0 && ch_domain.lock_queues > 0; left--) {
    struct ch_queue *q = ch_queue_after(NULL);
    ch_list_remove(&q->all);
    ch_list_append(&queues->all, &q->all, false);
    if (!q->watch)
      ch_queue_serve(q);
  }
  ch_holder_confirm();
}

void ch_locks_end(void) {
  ch_rwlocks_end();
  if (!queues)
    return;
  for (struct ch_link *n = queues->watches.next; n != &queues->watches; n = n->next)
    ch_operation_cancel(&((struct ch_watch *)((char *)n - offsetof(struct ch_watch, link)))->op);
  while (!ch_list_empty(&queues->watches)) {
    ch_reactor_poll(ch_timers_latest());
    ch_timers_fire();
  }
  while (queues->spare) {
    struct ch_queue *gone = queues->spare;
    queues->spare = gone->next;
    free(gone);
  }
  free(queues);
  queues = NULL;
}

/* ---- waiting ---- */

struct ch_lock_wait *ch_queue_claim(struct ch_queue *q) {
  while (!ch_list_empty(&q->waiters)) {
    struct ch_lock_wait *w = ch_queue_first(q);
    if (CH_LIKELY(ch_claim_unlisted(&w->clause)))
      return w;
    is_decided(w);
  }
  if (q->users == 0)
    drop(q);
  return NULL;
}

void ch_lock_fire(struct ch_lock_wait *w, int result) {
  w->queue = NULL;
  ch_lock_stop_timer(w);
  w->clause.value = result;
  ch_wake(&w->clause);
}

bool ch_queue_join(struct ch_lock_wait *w) {
  const struct ch_lock_type *type = ch_lock_type_of(w);
  struct ch_queue *q = ch_queue_of(w->clause.object);
  if (q) {
    ch_list_append(&q->waiters, &w->clause.link, true);
    w->queue = q;
    return false;
  }
  if (type->take(w))
    return true;
  q = make(type, w->clause.object);
  ch_list_append(&q->waiters, &w->clause.link, true);
  w->queue = q;
  while (!await(q))
    if (type->take(w)) {
      ch_queue_remove(w);
      return true;
    }
  return false;
}

void ch_queue_remove(struct ch_lock_wait *w) { leave_be(leave(w)); }

void ch_queue_leave(struct ch_lock_wait *w, int result) {
  const bool first = ch_queue_first(w->queue) == w;
  struct ch_queue *q = leave(w);
  ch_lock_fire(w, result);
  if (first && !ch_list_empty(&q->waiters)) /* the next one may perhaps have the object */
    ch_queue_serve(q);
  leave_be(q);
}

int ch_queue_enlist(struct ch_clause *c) {
  struct ch_lock_wait *w = ch_lock_wait_of(c);
  if (ch_queue_join(w)) {
    c->value = w->result;
    return CH_CLAUSE_READY;
  }
  ch_lock_start_timer(w);
  return CH_CLAUSE_LISTED;
}
bool ch_queue_withdraw(struct ch_clause *c) {
  struct ch_lock_wait *w = ch_lock_wait_of(c);
  if (ch_clause_state(c) >= CH_IS_TAKEN)
    return false;
  const bool first = ch_queue_first(w->queue) == w;
  struct ch_queue *q = leave(w);
  ch_lock_stop_timer(w);
  if (q->watch && q->type->lent && first) /* only in a child of fork: nobody wants that any more */
    stop_watch(q);
  if (!ch_list_empty(&q->waiters) && !ch_domain.drops_others) /* in a child those after it may not be there, either */
    ch_queue_serve(q);
  leave_be(q);
  return true;
}
bool ch_queue_refuse(struct ch_clause *c) { return (void)c, false; }
bool ch_queue_cancelled_in_plain_code(struct ch_clause *c) { return ch_host_is_cancelled(c->branch); }

static void hold_cancellation_back(struct ch_lock_wait *w) {
  int state;
  if (w->clause.type->cancel == ch_queue_refuse && ch_domain.live == 1)
    w->holds_back = pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &state) == 0 && state == PTHREAD_CANCEL_ENABLE;
}
static int end(struct ch_lock_wait *w) {
  if (CH_UNLIKELY(w->holds_back))
    pthread_setcancelstate(PTHREAD_CANCEL_ENABLE, NULL);
  return (int)w->clause.value;
}
intptr_t ch_lock_ended(struct ch_clause *all, unsigned selected) { return (void)selected, end(ch_lock_wait_of(all)); }

/* True: it is over already, and needs only its end. */
static bool begin(struct ch_lock_wait *w) {
  hold_cancellation_back(w); /* already while the reactor prepares the wait */
  if (!ch_wait_enlisted(&w->clause))
    return true;
  if (w->queue)
    ch_holder_check(ch_activity_of(ch_domain.current));
  return false;
}

struct ch_int_result ch_lock_wait_int(const struct ch_leaf *leaf, const struct ch_lock_wait *how) {
  struct ch_frame *f = ch_frame_new(&leaf->info);
  struct ch_lock_wait *w = memcpy(f->image, how, leaf->info.size - CH_FRAME_HEADER);
  if (begin(w)) {
    intptr_t result = leaf->finish(&w->clause, 0);
    ch_frame_free(f);
    return ch_done(result);
  }
  *ch_tls.link = f;
  ch_tls.link = &f->parent;
  return (struct ch_int_result){CH_BLOCKED, 0};
}

int ch_lock_wait(struct ch_lock_wait *w) {
  if (begin(w))
    return end(w);
  const struct ch_queue *q = w->queue; /* NULL: the wait is for a condition */
  bool world = w->ticking || (q && (q->watch || q->paused || q->counted));
  int error = ch_wait_native(world ? CH_BY_WORLD : q ? CH_BY_DOMAIN : CH_BY_OTHERS), value = end(w);
  return error < 0 ? ECANCELED : value;
}

/* ---- time ---- */

int ch_lock_until(struct ch_lock_wait *w, clockid_t clock, const struct timespec *t) {
  if (t->tv_nsec < 0 || t->tv_nsec >= 1000000000 || !ch_lock_knows(clock))
    return EINVAL;
  w->clock = clock;
  w->until = *t;
  w->timed = true;
  return 0;
}

static int64_t left(const struct ch_lock_wait *w) { return ch_time_until(w->clock, &w->until); }
bool ch_lock_is_late(const struct ch_lock_wait *w) { return w->timed && left(w) == 0; }

static void time_passed(struct ch_clause *);

/* The realtime clock can be set: nobody who waits for it sleeps long without a look. */
static void set_timer(struct ch_lock_wait *w, int64_t ns) {
  if (w->clock == CLOCK_REALTIME && ns > CH_CLOCK_LOOKS)
    ns = CH_CLOCK_LOOKS;
  w->ticking = true;
  w->timer = ch_timer_clause(ns);
  ch_clause_watch(&w->timer, time_passed);
}

static void time_passed(struct ch_clause *c) {
  struct ch_lock_wait *w = (struct ch_lock_wait *)((char *)c - offsetof(struct ch_lock_wait, timer));
  int64_t ns = left(w);
  w->ticking = false;
  if (ns > 0) {
    set_timer(w, ns);
    return;
  }
  const struct ch_lock_type *type = ch_lock_type_of(w);
  if (type->late && !type->late(w))
    return;
  /* This thread may come late, because a handler of a signal ran: what has become free meanwhile is taken. */
  struct ch_queue *q = w->queue;
  use(q);
  if (ch_queue_first(q) == w)
    give(q);
  if (w->queue)
    ch_queue_leave(w, ETIMEDOUT);
  leave_be(q);
}

/* A limit that never comes has no timer, so that a deadlock is still reported. */
void ch_lock_start_timer(struct ch_lock_wait *w) {
  int64_t ns = w->timed ? left(w) : CH_FOREVER;
  if (ns != CH_FOREVER)
    set_timer(w, ns);
}

void ch_lock_stop_timer(struct ch_lock_wait *w) {
  if (w->ticking)
    ch_clause_unwatch(&w->timer);
  w->ticking = false;
}
