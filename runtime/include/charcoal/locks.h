/* Locks between activities, and between domains: mutexes, read-write locks, permits, conditions, barriers, latches and
 * calls that are made once. In this file, "lock" means any of them.
 *
 * A lock is local or shared. Zeroed memory is a free local lock, except for the kinds that are made with a number. A
 * local lock belongs to the domain that uses it first, and costs no atomic operation; if another domain uses it, the
 * program ends with a message and status CH_EXIT_MISUSE. A lock whose ch_..._init was given the flag CH_SHARED may be
 * used by all domains. The caller owns the memory of a lock; it must not be copied or moved while it is in use. All
 * members are private.
 *
 * What holds for all functions unless they say otherwise:
 * Order: Those who wait are served in the order in which they came, and are not overtaken by those who come later. Each
 * is given what it waits for before it runs.
 * Result: 0 or an error number. EPERM: the function would take a lock, or wait, and the caller runs in no domain.
 * Cancel: In a cancelled scope a function that takes a lock or waits returns ECANCELED and has no effect; this includes
 * the functions that only try. A function that gives a lock back never waits, and works in a cancelled scope, too.
 * Threads: any thread with a domain; for a local lock, the thread of its domain. Plain code may call them, too.
 *
 * The owner of a mutex, or of a read-write lock that was taken for writing, is an activity. Only the owner may give the
 * lock back, and has to do so before it ends. If it does not, a program that was compiled with -fcharcoal-checks, or
 * without optimization, reports which activity has not given back which lock, and where it was taken, and ends with
 * status CH_EXIT_MISUSE. In other programs that lock stays taken for ever, and a later activity may be mistaken for its
 * owner. Branches of one activity exclude each other by a mutex as different activities do. */
#ifndef CHARCOAL_LOCKS_H
#define CHARCOAL_LOCKS_H

#include <charcoal.h>
#include <charcoal/clause.h>
#include <charcoal/object.h>

#if defined(__CHARCOAL__) || defined(CHARCOAL_RUNTIME) || defined(CHARCOAL_LIBRARY)

#ifdef __cplusplus
extern "C" {
#endif

/* What all locks have in common. Private. */
struct ch_gate {
  struct ch_object object;
  struct ch_link waiters;
  unsigned long waiting; /* how many they are */
};
struct ch_gate__clause {
  struct ch_clause clause;
  const void *owner; /* the activity that asks */
  const void *place; /* where it asks: an address of code */
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
#define CH_MUTEX_RECURSIVE 1u /* its owner may take it again, and has to give it back as often */
#define CH_SHARED 2u          /* a flag of all ch_..._init below: the lock may be used by all domains */

/* Makes a free mutex. `flags` are 0, CH_MUTEX_RECURSIVE, CH_SHARED, or both. Never blocks. */
void ch_mutex_init(ch_mutex *, unsigned flags);
/* Takes the mutex, and waits until it is free. It can stand in `waituntil`; then the caller has the mutex when the
 * statement has ended.
 * Result: 0; EDEADLK: the caller's activity has the mutex already, it is not recursive, and no other branch of that
 * activity could give it back. */
int ch_lock(ch_mutex *);
/* Takes the mutex if it is free and nobody waits for it. Never blocks.
 * Result: 0; EBUSY: somebody has it, or waits for it. */
int ch_try_lock(ch_mutex *);
/* Gives the mutex back. Never blocks.
 * Result: 0; EPERM: the caller's activity does not have it, and nothing has been done. */
int ch_unlock(ch_mutex *);
/* Ends the use of the mutex. Never blocks. All ch_..._destroy below do and return the same.
 * Result: 0; EBUSY: somebody has it or waits for it, and nothing has been done. */
int ch_mutex_destroy(ch_mutex *);
CH_GATE_FORM(ch_lock, ch_mutex *);
CH_CLAUSE_HOLDS(ch_lock);
/* Takes the mutex as ch_lock does. As a clause of `waituntil` it gives the mutex back at the end of the clause's body,
 * however that is left. Outside `waituntil` it is the same as ch_lock. */
int ch_hold(ch_mutex *);
CH_GATE_FORM(ch_hold, ch_mutex *);
CH_CLAUSE_LEAVES(ch_hold);

/* ---- read-write lock: fair ---- */

typedef struct ch_rwlock {
  struct ch_gate gate;
  const void *writer;
  unsigned long readers;
} ch_rwlock;
/* Makes a free read-write lock. `flags` are 0 or CH_SHARED. Never blocks. */
void ch_rwlock_init(ch_rwlock *, unsigned flags);
/* Takes the lock for reading, and waits until nobody has it for writing. Readers have it together. A reader that comes
 * while a writer waits waits behind that writer; so an activity that has the lock for reading must not take it again.
 * It can stand in `waituntil`. ch_try_read_lock does not wait.
 * Result: 0; EDEADLK: the caller's activity has the lock for writing, and no other branch of that activity could give
 * it back. ch_try_read_lock returns EBUSY in this case, and wherever it would have to wait. */
int ch_read_lock(ch_rwlock *);
int ch_try_read_lock(ch_rwlock *);
/* Takes the lock for writing, and waits until nobody else has it. It can stand in `waituntil`. ch_try_write_lock does
 * not wait.
 * Result: as for reading. */
int ch_write_lock(ch_rwlock *);
int ch_try_write_lock(ch_rwlock *);
/* Gives the lock back, whichever way it was taken. Never blocks.
 * Result: 0; EPERM: nobody has it, or another activity has it for writing. */
int ch_rw_unlock(ch_rwlock *);
/* Ends the use of the lock: see ch_mutex_destroy. */
int ch_rwlock_destroy(ch_rwlock *);
CH_GATE_FORM(ch_read_lock, ch_rwlock *);
CH_CLAUSE_HOLDS(ch_read_lock);
CH_GATE_FORM(ch_write_lock, ch_rwlock *);
CH_CLAUSE_HOLDS(ch_write_lock);
/* Take the lock as ch_read_lock and ch_write_lock do, and wait in the same cases. As clauses of `waituntil` they give
 * it back at the end of the clause's body, however that is left. */
int ch_read_hold(ch_rwlock *);
CH_GATE_FORM(ch_read_hold, ch_rwlock *);
CH_CLAUSE_LEAVES(ch_read_hold);
int ch_write_hold(ch_rwlock *);
CH_GATE_FORM(ch_write_hold, ch_rwlock *);
CH_CLAUSE_LEAVES(ch_write_hold);

/* ---- permits: a semaphore from which several units can be taken at once ---- */

typedef struct ch_permits {
  struct ch_gate gate;
  long free;
} ch_permits;
/* Makes permits, of which `free` can be taken; a number below 0 counts as 0. `flags` are 0 or CH_SHARED. Never
 * blocks. */
void ch_permits_init(ch_permits *, long free, unsigned flags);
/* Takes n permits at once, and waits until there are that many. An activity that wants few permits waits behind an
 * earlier one that wants many. It can stand in `waituntil`.
 * Result: 0; EINVAL: n < 0. */
int ch_permits_take(ch_permits *, long n);
/* Takes n permits if there are that many and nobody waits. Never blocks.
 * Result: 0; EAGAIN: there are fewer, or somebody waits; EINVAL: n < 0. */
int ch_permits_try(ch_permits *, long n);
/* Gives n permits, and lets those who wait go on, in order, as far as the permits suffice. A program may give permits
 * that it has never taken. Never blocks.
 * Result: 0; EINVAL: n < 0; EOVERFLOW: there would be more than a long can count, and nothing has been done. */
int ch_permits_give(ch_permits *, long n);
/* Ends the use of the permits: see ch_mutex_destroy. */
int ch_permits_destroy(ch_permits *);
CH_GATE_FORM(ch_permits_take, ch_permits *, long n);

/* ---- latch: waits for a number of ends (a wait group) ---- */

typedef struct ch_latch {
  struct ch_gate gate;
  long count;
} ch_latch;
/* Makes a latch that waits for `count` ends. `flags` are 0 or CH_SHARED. Never blocks. */
void ch_latch_init(ch_latch *, long count, unsigned flags);
/* Adds n to the count of ends that are waited for; n may be negative. At 0 all who wait go on. Never blocks.
 * Result: 0; EINVAL: the count would fall below 0 or grow beyond a long, and nothing has been done. */
int ch_latch_add(ch_latch *, long n);
/* Takes 1 off the count, because one of the ends has come. At 0 all who wait go on. Never blocks.
 * Result: 0; EINVAL: the count was 0 already. */
int ch_latch_done(ch_latch *);
/* Waits until the count is 0, and returns at once if it is. It can stand in `waituntil`. */
int ch_latch_wait(ch_latch *);
/* Ends the use of the latch: see ch_mutex_destroy. */
int ch_latch_destroy(ch_latch *);
CH_GATE_FORM(ch_latch_wait, ch_latch *);

/* ---- once ---- */

typedef struct ch_once {
  struct ch_gate gate;
  int state;
} ch_once;
/* Makes an object whose function has not been called yet. `flags` are 0 or CH_SHARED. Never blocks. */
void ch_once_init(ch_once *, unsigned flags);
/* Calls fn(argument) unless such a call has succeeded before. fn may wait; activities that call this function meanwhile
 * wait for its end. If fn returns an error, its caller gets that error, and the next one in order calls fn again. fn
 * must not call this function for the same object; this mistake is not detected. It can stand in `waituntil`: if its
 * clause is selected, fn is called before the clause's body.
 * Result: 0: fn has returned 0, now or before; otherwise what fn has returned. */
int ch_once_run(ch_once *, int (*fn)(void *), void *argument);
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
/* Makes a condition. `flags` are 0 or CH_SHARED. Never blocks. */
void ch_cond_init(ch_cond *, unsigned flags);
/* Gives the mutex back, waits for a signal, and takes the mutex again. The caller has the mutex when the function
 * returns, whatever the result is. No wait ends without a signal. But what the caller waits for may have changed
 * again before it runs, so it has to look again. It cannot stand in `waituntil`.
 * Result: 0; ECANCELED: no signal was used up; EPERM: the caller does not have the mutex, or has it more than once, and
 * nothing has been done. */
int ch_cond_wait(ch_cond *, ch_mutex *);
/* Let the first of those who wait, or all of them, go on. They have no effect if nobody waits. The caller may have the
 * mutex, but need not. Never block.
 * Result: 0. */
int ch_cond_signal(ch_cond *);
int ch_cond_broadcast(ch_cond *);
/* Ends the use of the condition: see ch_mutex_destroy. */
int ch_cond_destroy(ch_cond *);

/* ---- barrier ---- */

typedef struct ch_barrier {
  struct ch_gate gate;
  unsigned n, arrived;
} ch_barrier;
#define CH_BARRIER_LAST (-1) /* the result of ch_barrier_wait for the last that arrives in a round */
/* Makes a barrier for rounds of n; n is at least 1. `flags` are 0 or CH_SHARED. Never blocks. */
void ch_barrier_init(ch_barrier *, unsigned n, unsigned flags);
/* Waits until n have arrived; then all of them go on, and the next round begins. It cannot stand in `waituntil`.
 * Result: 0; CH_BARRIER_LAST: the caller was the last of its round; ECANCELED: the caller does not count as having
 * arrived. */
int ch_barrier_wait(ch_barrier *);
/* Ends the use of the barrier: see ch_mutex_destroy. */
int ch_barrier_destroy(ch_barrier *);

#ifdef __cplusplus
}
#endif

#endif
#endif
