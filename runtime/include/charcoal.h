/* Charcoal: activities, atomic blocks and blocking calls for C.
 *
 * Compiled by charcoal-cc, this header brings the dialect (charcoal/dialect.h) and the runtime's API.
 * Compiled by any other C compiler, the dialect is elided and the calls below get sequential meanings
 * (charcoal/sequential.h), so that the same program runs as an ordinary sequential one. With -DCHARCOAL_LIBRARY any C
 * or C++ compiler gets the runtime's API and no dialect: for plain code of a program that is linked with the runtime.
 *
 * Words: a *domain* is one OS thread's scheduler; an *activity* is a call chain that is interleaved with others of
 * its domain; *atomic* code is never interleaved.
 *
 * A thread that has no domain yet gets one when it first needs it (see ch_domain_enter). Unless a function says
 * otherwise: it returns 0 or an error number of <errno.h> and leaves errno alone; times are in
 * nanoseconds on the monotonic clock. A blocking call sets its own activity aside when it is reached through
 * interruptible code. Reached through plain code (a callback of a foreign library, a function that charcoal-cc
 * left plain) it keeps its native stack, and the other activities go on on another one, until it can return, in
 * whatever order such calls end; inside `atomic` only activities that were spawned contained go on, and when nothing at
 * all could end the wait it reports a deadlock and ends the program with status CH_EXIT_DEADLOCK.
 *
 * In a cancelled scope (ch_cancelled) a blocking call returns ECANCELED at once and has no effect, also when it
 * would not have to wait; a call that waits when its scope is cancelled is ended with ECANCELED and has had no effect.
 * One whose effect was had just before returns as usual: never both, never neither.
 */
#ifndef CHARCOAL_H
#define CHARCOAL_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Exit status of a program that the runtime has ended: nothing can ever run again. */
#define CH_EXIT_DEADLOCK 70
/* Exit status of a program that broke a rule which the checked build found out (see ch_checks). */
#define CH_EXIT_MISUSE 71

/* An intrusive list of those who wait on an object, first come first served. Private. */
struct ch_link {
  struct ch_link *next;
  struct ch_link *prev;
};

/* A counting semaphore. Zeroed memory is a semaphore of count 0. Not to be copied or moved while somebody waits. */
typedef struct ch_sem {
  struct ch_link waiters; /* private */
  unsigned long count;    /* private; the number of units, while nobody waits */
  void *letter[2];        /* private */
  unsigned long posted;   /* private */
} ch_sem;
#define CH_SEM_INIT(n) {{NULL, NULL}, (n), {NULL, NULL}, 0}

/* A handle to an activity: `activate [&handle] { ... }`. The caller owns its memory and keeps it until the
 * activity has finished or was detached. */
typedef struct ch_activity {
  struct ch_branch *branch; /* private */
  struct ch_link waiters;   /* private */
  int state;                /* private */
  int error;                /* private */
  int failure;              /* private */
  intptr_t result;          /* private */
  struct ch_member *member; /* private */
} ch_activity;

/* An open `do ... finish` (or `noncancellable` block), from ch_scope_here: valid until it ends, in its own domain. It
 * may be handed to functions and to other activities. */
typedef struct ch_scope ch_scope;

/* The failures that a scope has collected (ch_collect). The caller owns both and keeps them until the scope has ended;
 * `all` has room for as many as `room` says and may be NULL if that is 0. */
struct ch_error {
  int error;         /* of <errno.h>, or whatever the program uses */
  const char *place; /* "file:line" of the ch_fail */
};
typedef struct ch_errors {
  struct ch_error *all; /* in the order in which they came; as many as there is room for */
  unsigned room;
  unsigned count; /* all that came */
  int first;      /* the first of them; 0: there was none */
} ch_errors;
/* Notes the failure and cancels the innermost scope that collects. 0 is no failure: async ch_fail(fetch(i)); */
#define ch_fail(error) ch_fail_at((error), CH_PLACE)
#define CH_PLACE CH_PLACE_OF(__FILE__, __LINE__)
#define CH_PLACE_OF(file, line) CH_PLACE_TEXT(file, line)
#define CH_PLACE_TEXT(file, line) file ":" #line

/* A further domain, in an OS thread of its own (ch_domain_start). The caller owns its memory and keeps it until it has
 * joined it. */
typedef struct ch_thread {
  void *opaque[16]; /* private */
} ch_thread;

#define CH_FOREVER INT64_MAX

#if defined(__CHARCOAL__) || defined(CHARCOAL_RUNTIME) || defined(CHARCOAL_LIBRARY)

/* ---- activities (Charcoal paper, section 2) ---- */

/* Returns when the activity has finished: 0 then, also when it had finished before, and however often and by however
 * many activities it is asked. EDEADLK: the handle is the caller's own. ENOMEM: spawning it failed for lack of memory,
 * so it never ran. EINVAL: the handle was never spawned, or was detached. ECANCELED: the caller's scope is cancelled.
 */
int ch_activity_wait(ch_activity *);

/* Lets go of the handle: its memory may be reused at once, and the activity goes on without. EINVAL as above. */
int ch_activity_detach(ch_activity *);

/* Whether the activity has finished. Never blocks. */
int ch_activity_finished(const ch_activity *);

/* The handle of the running activity; NULL if it has none (anonymous, or detached), or outside any domain. */
ch_activity *ch_self(void);

/* Cancels the activity, as if a `finish` stood around its body and were cancelled (AC paper, section 2.2): each of its
 * blocking calls outside `noncancellable` ends, or does not begin, with ECANCELED. One that has not begun yet starts,
 * and finds itself cancelled. 0, also when it has finished; EINVAL: never spawned, or detached. Never blocks, never
 * switches; a second time has no effect. An activity may cancel itself. */
int ch_activity_cancel(ch_activity *);

/* What the activity leaves behind, for those who hold its handle: one word, 0 if it never says otherwise. EPERM: the
 * caller's activity has no handle. Read with ch_activity_result when the activity has finished (0 before that); the
 * word stays in the handle. Branches leave what they have in variables of the function around their `finish`. */
int ch_activity_set_result(intptr_t);
intptr_t ch_activity_result(const ch_activity *);

/* Of a finished activity: 0; what it said by ch_fail, where no scope around that collected it; ENOMEM, and it never
 * ran. EINVAL: it has not finished. */
int ch_activity_error(const ch_activity *);

/* Whether the caller stands in a cancelled scope: then no blocking call waits, or does anything, and each returns
 * ECANCELED (or what its description says). Stays so until the scope is left; 0 inside `noncancellable`. Looks at the
 * clock where there is a deadline: also code that never waits, plain code and atomic code hear of it so. */
int ch_cancelled(void);

/* Gives the running activity a name for reports. The text is copied. ENOMEM when there is no room. */
int ch_set_name(const char *);

/* The running activity's name, or NULL. Valid until the activity is renamed or ends. */
const char *ch_name(void);

/* Gives way now: every other runnable activity runs before the caller goes on. No effect in atomic or plain code. */
void ch_reschedule(void);

/* ---- scopes (AC paper, section 2) ----
 *
 * An activity is no part of the scope in which its spawner stands: it goes on when that has ended, and is not cancelled
 * with it. One that is spawned into a scope (ch_in) is: it begins cancelled in a cancelled scope, it is cancelled with
 * the scope, and the scope does not end before it has. */

/* The innermost scope that the caller stands in, `noncancellable` blocks included; NULL: none in its activity. */
ch_scope *ch_scope_here(void);

/* In place of a handle: `activate [ch_in(scope)] serve(client);` spawns into that scope, from wherever it is known,
 * once for each ch_in; also while its owner waits at its end. ch_self is its handle there. NULL: into none. Within
 * `atomic` such activities are delayed like others, and `contained` may stand before the statement as usual. */
ch_activity *ch_in(ch_scope *);

/* `cancel` for a scope that was handed over. It has to be open. Never blocks. */
void ch_scope_cancel(ch_scope *);

/* From now on the innermost scope that the caller stands in collects failures here. It empties the list. 0; EPERM:
 * there is no scope; ENOMEM. */
int ch_collect(ch_errors *);

/* See ch_fail. The innermost collecting scope around the caller is meant, and for an activity that was spawned into a
 * scope those around that, too. Where none collects, the activity itself has failed, and is cancelled:
 * ch_activity_error tells. ECANCELED where the scope is cancelled already is what the cancel has done, and is not
 * noted; a deadline of a collecting scope is noted as ETIMEDOUT when it passes, with the place of its `do`. Returns the
 * error. Never blocks. */
int ch_fail_at(int error, const char *place);

/* When the scope is cancelled by its deadline, on the clock of ch_now; also when that has been; CH_FOREVER: it has
 * none. NULL: the earliest deadline of all scopes that could cancel the caller. */
int64_t ch_deadline(const ch_scope *);

/* Gives the scope this deadline instead of the one that it has, if any (within, by): a later or an earlier one, or
 * CH_FOREVER: none. One in the past cancels at once. 0; ECANCELED: the scope has been cancelled, and stays so; ENOMEM;
 * EPERM outside a domain. Never blocks. */
int ch_deadline_move(ch_scope *, int64_t when);

/* ---- semaphores (Charcoal paper, section 3: sem_incr, sem_decr) ----
 *
 * Any domain may post a semaphore, try it, and wait for it; but at a time only activities of one domain may be waiting.
 * Who waits for one for which another domain already waits is a mistake, which ends the program with a message and
 * status CH_EXIT_MISUSE. */

void ch_sem_init(ch_sem *, unsigned long count);

/* Takes one unit, waiting for it in order of arrival. 0, or ECANCELED: the semaphore was destroyed meanwhile, or the
 * scope is cancelled; nothing was taken. */
int ch_sem_wait(ch_sem *);

/* As ch_sem_wait for at most `timeout` ns; ETIMEDOUT when they have passed, and nothing was taken. */
int ch_sem_timedwait(ch_sem *, int64_t timeout);

/* Takes one unit if there is one now; EAGAIN if not. Never blocks. From any thread. */
int ch_sem_trywait(ch_sem *);

/* Gives one unit: to the first waiter, which becomes runnable, or to the count. Never switches. EOVERFLOW: the count
 * is at its largest. From any thread, of a domain or not; a waiter of another domain hears of it by that domain's
 * inbox.
 */
int ch_sem_post(ch_sem *);

/* The same, also from a signal handler, whatever it has interrupted: a waiter becomes runnable when its domain next
 * looks outside, which it does at once if it sleeps. */
int ch_sem_post_from_handler(ch_sem *);

/* Ends the semaphore's use. Those who wait on it are woken with ECANCELED, and EBUSY tells the caller that there
 * were some; 0 otherwise. EPERM: they are of another domain, and nothing has happened. */
int ch_sem_destroy(ch_sem *);

/* ---- time ---- */

/* Nanoseconds of the domain's clock: monotonic; virtual under the simulated reactor. */
int64_t ch_now(void);

/* Returns after at least `duration` ns; 0, or ECANCELED. A duration <= 0 gives way once. */
int ch_sleep(int64_t duration);

/* The same until the clock (ch_now) has reached `time`. */
int ch_sleep_until(int64_t time);

/* Something that is due every `period` ns: at `next`, on the clock of ch_now, and from then on. */
typedef struct ch_ticker {
  int64_t next;
  int64_t period;
} ch_ticker;

/* The first tick is one period from now. A period below 1 counts as 1. */
void ch_ticker_init(ch_ticker *, int64_t period);

/* Waits for the next tick: 0, or ECANCELED, and the tick is still to come. Ticks that were due before and that nobody
 * has waited for are one: the next one lies ahead, in step with the others. */
int ch_tick(ch_ticker *);

/* ---- descriptors ---- */

/* Waits until one of poll's `events` (POLLIN, POLLOUT, ...) holds for the descriptor, at most `timeout` ns
 * (CH_FOREVER: no limit; below 0: not at all). Returns the events that hold (> 0), 0 after the time-out, or -error:
 * EBADF, also when it is closed while somebody waits; ENOMEM; ECANCELED. A file or directory is always ready. */
int ch_fd_wait(int fd, int events, int64_t timeout);

/* ---- names ---- */

/* Asks these name servers ("127.0.0.1:5353", comma separated) instead of the system's, from the next getaddrinfo
 * on; NULL: the system's again. EINVAL: not a list of addresses. The environment variable CHARCOAL_DNS does the same.
 */
int ch_dns_servers(const char *servers);

/* ---- domains ---- */

/* Makes the caller, which no domain runs, the first activity of a new domain of this thread; inside a domain only
 * counts. This happens by itself when such code first activates something, waits, or opens a scope, so that all of this
 * works in threads of any origin, under a main in C++ or in C that was compiled without charcoal-cc, and in
 * constructors before main. The caller is plain code there: what it has activated runs while it waits (in a call of
 * this header, or in ch_domain_leave). The start routine that recompiled code gives to pthread_create or thrd_create is
 * more than that: an activity in interruptible code. Each call wants a ch_domain_leave. 0; ENOMEM; EPERM: behind the
 * end of main; ENOTSUP: in the simulated world, which has one domain, in another thread. */
int ch_domain_enter(void);

/* Ends what the first ch_domain_enter, or first use, began: waits until all activities of the domain but the caller
 * have ended; then the thread has no domain until it needs one again. The end of the thread does the same if it was not
 * called. At the end of the process (exit, or the return from a foreign main) those that can run do so until they
 * wait, for at most a second, and then all are dropped, as behind main. Not cancelled. 0; EINVAL: not entered; EPERM:
 * the caller is another activity; EBUSY: inside `atomic`, or a scope. */
int ch_domain_leave(void);

/* Starts an OS thread with a domain of its own, whose first activity is fn(argument). The domain ends when that and all
 * activities that it has spawned, and theirs, have finished. It shares nothing with other domains but the process:
 * handles and scopes belong to the domain where they are used. What passes between domains is built on semaphores,
 * charcoal/lowlevel.h and ch_post. When main returns the process ends, with all its domains. 0; EAGAIN: no thread;
 * ENOTSUP: under the simulated reactor, whose world has one domain. */
int ch_domain_start(ch_thread *, void (*fn)(void *), void *argument);

/* Waits for the end of the domain: 0, or ECANCELED, and it may be joined again. To be called by one activity, once, of
 * any other domain. */
int ch_domain_join(ch_thread *);

/* ---- looking inside ---- */

#define CH_STATS_BUCKETS 32
struct ch_stats {
  uint64_t activities;     /* alive now, main included */
  uint64_t spawned;        /* ever */
  uint64_t peak;           /* most alive at a time */
  uint64_t switches;       /* times that an activity, or a branch of one, was started or resumed */
  uint64_t frames;         /* taken now */
  uint64_t frame_bytes;    /* in frames now */
  uint64_t activity_bytes; /* in activities, their captured variables and their async branches now */
  uint64_t mapped_bytes;   /* that the allocator has from the system for both now */
  uint64_t branches;       /* async calls that have blocked and not ended */
  uint64_t wakeups;        /* system calls ever made by this domain to wake another one */
  uint64_t looks;          /* times that it has looked for something from another domain before it slept */
  uint64_t looks_paid;     /* of them: those that found something */
  /* How often a run, a wait, and a time between being ready and running was shorter than 2^n us, and not shorter than
   * half of that; the last counts all that were longer. Zeros, unless the environment has times noted (see ch_dump). */
  uint64_t run[CH_STATS_BUCKETS], wait[CH_STATS_BUCKETS], ready[CH_STATS_BUCKETS];
};
void ch_stats(struct ch_stats *);

/* Writes the backtrace of every live activity of this domain to the descriptor: each frame's function, file and line,
 * and what the activity waits for, and since when if that is noted (with CHARCOAL_DUMP, CHARCOAL_STATS or
 * CHARCOAL_DEBUG in the environment). Activities that wait for the same kind of thing at the same place are told once,
 * with their number; those that have waited longest come first. From any thread that runs a domain, and from a signal
 * handler on it. With the environment variable CHARCOAL_DUMP=1 the program does so on standard error whenever it gets
 * SIGQUIT. */
void ch_dump(int fd);

/* The same in another form. CH_DUMP_JSON: one object of JSON on a line for each activity, for programs: its address,
 * name, state, what it waits for, and frames; nothing is left out. CHARCOAL_DUMP=json makes SIGQUIT write that one. */
enum { CH_DUMP_TEXT, CH_DUMP_JSON };
void ch_dump_as(int fd, unsigned format);

/* Non-zero: check that no function returns while an activity that captured its locals by reference is alive
 * (law 7), and report both places if one does. Also set by the environment variable CHARCOAL_CHECK=1. */
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
#ifndef CHARCOAL_CLAUSE_H /* which includes it when it has come to its end */
#include <charcoal/clauses.h>
#endif

#if !defined(CHARCOAL_RUNTIME) && (defined(__CHARCOAL__) || !defined(CHARCOAL_LIBRARY))
#include <charcoal/dialect.h>
#endif

#endif
