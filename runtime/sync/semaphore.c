/* Counting semaphores, first come first served, between domains.
 *
 * `count` is the number of units. If its highest bit is set there are waiters, and its complement is the address of the
 * inbox of the waiters' domain. While it is a number any thread may change it, atomically; while it leads to an inbox,
 * only that domain's thread changes it and touches the list of waiters.
 *
 * A thread of another domain that posts while there are waiters increases `posted`, and sends the letter in the
 * semaphore unless that is on its way already. The waiters' domain then posts for it. This takes no lock, and no memory
 * is allocated. If that domain ends first, because its waiters have given up, the letter is refused, and the thread
 * posts anew what has been posted by it.
 *
 * Invariants: 1. a semaphore on which somebody waits has no units; 2. a unit that is posted while somebody waits goes
 * to the first waiter and never shows in the count, so that nobody who comes later can take it; 3. the letter is on its
 * way while `posted` is not 0. */
#include "reactor/inbox.h"
#include "reactor/timer.h"
#include "wait/wait.h"
#include "sched/child.h"
#include "sched/tsan.h"
#include "wait/atomics.h"
#include "frames/out_of_memory.h"
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#define WAITED (~(ULONG_MAX >> 1)) /* the highest bit is set: there are waiters */
#define FORGETTING (WAITED | 1)    /* no inbox's; for a few instructions in a child of fork: see forget_gone */

static struct ch_letter *letter_of(ch_sem *s) { return (struct ch_letter *)s->letter; }
_Static_assert(sizeof(struct ch_letter) == sizeof((ch_sem){0}.letter), "a semaphore holds its letter");

static inline unsigned long count_of(const ch_sem *s) { return ch_atomic_load(&s->count); }
static inline struct ch_inbox *inbox_of(unsigned long count) { return (struct ch_inbox *)~count; }
/* What the count is while activities of this thread's domain wait. */
static inline unsigned long ours(void) { return ~(unsigned long)ch_inbox_of_thread; }
static inline bool is_ours(unsigned long count) { return count == ours(); }

static inline void check(ch_sem *s) {
  CH_INVARIANT(!is_ours(s->count) || !ch_list_empty(&s->waiters), "a semaphore that says that somebody waits is right");
  (void)s;
}

void ch_sem_init(ch_sem *s, unsigned long count) {
  *s = (ch_sem){.count = count & WAITED ? LONG_MAX : count};
  ch_list_init(&s->waiters);
}

/* Changes a number; false: somebody waits, or it is `unlike`. */
static inline bool change(ch_sem *s, unsigned long unlike, long by) {
  unsigned long is = count_of(s);
  while (!(is & WAITED) && is != unlike)
    if (ch_atomic_change(&s->count, &is, is + (unsigned long)by))
      return true;
  return false;
}
static inline bool take(ch_sem *s) {
  check(s);
  if (!change(s, 0, -1))
    return false;
  ch_tsan_acquire(s);
  return true;
}

int ch_sem_trywait(ch_sem *s) { return take(s) ? 0 : EAGAIN; }

/* ---- waiting ---- */

CH_COLD static _Noreturn void waited_elsewhere(const ch_sem *s) {
  fprintf(stderr,
          "charcoal: an activity is about to wait for the semaphore at %p, for which activities of another domain wait "
          "already; give each domain a semaphore of its own, which any domain may post\n",
          (const void *)s);
  fflush(NULL);
  _exit(CH_EXIT_MISUSE);
}

CH_COLD static void make_inbox(void) {
  int saved = errno;
  if (!ch_inbox_here())
    ch_out_of_memory("the inbox of a domain that waits for a semaphore");
  errno = saved;
}

/* In a child of fork: if `is` leads to a domain that is not there, nobody waits, and the units that were on their way
 * to it are free. True: the caller looks again. */
static bool forget_gone(ch_sem *s, unsigned long is) {
  if (CH_LIKELY(!ch_some_are_gone))
    return false;
  if (is == FORGETTING) {
    ch_atomic_relax(1);
  } else if (!ch_inbox_is_gone(inbox_of(is))) {
    return false;
  } else if (ch_atomic_change(&s->count, &is, FORGETTING)) {
    ch_list_init(&s->waiters);
    ch_atomic_store(&s->count, ch_atomic_exchange(&s->posted, 0ul));
  }
  return true;
}

/* The caller's domain waits from now on. False: there was a unit, and it has been taken. */
static inline bool begin_waiting(ch_sem *s) {
  if (CH_UNLIKELY(!ch_inbox_of_thread))
    make_inbox();
  unsigned long is = 0;
  while (!ch_atomic_change(&s->count, &is, ours())) {
    if (is == ours())
      return true;
    if (is & WAITED && !forget_gone(s, is))
      waited_elsewhere(s);
    if (take(s))
      return false;
    is = 0;
  }
  return true;
}

/* A branch or a clause has been taken off the list: perhaps it was the last. */
static inline void end_waiting(ch_sem *s) {
  ch_list_is_initialised(&s->waiters);
  if (ch_list_empty(&s->waiters))
    ch_atomic_store(&s->count, 0ul);
}

/* What can be said without waiting: 0, an error, or EAGAIN. */
static inline int at_once(ch_sem *s) {
  if (ch_is_marked())
    return ECANCELED;
  if (take(s))
    return 0;
  return !ch_is_in_branch() ? EPERM : begin_waiting(s) ? EAGAIN : 0;
}

__attribute__((noinline)) static struct ch_int_result wait_slow(ch_sem *s) {
  int result = at_once(s);
  if (result != EAGAIN)
    return ch_done(result);
  ch_wait_on(&s->waiters, CH_ON_SEMAPHORE);
  return ch_blocks();
}

/* There is no unit, whoever waits is of this domain, and nothing is unusual. */
static inline bool begins_as_usual(ch_sem *s) {
  unsigned long is = count_of(s);
  if (!ch_domain.current || !ch_inbox_of_thread || ch_domain.marked_count != 0 || ch_may_wait_in_place())
    return false;
  return is == ours() || (is == 0 && ch_atomic_change(&s->count, &is, ours()));
}

struct ch_int_result ch_sem_wait_int(ch_sem *s) CH_INT_NAME(ch_sem_wait);
struct ch_int_result ch_sem_wait_int(ch_sem *s) {
  if (!begins_as_usual(s))
    CH_JUMP_TO wait_slow(s);
  ch_wait_on(&s->waiters, CH_ON_SEMAPHORE);
  return (struct ch_int_result){CH_BLOCKED, 0};
}

int ch_sem_wait(ch_sem *s) {
  int result = at_once(s);
  if (result != EAGAIN)
    return result;
  ch_wait_on(&s->waiters, CH_ON_SEMAPHORE);
  return (int)ch_wait_native(CH_BY_DOMAIN);
}

void ch_sem_left(struct ch_link *waiters) { end_waiting((ch_sem *)waiters); }
_Static_assert(offsetof(ch_sem, waiters) == 0, "a semaphore begins with its list");

/* ---- posting ---- */

static int post(ch_sem *s);
static int post_to_clause(ch_sem *s);

/* The first of those who wait waits for the semaphore alone. */
static inline __attribute__((always_inline)) void wake_branch(ch_sem *s) {
  struct ch_link *first = s->waiters.next;
  ch_list_remove(first);
  end_waiting(s);
  ch_ready(ch_link_branch(first), 0);
}

/* On the thread of the domain whose activities wait. */
static inline int wake_first(ch_sem *s) {
  if (CH_UNLIKELY(ch_link_is_clause(s->waiters.next)))
    return post_to_clause(s);
  wake_branch(s);
  return 0;
}

static void post_what_was_posted(ch_sem *s) {
  ch_tsan_acquire(s);
  for (unsigned long n = ch_atomic_exchange(&s->posted, 0ul); n > 0; n--)
    post(s);
}

/* At the waiters' domain. */
static void letter_opened(struct ch_letter *letter) {
  post_what_was_posted((ch_sem *)((char *)letter - offsetof(ch_sem, letter)));
}

static int post_from_elsewhere(ch_sem *s) {
  ch_tsan_release(s);
  for (;;) {
    if (change(s, LONG_MAX, +1))
      return 0;
    unsigned long is = count_of(s);
    if (is == LONG_MAX)
      return EOVERFLOW;
    if (!(is & WAITED) || forget_gone(s, is))
      continue;
    if (ch_atomic_add(&s->posted, 1) == 0) {
      letter_of(s)->open = letter_opened;
      if (CH_UNLIKELY(!ch_inbox_post(inbox_of(is), letter_of(s))))
        post_what_was_posted(s);
    }
    return 0;
  }
}

static inline int post(ch_sem *s) {
  check(s);
  if (CH_LIKELY(is_ours(s->count))) {
    return wake_first(s);
  }
  return post_from_elsewhere(s);
}

/* The wait of the first, a clause of several, may have been decided for another: then the unit is the next one's. */
CH_COLD static int post_to_clause(ch_sem *s) {
  bool had = ch_fire(s->waiters.next, 0);
  end_waiting(s);
  return had ? 0 : post(s);
}

/* This domain's activities wait. While the domain sleeps, only a signal handler runs on its thread. */
static inline bool may_wake(ch_sem *s) {
  check(s);
  return is_ours(count_of(s)) && !ch_inbox_is_asleep();
}

int ch_sem_post(ch_sem *s) {
  if (CH_LIKELY(may_wake(s)))
    return wake_first(s);
  CH_JUMP_TO post_from_elsewhere(s);
}

__attribute__((noinline)) static struct ch_int_result post_slow(ch_sem *s) { return ch_done(ch_sem_post(s)); }

/* It never waits. A call in interruptible code gets here sooner than to ch_sem_post. */
struct ch_int_result ch_sem_post_int(ch_sem *s) CH_INT_NAME(ch_sem_post);
struct ch_int_result ch_sem_post_int(ch_sem *s) {
  if (CH_UNLIKELY(!may_wake(s)) || CH_UNLIKELY(ch_link_is_clause(s->waiters.next)))
    CH_JUMP_TO post_slow(s);
  wake_branch(s);
  return ch_done(0);
}
int ch_sem_post_from_handler(ch_sem *s) { return post_from_elsewhere(s); }

/* Opens the semaphore's letter before its turn. False: it is under way to another domain. */
CH_COLD static bool open_letter(ch_sem *s) {
  for (unsigned tries = 1; !ch_inbox_recall(letter_of(s)); tries++) {
    if (!is_ours(count_of(s)))
      return false;
    ch_atomic_relax(tries); /* another thread is about to put it into this domain's inbox */
  }
  post_what_was_posted(s);
  return true;
}

int ch_sem_destroy(ch_sem *s) {
  unsigned long is = count_of(s);
  while (CH_UNLIKELY(is & WAITED) && forget_gone(s, is))
    is = count_of(s);
  if (CH_UNLIKELY(is & WAITED) && (!is_ours(is) || !ch_domain.group))
    return EPERM;
  if (CH_UNLIKELY(ch_atomic_load(&s->posted) != 0) && !open_letter(s))
    return EPERM;
  if (CH_LIKELY(!(count_of(s) & WAITED))) {
    s->count = 0;
    return is & WAITED ? EBUSY : 0;
  }
  struct ch_link all;
  ch_list_take(&all, &s->waiters);
  s->count = 0;
  while (!ch_list_empty(&all))
    ch_fire(all.next, ECANCELED);
  return EBUSY;
}

/* ---- as a clause ---- */

static int enlist(struct ch_clause *c) {
  ch_sem *s = c->object;
  c->value = 0;
  if (take(s) || !begin_waiting(s))
    return CH_CLAUSE_READY;
  ch_list(&s->waiters, c);
  return CH_CLAUSE_LISTED;
}
static bool withdraw(struct ch_clause *c) {
  ch_unlist(c);
  end_waiting(c->object);
  return true;
}
static bool is_ready(const struct ch_clause *c) {
  unsigned long is = count_of(c->object);
  return is != 0 && !(is & WAITED);
}

const struct ch_clause_type ch_sem_clause_type = {
    .what = "semaphore", .enlist = enlist, .withdraw = withdraw, .ready = is_ready};

static intptr_t timed_out(struct ch_clause *all, unsigned selected) {
  return selected == 0 ? (intptr_t)all[0].value : ETIMEDOUT;
}
static const struct ch_leaf timedwait_leaf = CH_LEAF("ch_sem_timedwait", 2, timed_out);

#define TIMED_CLAUSES(s, timeout) {{.type = &ch_sem_clause_type, .object = (s)}, ch_timer_clause(timeout)}

/* The wait itself looks once more, and says that it waits. */
static inline int at_once_timed(ch_sem *s) {
  if (ch_is_marked())
    return ECANCELED;
  return take(s) ? 0 : ch_is_in_branch() ? EAGAIN : EPERM;
}

struct ch_int_result ch_sem_timedwait_int(ch_sem *s, int64_t timeout) CH_INT_NAME(ch_sem_timedwait);
struct ch_int_result ch_sem_timedwait_int(ch_sem *s, int64_t timeout) {
  int result = at_once_timed(s);
  if (result != EAGAIN)
    return ch_done(result);
  struct ch_clause clauses[2] = TIMED_CLAUSES(s, timeout);
  return ch_wait_leaf(&timedwait_leaf, clauses);
}

int ch_sem_timedwait(ch_sem *s, int64_t timeout) {
  int result = at_once_timed(s);
  if (result != EAGAIN)
    return result;
  struct ch_clause clauses[2] = TIMED_CLAUSES(s, timeout);
  return (int)ch_wait_leaf_native(&timedwait_leaf, clauses);
}
