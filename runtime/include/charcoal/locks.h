/* Locks between activities, and between domains: mutexes, read-write locks, permits, conditions, barriers, latches and
 * calls that are made once.
 *
 * Zeroed memory is a free one of its domain, but for those that are given a number. A local one belongs to the domain
 * that uses it first and costs no atomic operation; one that ch_..._init_shared has made is for all. A local one that
 * another domain uses ends the program with a message and status CH_EXIT_MISUSE.
 *
 * Those who wait are served first come first served, and who comes later does not overtake them; each is given what it
 * waits for before it runs. A wait ends with ECANCELED in a cancelled scope and has had no effect; giving back never
 * waits and is not cancelled. Calls return 0 or an error number. They work in plain code, too, and outside any domain
 * what would take or wait is EPERM.
 *
 * The owner of a mutex, or of a read-write lock that was taken for writing, is an activity: only it may give it back,
 * and it does so before it ends, for a later activity may be taken for it. Calls that try do nothing in a cancelled
 * scope, either.
 * Branches of one activity exclude each other by a plain mutex like everybody else. */
#ifndef CHARCOAL_LOCKS_H
#define CHARCOAL_LOCKS_H

#include <charcoal.h>
#include <charcoal/clause.h>
#include <charcoal/object.h>

#if defined(__CHARCOAL__) || defined(CHARCOAL_RUNTIME) || defined(CHARCOAL_LIBRARY)

#ifdef __cplusplus
extern "C" {
#endif

/* What they have in common. Private, as all members are. */
struct ch_gate {
  struct ch_object object;
  struct ch_link waiters;
  unsigned long waiting; /* how many these are */
};
struct ch_gate__clause {
  struct ch_clause clause;
  const void *owner; /* the activity that asks */
  long wanted;
};
#define CH_GATE_FORM(function, ...)                                                                                    \
  struct function##__clause {                                                                                          \
    struct ch_gate__clause gate;                                                                                       \
  };                                                                                                                   \
  CH_CLAUSE_FORM(int, function, __VA_ARGS__)

/* ---- mutex ---- */

typedef struct ch_mutex {
  struct ch_gate gate;
  const void *owner;
  uint32_t times;
  uint8_t recursive;
} ch_mutex;
#define CH_MUTEX_RECURSIVE 1u /* its owner may take it again, and gives it back as often */
#define CH_SHARED 2u          /* of the functions below: for all domains */

void ch_mutex_init(ch_mutex *, unsigned flags);
/* EDEADLK: it is the caller's activity's, not recursive, and no other branch of that could give it back. */
int ch_lock(ch_mutex *);
/* EBUSY: somebody else has it, or waits for it. Never waits. */
int ch_try_lock(ch_mutex *);
/* EPERM: it is not the caller's activity's, and nothing has happened. */
int ch_unlock(ch_mutex *);
/* EBUSY: somebody has it or waits for it, and nothing has happened. So for all below. */
int ch_mutex_destroy(ch_mutex *);
CH_GATE_FORM(ch_lock, ch_mutex *);
CH_CLAUSE_HOLDS(ch_lock);
/* As ch_lock, but in a clause: held for the length of the body only, however that is left. Otherwise the same. */
int ch_hold(ch_mutex *);
CH_GATE_FORM(ch_hold, ch_mutex *);
CH_CLAUSE_LEAVES(ch_hold);

/* ---- read-write lock: fair ---- */

typedef struct ch_rwlock {
  struct ch_gate gate;
  const void *writer;
  unsigned long readers;
} ch_rwlock;
void ch_rwlock_init(ch_rwlock *, unsigned flags);
/* Readers have it together. One who comes when a writer waits waits behind it: an activity that has it for reading does
 * not take it again. */
int ch_read_lock(ch_rwlock *);
int ch_try_read_lock(ch_rwlock *);
/* EDEADLK: the caller's activity has it for writing, and no other branch of that could give it back. (So for
 * ch_read_lock.) */
int ch_write_lock(ch_rwlock *);
int ch_try_write_lock(ch_rwlock *);
/* EPERM: nobody has it, or another activity has it for writing. */
int ch_rw_unlock(ch_rwlock *);
int ch_rwlock_destroy(ch_rwlock *);
CH_GATE_FORM(ch_read_lock, ch_rwlock *);
CH_CLAUSE_HOLDS(ch_read_lock);
CH_GATE_FORM(ch_write_lock, ch_rwlock *);
CH_CLAUSE_HOLDS(ch_write_lock);
/* The same, but in a clause: held for the length of the body only. */
int ch_read_hold(ch_rwlock *);
CH_GATE_FORM(ch_read_hold, ch_rwlock *);
CH_CLAUSE_LEAVES(ch_read_hold);
int ch_write_hold(ch_rwlock *);
CH_GATE_FORM(ch_write_hold, ch_rwlock *);
CH_CLAUSE_LEAVES(ch_write_hold);

/* ---- permits: a semaphore of which n units are taken at a time ---- */

typedef struct ch_permits {
  struct ch_gate gate;
  long free;
} ch_permits;
void ch_permits_init(ch_permits *, long free, unsigned flags);
/* All n of them at a time, in order: who wants few waits behind who wants many. EINVAL: n < 0. */
int ch_permits_take(ch_permits *, long n);
/* EAGAIN: there are not so many, or somebody waits. */
int ch_permits_try(ch_permits *, long n);
/* Gives n, also such as were never taken; to all whom they suffice. EINVAL: n < 0; EOVERFLOW. */
int ch_permits_give(ch_permits *, long n);
int ch_permits_destroy(ch_permits *);
CH_GATE_FORM(ch_permits_take, ch_permits *, long n);

/* ---- latch: waits for a number of ends (a wait group) ---- */

typedef struct ch_latch {
  struct ch_gate gate;
  long count;
} ch_latch;
void ch_latch_init(ch_latch *, long count, unsigned flags);
/* Expects so many more ends. EINVAL: below 0 in all. */
int ch_latch_add(ch_latch *, long n);
/* One has ended. At 0 all who wait go on. EINVAL: it was 0 already. */
int ch_latch_done(ch_latch *);
/* Until the count is 0; at once if it is. */
int ch_latch_wait(ch_latch *);
int ch_latch_destroy(ch_latch *);
CH_GATE_FORM(ch_latch_wait, ch_latch *);

/* ---- once ---- */

typedef struct ch_once {
  struct ch_gate gate;
  int state;
} ch_once;
void ch_once_init(ch_once *, unsigned flags);
/* The first calls fn(argument), which may wait, and all others wait for its end. 0, if fn has returned 0, now or
 * before. If it returns an error its caller gets that, and the next one calls fn again. EDEADLK has no report: fn must
 * not call this for the same object. */
int ch_once_run(ch_once *, int (*fn)(void *), void *argument);
/* In a clause that is selected fn is called before the body. */
struct ch_once_run__clause {
  struct ch_gate__clause gate;
  int (*fn)(void *);
  void *argument;
};
CH_CLAUSE_FORM(int, ch_once_run, ch_once *, int (*fn)(void *), void *argument);
CH_CLAUSE_HOLDS(ch_once_run);

/* ---- condition ---- */

typedef struct ch_cond {
  struct ch_gate gate;
  unsigned long signals;
} ch_cond;
void ch_cond_init(ch_cond *, unsigned flags);
/* Gives the mutex back and waits for a signal, and has the mutex again when it returns, however it ends: 0; ECANCELED:
 * no signal was used up. EPERM: the mutex is not the caller's, or it has it twice, and nothing has happened. Wakes
 * without a signal do not occur; but what is waited for may have changed again. No clause. */
int ch_cond_wait(ch_cond *, ch_mutex *);
/* The first who waits, or all of them, go on. Without effect if nobody waits. With or without the mutex. */
int ch_cond_signal(ch_cond *);
int ch_cond_broadcast(ch_cond *);
int ch_cond_destroy(ch_cond *);

/* ---- barrier ---- */

typedef struct ch_barrier {
  struct ch_gate gate;
  unsigned n, arrived;
} ch_barrier;
#define CH_BARRIER_LAST (-1) /* told to one of each round: that which was the last to arrive */
/* n: how many make a round; at least 1. */
void ch_barrier_init(ch_barrier *, unsigned n, unsigned flags);
/* Until n have arrived; then the next round begins. 0 or CH_BARRIER_LAST; ECANCELED: it has not arrived. No clause. */
int ch_barrier_wait(ch_barrier *);
int ch_barrier_destroy(ch_barrier *);

#ifdef __cplusplus
}
#endif

#endif
#endif
