/* Waiters and spinlocks (charcoal/lowlevel.h).
 *
 * A waiter's state, exactly one of: IDLE; SUSPENDED: `waiting` is registered, and whoever takes it to SCHEDULED has to
 * send it to its domain; SCHEDULED: on its way there (then `letter` is posted), or kept for the next who suspends.
 *   IDLE -> SUSPENDED, SCHEDULED -> IDLE     by the domain's thread
 *   IDLE, SUSPENDED -> SCHEDULED             by anybody, atomically
 * A clause of a statement is claimed only when it has arrived in its domain. If the wait has been decided for another
 * clause by then, or is while it is on its way, the schedule is kept.
 */
#include "sched/schedule.h"
#include "wait/wait.h" /* before it, so that it declares the interruptible versions */

#include "charcoal/lowlevel.h"
#include "activity/scope.h"
#include "reactor/inbox.h"
#include "reactor/looking.h"
#include "sched/tsan.h"
#include "wait/atomics.h"
#include <sched.h>
#include <stdio.h>
#include <unistd.h>

enum { IDLE, SUSPENDED, SCHEDULED };

struct waiter {
  struct ch_clause clause;   /* of a call */
  struct ch_clause *waiting; /* valid while SUSPENDED or on its way: this, or the clause of a statement */
  struct ch_letter letter;
  struct ch_inbox *inbox; /* that of the domain in which it was last suspended */
  uint32_t state;
};
_Static_assert(sizeof(struct waiter) <= sizeof(struct ch_waiter), "the public type leaves room for it");

static struct waiter *of(ch_waiter *w) { return (struct waiter *)w; }

/* ---- a clause ---- */

/* SCHEDULED -> IDLE. This is an exchange and not a store: a schedule that finds SCHEDULED has no further effect, so
 * what its caller had written before must be visible to the code that goes on here. */
static void take_schedule(struct waiter *w) {
  (void)ch_atomic_exchange(&w->state, IDLE);
  ch_tsan_acquire(w);
}

/* The first of the two would never go on, because a waiter knows one clause only. */
CH_COLD static void refuse_second(const struct ch_clause *c) {
  fprintf(stderr,
          "charcoal: a second wait for %s %p, while another branch, or another clause of the same statement, waits for "
          "it; only one can, so give each a waiter or a handle of its own\n",
          c->type->what, c->object);
  fflush(NULL);
  _exit(CH_EXIT_MISUSE);
}

/* False: a schedule is kept, which counts. In a child of fork the place of whoever is not there is taken over. */
static inline bool suspends(struct waiter *w, struct ch_clause *c) {
  uint32_t found = IDLE;
  if (CH_UNLIKELY(ch_atomic_load(&w->state) == SUSPENDED)) {
    if (!ch_some_are_gone)
      refuse_second(c);
    found = SUSPENDED;
  }
  w->waiting = c;
  return ch_atomic_change(&w->state, &found, SUSPENDED);
}

static int enlist(struct ch_clause *c) {
  struct waiter *w = c->object;
  if (suspends(w, c))
    return CH_CLAUSE_LISTED;
  take_schedule(w);
  return CH_CLAUSE_READY;
}
/* False: a schedule is on its way, and counts. */
static bool withdraw(struct ch_clause *c) {
  uint32_t suspended = SUSPENDED;
  return ch_atomic_change(&((struct waiter *)c->object)->state, &suspended, IDLE);
}
static bool refuse(struct ch_clause *c) { return (void)c, false; }
static bool agree(struct ch_clause *c) { return (void)c, true; }
static const struct ch_clause_type firm = {
    .what = "being scheduled at", .by = CH_BY_OTHERS, .enlist = enlist, .withdraw = withdraw, .cancel = refuse};
static const struct ch_clause_type cancellable = {
    .what = "being scheduled at", .by = CH_BY_OTHERS, .enlist = enlist, .withdraw = withdraw, .cancel = agree};

/* ---- in a statement ---- */

static bool is_kept(const struct waiter *w) { return ch_atomic_load(&w->state) == SCHEDULED; }

bool ch_waiter_is_ready(const struct ch_clause *c) { return is_kept(c->object); }
bool ch_waiter_at_once(struct ch_clause *c) {
  if (!is_kept(c->object))
    return false;
  take_schedule(c->object);
  return true;
}
int ch_waiter_enlist(struct ch_clause *c) {
  struct waiter *w = c->object;
  w->inbox = ch_inbox_of_thread;
  if (suspends(w, c))
    return CH_CLAUSE_LISTED;
  if (!ch_claim_own(c))
    return CH_CLAUSE_DECIDED;
  take_schedule(w);
  return CH_CLAUSE_READY;
}
/* A schedule that is on its way is kept. In a child of fork it may never have been posted. */
bool ch_waiter_withdraw(struct ch_clause *c) {
  struct waiter *w = c->object;
  if (!withdraw(c))
    for (unsigned tries = 1; !ch_inbox_recall(&w->letter) && !ch_domain.drops_others; tries++)
      ch_atomic_relax(tries);
  return true;
}
static const struct ch_clause_type selectable = {.what = "being scheduled at",
                                                 .by = CH_BY_OTHERS,
                                                 .enlist = ch_waiter_enlist,
                                                 .withdraw = ch_waiter_withdraw,
                                                 .ready = ch_waiter_is_ready,
                                                 .at_once = ch_waiter_at_once};

void ch_waiter_wait__clause(struct ch_waiter_wait__clause *c, ch_waiter *w) {
  c->clause = (struct ch_clause){.type = &selectable, .object = w};
}

/* ---- suspending by a call ---- */

/* As ch_inbox_here; leaves errno as it was. */
CH_COLD static int make_inbox(struct ch_inbox **inbox) {
  int saved = errno, error = (*inbox = ch_inbox_here()) ? 0 : errno;
  errno = saved;
  return error;
}
static int prepare(struct waiter *w, const struct ch_clause_type *type) {
  if (CH_UNLIKELY(!ch_is_in_branch()))
    return EPERM;
  w->clause = (struct ch_clause){.type = type, .object = w};
  w->inbox = ch_inbox_of_thread;
  return CH_LIKELY(w->inbox != NULL) ? 0 : make_inbox(&w->inbox);
}

/* A domain that has nothing else to do looks on for a moment whether a schedule comes, before it suspends. Then it
 * takes one word to this core, instead of a letter, its inbox, and what follows. */
CH_COLD static bool comes_soon(const struct waiter *w) {
  static __thread struct ch_worth worth;
  struct ch_look_on look;
  if (!ch_look_on_begins(&look, &worth) || !ch_inbox_here())
    return false;
  do {
    if (ch_atomic_load(&w->state) == SCHEDULED) {
      ch_look_on_paid(&look);
      return true;
    }
  } while (ch_look_on_lasts(&look));
  return false;
}
/* Takes a schedule that was kept, or comes soon. False: there is none. */
static inline bool is_scheduled(struct waiter *w) {
  if (CH_UNLIKELY(!ch_is_in_branch()))
    return false;
  const bool is_alone = !ch_domain.group->head; /* otherwise it does not look on */
  if (ch_atomic_load(&w->state) != SCHEDULED && (CH_LIKELY(!is_alone) || !comes_soon(w)))
    return false;
  take_schedule(w);
  return true;
}

struct ch_int_result ch_waiter_suspend_int(ch_waiter *public) {
  struct waiter *w = of(public);
  if (is_scheduled(w))
    return ch_done(0);
  int error = prepare(w, &firm);
  if (error)
    return ch_done(error);
  return ch_wait_regardless_int(&w->clause);
}

int ch_waiter_suspend(ch_waiter *public) {
  struct waiter *w = of(public);
  if (is_scheduled(w))
    return 0;
  int error = prepare(w, &firm);
  if (!error)
    ch_wait_regardless(&w->clause, NULL, NULL);
  return error;
}

/* Makes ch_wait_alone's result an error number. */
static int negate(struct ch_frame *f) {
  *(intptr_t *)ch_tls.result = -*(intptr_t *)ch_tls.result;
  ch_frame_free(f);
  return CH_DONE;
}
static const struct ch_frame_info wait_info = {
    .resume = negate, .name = "ch_waiter_wait", .size = CH_FRAME_HEADER, .align = 16};

struct ch_int_result ch_waiter_wait_int(ch_waiter *public) {
  struct waiter *w = of(public);
  if (!ch_is_marked() && is_scheduled(w))
    return ch_done(0);
  int error = prepare(w, &cancellable);
  if (error)
    return ch_done(error);
  if (ch_is_marked())
    return ch_done(ECANCELED);
  if (!ch_wait_enlisted(&w->clause))
    return ch_done(0);
  struct ch_int_result r = ch_blocks();
  if ((int)r.status == CH_DONE)
    return ch_done(-r.value);
  struct ch_frame *f = ch_frame_new(&wait_info);
  *ch_tls.link = f;
  ch_tls.link = &f->parent;
  return r;
}

int ch_waiter_wait(ch_waiter *public) {
  struct waiter *w = of(public);
  if (!ch_is_marked() && is_scheduled(w))
    return 0;
  int error = prepare(w, &cancellable);
  return error ? error : -ch_wait_alone(&w->clause);
}

struct ch_int_result ch_waiter_suspend_unlock_int(ch_waiter *public, ch_spinlock *lock) {
  struct waiter *w = of(public);
  int error = prepare(w, &firm);
  struct ch_int_result r = error ? ch_done(error) : ch_wait_regardless_int(&w->clause);
  ch_spin_release(lock);
  return r;
}

static void release(void *lock) { ch_spin_release(lock); }

int ch_waiter_suspend_unlock(ch_waiter *public, ch_spinlock *lock) {
  struct waiter *w = of(public);
  int error = prepare(w, &firm);
  if (error)
    ch_spin_release(lock);
  else
    ch_wait_regardless(&w->clause, release, lock);
  return error;
}

/* ---- scheduling ---- */

static void fire(struct waiter *w) {
  take_schedule(w);
  if (!ch_clause_fired(w->waiting, 0))
    (void)ch_atomic_exchange(&w->state, SCHEDULED); /* it is kept */
}

static void arrive(struct ch_letter *letter) {
  fire((struct waiter *)((char *)letter - offsetof(struct waiter, letter)));
}

/* Whether the caller has to send the waiter to its domain. */
static bool claim(struct waiter *w) {
  ch_tsan_release(w);
  return ch_atomic_exchange(&w->state, SCHEDULED) == SUSPENDED;
}
static bool is_in_its_domain(const struct waiter *w) { return ch_domain.group && w->inbox == ch_inbox_here(); }

static void send_to_its_domain(struct waiter *w) {
  if (is_in_its_domain(w)) {
    fire(w);
  } else {
    w->letter.open = arrive;
    ch_inbox_post(w->inbox, &w->letter);
  }
}

void ch_waiter_schedule(ch_waiter *public) {
  if (claim(of(public)))
    send_to_its_domain(of(public));
}

/* A pause that the program asks for by name, which has an effect even while a spinlock is held. */
static int give_way(void) {
  ch_domain.gives_way = ch_domain.spinlocks != 0 || ch_domain.random || ch_domain.forked;
  return CH_PAUSED;
}

void ch_yield_to(ch_waiter *w) { ch_waiter_schedule(w); }

int ch_yield_to_int(ch_waiter *) CH_INT_NAME(ch_yield_to);
int ch_yield_to_int(ch_waiter *public) {
  struct waiter *w = of(public);
  struct ch_branch *b = ch_domain.current;
  if (!claim(w))
    return (int)ch_done(0).status;
  if (!b || !is_in_its_domain(w) || w->waiting != &w->clause) {
    send_to_its_domain(w);
    return (int)ch_done(0).status;
  }
  struct ch_branch *next = w->clause.branch;
  bool sibling = next->scope && b->scope && next->scope->root == b->scope->root;
  take_schedule(w);
  ch_clause_fired_first(&w->clause, 0);
  if (!sibling)
    return give_way();
  /* A sibling goes on, so the caller waits on a list that is emptied as soon as it has been set aside. */
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

/* `holder` only tells threads apart, because one activity may release what another one has acquired. While any spinlock
 * is held, the domain runs its activities without interruption: a pause at a yield point has no effect, and the domain
 * does not look outside. */
static bool take(ch_spinlock *lock) {
  void *nobody = NULL;
  if (!__atomic_compare_exchange_n(&lock->holder, &nobody, &ch_tls, false, __ATOMIC_ACQUIRE, __ATOMIC_RELAXED))
    return false;
  ch_domain.spinlocks++;
  ch_tsan_acquire(lock);
  return true;
}
static bool is_ours(const ch_spinlock *lock) { return __atomic_load_n(&lock->holder, __ATOMIC_RELAXED) == &ch_tls; }

CH_COLD static void spin(ch_spinlock *lock) {
  for (unsigned tries = 1; !take(lock); tries++) {
    if (is_ours(lock)) {
      fprintf(
          stderr,
          "charcoal: plain code wants the spinlock at %p while the caller, or a waiting activity of the same domain, "
          "holds it; release it before waiting, or by ch_waiter_suspend_unlock\n",
          (void *)lock);
      fflush(NULL);
      _exit(CH_EXIT_MISUSE);
    }
    if (tries % 64)
      relax();
    else
      sched_yield(); /* the holder may need this processor */
  }
}

void ch_spin_acquire(ch_spinlock *lock) {
  if (CH_UNLIKELY(!take(lock)))
    spin(lock);
}

/* Gives way while an activity of this domain holds the lock, whose address is the frame's image. */
static int try_again(struct ch_frame *f) {
  ch_spinlock *lock = *(ch_spinlock **)f->image;
  if (is_ours(lock)) {
    *ch_tls.link = f;
    ch_tls.link = &f->parent;
    return give_way();
  }
  ch_spin_acquire(lock);
  ch_frame_free(f);
  return CH_DONE;
}
static const struct ch_frame_info acquire_info = {
    .resume = try_again, .name = "ch_spin_acquire", .size = CH_FRAME_HEADER + sizeof(void *), .align = 16};

int ch_spin_acquire_int(ch_spinlock *) CH_INT_NAME(ch_spin_acquire);
int ch_spin_acquire_int(ch_spinlock *lock) {
  bool waits = is_ours(lock);
  if (CH_UNLIKELY(waits || ch_tls.attention)) { /* later no yield point has an effect, because the lock is held */
    struct ch_frame *f = ch_frame_new(&acquire_info);
    *(ch_spinlock **)f->image = lock;
    *ch_tls.link = f;
    ch_tls.link = &f->parent;
    return waits ? give_way() : CH_PAUSED;
  }
  ch_spin_acquire(lock);
  return CH_DONE;
}

void ch_spin_release(ch_spinlock *lock) {
  CH_INVARIANT(is_ours(lock), "the thread that acquired a spinlock releases it");
  ch_domain.spinlocks--;
  ch_tsan_release(lock);
  __atomic_store_n(&lock->holder, NULL, __ATOMIC_RELEASE);
}
