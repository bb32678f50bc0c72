/* See times.h. This is plain C, and the runtime's calls reach these definitions. An eventfd replaces the timerfd,
 * because only the kernel could tell a timerfd that the clock was set; it becomes readable when the test sets the
 * clock. */
#define _GNU_SOURCE
#include "times.h"
#include <errno.h>
#include <sys/eventfd.h>
#include <sys/syscall.h>
#include <sys/timerfd.h>
#include <time.h>
#include <unistd.h>

const char ch_functions_beneath = 1; /* the runtime shall call the functions of this file (frames/c_library.h) */

static int64_t on;
static int without, watches, events[16];

int clock_gettime(clockid_t clock, struct timespec *t) {
  long r = syscall(SYS_clock_gettime, clock, t);
  if (r == 0 && clock == CLOCK_REALTIME) {
    int64_t ns = t->tv_sec * INT64_C(1000000000) + t->tv_nsec + on;
    *t = (struct timespec){ns / 1000000000, ns % 1000000000};
  }
  return (int)r;
}

int timerfd_create(clockid_t clock, int flags) {
  int fd = without || watches == 16 ? (errno = EMFILE, -1) : eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC);
  (void)clock, (void)flags;
  if (fd >= 0)
    events[watches++] = dup(fd);
  return fd;
}

int timerfd_settime(int fd, int flags, const struct itimerspec *at, struct itimerspec *old) {
  (void)fd, (void)old;
  return flags == (TFD_TIMER_ABSTIME | TFD_TIMER_CANCEL_ON_SET) && at->it_value.tv_sec >= 0 ? 0 : (errno = EINVAL, -1);
}

void without_clock_watches(int is) { without = is; }
int clock_watches(void) { return watches; }

void set_the_clock_on(int64_t ns) {
  uint64_t one = 1;
  on += ns;
  for (int i = 0; i < watches; i++) {
    if (write(events[i], &one, sizeof one) < 0)
      _exit(9);
    close(events[i]);
  }
  watches = 0;
}
