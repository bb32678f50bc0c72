/* Waits for child processes on threads of the pool, and opens pidfds. See children.h. */
#define _GNU_SOURCE
#include "posix/children.h"
#include "reactor/runtime_descriptors.h"
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>

bool ch_is_nonblocking(int fd) {
  int flags = fcntl(fd, F_GETFL);
  return flags >= 0 && flags & O_NONBLOCK;
}

int ch_pidfd(pid_t pid) { return ch_add_runtime_descriptor((int)syscall(SYS_pidfd_open, pid, 0)); }

long ch_child_changes(void *data) {
  struct ch_child_wait *w = data;
  siginfo_t info;
  /* Not waitid, which passes over the commands of system: this only looks whether anything has changed. */
  int r = (int)syscall(SYS_waitid, w->type, w->id, &info, w->options | WNOWAIT, NULL);
  return r < 0 && errno == EINTR ? -EINTR : 0; /* the plain call reports other errors */
}
