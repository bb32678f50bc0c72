/* Replacements of socket, socketpair, pipe, pipe2, dup, dup2, dup3, setsockopt, ioctl, shutdown, closefrom and
 * close_range. None of them waits. They tell the readiness cache what they do to a descriptor, so that its entries stay
 * right; shutdown tells those who wait to send. */
#define _GNU_SOURCE
#include "posix/descriptors.h"
#include "posix/replacements/replacement.h"
#include <stdarg.h>

CH_REPLACES(socket) int ch_posix_socket(int family, int type, int protocol) {
  return ch_plain_socket(family, type, protocol);
}
CH_REPLACES(socketpair) int ch_posix_socketpair(int family, int type, int protocol, int fds[2]) {
  return ch_plain_socketpair(family, type, protocol, fds);
}
CH_REPLACES(pipe) int ch_posix_pipe(int fds[2]) { return ch_plain_pipe2(fds, 0); }
CH_REPLACES(pipe2) int ch_posix_pipe2(int fds[2], int flags) { return ch_plain_pipe2(fds, flags); }
CH_REPLACES(dup) int ch_posix_dup(int fd) { return ch_plain_dup(fd); }
CH_REPLACES(dup2) int ch_posix_dup2(int fd, int to) { return ch_plain_dup2(fd, to); }
CH_REPLACES(dup3) int ch_posix_dup3(int fd, int to, int flags) { return ch_plain_dup3(fd, to, flags); }
CH_REPLACES(setsockopt)
int ch_posix_setsockopt(int fd, int level, int option, const void *value, socklen_t length) {
  return ch_plain_setsockopt(fd, level, option, value, length);
}
/* ioctl's argument is an int, a pointer or nothing: a word in any case. */
CH_REPLACES(ioctl) int ch_posix_ioctl(int fd, unsigned long command, ...) {
  va_list more;
  va_start(more, command);
  void *argument = va_arg(more, void *);
  va_end(more);
  return ch_plain_ioctl(fd, command, argument);
}
CH_REPLACES(shutdown) int ch_posix_shutdown(int fd, int how) { return ch_plain_shutdown(fd, how); }
CH_REPLACES(closefrom) void ch_posix_closefrom(int first) {
  ch_plain_close_range(first < 0 ? 0 : (unsigned)first, ~0u, 0);
}
CH_REPLACES(close_range) int ch_posix_close_range(unsigned first, unsigned last, int flags) {
  return ch_plain_close_range(first, last, flags);
}
