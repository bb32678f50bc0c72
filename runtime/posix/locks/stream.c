/* The lock of a FILE, for activities (queue.h). glibc's lock keeps other threads out, but treats all activities of one
 * thread as one owner. So a note keeps out other activities; it is made when a call waits while it has the lock, and by
 * flockfile. The layout of glibc's lock is a part of its ABI: a word (0: free; 1: taken; 2: taken, and somebody may
 * wait in the kernel), how often its owner has it, and the owner's thread.
 *
 * Invariants: 1. an activity that has a note has glibc's lock, too; 2. `busy` is set while one call of `user` waits,
 * and `times` counts flockfile of `user`; 3. a note for which neither holds is removed. */
#define _GNU_SOURCE
#include "posix/locks/queue.h"
#include "posix/streams.h"
#include <pthread.h>
#include <stdlib.h>

struct glibc_lock {
  uint32_t word;
  int times;
  void *owner;
};
static struct glibc_lock *lock_of(const FILE *f) { return (struct glibc_lock *)f->_lock; }

struct note {
  struct note *next;
  FILE *stream;
  struct ch_branch *user;
  unsigned times;
  bool busy;
};
__thread unsigned ch_stream_notes;
static __thread struct note *notes;

static struct ch_branch *self(void) { return ch_domain.current ? ch_activity_of(ch_domain.current) : NULL; }

static struct note *find(const FILE *f) {
  struct note *n = notes;
  while (n && n->stream != f)
    n = n->next;
  return n;
}

static struct note *find_or_make(FILE *f) {
  struct note *n = find(f);
  if (!n && (n = calloc(1, sizeof *n))) {
    n->stream = f;
    n->next = notes;
    notes = n;
    ch_stream_notes++;
  }
  return n;
}

static void drop_if_idle(struct note *n) {
  if (n->busy || n->times)
    return;
  struct note **at = &notes;
  while (*at != n)
    at = &(*at)->next;
  *at = n->next;
  ch_stream_notes--;
  free(n);
}

static bool is_others(const struct note *n, const struct ch_branch *self) {
  return n && (n->busy || (n->times && n->user != self));
}

bool ch_stream_is_taken(FILE *f) {
  struct note *n = find(f);
  return is_others(n, self()) || (ch_queue_of(f) && !(n && n->times));
}

bool ch_stream_is_user_locked(FILE *f) {
  struct note *n = find(f);
  return n && n->times && n->user != self();
}

/* ---- taking ---- */

enum { CALL, USER }; /* values of `how` */

static int take_for(FILE *f, struct ch_branch *user, unsigned how) {
  if (is_others(find(f), user) || ftrylockfile(f))
    return EBUSY;
  struct note *n = find_or_make(f);
  if (!n)
    return funlockfile(f), ENOMEM;
  n->user = user;
  if (how == USER)
    n->times++;
  else
    n->busy = true;
  return 0;
}

static void say_that_others_wait(FILE *f) {
  uint32_t held = 1;
  __atomic_compare_exchange_n(&lock_of(f)->word, &held, 2, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED);
}

/* Who has been woken by the kernel says that others may still wait there, as glibc does. */
static bool take(struct ch_lock_wait *w) {
  int r = take_for(w->clause.object, ch_activity_of(w->clause.branch), w->how);
  if (r == 0 && w->queue && w->queue->watched)
    say_that_others_wait(w->clause.object);
  w->result = r;
  return r != EBUSY;
}

static enum ch_await await(struct ch_queue *q, struct ch_word *to) {
  struct glibc_lock *l = lock_of(q->object);
  if (find(q->object) || l->owner == (void *)pthread_self()) {
    if (q->watched) /* the kernel had woken this queue, but another activity here was quicker */
      say_that_others_wait(q->object);
    return CH_AWAIT_HERE;
  }
  uint32_t is = __atomic_load_n(&l->word, __ATOMIC_RELAXED);
  while (is == 1)
    if (__atomic_compare_exchange_n(&l->word, &is, 2, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED))
      is = 2;
  if (is == 0)
    return CH_AWAIT_FREE;
  *to = (struct ch_word){.word = &l->word, .value = 2};
  return CH_AWAIT_WORD;
}

static struct ch_branch *holder(const void *f, const void **place) {
  struct note *n = find(f);
  *place = NULL;
  return n ? n->user : NULL;
}

/* What a thread has is waited for, as any lock of threads. */
static bool may_cancel(struct ch_clause *c) { return find(c->object) != NULL; }

static const struct ch_lock_type type = {
    .clause = {.what = "stream", .enlist = ch_queue_enlist, .withdraw = ch_queue_withdraw, .cancel = may_cancel},
    .take = take,
    .await = await,
    .holder = holder};
static const struct ch_lock_type firm = {
    .clause = {.what = "stream", .enlist = ch_queue_enlist, .withdraw = ch_queue_withdraw, .cancel = ch_queue_refuse},
    .take = take,
    .await = await,
    .holder = holder};

static struct ch_lock_wait wait_for(FILE *f, unsigned how) {
  const struct ch_lock_type *which = how == USER ? &firm : &type;
  return (struct ch_lock_wait){.clause = {.type = &which->clause, .object = f}, .how = how};
}

static int hold(FILE *f, unsigned how) { return ch_stream_is_free(f) ? take_for(f, self(), how) : EBUSY; }
int ch_stream_hold(FILE *f) { return hold(f, CALL); }
int ch_stream_user_lock(FILE *f) { return hold(f, USER); }

/* EBUSY: the caller waits. */
static int begin(FILE *f, unsigned how) {
  int r = hold(f, how);
  return r == EBUSY && how == CALL && find(f) && ch_is_marked() ? ECANCELED : r;
}

static const struct ch_leaf call_leaf = CH_LOCK_LEAF("a stream's lock"), user_leaf = CH_LOCK_LEAF("flockfile");

struct ch_int_result ch_stream_take_int(FILE *) CH_INT_NAME(ch_stream_take);
struct ch_int_result ch_stream_take_int(FILE *f) {
  int r = begin(f, CALL);
  struct ch_lock_wait w = wait_for(f, CALL);
  return r == EBUSY ? ch_lock_wait_int(&call_leaf, &w) : ch_done(r);
}
int ch_stream_take(FILE *f) {
  int r = begin(f, CALL);
  struct ch_lock_wait w = wait_for(f, CALL);
  return r == EBUSY ? ch_lock_wait(&w) : r;
}

struct ch_int_result ch_stream_user_take_int(FILE *) CH_INT_NAME(ch_stream_user_take);
struct ch_int_result ch_stream_user_take_int(FILE *f) {
  int r = begin(f, USER);
  struct ch_lock_wait w = wait_for(f, USER);
  return r == EBUSY ? ch_lock_wait_int(&user_leaf, &w) : ch_done(r);
}
int ch_stream_user_take(FILE *f) {
  int r = begin(f, USER);
  struct ch_lock_wait w = wait_for(f, USER);
  return r == EBUSY ? ch_lock_wait(&w) : r;
}

/* ---- giving back ---- */

static void given_back(FILE *f, struct note *n) {
  drop_if_idle(n);
  struct ch_queue *q = ch_queue_of(f);
  if (q)
    ch_queue_serve(q);
}

void ch_stream_unhold(FILE *f) {
  struct note *n = find(f);
  funlockfile(f);
  n->busy = false;
  given_back(f, n);
}

void ch_stream_user_unlock(FILE *f) {
  struct note *n = find(f);
  funlockfile(f);
  if (n && n->times) {
    n->times--;
    given_back(f, n);
  }
}
