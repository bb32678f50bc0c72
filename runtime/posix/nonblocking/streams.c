/* Streams: pipes and devices, terminals among them. RWF_NOWAIT makes a transfer that does not wait; where the file or
 * the kernel does not know it, a second descriptor or a thread does.
 *
 * A blocking call is not made on the grounds that poll has just reported something: another process, thread or domain
 * may take it in between, and then the whole domain would stand still. */
#define _GNU_SOURCE
#include "posix/nonblocking/tries.h"
#include "posix/operations.h"
#include "posix/vectors.h"
#include "reactor/readiness_cache.h"
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/signalfd.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <termios.h>
#include <unistd.h>

/* Whether the file or the kernel does not know RWF_NOWAIT: pipes before Linux 6.4, terminals and many other devices. */
static bool is_without_nowait(void) { return errno == EOPNOTSUPP || errno == ENOSYS || errno == EINVAL; }

/* Whether the terminal does not read lines, and has a time limit or no least number of bytes. poll does not know what
 * such a read does. */
static bool has_timed_reads(const struct termios *t) {
  return !(t->c_lflag & ICANON) && (t->c_cc[VTIME] != 0 || t->c_cc[VMIN] == 0);
}

/* A pipe or a terminal that is opened once more has a mode of its own, and others do not see that it is non-blocking.
 * `is`: the flags with which it is open; `terminal`: its mode, or NULL. -1: it cannot be opened again (opening the
 * master of a pseudo-terminal makes a new one). */
static int open_again(int fd, int is, int how, const struct termios *terminal) {
  unsigned number;
  char name[40];
  if (!terminal && ch_fd_cache_kind(fd) != CH_PIPE_FILE)
    return -1;
  if (terminal && ioctl(fd, TIOCGPTN, &number) == 0)
    return -1;
  snprintf(name, sizeof name, "/proc/self/fd/%d", fd);
  return open(name, how | O_NONBLOCK | O_NOCTTY | O_CLOEXEC | (terminal ? 0 : is & O_DIRECT));
}

static ssize_t and_close(int again, const struct iovec *v, int n, ch_transfer *plain) {
  ssize_t r = plain(again, v, n);
  int error = errno;
  close(again);
  return errno = error, r;
}

/* Whether the number that begins the vector, of at least as many bytes, is the largest one, or cannot be read: the
 * program's pointer may be wrong, so the kernel copies the number. */
static bool is_largest(const struct iovec *v) {
  uint64_t number = 0;
  struct iovec to = {&number, sizeof number}, from = {v->iov_base, sizeof number};
  ssize_t n = process_vm_readv(getpid(), &to, 1, &from, 1, 0);
  return n < 0 ? errno == EFAULT : n < (ssize_t)sizeof number || number == UINT64_MAX;
}

/* Whether the descriptor is one that refuses such a transfer at once, also while it is not ready: the number of an
 * eventfd or a timerfd and the description of a signal do not come in parts, an eventfd never holds the largest number,
 * and some cannot be read or written at all. What is written to an eventfd has to lie in the first vector. */
static bool is_refused_at_once(int fd, const struct iovec *v, int n, int how) {
  enum { NEVER = INT_MAX };
  static const struct {
    const char *link;
    size_t least_read, least_write;
  } kinds[] = {{"anon_inode:[eventfd]", sizeof(uint64_t), sizeof(uint64_t)},
               {"anon_inode:[timerfd]", sizeof(uint64_t), NEVER},
               {"anon_inode:[signalfd]", sizeof(struct signalfd_siginfo), NEVER},
               {"anon_inode:[eventpoll]", NEVER, NEVER},
               {"anon_inode:[pidfd]", NEVER, NEVER}};
  char link[40], what[32];
  snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
  ssize_t length = readlink(link, what, sizeof what);
  for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
    if (length == (ssize_t)strlen(kinds[i].link) && memcmp(what, kinds[i].link, (size_t)length) == 0) {
      if (how == O_RDONLY)
        return ch_iovec_bytes(v, (size_t)n) < kinds[i].least_read;
      return v->iov_len < kinds[i].least_write || is_largest(v);
    }
  return false;
}

/* Whether a read of this terminal, which is the process's own, stops the process or fails, as it belongs to the
 * terminal's background. */
static bool is_in_background(int fd) {
  int saved = errno;
  pid_t foreground = tcgetpgrp(fd);
  errno = saved;
  return foreground >= 0 && foreground != getpgrp();
}

/* Transfers what is there now. `how`: O_RDONLY or O_WRONLY. CH_BY_THREAD: there may be something, but the call might
 * wait. */
static ssize_t without_nowait(int fd, const struct iovec *v, int n, int how) {
  ch_transfer *plain = how == O_RDONLY ? ch_c_library.readv : ch_c_library.writev;
  struct termios mode;
  int is = fcntl(fd, F_GETFL);
  if (is < 0 || is & O_NONBLOCK)
    return plain(fd, v, n);
  bool terminal = ioctl(fd, TCGETS, &mode) == 0;
  if (terminal && how == O_RDONLY && has_timed_reads(&mode))
    return CH_BY_THREAD;
  if (!ch_is_ready_now(fd, how == O_RDONLY ? POLLIN : POLLOUT)) {
    if (!terminal && is_refused_at_once(fd, v, n, how))
      return plain(fd, v, n);
    int again = terminal && how == O_RDONLY && is_in_background(fd) ? open_again(fd, is, how, &mode) : -1;
    return again < 0 ? (errno = EAGAIN, -1) : and_close(again, v, n, plain);
  }
  int again = open_again(fd, is, how, terminal ? &mode : NULL);
  return again < 0 ? CH_BY_THREAD : and_close(again, v, n, plain);
}

static ssize_t stream_readv(int fd, const struct iovec *v, int n) {
  ssize_t r = preadv2(fd, v, n, -1, RWF_NOWAIT);
  return r >= 0 || !is_without_nowait() ? r : without_nowait(fd, v, n, O_RDONLY);
}

static ssize_t stream_writev(int fd, const struct iovec *v, int n) {
  ssize_t r = pwritev2(fd, v, n, -1, RWF_NOWAIT);
  return r >= 0 || !is_without_nowait() ? r : without_nowait(fd, v, n, O_WRONLY);
}

/* Another process may have changed the mode of a pipe, so the kernel is asked each time before somebody waits. On a
 * terminal, poll does not know everything that ends a read; and an eventfd refuses some numbers at once. */
static bool is_vain_stream(int fd, int event) {
  struct ch_fd_entry *k = ch_fd_entry(fd);
  if (!k)
    return false;
  k->is &= (uint8_t)~CH_JUST_ASKED;
  if (k->kind == CH_DEVICE_FILE)
    return false;
  int there = 0;
  if (!ch_fd_cache_says_not_ready(fd, event) || ch_fd_cache_ask(fd, SO_RCVTIMEO) != CH_FOREVER ||
      (event == CH_IN && ioctl(fd, FIONREAD, &there) == 0 && there > 0)) /* there is another packet */
    return false;
  errno = EAGAIN;
  return true;
}

/* /dev/zero and /dev/full: they never wait, but with RWF_NOWAIT a long read of them may be cut short. */
static bool is_source_of_zeros(int fd) {
  enum { MEMORY = 1, ZERO = 5, FULL = 7 };
  struct stat s;
  return fstat(fd, &s) == 0 && S_ISCHR(s.st_mode) && major(s.st_rdev) == MEMORY &&
         (minor(s.st_rdev) == ZERO || minor(s.st_rdev) == FULL);
}

/* If a call was not done in full, the number may have been used again, unnoticed, for a file. Then the plain call does
 * the rest. */
static bool is_file_after_all(int fd, ssize_t r, size_t n) {
  if ((size_t)r == n || r == 0 || (r < 0 && errno != EAGAIN))
    return false;
  int saved = errno;
  enum ch_file_kind kind = ch_fd_cache_ask_kind(fd);
  bool is = ch_is_storage_kind(kind) || (r > 0 && kind == CH_DEVICE_FILE && is_source_of_zeros(fd));
  errno = saved;
  return is;
}

ssize_t ch_try_stream_readv(int fd, const struct iovec *v, int n) {
  if (is_vain_stream(fd, CH_IN))
    return -1;
  ssize_t r = stream_readv(fd, v, n);
  if (r == CH_BY_THREAD)
    return r;
  size_t all = ch_iovec_bytes(v, (size_t)n);
  if (CH_UNLIKELY(is_file_after_all(fd, r, all))) {
    if (r > 0)
      lseek(fd, -r, SEEK_CUR);
    return readv(fd, v, n);
  }
  return ch_try_noted(fd, r, all, CH_IN, 0);
}

ssize_t ch_try_stream_writev(int fd, const struct iovec *v, int n) {
  if (is_vain_stream(fd, CH_OUT))
    return -1;
  ssize_t r = stream_writev(fd, v, n);
  if (r == CH_BY_THREAD)
    return r;
  size_t all = ch_iovec_bytes(v, (size_t)n), left;
  if (CH_UNLIKELY(is_file_after_all(fd, r, all))) {
    if (r < 0)
      return writev(fd, v, n);
    struct iovec *rest = ch_iovec_rest(v, (size_t)n, (size_t)r, &left);
    ssize_t more = rest ? writev(fd, rest, (int)left) : 0;
    free(rest);
    return more > 0 ? r + more : r;
  }
  return ch_try_noted(fd, r, all, CH_OUT, 0);
}
