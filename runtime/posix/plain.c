/* Plain calls for Charcoal C. See plain.h. */
#define _GNU_SOURCE
#include "posix/plain.h"
#include "posix/plain_waits.h"
#include "reactor/runtime_descriptors.h"
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

ssize_t ch_plain_preadv2(int fd, const struct iovec *v, int n, off_t offset, int flags) {
  return preadv2(fd, v, n, offset, flags);
}
ssize_t ch_plain_pwritev2(int fd, const struct iovec *v, int n, off_t offset, int flags) {
  return pwritev2(fd, v, n, offset, flags);
}
int ch_plain_ppoll(struct pollfd *all, nfds_t n, const struct timespec *timeout, const sigset_t *mask) {
  return ppoll(all, n, timeout, mask);
}
int ch_plain_pselect(int n, fd_set *in, fd_set *out, fd_set *except, const struct timespec *timeout,
                     const sigset_t *mask) {
  int ready;
  do
    ready = pselect(n, in, out, except, timeout, mask);
  while (ready < 0 && errno == EINTR && !mask); /* as ch_poll_now: who gives no mask asks for no signal */
  return ready;
}
void ch_proc_text(const char *file, char *text, size_t room) {
  int saved = errno, fd = open(file, O_RDONLY | O_CLOEXEC);
  ssize_t length = fd < 0 ? -1 : read(fd, text, room - 1);
  if (fd >= 0)
    close(fd);
  errno = saved;
  text[length < 0 ? 0 : length] = 0;
}
int ch_select_reach(int n) {
  char text[2048];
  ch_proc_text("/proc/thread-self/status", text, sizeof text);
  const char *line = strstr(text, "\nFDSize:");
  int room = line ? atoi(line + sizeof "\nFDSize:" - 1) : 0;
  return room > 0 && room < n ? room : n;
}
int ch_plain_epoll_pwait(int fd, struct epoll_event *events, int room, int timeout, const sigset_t *mask) {
  return epoll_pwait(fd, events, room, timeout, mask);
}
int ch_plain_eventfd_read(int fd, eventfd_t *value) { return eventfd_read(fd, value); }
int ch_plain_eventfd_write(int fd, eventfd_t value) { return eventfd_write(fd, value); }
int ch_plain_sendmmsg(int fd, struct mmsghdr *all, unsigned n, int flags) { return sendmmsg(fd, all, n, flags); }
int ch_plain_recvmmsg(int fd, struct mmsghdr *all, unsigned n, int flags, struct timespec *timeout) {
  return recvmmsg(fd, all, n, flags, timeout);
}
pid_t ch_plain_wait4(pid_t pid, int *status, int options, struct rusage *usage) {
  return wait4(pid, status, options, usage);
}
int ch_plain_waitid(idtype_t type, id_t id, siginfo_t *info, int options) { return waitid(type, id, info, options); }
int ch_plain_sigtimedwait(const sigset_t *set, siginfo_t *info, const struct timespec *timeout) {
  return ch_library_sigtimedwait(set, info, timeout);
}
int ch_plain_close(int fd) { return ch_is_runtime_descriptor(fd) ? (errno = EBADF, -1) : close(fd); }
int ch_plain_clock_nanosleep(clockid_t clock, int flags, const struct timespec *time, struct timespec *left) {
  return ch_library_clock_nanosleep(clock, flags, time, left);
}

extern int __poll_chk(struct pollfd *, nfds_t, int, size_t);
int ch_plain_poll_chk(struct pollfd *all, nfds_t n, int timeout, size_t room) {
  return __poll_chk(all, n, timeout, room);
}
extern ssize_t __pread_chk(int, void *, size_t, off_t, size_t);
extern int __open_2(const char *, int);
extern ssize_t __read_chk(int, void *, size_t, size_t);

ssize_t ch_plain_pread_chk(int fd, void *to, size_t n, int64_t offset, size_t room) {
  return __pread_chk(fd, to, n, offset, room);
}
int ch_plain_open_2(const char *path, int flags) { return __open_2(path, flags); }
int ch_plain_fcntl(int fd, int command, void *argument) { return fcntl(fd, command, argument); }
int ch_plain_lockf(int fd, int command, int64_t n) { return lockf(fd, command, n); }
ssize_t ch_plain_read_chk(int fd, void *to, size_t n, size_t room) { return __read_chk(fd, to, n, room); }

void ch_plain_sched_yield(void) { sched_yield(); }
void ch_plain_testcancel(void) { pthread_testcancel(); }
