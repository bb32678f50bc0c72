/* Charcoal: activities, atomic blocks and blocking calls for C.
 *
 * Compiled by charcoal-cc, this header brings the dialect (charcoal/dialect.h) and the runtime's functions. Compiled by
 * any other C compiler, the words of the dialect disappear and the functions below get sequential meanings
 * (charcoal/sequential.h), so that the same program runs as an ordinary sequential one. With -DCHARCOAL_LIBRARY any C
 * or C++ compiler gets the runtime's functions and no dialect: this is for plain code of a program that is linked with
 * the runtime.
 *
 * Words (docs/glossary.md has all of them): a *domain* is the scheduler of one OS thread; an *activity* is a chain of
 * calls that is interleaved with the others of its domain; a *scope* is a `do ... finish` with all that was started
 * inside it; *atomic* code is never interleaved.
 *
 * Each function is described in the same order: what it does; its arguments, with their units and with who owns their
 * memory; its result and errors; what a cancel does; which threads may call it; the paper that it comes from, if it
 * comes from one. Where a description leaves one of these out, the following holds.
 *
 * Arguments: Times and durations are in nanoseconds on the monotonic clock (ch_now). The caller owns the memory behind
 * a pointer and keeps it until the function returns.
 *
 * Result: The function returns 0 or an error number of <errno.h>, and leaves errno alone. A function that needs a
 * domain returns EPERM if the thread has none and can get none (see ch_domain_enter).
 *
 * Cancel: In a cancelled scope (ch_cancelled) a function that blocks returns ECANCELED at once and has no effect, even
 * if it would not have had to wait. If the scope is cancelled while the function waits, the wait ends with ECANCELED,
 * and the call has had no effect. A call that had its effect just before returns as usual. A function that never blocks
 * does the same in a cancelled scope as elsewhere.
 *
 * Threads: A function may be called on any thread. A thread that has no domain yet gets one when it first needs it (see
 * ch_domain_enter). Handles, scopes and local objects belong to one domain and may be used on its thread only. No
 * function may be called in a signal handler unless its description says so.
 *
 * How a call blocks: If it is reached through interruptible code, it sets its own activity aside and the others go on.
 * If it is reached through plain code (a callback of a foreign library, or a function that charcoal-cc left plain), it
 * keeps its native stack, and the other activities go on on another stack until the call can return; such calls may end
 * in any order. Inside `atomic` only activities that were spawned contained go on. If nothing at all could end a wait,
 * the runtime reports a deadlock and ends the program with status CH_EXIT_DEADLOCK.
 */
#ifndef CHARCOAL_H
#define CHARCOAL_H

#include <stddef.h>
#include <stdint.h>

#if defined(__GNUC__)
#define CH_INLINE static __inline__ /* `inline` is no keyword of C89 */
#else
#define CH_INLINE static inline
#endif

#ifdef __cplusplus
extern "C" {
#endif

/* The exit status of a program that the runtime has ended because no activity could ever run again. */
#define CH_EXIT_DEADLOCK 70
/* The exit status of a program that the runtime has ended because it broke a rule (see ch_checks for one of them). */
#define CH_EXIT_MISUSE 71

/* An intrusive list of those who wait for an object, in the order in which they came. Private. */
struct ch_link {
  struct ch_link *next;
  struct ch_link *prev;
};

/* A counting semaphore. Zeroed memory is a semaphore of count 0. It has at most LONG_MAX units. It must not be copied
 * or moved while somebody waits for it. */
typedef struct ch_sem {
  struct ch_link waiters; /* private */
  unsigned long count;    /* private; the number of units, while nobody waits */
  void *letter[2];        /* private */
  unsigned long posted;   /* private */
} ch_sem;
#define CH_SEM_INIT(n) {{NULL, NULL}, (unsigned long)(n) & ~0ul >> 1, {NULL, NULL}, 0}

/* A handle to an activity: `activate [&handle] { ... }`. The caller owns its memory and keeps it until the activity has
 * finished or was detached. Only the domain of the activity may wait for it, cancel it or detach the handle: in another
 * domain the program ends with a message and status CH_EXIT_MISUSE. See ch_domain_spawn for handles that any domain may
 * use. */
typedef struct ch_activity {
  struct ch_branch *branch; /* private */
  struct ch_link waiters;   /* private */
  int state;                /* private */
  int error;                /* private */
  int failure;              /* private */
  unsigned home;            /* private */
  intptr_t result;          /* private */
  struct ch_member *member; /* private */
} ch_activity;

/* An open `do ... finish`, or an open `noncancellable` block. ch_scope_here returns it. It is valid until the statement
 * ends, in its own domain, and may be handed to functions and to other activities. */
typedef struct ch_scope ch_scope;

/* The failures that a scope has collected (ch_collect). The caller owns the structure and the array `all`, and keeps
 * both until the scope has ended. The array has room for `room` failures; it may be NULL if `room` is 0. */
struct ch_error {
  int error;         /* a number of <errno.h>, or whatever the program uses */
  const char *place; /* "file:line" of the ch_fail */
};
typedef struct ch_errors {
  struct ch_error *all; /* the failures in the order in which they came, as far as there is room */
  unsigned room;
  unsigned count; /* how many came; it may be more than `room` */
  int first;      /* the error number of the first failure; 0 if there was none */
} ch_errors;
/* Notes a failure and cancels the innermost scope that collects failures; ch_fail_at says more. 0 is no failure, so a
 * result can be handed over as it is: async ch_fail(fetch(i)); Never blocks. */
#define ch_fail(error) ch_fail_at((error), CH_PLACE)
#define CH_PLACE CH_PLACE_OF(__FILE__, __LINE__)
#define CH_PLACE_OF(file, line) CH_PLACE_TEXT(file, line)
#define CH_PLACE_TEXT(file, line) file ":" #line

/* Another domain, in an OS thread of its own (ch_domain_start). The caller owns the memory and keeps it until it has
 * joined the domain. */
typedef struct ch_thread {
  void *opaque[16]; /* private */
} ch_thread;

/* As a duration: without limit. As a time: never. */
#define CH_FOREVER INT64_MAX

#if defined(__CHARCOAL__) || defined(CHARCOAL_RUNTIME) || defined(CHARCOAL_LIBRARY)

/* ---- activities (Charcoal paper, section 2) ---- */

/* Waits until the activity has finished. Returns at once if it had finished before. Any number of activities may wait
 * for the same one, and each any number of times.
 * Result: 0; EDEADLK: the handle is the caller's own; ENOMEM: the activity never ran, because there was no memory to
 * spawn it; EINVAL: no activity was spawned with this handle, or it was detached, also while the caller waits. */
int ch_activity_wait(ch_activity *);

/* Separates the handle from its activity: the handle's memory may be reused at once, and the activity goes on without
 * one. Never blocks.
 * Result: 0; EINVAL: no activity was spawned with this handle, or it was detached before; EBUSY: the activity was
 * spawned into a scope (ch_in), which keeps the handle. */
int ch_activity_detach(ch_activity *);

/* Tells whether the activity has finished. Never blocks.
 * Result: non-zero if it has. */
int ch_activity_finished(const ch_activity *);

/* Returns the handle of the running activity, or NULL: it was spawned without one, it was detached, or the caller runs
 * in no domain. Never blocks. */
ch_activity *ch_self(void);

/* Cancels the activity, as if a `finish` stood around its body and were cancelled: each of its blocking calls outside
 * `noncancellable` that waits, or begins from now on, ends with ECANCELED. An activity that has not begun yet still
 * begins, and finds itself cancelled. An activity may cancel itself. A second cancel has no effect. Never blocks, never
 * switches to another activity.
 * Result: 0, also if the activity has finished; EINVAL: no activity was spawned with this handle, or it was detached.
 * Source: AC paper, section 2.2. */
int ch_activity_cancel(ch_activity *);

/* ch_activity_set_result stores one word in the handle of the running activity, as what the activity leaves behind.
 * ch_activity_result reads it when the activity has finished; the word stays in the handle. It is 0 before that, and if
 * the activity has stored none. (A branch leaves its results in variables of the function around its `finish`.) Neither
 * blocks.
 * Result of ch_activity_set_result: 0; EPERM: the caller's activity has no handle. */
int ch_activity_set_result(intptr_t);
intptr_t ch_activity_result(const ch_activity *);

/* Tells how a finished activity has ended. Never blocks.
 * Result: 0: without a failure; EINVAL: it has not finished; ENOMEM: it never ran, because there was no memory to spawn
 * it; any other number: the failure that it reported by ch_fail where no scope collected it. */
int ch_activity_error(const ch_activity *);

/* Tells whether the caller runs in a cancelled scope, where no blocking call waits or has an effect and each returns
 * ECANCELED, or what its description says instead. This stays so until the scope is left. If a scope has a deadline,
 * the function looks at the clock; so code that never waits, plain code and atomic code find out, too. Never blocks.
 * Result: non-zero if so; always 0 inside `noncancellable`. */
int ch_cancelled(void);

/* Gives the running activity a name for reports, in place of the name that it has. The text is copied. Never blocks.
 * Result: 0; ENOMEM; EPERM: the caller runs in no domain. */
int ch_set_name(const char *);

/* Returns the name of the running activity, or NULL if it has none. The text is valid until the activity is renamed or
 * ends. Never blocks. */
const char *ch_name(void);

/* Gives way: every other activity that could run now runs before the caller goes on. The other branches of the caller
 * do not run: only a wait, such as ch_sleep(1), lets them. It has no effect in atomic or plain code.
 * Source: AC paper, section 4.3 (Yield). */
void ch_reschedule(void);

/* ---- scopes (AC paper, section 2) ----
 *
 * An activity does not belong to the scope in which its spawner runs: it goes on when that scope has ended, and is not
 * cancelled with it. An activity that is spawned into a scope (ch_in) belongs to that scope: it is cancelled with the
 * scope, it begins cancelled if the scope is cancelled already, and the scope does not end before the activity has. */

/* Returns the innermost scope that the caller runs in; a `noncancellable` block counts as one. NULL: the activity runs
 * in none. Never blocks. */
ch_scope *ch_scope_here(void);

/* Stands in place of a handle: `activate [ch_in(scope)] serve(client);` spawns the activity into that scope. Whoever
 * knows the scope can do so, also while the scope's owner waits at its end. Each ch_in serves for one activity, whose
 * handle is what ch_self returns there. With NULL the activity is spawned into no scope. Inside `atomic` the activity
 * is delayed like others, and `contained` may stand before the statement as usual. Never blocks. */
ch_activity *ch_in(ch_scope *);

/* Cancels the scope, as the statement `cancel` does, for code that was handed the scope. The scope has to be open, and
 * the caller in its domain: for another one, an activity there that waits for a semaphore can cancel it. Never
 * blocks. */
void ch_scope_cancel(ch_scope *);

/* From now on, the innermost scope that the caller runs in collects its failures in the list, which is emptied first.
 * The caller keeps the list until the scope has ended. If the scope's deadline has passed already, ETIMEDOUT is the
 * first failure in it. Never blocks.
 * Result: 0; EPERM: the caller runs in no scope; ENOMEM. */
int ch_collect(ch_errors *);

/* Notes a failure and cancels the innermost scope around the caller that collects failures. For an activity that was
 * spawned into a scope, that scope and those around it count, too. If none collects, the activity itself has failed: it
 * is cancelled, and ch_activity_error tells the number. An `error` of 0 is no failure and does nothing. ECANCELED in a
 * scope that is cancelled already is a consequence of the cancel, and is not noted. When the deadline of a collecting
 * scope passes, ETIMEDOUT is noted with the place of its `do`. `place` is not copied. Never blocks.
 * Result: the same error number. */
int ch_fail_at(int error, const char *place);

/* Returns the time, on the clock of ch_now, at which the scope's deadline cancels it or has cancelled it; CH_FOREVER:
 * the scope has no deadline. With NULL: the earliest deadline of all scopes that could cancel the caller. Never
 * blocks. */
int64_t ch_deadline(const ch_scope *);

/* Gives the scope the deadline `when`, on the clock of ch_now, in place of the one that it has (`within`, `by`), if it
 * has one. The new one may be later or earlier; CH_FOREVER takes the deadline away; a time in the past cancels the
 * scope at once. Never blocks.
 * Result: 0; ECANCELED: the scope has been cancelled, and stays so; ENOMEM; EPERM: the caller runs in no domain. */
int ch_deadline_move(ch_scope *, int64_t when);

/* ---- semaphores (Charcoal paper, section 3: sem_incr, sem_decr) ----
 *
 * Any domain may post a semaphore, try it, and wait for it; but at any one time only activities of one domain may be
 * waiting for it. To wait for a semaphore for which another domain already waits is a mistake: it ends the program with
 * a message and status CH_EXIT_MISUSE. */

/* Makes a semaphore with this many units; a number above LONG_MAX counts as LONG_MAX. Never blocks. */
void ch_sem_init(ch_sem *, unsigned long count);

/* Takes one unit, and waits for it if there is none. Those who wait are served in the order of their arrival.
 * Result: 0; ECANCELED: nothing was taken, because the scope is cancelled or the semaphore was destroyed meanwhile. */
int ch_sem_wait(ch_sem *);

/* Takes one unit as ch_sem_wait does, but waits for at most `timeout` ns.
 * Result: 0; ETIMEDOUT: the time has passed, and nothing was taken; ECANCELED as above. */
int ch_sem_timedwait(ch_sem *, int64_t timeout);

/* Takes one unit if there is one now. Never blocks.
 * Result: 0; EAGAIN: there is none.
 * Cancel: has no effect on it.
 * Threads: any, with or without a domain. */
int ch_sem_trywait(ch_sem *);

/* Gives one unit to the first waiter, which becomes runnable, or to the count if nobody waits. Never blocks, never
 * switches to another activity.
 * Result: 0; EOVERFLOW: the count is at its largest.
 * Threads: any, with or without a domain. A waiter of another domain is woken through the inbox of its domain. */
int ch_sem_post(ch_sem *);

/* Gives one unit as ch_sem_post does, and may be called in a signal handler, whatever code the handler has interrupted.
 * A waiter becomes runnable when its domain next asks the kernel for what has happened, which a sleeping domain does at
 * once.
 * Threads: any, and signal handlers. */
int ch_sem_post_from_handler(ch_sem *);

/* Ends the use of the semaphore. Those who wait for it are woken with ECANCELED. Never blocks.
 * Result: 0: nobody waited; EBUSY: somebody did, and has been woken; EPERM: activities of another domain wait, or a
 * unit is still on its way to one that did, and nothing has been done. */
int ch_sem_destroy(ch_sem *);

/* ---- time ---- */

/* Returns the time on the domain's clock in nanoseconds. The clock is monotonic; under the simulated reactor it is
 * virtual. Never blocks. */
int64_t ch_now(void);

/* Waits for at least `duration` ns. With a duration of 0 or less it gives way once.
 * Result: 0 or ECANCELED. */
int ch_sleep(int64_t duration);

/* Waits until the clock (ch_now) has reached `time`.
 * Result: 0 or ECANCELED. */
int ch_sleep_until(int64_t time);

/* Something that is due regularly: first at `next`, on the clock of ch_now, and then every `period` ns. The program may
 * set both. */
typedef struct ch_ticker {
  int64_t next;
  int64_t period;
} ch_ticker;

/* Makes a ticker whose first tick is one period from now. A period below 1 ns counts as 1 ns, here and in ch_tick.
 * Never blocks. */
void ch_ticker_init(ch_ticker *, int64_t period);

/* Waits for the next tick. Several ticks that have passed while nobody waited count as one, and the tick after that is
 * in the future, still at a multiple of the period. If several activities wait for one ticker, each tick is had by one
 * of them, in the order in which they came.
 * Result: 0; ECANCELED: the tick is still to come. */
int ch_tick(ch_ticker *);

/* ---- descriptors ---- */

/* Waits until at least one of poll's `events` (POLLIN, POLLOUT, ...) holds for the descriptor, for at most `timeout`
 * ns; CH_FOREVER: without limit; below 0: not at all. A file or directory is always ready.
 * Result: > 0: the events that hold; 0: the time has passed; -EBADF: it is no descriptor, or it was closed meanwhile;
 * -ENOMEM; -ECANCELED. */
int ch_fd_wait(int fd, int events, int64_t timeout);

/* ---- names ---- */

/* Makes getaddrinfo ask these name servers ("127.0.0.1:5353", several separated by commas) instead of the system's,
 * from its next call on, in all threads. Queries that are under way go on with the servers before. NULL: the system's
 * again. The environment variable CHARCOAL_DNS does the same. Never blocks.
 * Result: 0; EINVAL: the text is no list of addresses. */
int ch_dns_servers(const char *servers);

/* ---- domains ---- */

/* Gives this thread a domain, whose first activity is the caller. If the thread has a domain already, the call is only
 * counted. Each call needs a ch_domain_leave of its own. A thread without a domain gets one without this call when it
 * first spawns an activity, waits, or opens a scope. This holds for threads of any origin, under a main in C++ or in C
 * that was compiled without charcoal-cc, and in constructors before main. The caller runs as plain code in such a
 * domain: the activities that it has spawned run while it waits in a function of this header, or in ch_domain_leave.
 * (If recompiled code calls pthread_create or thrd_create, the start routine is an activity in interruptible code.)
 * Never blocks.
 * Result: 0; ENOMEM; EPERM: main has ended; ENOTSUP: this is another thread of the simulated world, which has one
 * domain. */
int ch_domain_enter(void);

/* Ends the domain that ch_domain_enter, or the first use, gave to this thread: it waits until all activities of the
 * domain but the caller have ended. Afterwards the thread has no domain until it needs one again. A call that belongs
 * to a later ch_domain_enter than the first is only counted. If the program does not call this function, the end of the
 * thread does the same. At the end of the process (exit, or the return from a foreign main) the activities that can run
 * go on until they wait, for at most one second; then all are dropped, as after the return from main.
 * Result: 0; EINVAL: not entered; EPERM: the caller is another activity; EBUSY: the caller is inside `atomic` or in a
 * scope.
 * Cancel: does not end the wait. */
int ch_domain_leave(void);

/* Starts an OS thread with a domain of its own, whose first activity is fn(argument). The domain ends when that
 * activity and all that were spawned in the domain have finished. Domains share only the process: handles and scopes
 * belong to the domain in which they were made. To communicate, domains use semaphores, shared objects,
 * charcoal/lowlevel.h and ch_post. When main returns, the process ends with all its domains. Never blocks.
 * Result: 0; EAGAIN: no thread could be made; ENOMEM; EPERM: the caller's thread has no domain and can get none;
 * ENOTSUP: under the simulated reactor, whose world has one domain. If the new thread has no memory for a domain, the
 * program ends with a message. */
int ch_domain_start(ch_thread *, void (*fn)(void *), void *argument);

/* Waits for the end of the domain. One activity, of any other domain, calls this once. It can stand in `waituntil`.
 * Result: 0; ECANCELED: the domain may be joined again. */
int ch_domain_join(ch_thread *);

/* ---- looking inside ---- */

#define CH_STATS_BUCKETS 32
struct ch_stats {
  uint64_t activities;     /* alive now, main included */
  uint64_t spawned;        /* since the domain began */
  uint64_t peak;           /* the largest number that was alive at a time */
  uint64_t switches;       /* times that an activity, or a branch of one, was started or resumed */
  uint64_t frames;         /* in use now */
  uint64_t frame_bytes;    /* in frames now */
  uint64_t activity_bytes; /* in activities, their captured variables and their async branches now */
  uint64_t mapped_bytes;   /* that the allocator has from the system for both now */
  uint64_t branches;       /* async calls that have blocked and not ended */
  uint64_t wakeups;        /* system calls that this domain has made to wake another one */
  uint64_t looks;          /* times that it has looked for work from another domain before it slept */
  uint64_t looks_paid;     /* how many of these looks found some */
  /* Histograms of the length of a run, of a wait, and of the time between being ready and running. Entry n counts those
   * shorter than 2^n us and not shorter than half of that; the last entry counts all that were longer. All are zero
   * unless the environment has times noted (see ch_dump). */
  uint64_t run[CH_STATS_BUCKETS], wait[CH_STATS_BUCKETS], ready[CH_STATS_BUCKETS];
};
/* Writes the present numbers of the caller's domain into the structure; all are 0 in a thread that has none. Never
 * blocks. */
void ch_stats(struct ch_stats *);

/* Writes the backtrace of every live activity of this domain to the descriptor: the function, file and line of each
 * frame, and what the activity waits for. It also writes since when, if times are noted (with CHARCOAL_DUMP,
 * CHARCOAL_STATS or CHARCOAL_DEBUG in the environment). Activities that wait for the same kind of thing at the same
 * place are written once, with their number; those that have waited longest come first. With the environment variable
 * CHARCOAL_DUMP=1 the program does this on standard error whenever it gets SIGQUIT.
 * Threads: any thread that runs a domain, also in a signal handler. Elsewhere it writes nothing. */
void ch_dump(int fd);

/* Writes the same as ch_dump in the given form. CH_DUMP_JSON is for programs: for each activity one line with a JSON
 * object of its address, its name, its state, what it waits for, and its frames; nothing is left out. With
 * CHARCOAL_DUMP=json in the environment, SIGQUIT writes this form.
 * Threads: as ch_dump. */
enum { CH_DUMP_TEXT, CH_DUMP_JSON };
void ch_dump_as(int fd, unsigned format);

/* If this is not 0, the runtime checks that no function returns while an activity that captured its locals by reference
 * is alive (law 7). If one does, the program reports both places and ends with status CH_EXIT_MISUSE. The environment
 * variable CHARCOAL_CHECK=1 also turns this check on. */
extern int ch_checks;

#else
#include <charcoal/sequential.h>
#endif

#ifdef __cplusplus
}
#endif

#include <charcoal/atomicity.h>
#include <charcoal/domains.h>
#include <charcoal/offload.h>
#ifndef CHARCOAL_CLAUSE_H /* clause.h includes clauses.h itself, at its end */
#include <charcoal/clauses.h>
#endif

#if !defined(CHARCOAL_RUNTIME) && (defined(__CHARCOAL__) || !defined(CHARCOAL_LIBRARY))
#include <charcoal/dialect.h>
#endif

#endif
