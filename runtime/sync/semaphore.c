/* Counting semaphores, first come first served.
 *
 * Invariants: 1. a semaphore on which somebody waits has count 0; 2. a unit that is posted while somebody waits goes to
 * the first waiter and never shows in the count, so that nobody who comes later can take it. */
#include "reactor/timer.h"
#include "wait/wait.h"
#include <errno.h>
#include <limits.h>

static inline void check(ch_sem *s) {
  CH_INVARIANT(s->count == 0 || ch_list_empty(&s->waiters), "nobody waits on a semaphore that has units");
  (void)s;
}

void ch_sem_init(ch_sem *s, unsigned long count) {
  ch_list_init(&s->waiters);
  s->count = count;
}

static inline bool take(ch_sem *s) {
  check(s);
  if (s->count == 0)
    return false;
  s->count--;
  return true;
}

int ch_sem_trywait(ch_sem *s) { return take(s) ? 0 : EAGAIN; }

/* What can be said without waiting: 0, an error, or EAGAIN. */
static inline int at_once(ch_sem *s) {
  if (ch_is_marked())
    return ECANCELED;
  if (take(s))
    return 0;
  return CH_UNLIKELY(!ch_domain.current) ? EPERM : EAGAIN;
}

struct ch_int_result ch_sem_wait_int(ch_sem *s) CH_INT_NAME(ch_sem_wait);
struct ch_int_result ch_sem_wait_int(ch_sem *s) {
  int result = at_once(s);
  if (result != EAGAIN)
    return (struct ch_int_result){CH_DONE, result};
  ch_wait_on(&s->waiters, CH_ON_SEMAPHORE);
  return ch_blocks();
}

int ch_sem_wait(ch_sem *s) {
  int result = at_once(s);
  if (result != EAGAIN)
    return result;
  ch_wait_on(&s->waiters, CH_ON_SEMAPHORE);
  return (int)ch_wait_native(false);
}

int ch_sem_post(ch_sem *s) {
  check(s);
  if (!ch_list_empty(&s->waiters)) {
    if (CH_UNLIKELY(!ch_domain.group))
      return EPERM;
    ch_fire(s->waiters.next, 0);
  } else {
    if (s->count == ULONG_MAX)
      return EOVERFLOW;
    s->count++;
  }
  return 0;
}

int ch_sem_destroy(ch_sem *s) {
  int result = ch_list_empty(&s->waiters) ? 0 : EBUSY;
  if (CH_UNLIKELY(result && !ch_domain.group))
    return EPERM;
  while (!ch_list_empty(&s->waiters))
    ch_fire(s->waiters.next, ECANCELED);
  s->count = 0;
  return result;
}

/* ---- as a clause ---- */

static bool enlist(struct ch_clause *c) {
  ch_sem *s = c->object;
  c->value = 0;
  if (take(s))
    return true;
  ch_list_append(&s->waiters, &c->link, true);
  return false;
}
static void withdraw(struct ch_clause *c) { ch_list_remove(&c->link); }

const struct ch_clause_type ch_sem_clause_type = {"semaphore", false, enlist, withdraw, NULL};

static intptr_t timed_out(struct ch_clause *all, unsigned selected) {
  return selected == 0 ? (intptr_t)all[0].value : ETIMEDOUT;
}
static const struct ch_leaf timedwait_leaf = CH_LEAF("ch_sem_timedwait", 2, timed_out);

#define TIMED_CLAUSES(s, timeout) {{.type = &ch_sem_clause_type, .object = (s)}, ch_timer_clause(timeout)}

struct ch_int_result ch_sem_timedwait_int(ch_sem *s, int64_t timeout) CH_INT_NAME(ch_sem_timedwait);
struct ch_int_result ch_sem_timedwait_int(ch_sem *s, int64_t timeout) {
  int result = at_once(s);
  if (result != EAGAIN)
    return (struct ch_int_result){CH_DONE, result};
  struct ch_clause clauses[2] = TIMED_CLAUSES(s, timeout);
  return ch_wait_leaf(&timedwait_leaf, clauses, 2);
}

int ch_sem_timedwait(ch_sem *s, int64_t timeout) {
  int result = at_once(s);
  if (result != EAGAIN)
    return result;
  struct ch_clause clauses[2] = TIMED_CLAUSES(s, timeout);
  return (int)ch_wait_leaf_native(&timedwait_leaf, clauses, 2);
}
