/* System calls that the runtime makes for itself, by number. A program that is linked with --wrap=write then sees none
 * of the runtime's messages and wake-ups, and none of them is a cancellation point: pthread_cancel would end the thread
 * while it has one of the runtime's locks, or before it has woken another domain. What the runtime does for the
 * program's own calls goes by the usual names, because sanitizers and the like are to see it. Also, how other calls are
 * kept from being cancellation points. */
#ifndef CHARCOAL_FRAMES_RUNTIME_CALLS_H
#define CHARCOAL_FRAMES_RUNTIME_CALLS_H

#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <sys/syscall.h>
#include <sys/types.h>
#include <time.h>
#include <unistd.h>

static inline ssize_t ch_runtime_write(int fd, const void *bytes, size_t n) { return syscall(SYS_write, fd, bytes, n); }
static inline ssize_t ch_runtime_read(int fd, void *to, size_t n) { return syscall(SYS_read, fd, to, n); }
static inline ssize_t ch_runtime_send(int fd, const void *bytes, size_t n, int flags) {
  return syscall(SYS_sendto, fd, bytes, n, flags, NULL, 0); /* glibc has __send not for all processors */
}
/* Sleeps with the thread, while nanosleep lets other activities of the domain go on. */
static inline void ch_runtime_sleep(const struct timespec *duration) { syscall(SYS_nanosleep, duration, NULL); }

/* Until the end of the block pthread_cancel does not end the thread, which would leave half made what is made there:
 * open, close, connect and many more are cancellation points. */
static inline int ch_hold_cancellation(void) {
  int before;
  pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &before);
  return before;
}
static inline void ch_let_cancellation(const int *before) { pthread_setcancelstate(*before, NULL); }
#define CH_NO_CANCELLATION                                                                                             \
  const int cancellation __attribute__((cleanup(ch_let_cancellation), unused)) = ch_hold_cancellation()

/* A system call by number between these two is a cancellation point of threads.
 *
 * pthread_cancel sends a signal to a thread that is between them. If the thread goes on before the signal has come, the
 * signal ends it in whatever cancellation point it then is, also where cancellation is held back by then (glibc 2.36,
 * sigcancel_handler). The C library's own cancellation points end only when such a signal has come. So one of them is
 * called, which does not wait; with cancellation disabled, because the system call may have had its effect, and a
 * cancellation that comes only now must not hide that. */
static inline int ch_begin_cancellation_point(void) {
  int type;
  pthread_setcanceltype(PTHREAD_CANCEL_ASYNCHRONOUS, &type);
  return type;
}
static inline void ch_end_cancellation_point(int type) {
  int saved = errno;
  pthread_setcanceltype(type, NULL);
  CH_NO_CANCELLATION;
  poll(NULL, 0, 0);
  errno = saved;
}

#endif
