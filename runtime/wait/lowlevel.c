/* Waiters and spinlocks (charcoal/lowlevel.h).
 *
 * A waiter's state, exactly one of: IDLE; SUSPENDED: `clause` is registered, and whoever takes it to SCHEDULED has to
 * bring it home; SCHEDULED: on its way home (then `letter` is posted), or kept for the next who suspends.
 *   IDLE -> SUSPENDED, SCHEDULED -> IDLE     by the domain's thread
 *   IDLE, SUSPENDED -> SCHEDULED             by anybody, atomically
 */
#include "charcoal/lowlevel.h"
#include "activity/scope.h"
#include "reactor/inbox.h"
#include "wait/wait.h"
#include <sched.h>

enum { IDLE, SUSPENDED, SCHEDULED };

struct waiter {
  struct ch_clause clause;
  struct ch_letter letter;
  struct ch_inbox *home; /* of the domain where it was last suspended */
  uint32_t state;
};
_Static_assert(sizeof(struct waiter) <= sizeof(struct ch_waiter), "the public type leaves room for it");

static struct waiter *of(ch_waiter *w) { return (struct waiter *)w; }

/* ---- suspending ---- */

static bool enlist(struct ch_clause *c) {
  struct waiter *w = c->object;
  uint32_t idle = IDLE;
  if (__atomic_compare_exchange_n(&w->state, &idle, SUSPENDED, false, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE))
    return false;
  CH_INVARIANT(idle == SCHEDULED, "one branch at a time is suspended at a waiter");
  w->state = IDLE;
  return true;
}
/* Whoever schedules finds nobody; not needed while a waiter is all that its branch waits for. */
static void withdraw(struct ch_clause *c) { ((struct waiter *)c->object)->state = IDLE; }
static bool cancel(struct ch_clause *c) { return (void)c, false; }
static const struct ch_clause_type type = {"being scheduled at", true, enlist, withdraw, cancel};

static int prepare(struct waiter *w) {
  if (CH_UNLIKELY(!ch_domain.current))
    return EPERM;
  int saved = errno;
  struct ch_inbox *home = ch_inbox_here();
  int error = home ? 0 : errno;
  errno = saved;
  w->home = home;
  w->clause = (struct ch_clause){.type = &type, .object = w};
  return error;
}

struct ch_int_result ch_waiter_suspend_int(ch_waiter *public) {
  struct waiter *w = of(public);
  int error = prepare(w);
  if (error)
    return (struct ch_int_result){CH_DONE, error};
  return ch_wait_regardless_int(&w->clause, 1);
}

int ch_waiter_suspend(ch_waiter *public) {
  struct waiter *w = of(public);
  int error = prepare(w);
  return error ? error : ch_wait_regardless(&w->clause, 1, NULL, NULL);
}

struct ch_int_result ch_waiter_suspend_unlock_int(ch_waiter *public, ch_spinlock *lock) {
  struct ch_int_result r = ch_waiter_suspend_int(public);
  ch_spin_release(lock);
  return r;
}

static void release(void *lock) { ch_spin_release(lock); }

int ch_waiter_suspend_unlock(ch_waiter *public, ch_spinlock *lock) {
  struct waiter *w = of(public);
  int error = prepare(w);
  if (!error)
    return ch_wait_regardless(&w->clause, 1, release, lock);
  ch_spin_release(lock);
  return error;
}

/* ---- scheduling ---- */

static void fire(struct waiter *w) {
  __atomic_store_n(&w->state, IDLE, __ATOMIC_RELEASE);
  ch_clause_fired(&w->clause, 0);
}

static void come_home(struct ch_letter *letter) {
  fire((struct waiter *)((char *)letter - offsetof(struct waiter, letter)));
}

/* Whether the caller has to bring it home. */
static bool claim(struct waiter *w) { return __atomic_exchange_n(&w->state, SCHEDULED, __ATOMIC_ACQ_REL) == SUSPENDED; }
static bool is_at_home(const struct waiter *w) { return ch_domain.group && w->home == ch_inbox_here(); }

static void bring_home(struct waiter *w) {
  if (is_at_home(w)) {
    fire(w);
  } else {
    w->letter.open = come_home;
    ch_inbox_post(w->home, &w->letter);
  }
}

void ch_waiter_schedule(ch_waiter *public) {
  if (claim(of(public)))
    bring_home(of(public));
}

void ch_yield_to(ch_waiter *w) { ch_waiter_schedule(w); }

int ch_yield_to_int(ch_waiter *) CH_INT_NAME(ch_yield_to);
int ch_yield_to_int(ch_waiter *public) {
  struct waiter *w = of(public);
  struct ch_branch *b = ch_domain.current;
  if (!claim(w))
    return CH_DONE;
  if (!b || !is_at_home(w)) {
    bring_home(w);
    return CH_DONE;
  }
  struct ch_branch *next = w->clause.branch;
  bool sibling = next->scope && b->scope && next->scope->root == b->scope->root;
  ch_domain.directed = true;
  fire(w);
  ch_domain.directed = false;
  if (!sibling)
    return CH_PAUSED;
  /* Within the activity the caller waits, on a list that is emptied as soon as it has been set aside. */
  ch_wait_on(&ch_domain.yielded, CH_ON_TURN);
  return CH_BLOCKED;
}

/* ---- spinlocks ---- */

static inline void relax(void) {
#if defined(__x86_64__) || defined(__i386__)
  __builtin_ia32_pause();
#elif defined(__aarch64__)
  __asm__ volatile("yield");
#endif
}

void ch_spin_acquire(ch_spinlock *lock) {
  for (unsigned tries = 0; __atomic_exchange_n(&lock->held, 1, __ATOMIC_ACQUIRE); tries++)
    while (__atomic_load_n(&lock->held, __ATOMIC_RELAXED))
      if (++tries % 64)
        relax();
      else
        sched_yield(); /* its holder may want this very processor */
}

void ch_spin_release(ch_spinlock *lock) { __atomic_store_n(&lock->held, 0, __ATOMIC_RELEASE); }
