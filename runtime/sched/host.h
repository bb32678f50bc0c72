/* Makes a domain when code first needs one: code that runs in a thread without a domain becomes an activity of a new
 * domain.
 *
 * Such code is that of a foreign main (in C++, or compiled without charcoal-cc), of threads that foreign code has
 * started, and of constructors before main. It stands on the thread's own stack without a loop below it, and it is
 * plain code, so it waits as plain code does (native.h), and other activities run meanwhile. Its branch is the domain's
 * *host*. The domain ends when the host leaves it (ch_domain_leave) or when the thread ends, after all other activities
 * have ended. At the end of the process activities are dropped, as at the end of main, but one that has not begun yet
 * begins. */
#ifndef CHARCOAL_SCHED_HOST_H
#define CHARCOAL_SCHED_HOST_H

#include "frames/runtime_calls.h"
#include "sched/domain.h"

/* ch_host_begin, which makes the running code the host, is declared in domain.h. False: the scheduler runs it, or there
 * is no memory, or the simulated world has its domain already, or main has ended. */

/* The same, for the runtime itself after main has ended. */
CH_HIDDEN bool ch_host_begin_again(void);

/* The host is no activity any more; what is still there stays. */
CH_HIDDEN void ch_host_drop(void);
/* The host's wait until all others have ended; then its domain ends. */
CH_HIDDEN void ch_host_end(void);
/* The thread may end by pthread_exit or pthread_cancel: then its domain ends after the others in it. If it is main's,
 * the process goes on until its last thread has ended, as POSIX says, with status 0. */
CH_HIDDEN void ch_host_watch_thread(void);
CH_HIDDEN void ch_host_unwatch_thread(void);

/* This thread was made by the program's own pthread_create or thrd_create: so pthread_cancel may end it. */
CH_HIDDEN extern __thread __attribute__((tls_model("initial-exec"))) bool ch_in_programs_thread;
/* b runs, and its scope may have changed; NULL: the domain is about to sleep. The C library ends the thread at whatever
 * cancellation point comes next. So the cancellation is held back while another activity runs than the first, and in a
 * scope, whose branches have to be waited for. To be called where `cancellable` is set. */
CH_HIDDEN void ch_host_runs(const struct ch_branch *b);
/* ch_reactor_poll, for a thread that pthread_cancel may end. pthread_cancel ends this sleep, too, but not the loop: its
 * unwinding would leave this stack and then run handlers of pthread_cleanup_push that stand on another one. Instead the
 * thread's first activity is cancelled. If that waits in plain code, in a call of POSIX that is a cancellation point,
 * the call ends the activity as pthread_exit would, on its own stack, with its handlers. A call of interruptible code
 * returns ECANCELED, and the next one ends the activity. */
CH_HIDDEN void ch_host_sleep(int64_t deadline);
/* Called at the end of a sleep that ch_begin_cancellation_point has begun. Only a thread whose loop goes on after
 * pthread_cancel has to know whether a signal is still to come. */
static inline void ch_host_has_slept(int type) {
  if (ch_domain.cancellable || ch_domain.natives > 0)
    ch_end_cancellation_point(type);
  else
    pthread_setcanceltype(type, NULL);
}
/* The running code is part of the activity that pthread_cancel is about, and the thread has been cancelled so. */
CH_HIDDEN bool ch_host_is_cancelled(struct ch_branch *);
/* At a cancellation point in plain code: the activity ends, if so. */
CH_HIDDEN void ch_host_exit_if_cancelled(void);
/* The same in interruptible code. Inside a scope the activity goes on, and its calls return ECANCELED until it has left
 * the scope, because the scope's branches have to be waited for. True: the caller has to call pthread_exit as
 * interruptible code does, because only the activity can end: the thread is ending already. */
CH_HIDDEN bool ch_host_exits_at_call(void);

#endif
