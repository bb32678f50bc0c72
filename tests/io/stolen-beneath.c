/* See stolen.h. This is plain C, and the runtime's calls reach these definitions. */
#define _GNU_SOURCE
#include "stolen.h"
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <mqueue.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <sys/file.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <time.h>
#include <unistd.h>

const char ch_functions_beneath = 1; /* the runtime shall call the functions of this file (frames/c_library.h) */

static void (*at_call)(void), (*at_ring)(void);
static int stolen, nowait_is_unknown;

void steal_before_the_next_call(void (*thief)(void)) { __atomic_store_n(&at_call, thief, __ATOMIC_SEQ_CST); }
void steal_before_the_ring_is_entered(void (*thief)(void)) { __atomic_store_n(&at_ring, thief, __ATOMIC_SEQ_CST); }
int has_stolen(void) { return __atomic_load_n(&stolen, __ATOMIC_SEQ_CST); }
void forget_the_theft(void) { stolen = 0; }
void without_nowait(int is) { nowait_is_unknown = is; }

static void steal(void (**at)(void)) {
  void (*thief)(void) = __atomic_exchange_n(at, NULL, __ATOMIC_SEQ_CST);
  if (thief) {
    thief();
    __atomic_fetch_add(&stolen, 1, __ATOMIC_SEQ_CST);
  }
}

#define BENEATH(type, name, parameters, arguments)                                                                     \
  type name parameters {                                                                                               \
    static type(*real) parameters;                                                                                     \
    steal(&at_call);                                                                                                   \
    if (!real)                                                                                                         \
      real = (type(*) parameters)dlsym(RTLD_NEXT, #name);                                                              \
    return real arguments;                                                                                             \
  }
BENEATH(ssize_t, read, (int fd, void *to, size_t n), (fd, to, n))
BENEATH(ssize_t, write, (int fd, const void *from, size_t n), (fd, from, n))
BENEATH(ssize_t, readv, (int fd, const struct iovec *v, int n), (fd, v, n))
BENEATH(ssize_t, writev, (int fd, const struct iovec *v, int n), (fd, v, n))
BENEATH(ssize_t, recv, (int fd, void *to, size_t n, int flags), (fd, to, n, flags))
BENEATH(ssize_t, recvfrom, (int fd, void *to, size_t n, int flags, struct sockaddr *a, socklen_t *l),
        (fd, to, n, flags, a, l))
BENEATH(ssize_t, recvmsg, (int fd, struct msghdr *m, int flags), (fd, m, flags))
BENEATH(ssize_t, send, (int fd, const void *from, size_t n, int flags), (fd, from, n, flags))
BENEATH(ssize_t, sendto, (int fd, const void *from, size_t n, int flags, const struct sockaddr *a, socklen_t l),
        (fd, from, n, flags, a, l))
BENEATH(ssize_t, sendmsg, (int fd, const struct msghdr *m, int flags), (fd, m, flags))
BENEATH(int, accept4, (int fd, struct sockaddr *a, socklen_t *l, int flags), (fd, a, l, flags))
BENEATH(ssize_t, splice, (int from, off64_t *a, int to, off64_t *b, size_t n, unsigned flags),
        (from, a, to, b, n, flags))
BENEATH(ssize_t, tee, (int from, int to, size_t n, unsigned flags), (from, to, n, flags))
BENEATH(int, flock, (int fd, int operation), (fd, operation))
BENEATH(ssize_t, mq_timedreceive, (mqd_t q, char *to, size_t n, unsigned *p, const struct timespec *t),
        (q, to, n, p, t))
BENEATH(int, sigtimedwait, (const sigset_t *set, siginfo_t *info, const struct timespec *t), (set, info, t))

int openat(int directory, const char *path, int flags, ...) {
  va_list more;
  va_start(more, flags);
  mode_t mode = va_arg(more, mode_t);
  va_end(more);
  steal(&at_call);
  return (int)syscall(SYS_openat, directory, path, flags, mode);
}

/* Of a position (of files) it stays as it is. */
#define NOWAIT(name)                                                                                                   \
  ssize_t name(int fd, const struct iovec *v, int n, off_t offset, int flags) {                                        \
    static ssize_t (*real)(int, const struct iovec *, int, off_t, int);                                                \
    if (!real)                                                                                                         \
      real = (ssize_t (*)(int, const struct iovec *, int, off_t, int))dlsym(RTLD_NEXT, #name);                         \
    if (nowait_is_unknown && flags & RWF_NOWAIT)                                                                       \
      return errno = EOPNOTSUPP, -1;                                                                                   \
    if (!(flags & RWF_NOWAIT) || !nowait_is_unknown)                                                                   \
      steal(&at_call);                                                                                                 \
    return real(fd, v, n, offset, flags);                                                                              \
  }
NOWAIT(preadv2)
NOWAIT(pwritev2)

long syscall(long number, ...) {
  static long (*real)(long, ...);
  va_list v;
  long a[6];
  va_start(v, number);
  for (int i = 0; i < 6; i++)
    a[i] = va_arg(v, long);
  va_end(v);
  if (number == SYS_io_uring_enter)
    steal(&at_ring);
  if (number == SYS_msgrcv || number == SYS_semtimedop)
    steal(&at_call);
  if (!real)
    real = (long (*)(long, ...))dlsym(RTLD_NEXT, "syscall");
  return real(number, a[0], a[1], a[2], a[3], a[4], a[5]);
}
