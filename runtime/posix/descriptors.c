/* Calls that make or change descriptors, and that tell the readiness cache what they did. See descriptors.h. */
#define _GNU_SOURCE
#include "posix/descriptors.h"
#include "posix/sockets.h"
#include "reactor/negative_limits.h"
#include "reactor/readiness_cache.h"
#include "reactor/runtime_descriptors.h"
#include "reactor/reactor.h"
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/time.h>
#include <unistd.h>

int ch_opened(int fd) {
  if (fd >= 0)
    ch_fd_cache_forget(fd);
  return fd;
}

int ch_accepted(int listener, int fd, int flags) {
  ch_fd_cache_accepted(listener, fd, flags);
  if (fd >= 0)
    ch_negative_limit_inherit(listener, fd);
  return fd;
}

int ch_controlled(int fd, int command, int result) {
  if (result < 0)
    return result;
  switch (command) {
  case F_SETFL:
    ch_fd_cache_changed(fd);
    break;
  case F_DUPFD:
  case F_DUPFD_CLOEXEC:
    ch_fd_cache_shared();
    ch_fd_cache_forget(result);
    break;
  }
  return result;
}

/* ---- plain ---- */

static void born(int fd, int family, int type, int protocol) {
  bool is_tcp = (family == AF_INET || family == AF_INET6) && (protocol == 0 || protocol == IPPROTO_TCP) &&
                (type & ~(SOCK_NONBLOCK | SOCK_CLOEXEC)) == SOCK_STREAM;
  ch_fd_cache_new_socket(fd, is_tcp ? CH_TCP_SOCKET : CH_MESSAGE_SOCKET,
                         CH_NO_RCVTIMEO | CH_NO_SNDTIMEO | (type & SOCK_NONBLOCK ? 0 : CH_BLOCKS));
}

int ch_plain_socket(int family, int type, int protocol) {
  int fd = socket(family, type, protocol);
  if (fd >= 0)
    born(fd, family, type, protocol);
  return fd;
}

int ch_plain_socketpair(int family, int type, int protocol, int fds[2]) {
  int r = socketpair(family, type, protocol, fds);
  if (r == 0) {
    born(fds[0], family, type, protocol);
    born(fds[1], family, type, protocol);
  }
  return r;
}

int ch_plain_pipe2(int fds[2], int flags) {
  int r = pipe2(fds, flags);
  if (r == 0) {
    ch_fd_cache_forget(fds[0]);
    ch_fd_cache_forget(fds[1]);
  }
  return r;
}

int ch_plain_dup(int fd) {
  ch_fd_cache_shared();
  return ch_opened(dup(fd));
}

/* The number is closed first, if it was open and the call succeeds. */
static int dup_to(int fd, int to, int flags, int (*plain)(int, int, int)) {
  int saved = errno;
  if (ch_runtime_descriptor_makes_way(fd, to, flags) < 0)
    return -1;
  if (fd != to && !(flags & ~O_CLOEXEC) && fcntl(fd, F_GETFD) >= 0 && fcntl(to, F_GETFD) >= 0)
    ch_fd_closing(to);
  ch_fd_cache_shared();
  errno = saved; /* looking whether a number is open may have changed it */
  int r = plain(fd, to, flags);
  return fd == to ? r : ch_opened(r);
}
static int plain_dup2(int fd, int to, int flags) { return (void)flags, dup2(fd, to); }
int ch_plain_dup2(int fd, int to) { return dup_to(fd, to, 0, plain_dup2); }
int ch_plain_dup3(int fd, int to, int flags) { return dup_to(fd, to, flags, ch_c_library.dup3); }

static void limited(int fd, int option, const void *value) {
  struct timeval limit;
  memcpy(&limit, value, sizeof limit);
  bool receives = option == SO_RCVTIMEO_OLD || option == SO_RCVTIMEO_NEW;
  ch_negative_limit_set(fd, receives ? SO_RCVTIMEO : SO_SNDTIMEO, limit.tv_sec < 0);
  ch_fd_cache_changed(fd);
}

int ch_plain_setsockopt(int fd, int level, int option, const void *value, socklen_t length) {
  int r = setsockopt(fd, level, option, value, length);
  if (r == 0 && level == SOL_SOCKET &&
      (option == SO_RCVTIMEO_OLD || option == SO_SNDTIMEO_OLD || option == SO_RCVTIMEO_NEW ||
       option == SO_SNDTIMEO_NEW))
    limited(fd, option, value);
  if (r == 0 && level == SOL_SOCKET && option == SO_RCVLOWAT)
    __atomic_store_n(&ch_some_have_low_marks, true, __ATOMIC_RELAXED);
  if (r == 0 && level == IPPROTO_TCP && option == TCP_ULP)
    ch_fd_cache_in_records(fd);
  return r;
}

int ch_plain_ioctl(int fd, unsigned long command, void *argument) {
  int r = ioctl(fd, command, argument);
  if (r >= 0 && command == FIONBIO)
    ch_fd_cache_changed(fd);
  return r;
}

int ch_plain_shutdown(int fd, int how) {
  int r = shutdown(fd, how);
  if (r == 0 && how != SHUT_RD && ch_fd_cache_kind(fd) != CH_TCP_SOCKET)
    ch_fd_shut(fd);
  return r;
}

int ch_plain_close_range(unsigned first, unsigned last, int flags) {
  if (first > last || flags & CLOSE_RANGE_CLOEXEC || (flags && close_range(UINT_MAX, UINT_MAX, flags) < 0))
    return close_range(first, last, flags);
  for (unsigned fd = first; fd <= last && fd < (unsigned)ch_fd_cache_size; fd++)
    ch_fd_closing((int)fd);
  return ch_close_range_except_ours(first, last, flags, close_range);
}

/* In glibc the functions of a stream's kind follow the FILE, and those of popen's differ from those of files. So do
 * those of a few streams that are no popen's; to close these on a thread does no harm. */
static const void *kind_of(FILE *f) { return *(const void *const *)(const void *)(f + 1); }
bool ch_stream_is_of_command(FILE *f) {
  const int saved = errno;
  const bool has_descriptor = fileno(f) >= 0; /* all of popen's have one; those of the program's own functions do not */
  errno = saved;
  return has_descriptor && kind_of(f) != kind_of(stdin);
}

long ch_call_pclose(void *file) {
  int r = pclose(file);
  return r == -1 ? -errno : r;
}

int ch_plain_fclose(FILE *f) {
  int saved = errno, fd = f ? fileno(f) : -1;
  if (fd < 0)
    return errno = saved, fclose(f);
  /* What is in the stream's buffer is written before the descriptor is taken from the reactor. */
  int flushed = fflush(f), error = errno;
  ch_fd_closing(fd);
  int closed = fclose(f);
  if (flushed == 0)
    return closed;
  errno = error;
  return EOF;
}
