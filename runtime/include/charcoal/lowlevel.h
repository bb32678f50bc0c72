/* For those who bring their own source of events: what the runtime's own blocking calls are made of (AC paper, section
 * 4.3, figure 7). Usable from Charcoal C and from plain C; examples/lowlevel is the paper's figure 9 in these terms.
 *
 *   the paper                             here
 *   Suspend(&awi), SuspendUnlock          ch_waiter_suspend, ch_waiter_suspend_unlock
 *   Schedule(awi)                         ch_waiter_schedule, from any thread
 *   Yield, YieldTo(awi)                   ch_reschedule, ch_yield_to
 *   IsCancelled                           ch_cancelled
 *   AddCancelItem, RemoveCancelItem       ch_cancel_add, ch_cancel_remove
 *   (its dispatch loop)                   ch_source_add, ch_source_remove
 *
 * A call in plain C that has to suspend its activity rather than the thread is written as an interruptible twin
 * (charcoal_abi.h, CH_INT_NAME) whose last act is `return ch_waiter_suspend_int(w);`.
 */
#ifndef CHARCOAL_LOWLEVEL_H
#define CHARCOAL_LOWLEVEL_H

#include <charcoal.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ---- a lock for a few plain statements, between threads ---- */

/* Zeroed memory is a free lock. While a domain's code holds one its activities are not interrupted at yield points.
 * Between acquire and release nothing may wait but ch_waiter_suspend_unlock; one activity may release what another of
 * its domain has acquired. Plain code that wants a lock held by an activity of its own domain which waits would spin
 * for ever, and ends the program with status CH_EXIT_MISUSE. From any thread, not from signal handlers. */
typedef struct ch_spinlock {
  void *holder; /* private */
} ch_spinlock;
void ch_spin_acquire(ch_spinlock *);
void ch_spin_release(ch_spinlock *);

/* ---- suspending ---- */

/* A place where one branch at a time can be suspended. Zeroed memory is one; the caller owns it and keeps it while a
 * branch is suspended there. */
typedef struct ch_waiter {
  void *opaque[12]; /* private */
} ch_waiter;

/* Suspends the caller until the waiter is scheduled. If it has been already, since it was last suspended, the call
 * returns at once: a schedule that comes first is kept, and any number of them count as one. Cancel alone does not end
 * it: see ch_cancel_add. 0; EPERM outside a domain; EMFILE, ENFILE, ENOMEM: no way in for other threads could be made.
 * A deadlock is reported only if there is no other thread, domain or signal handler that could schedule it. */
int ch_waiter_suspend(ch_waiter *);

/* As ch_waiter_suspend, but a cancel ends it with ECANCELED, exactly: a schedule that comes too late for it is kept for
 * the next. */
int ch_waiter_wait(ch_waiter *);

/* As ch_waiter_suspend, and releases the lock once the branch can be scheduled. Also on errors. */
int ch_waiter_suspend_unlock(ch_waiter *, ch_spinlock *);

/* Makes who is suspended there runnable. From any thread; also from a signal handler, if it interrupts no domain's
 * thread. Never blocks. The waiter must live until then; afterwards it belongs to who was suspended. */
void ch_waiter_schedule(ch_waiter *);

/* Schedules the waiter and gives way: if who is suspended there belongs to this domain it runs next, before the caller
 * and before everybody in the queue, unless its activity is set aside at a yield point. From plain code, or for another
 * domain, as ch_waiter_schedule. */
void ch_yield_to(ch_waiter *);

/* ---- cancelling ---- */

typedef struct ch_cancel_item {
  struct ch_link link;  /* private */
  void (*fn)(void *);   /* private */
  void *argument;       /* private */
  struct ch_branch *of; /* private */
} ch_cancel_item;

/* Has fn(argument) called when the caller's innermost scope is cancelled: once, by whoever cancels, on this thread,
 * after all scopes in question have been marked. fn must not block. The caller owns the item's memory and removes the
 * item before it leaves the scope. 0. ECANCELED: the scope is cancelled already; nothing was added and fn is not
 * called. EPERM outside a domain. */
int ch_cancel_add(ch_cancel_item *, void (*fn)(void *), void *argument);

/* Nothing is called any more. Also right after the call has happened, or after ECANCELED. */
void ch_cancel_remove(ch_cancel_item *);

/* ---- sources of events that nobody announces ---- */

/* A ring in shared memory, a device's queue of completions: somebody has to look whether there is something. */
typedef struct ch_source {
  struct ch_link link;  /* private */
  void (*look)(void *); /* private */
  void *argument;       /* private */
} ch_source;

/* Has this domain call look(argument) between the turns of its activities: now and then while some of them can run, all
 * the time while none can. `look` is the bottom half of the paper's figure 9 in plain C: it must not wait, and makes
 * somebody runnable by ch_sem_post, ch_waiter_schedule or ch_spawn; it may add and remove sources. A domain that has a
 * source never sleeps, it takes a whole processor; and reports no deadlock. The caller owns the memory until the source
 * is removed or the domain has ended, which sources do not prevent. For the domain's thread only. 0; EPERM outside a
 * domain. */
int ch_source_add(ch_source *, void (*look)(void *), void *argument);

/* `look` is not called any more. */
void ch_source_remove(ch_source *);

/* ---- for collectors ---- */

/* Calls visit(begin, size, data) for all memory in which activities of this domain keep variables while they are set
 * aside: frames, captured variables, variable-length locals, and native stacks of waits in plain code. A conservative
 * garbage collector that looks for pointers on the thread's stack has to look there, too (guide: Sanitizers). What the
 * running activity has on the stack is not visited. `visit` must not wait, spawn or allocate frames. Aligned to 8
 * bytes; valid until the domain runs again. On the domain's thread only. 0; EPERM outside a domain. */
int ch_roots_visit(void (*visit)(void *begin, size_t size, void *data), void *data);

/* ---- for twins in plain C ---- */

#ifdef CHARCOAL_ABI_H
struct ch_int_result ch_waiter_suspend_int(ch_waiter *) CH_INT_NAME(ch_waiter_suspend);
struct ch_int_result ch_waiter_wait_int(ch_waiter *) CH_INT_NAME(ch_waiter_wait);
struct ch_int_result ch_waiter_suspend_unlock_int(ch_waiter *, ch_spinlock *) CH_INT_NAME(ch_waiter_suspend_unlock);
#endif

#ifdef __cplusplus
}
#endif

#endif
