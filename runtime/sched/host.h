/* Domains on first use: code that this thread runs, but no domain does, becomes an activity of one.
 *
 * That is the code of a foreign main (in C++, or compiled without charcoal-cc), of threads that somebody else has
 * started, and of constructors before main. It stands on the thread's own stack with no loop beneath it, and is plain:
 * so it waits as plain code does (native.h), and the others run then. Its branch is the domain's *host*. The domain
 * ends when the host leaves it (ch_domain_leave) or the thread ends, after the others have ended. At the end of the
 * process they are dropped, as after main; but who has not begun yet begins. */
#ifndef CHARCOAL_SCHED_HOST_H
#define CHARCOAL_SCHED_HOST_H

#include "sched/domain.h"

/* ch_host_begin, which makes the running code the host, is declared in domain.h. False: the scheduler runs it, or there
 * is no memory, or the simulated world has its domain already, or main has ended. */

/* The same after main's end, for the runtime itself. */
CH_HIDDEN bool ch_host_begin_again(void);

/* The host is no activity any more; what is still there stays. */
CH_HIDDEN void ch_host_drop(void);
/* The host's wait until all others have ended; then its domain ends. */
CH_HIDDEN void ch_host_end(void);
/* The thread may end by pthread_exit or pthread_cancel: then its domain ends after the others in it. If it is main's,
 * the process goes on until its last thread has ended, as POSIX says, with status 0. */
CH_HIDDEN void ch_host_watch_thread(void);
CH_HIDDEN void ch_host_unwatch_thread(void);

#endif
