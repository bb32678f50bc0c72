/* See faults.h. This is plain C, and the runtime's calls reach these definitions. */
#define _GNU_SOURCE
#include "faults.h"
#include <dlfcn.h>
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdarg.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <time.h>
#include <unistd.h>

const char ch_functions_beneath = 1; /* the runtime shall call the functions of this file (frames/c_library.h) */

static int kinds;
static unsigned rate;
static unsigned long had, state = 1234567;

void fault(int which, unsigned one_in) {
  kinds = which;
  rate = one_in;
  had = 0;
}
unsigned long faults_had(void) { return had; }

static int now(int kind) {
  if (!(kinds & kind))
    return 0;
  state = state * 6364136223846793005ul + 1442695040888963407ul;
  if ((state >> 33) % rate)
    return 0;
  had++;
  return 1;
}

static long call6(long n, long a, long b, long c, long d, long e, long f) {
  register long r10 __asm__("r10") = d, r8 __asm__("r8") = e, r9 __asm__("r9") = f;
  long r;
  __asm__ volatile("syscall"
                   : "=a"(r)
                   : "a"(n), "D"(a), "S"(b), "d"(c), "r"(r10), "r"(r8), "r"(r9)
                   : "rcx", "r11", "memory");
  if (r < 0 && r > -4096) {
    errno = (int)-r;
    return -1;
  }
  return r;
}

static void be_slow(void) {
  struct timespec t = {0, 300000};
  call6(SYS_nanosleep, (long)&t, 0, 0, 0, 0, 0);
}

long syscall(long n, ...) {
  va_list v;
  long a[6];
  va_start(v, n);
  for (int i = 0; i < 6; i++)
    a[i] = va_arg(v, long);
  va_end(v);
  if (n == SYS_io_uring_enter) {
    if (now(INTERRUPTED))
      return errno = EINTR, -1;
    if (now(AGAIN))
      return errno = EAGAIN, -1;
    if (now(BUSY))
      return errno = EBUSY, -1;
    if (now(SLOW))
      be_slow();
  }
  return call6(n, a[0], a[1], a[2], a[3], a[4], a[5]);
}

int epoll_wait(int fd, struct epoll_event *events, int room, int timeout) {
  if (now(INTERRUPTED))
    return errno = EINTR, -1;
  if (now(SLOW))
    be_slow();
  return (int)call6(SYS_epoll_wait, fd, (long)events, room, timeout, 0, 0);
}
int epoll_pwait2(int fd, struct epoll_event *events, int room, const struct timespec *timeout, const sigset_t *mask) {
  if (now(INTERRUPTED))
    return errno = EINTR, -1;
  if (now(SLOW))
    be_slow();
  return (int)call6(SYS_epoll_pwait2, fd, (long)events, room, (long)timeout, (long)mask, _NSIG / 8);
}

static int recv_fault(void) {
  if (now(INTERRUPTED))
    return errno = EINTR, 1;
  if (now(AGAIN))
    return errno = EAGAIN, 1;
  if (now(RESET))
    return errno = ECONNRESET, 1;
  return 0;
}
ssize_t recv(int fd, void *to, size_t n, int flags) {
  if (recv_fault())
    return -1;
  if (n > 1 && now(SHORT_READS))
    n = 1;
  return call6(SYS_recvfrom, fd, (long)to, (long)n, flags, 0, 0);
}
ssize_t recvmsg(int fd, struct msghdr *m, int flags) {
  return recv_fault() ? -1 : call6(SYS_recvmsg, fd, (long)m, flags, 0, 0, 0);
}
/* Of the position: pipes and the like. */
ssize_t preadv2(int fd, const struct iovec *v, int n, off_t offset, int flags) {
  struct iovec one = {v->iov_base, 1};
  if (offset == -1 && n > 0 && v->iov_len > 1 && now(SHORT_READS))
    return call6(SYS_preadv2, fd, (long)&one, 1, -1, -1, flags);
  return call6(SYS_preadv2, fd, (long)v, n, offset, offset < 0 ? -1 : 0, flags);
}
static int send_fault(void) {
  if (now(INTERRUPTED))
    return errno = EINTR, 1;
  if (now(AGAIN))
    return errno = EAGAIN, 1;
  return 0;
}
ssize_t send(int fd, const void *from, size_t n, int flags) {
  if (send_fault())
    return -1;
  if (n > 1 && now(SHORT_WRITES))
    n = 1 + (state >> 40) % (n - 1);
  return call6(SYS_sendto, fd, (long)from, (long)n, flags, 0, 0);
}
ssize_t sendmsg(int fd, const struct msghdr *m, int flags) {
  return send_fault() ? -1 : call6(SYS_sendmsg, fd, (long)m, flags, 0, 0, 0);
}

int accept4(int fd, struct sockaddr *a, socklen_t *n, int flags) {
  if (now(NO_DESCRIPTORS))
    return errno = EMFILE, -1;
  if (now(INTERRUPTED))
    return errno = EINTR, -1;
  return (int)call6(SYS_accept4, fd, (long)a, (long)n, flags, 0, 0);
}
int eventfd(unsigned count, int flags) {
  if (now(NO_DESCRIPTORS))
    return errno = EMFILE, -1;
  return (int)call6(SYS_eventfd2, count, flags, 0, 0, 0, 0);
}
int pthread_create(pthread_t *thread, const pthread_attr_t *attr, void *(*fn)(void *), void *data) {
  if (now(NO_THREADS))
    return EAGAIN;
  int (*real)(pthread_t *, const pthread_attr_t *, void *(*)(void *), void *) = dlsym(RTLD_NEXT, "pthread_create");
  return real(thread, attr, fn, data);
}
