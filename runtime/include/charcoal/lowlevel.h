/* The functions that the runtime's own blocking calls are made of, for programs that bring their own source of events
 * (AC paper, section 4.3, figure 7). Charcoal C and plain C can use them; examples/lowlevel is the paper's figure 9
 * written with them. What charcoal.h says about all functions holds here, too.
 *
 * Threads: any thread with a domain, unless a description says otherwise.
 *
 *   the paper                             here
 *   Suspend(&awi), SuspendUnlock          ch_waiter_suspend, ch_waiter_suspend_unlock
 *   Schedule(awi)                         ch_waiter_schedule, from any thread
 *   Yield, YieldTo(awi)                   ch_reschedule, ch_yield_to
 *   IsCancelled                           ch_cancelled
 *   AddCancelItem, RemoveCancelItem       ch_cancel_add, ch_cancel_remove
 *   (its dispatch loop)                   ch_source_add, ch_source_remove
 *
 * A function in plain C that is to suspend its activity rather than the thread gets a hand-written replacement
 * (charcoal_abi.h, CH_INT_NAME), which ends with `return ch_waiter_suspend_int(w);`, or, where it need not wait, with
 * `return ch_done(value);`.
 */
#ifndef CHARCOAL_LOWLEVEL_H
#define CHARCOAL_LOWLEVEL_H

#include <charcoal.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ---- a spin lock: for a few plain statements, between threads ---- */

/* A spin lock. Zeroed memory is a free one; the caller owns the memory. While code of a domain holds one, the domain's
 * activities are not interrupted at yield points. Between acquire and release nothing may wait except
 * ch_waiter_suspend_unlock. An activity may release what another activity of its domain has acquired. */
typedef struct ch_spinlock {
  void *holder; /* private */
} ch_spinlock;
/* ch_spin_acquire takes the lock, and spins while another thread has it; ch_spin_release gives it back. If plain code
 * wants a lock that a waiting activity of its own domain holds, it would spin for ever, so the program ends with a
 * message and status CH_EXIT_MISUSE.
 * Cancel: has no effect on them.
 * Threads: any. */
void ch_spin_acquire(ch_spinlock *);
void ch_spin_release(ch_spinlock *);

/* ---- suspending ---- */

/* An object in which one branch at a time can be suspended, in one clause of a statement: a second wait meanwhile ends
 * the program with a message and status CH_EXIT_MISUSE. Zeroed memory is one; the caller owns the memory and keeps it
 * while a branch is suspended there. */
typedef struct ch_waiter {
  void *opaque[13]; /* private */
} ch_waiter;

/* Suspends the caller until somebody schedules the waiter. A schedule that comes before the suspension is kept, and
 * then the call returns at once; several such schedules count as one. A deadlock is reported only if there is no other
 * thread, domain or signal handler that could schedule the waiter.
 * Result: 0; EPERM: the caller runs in no domain; ENOMEM: the domain's inbox could not be made.
 * Cancel: does not end the wait by itself; ch_cancel_add can be used for that.
 * Source: AC paper, figure 7 (Suspend). */
int ch_waiter_suspend(ch_waiter *);

/* Suspends the caller as ch_waiter_suspend does, and can be cancelled. It can stand in `waituntil`: a schedule that was
 * not selected is kept.
 * Result: as there; ECANCELED.
 * Cancel: ends the wait with ECANCELED; a schedule that comes too late for this wait is kept for the next one. */
int ch_waiter_wait(ch_waiter *);
#if defined(__CHARCOAL__) || defined(CHARCOAL_RUNTIME) || defined(CHARCOAL_LIBRARY)
struct ch_waiter_wait__clause {
  struct ch_clause clause;
};
CH_CLAUSE_FORM(int, ch_waiter_wait, ch_waiter *);
#endif

/* Suspends the caller as ch_waiter_suspend does, and releases the lock as soon as the branch can be scheduled; it
 * releases the lock also if it returns an error.
 * Source: AC paper, figure 7 (SuspendUnlock). */
int ch_waiter_suspend_unlock(ch_waiter *, ch_spinlock *);

/* Makes the branch runnable that is suspended in the waiter. If there is none, the call is kept for the next
 * suspension. The waiter's memory must be valid until the branch runs; from then on that branch may reuse it. Never
 * blocks.
 * Threads: any; also in a signal handler, if that interrupts a thread that runs no domain.
 * Source: AC paper, figure 7 (Schedule). */
void ch_waiter_schedule(ch_waiter *);

/* Schedules the waiter and gives way to the branch that is suspended there: if it belongs to this domain, it runs next,
 * before the caller and before all in the run queue, unless its activity is set aside at a yield point or has to wait
 * for an atomic block that the caller is contained in. In plain code, for a branch of another domain, or for one that
 * waits in a statement, it does the same as ch_waiter_schedule.
 * Source: AC paper, figure 7 (YieldTo). */
void ch_yield_to(ch_waiter *);

/* ---- cancelling ---- */

typedef struct ch_cancel_item {
  struct ch_link link;  /* private */
  void (*fn)(void *);   /* private */
  void *argument;       /* private */
  struct ch_branch *of; /* private; NULL: the item belongs to a scope */
} ch_cancel_item;

/* Arranges that fn(argument) is called once when the caller's innermost scope is cancelled. The code that cancels makes
 * the call, on this thread, after all scopes in question have been marked as cancelled. fn must not block. The caller
 * owns the item's memory, and removes the item before it leaves the scope. Never blocks.
 * Result: 0; ECANCELED: the scope is cancelled already, nothing was added, and fn is not called; EPERM: the caller runs
 * in no domain.
 * Source: AC paper, figure 7 (AddCancelItem). */
int ch_cancel_add(ch_cancel_item *, void (*fn)(void *), void *argument);

/* Removes the item, so that its fn is not called any more. It may be called also when fn has been called, and when
 * ch_cancel_add returned ECANCELED. Never blocks.
 * Source: AC paper, figure 7 (RemoveCancelItem). */
void ch_cancel_remove(ch_cancel_item *);

/* ---- sources of events that have to be polled ---- */

/* A source of events that sends no notification, such as a ring in shared memory or a device's queue of completions: it
 * has to be polled. */
typedef struct ch_source {
  struct ch_link link;  /* private */
  void (*look)(void *); /* private */
  void *argument;       /* private */
} ch_source;

/* Makes this domain call look(argument) between the runs of its activities: now and then while some of them can run,
 * and continuously while none can. `look` is plain C and must not wait. It makes activities runnable by ch_sem_post,
 * ch_waiter_schedule or ch_spawn, and may add and remove sources. A domain with a source never sleeps, so it takes a
 * whole processor, and it reports no deadlock. A source does not keep its domain from ending. The caller owns the
 * source's memory, and keeps it until the source is removed or the domain has ended. Never blocks.
 * Result: 0; EPERM: the caller runs in no domain.
 * Threads: the domain's own.
 * Source: AC paper, figure 9 (the lower half). */
int ch_source_add(ch_source *, void (*look)(void *), void *argument);

/* Removes the source, so that its `look` is not called any more. Never blocks.
 * Threads: the domain's own. */
void ch_source_remove(ch_source *);

/* ---- for garbage collectors ---- */

/* Calls visit(begin, size, data) for all memory in which activities of this domain keep variables while they are set
 * aside: frames, captured variables, variable-length locals, and native stacks of waits in plain code. A conservative
 * garbage collector that looks for pointers on the thread's stack has to look there, too (docs/guide/sanitizers.md).
 * What the running activity has on the thread's stack is not visited. `begin` is aligned to 8 bytes and `size` is in
 * bytes; the memory is valid until the domain runs again. `visit` must not wait, spawn or allocate frames.
 * Result: 0; EPERM: the caller runs in no domain.
 * Threads: the domain's own. */
int ch_roots_visit(void (*visit)(void *begin, size_t size, void *data), void *data);

/* ---- for hand-written replacements in plain C ---- */

#ifdef CHARCOAL_ABI_H
/* The interruptible versions of ch_waiter_suspend, ch_waiter_wait and ch_waiter_suspend_unlock. A replacement calls one
 * of them last, and returns its result.
 * Result: a status for the caller's caller (charcoal_abi.h), with the result of the plain call. */
struct ch_int_result ch_waiter_suspend_int(ch_waiter *) CH_INT_NAME(ch_waiter_suspend);
struct ch_int_result ch_waiter_wait_int(ch_waiter *) CH_INT_NAME(ch_waiter_wait);
struct ch_int_result ch_waiter_suspend_unlock_int(ch_waiter *, ch_spinlock *) CH_INT_NAME(ch_waiter_suspend_unlock);
#endif

#ifdef __cplusplus
}
#endif

#endif
