/* The calls that never wait: see socket_calls.h. */
#define _GNU_SOURCE
#include "posix/socket_calls.h"
#include <sys/syscall.h>
#include <unistd.h>

int ch_socket_bind(int fd, const struct sockaddr *address, socklen_t size) {
  return (int)syscall(SYS_bind, fd, address, size);
}
int ch_socket_listen(int fd, int most) { return (int)syscall(SYS_listen, fd, most); }
int ch_socket_name(int fd, struct sockaddr *address, socklen_t *size) {
  return (int)syscall(SYS_getsockname, fd, address, size);
}
int ch_socket_set(int fd, int level, int option, int value) {
  return (int)syscall(SYS_setsockopt, fd, level, option, &value, sizeof value);
}
