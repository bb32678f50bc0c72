/* See system_calls.h. */
#define _GNU_SOURCE
#include "posix/system_calls.h"
#include <errno.h>
#include <sys/mman.h>
#include <unistd.h>

long ch_plain_syscall(long number, long a, long b, long c, long d, long e, long f) {
  return syscall(number, a, b, c, d, e, f);
}

long ch_call_system(void *call) {
  const struct ch_system_call *s = call;
  long r = ch_plain_syscall(s->number, s->a, s->b, s->c, s->d, s->e, s->f);
  return r < 0 ? -errno : r;
}

bool ch_page_is_there(const void *page) {
  int saved = errno;
  unsigned char is_resident;
  bool is_there = mincore((void *)page, 1, &is_resident) == 0;
  errno = saved;
  return is_there;
}
