/* Interposes the C library's calls that wait for threads, message queues, semaphores of System V, signals and
 * spinlocks, and those that sleep. See plain_waits.h. */
#define _GNU_SOURCE
#include "posix/plain_waits.h"
#include "frames/interposed.h"
#include "frames/runtime_calls.h"
#include "posix/signals.h"
#include "posix/single_activity.h"
#include "sched/external_wakers.h"
#include "sched/host.h"
#include "wait/atomics.h"
#include <errno.h>
#include <sys/syscall.h>
#include <unistd.h>

/* Weak: the runtime's own tests have no replacements. */
extern __typeof__(ch_wait_for_signals) ch_wait_for_signals __attribute__((weak));
extern __typeof__(ch_wait_for_thread) ch_wait_for_thread __attribute__((weak));
extern __typeof__(ch_wait_for_c11_thread) ch_wait_for_c11_thread __attribute__((weak));
extern __typeof__(ch_wait_to_receive) ch_wait_to_receive __attribute__((weak));
extern __typeof__(ch_wait_to_send) ch_wait_to_send __attribute__((weak));

/* Other activities could go on meanwhile, or the caller's domain has to report a deadlock. */
static bool others_go_on(void) {
  ch_host_exit_if_cancelled();
  return ch_domain.current && !(ch_domain.live == 1 && ch_is_single_activity()) && ch_wait_for_signals;
}

/* The call has not had its effect, because the thread was cancelled. */
static void exit_if_cancelled(long r) {
  if (r == ECANCELED || r == thrd_error || (r < 0 && errno == ECANCELED))
    ch_host_exit_if_cancelled();
}

/* Each line is a call: its name, that of the C library's own for the runtime, the second name of that in a static
 * program, its parameters and arguments, and how it waits. A sanitizer that has a function of the same name sees the
 * runtime's calls, too. */
#define CALL(result, name, library, second, parameters, arguments, ...)                                                \
  __typeof__(name) second __attribute__((weak));                                                                       \
  CH_HIDDEN result ch_waiting_##name parameters;                                                                       \
  __attribute__((weak, alias("ch_waiting_" #name), visibility("default"))) result name parameters;                     \
  result library parameters {                                                                                          \
    return (name != ch_waiting_##name ? name : CH_NEXT_DEFINITION(name, second)) arguments;                            \
  }                                                                                                                    \
  result ch_waiting_##name parameters {                                                                                \
    if (!others_go_on())                                                                                               \
      return library arguments;                                                                                        \
    result r = __VA_ARGS__;                                                                                            \
    exit_if_cancelled((long)r);                                                                                        \
    return r;                                                                                                          \
  }

/* clang-format off */
CALL(int, pthread_join, ch_library_join, ___pthread_join, (pthread_t t, void **result), (t, result),
     ch_wait_for_thread(t, result, CLOCK_REALTIME, NULL))
CALL(int, pthread_timedjoin_np, ch_library_timedjoin, ___pthread_timedjoin_np,
     (pthread_t t, void **result, const struct timespec *until), (t, result, until),
     ch_wait_for_thread(t, result, CLOCK_REALTIME, until))
CALL(int, pthread_clockjoin_np, ch_library_clockjoin, ___pthread_clockjoin_np,
     (pthread_t t, void **result, clockid_t clock, const struct timespec *until), (t, result, clock, until),
     ch_wait_for_thread(t, result, clock, until))
CALL(int, thrd_join, ch_library_thrd_join, __thrd_join, (thrd_t t, int *result), (t, result),
     ch_wait_for_c11_thread(t, result))

CALL(ssize_t, mq_receive, ch_library_mq_receive, __mq_receive, (mqd_t q, char *to, size_t n, unsigned *priority),
     (q, to, n, priority), ch_wait_to_receive(q, to, n, priority, NULL))
CALL(ssize_t, mq_timedreceive, ch_library_mq_timedreceive, __mq_timedreceive,
     (mqd_t q, char *to, size_t n, unsigned *priority, const struct timespec *until), (q, to, n, priority, until),
     ch_wait_to_receive(q, to, n, priority, until))
CALL(int, mq_send, ch_library_mq_send, __mq_send, (mqd_t q, const char *from, size_t n, unsigned priority),
     (q, from, n, priority), ch_wait_to_send(q, from, n, priority, NULL))
CALL(int, mq_timedsend, ch_library_mq_timedsend, __mq_timedsend,
     (mqd_t q, const char *from, size_t n, unsigned priority, const struct timespec *until),
     (q, from, n, priority, until), ch_wait_to_send(q, from, n, priority, until))

static int wait_for_one(const sigset_t *set, int *signal) {
  int saved = errno, r = ch_wait_for_signals(set, NULL, NULL), error = r < 0 ? errno : 0;
  if (r >= 0)
    *signal = r;
  return errno = saved, error;
}
CALL(int, sigwait, ch_library_sigwait, __sigwait, (const sigset_t *set, int *signal), (set, signal),
     wait_for_one(set, signal))
CALL(int, sigwaitinfo, ch_library_sigwaitinfo, __sigwaitinfo, (const sigset_t *set, siginfo_t *info), (set, info),
     ch_wait_for_signals(set, info, NULL))
CALL(int, sigtimedwait, ch_library_sigtimedwait, __sigtimedwait,
     (const sigset_t *set, siginfo_t *info, const struct timespec *timeout), (set, info, timeout),
     ch_wait_for_signals(set, info, timeout))
/* clang-format on */

/* ---- System V, whose calls are system calls, so that nothing of the C library's is needed ---- */

extern __typeof__(ch_wait_to_take_message) ch_wait_to_take_message __attribute__((weak));
extern __typeof__(ch_wait_to_put_message) ch_wait_to_put_message __attribute__((weak));
extern __typeof__(ch_wait_for_semaphores) ch_wait_for_semaphores __attribute__((weak));

/* Calls for messages are cancellation points of threads; those on semaphores are none. */
ssize_t ch_library_msgrcv(int id, void *to, size_t n, long type, int flags) {
  int before = ch_begin_cancellation_point();
  ssize_t r = syscall(SYS_msgrcv, id, to, n, type, flags);
  ch_end_cancellation_point(before);
  return r;
}
int ch_library_msgsnd(int id, const void *from, size_t n, int flags) {
  int type = ch_begin_cancellation_point();
  int r = (int)syscall(SYS_msgsnd, id, from, n, flags);
  ch_end_cancellation_point(type);
  return r;
}
int ch_library_semtimedop(int id, struct sembuf *all, size_t n, const struct timespec *timeout) {
  return (int)syscall(SYS_semtimedop, id, all, n, timeout);
}

CH_INTERPOSED ssize_t msgrcv(int id, void *to, size_t n, long type, int flags) {
  if (!others_go_on())
    return ch_library_msgrcv(id, to, n, type, flags);
  ssize_t r = ch_wait_to_take_message(id, to, n, type, flags);
  exit_if_cancelled(r);
  return r;
}
CH_INTERPOSED int msgsnd(int id, const void *from, size_t n, int flags) {
  if (!others_go_on())
    return ch_library_msgsnd(id, from, n, flags);
  int r = ch_wait_to_put_message(id, from, n, flags);
  exit_if_cancelled(r);
  return r;
}
CH_INTERPOSED int semtimedop(int id, struct sembuf *all, size_t n, const struct timespec *timeout) {
  return others_go_on() ? ch_wait_for_semaphores(id, all, n, timeout) : ch_library_semtimedop(id, all, n, timeout);
}
CH_INTERPOSED int semop(int id, struct sembuf *all, size_t n) { return semtimedop(id, all, n, NULL); }

/* ---- sleeps, which are system calls, too ---- */

extern __typeof__(ch_wait_for_clock) ch_wait_for_clock __attribute__((weak));

int ch_library_clock_nanosleep(clockid_t clock, int flags, const struct timespec *time, struct timespec *left) {
  int saved = errno;
  if (clock == CLOCK_THREAD_CPUTIME_ID)
    return EINVAL; /* as POSIX has it; the kernel says EOPNOTSUPP */
  int type = ch_begin_cancellation_point();
  int error = syscall(SYS_clock_nanosleep, clock, flags, time, left) < 0 ? errno : 0;
  ch_end_cancellation_point(type);
  return errno = saved, error;
}

/* A handler may have interrupted anything, also the scheduler, and nobody else may run in it. Its signal is blocked
 * meanwhile, unless it was installed with SA_NODEFER. What waits of this thread hold is blocked, too. */
static bool may_be_in_handler(void) {
  sigset_t blocked;
  pthread_sigmask(SIG_BLOCK, NULL, &blocked);
  if (CH_LIKELY(sigisemptyset(&blocked)))
    return false;
  ch_signals_not_held(&blocked);
  for (int s = 1; s < _NSIG; s++)
    if (sigismember(&blocked, s) == 1 && ch_program_handles(s))
      return true;
  return false;
}

static bool may_switch(void) {
  return ch_tls.atomic_depth == 0 && ch_domain.spinlocks == 0 && ch_domain.current && !may_be_in_handler();
}

/* A sleep ends by itself, so in an atomic block it blocks the thread as other system calls do (law 5), and so it does
 * where a switch would be an error, and in a handler. */
static int sleep_on(clockid_t clock, int flags, const struct timespec *time, struct timespec *left) {
  if (!may_switch() || !others_go_on())
    return ch_library_clock_nanosleep(clock, flags, time, left);
  int error = ch_wait_for_clock(clock, flags, time, left);
  exit_if_cancelled(error);
  return error;
}

CH_INTERPOSED int clock_nanosleep(clockid_t clock, int flags, const struct timespec *time, struct timespec *left) {
  return sleep_on(clock, flags, time, left);
}
CH_INTERPOSED int nanosleep(const struct timespec *duration, struct timespec *left) {
  int error = sleep_on(CLOCK_MONOTONIC, 0, duration, left);
  return error ? (errno = error, -1) : 0;
}
CH_INTERPOSED int usleep(useconds_t microseconds) {
  struct timespec duration = {microseconds / 1000000, (long)(microseconds % 1000000) * 1000};
  int error = sleep_on(CLOCK_MONOTONIC, 0, &duration, NULL);
  return error ? (errno = error, -1) : 0;
}
CH_INTERPOSED int thrd_sleep(const struct timespec *duration, struct timespec *left) {
  int error = sleep_on(CLOCK_REALTIME, 0, duration, left);
  return error == 0 ? 0 : error == EINTR || error == ECANCELED ? -1 : -2;
}

/* ---- spinlocks ---- */

/* An activity of this domain may have been set aside while it has the lock, and goes on only if this thread does not
 * spin. */
CH_INTERPOSED int pthread_spin_lock(pthread_spinlock_t *l) {
  enum { MOST_PAUSES = 64, TRIES = 64 };
  for (unsigned n = 1; pthread_spin_trylock(l) != 0; n++) {
    for (unsigned i = 0; i < n && i < MOST_PAUSES; i++)
      ch_atomic_pause();
    if (n % TRIES == 0 && ch_domain.live > 1 && may_switch() && ch_wait_for_clock)
      ch_wait_for_clock(CLOCK_MONOTONIC, 0, &(struct timespec){0, 1000}, NULL);
  }
  return 0;
}
