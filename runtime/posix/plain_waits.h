/* Waits of plain code for threads, for message queues and semaphores of POSIX and System V, and for signals, which
 * other activities of the domain may end, and sleeps: the runtime's functions of those names wait as all waits in plain
 * code do, and the domain goes on. The runtime itself makes the C library's calls by the names below.
 *
 * docs/decisions/system-calls-of-plain-code.md says why `read`, `poll` and their like are not among them. */
#ifndef CHARCOAL_POSIX_PLAIN_WAITS_H
#define CHARCOAL_POSIX_PLAIN_WAITS_H

#include "frames/attributes.h"
#include "charcoal.h"
#include <mqueue.h>
#include <pthread.h>
#include <signal.h>
#include <threads.h>
#include <sys/msg.h>
#include <sys/sem.h>
#include <time.h>

/* ---- the C library's own ---- */

CH_HIDDEN int ch_library_join(pthread_t, void **result);
CH_HIDDEN int ch_library_timedjoin(pthread_t, void **result, const struct timespec *);
CH_HIDDEN int ch_library_clockjoin(pthread_t, void **result, clockid_t, const struct timespec *);
CH_HIDDEN int ch_library_thrd_join(thrd_t, int *result);
CH_HIDDEN ssize_t ch_library_mq_receive(mqd_t, char *, size_t, unsigned *priority);
CH_HIDDEN ssize_t ch_library_mq_timedreceive(mqd_t, char *, size_t, unsigned *priority, const struct timespec *);
CH_HIDDEN int ch_library_mq_send(mqd_t, const char *, size_t, unsigned priority);
CH_HIDDEN int ch_library_mq_timedsend(mqd_t, const char *, size_t, unsigned priority, const struct timespec *);
CH_HIDDEN int ch_library_sigwait(const sigset_t *, int *signal);
CH_HIDDEN int ch_library_sigwaitinfo(const sigset_t *, siginfo_t *);
CH_HIDDEN int ch_library_sigtimedwait(const sigset_t *, siginfo_t *, const struct timespec *);
CH_HIDDEN int ch_library_clock_nanosleep(clockid_t, int flags, const struct timespec *, struct timespec *left);
CH_HIDDEN ssize_t ch_library_msgrcv(int id, void *to, size_t n, long type, int flags);
CH_HIDDEN int ch_library_msgsnd(int id, const void *from, size_t n, int flags);
CH_HIDDEN int ch_library_semtimedop(int id, struct sembuf *, size_t n, const struct timespec *timeout);

/* ---- the waits, in Charcoal C (replacements/) ---- */

/* They do not see that a scope around them is cancelled. `until` and `timeout` NULL: without limit. */
CH_HIDDEN int ch_wait_for_thread(pthread_t, void **result, clockid_t, const struct timespec *until);
CH_HIDDEN int ch_wait_for_c11_thread(thrd_t, int *result);
CH_HIDDEN ssize_t ch_wait_to_receive(mqd_t, char *, size_t, unsigned *priority, const struct timespec *until);
CH_HIDDEN int ch_wait_to_send(mqd_t, const char *, size_t, unsigned priority, const struct timespec *until);
CH_HIDDEN int ch_wait_for_signals(const sigset_t *, siginfo_t *, const struct timespec *timeout);
CH_HIDDEN int ch_wait_for_clock(clockid_t, int flags, const struct timespec *, struct timespec *left);
CH_HIDDEN ssize_t ch_wait_to_take_message(int id, void *to, size_t n, long type, int flags);
CH_HIDDEN int ch_wait_to_put_message(int id, const void *from, size_t n, int flags);
CH_HIDDEN int ch_wait_for_semaphores(int id, struct sembuf *, size_t n, const struct timespec *timeout);

#endif
