/* A terminal whose slave end is raw: what is written there comes out at the master unchanged, and the other way round.
 */
#ifndef TERMINAL_H
#define TERMINAL_H

#include "harness.h"
#include <fcntl.h>
#include <sched.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <termios.h>

struct terminal {
  int master, slave;
};
static inline struct terminal open_terminal(void) {
  struct terminal t = {posix_openpt(O_RDWR | O_NOCTTY), -1};
  struct termios mode;
  EXPECT(t.master >= 0 && grantpt(t.master) == 0 && unlockpt(t.master) == 0);
  t.slave = open(ptsname(t.master), O_RDWR | O_NOCTTY);
  EXPECT(t.slave >= 0 && tcgetattr(t.slave, &mode) == 0);
  cfmakeraw(&mode);
  EXPECT(tcsetattr(t.slave, TCSANOW, &mode) == 0);
  return t;
}

/* A kernel thread moves what was written from a first buffer into a second one, of 4,096 bytes less one, which the
 * reader empties. A refused write alone does not say that the terminal is full: the thread may just be about to make
 * room. It is full when the second buffer is, too. Returns how many bytes it has written; none of its calls waits. */
static inline long fill_terminal(struct terminal t) {
  static const char bytes[4096];
  int mode = (int)syscall(SYS_fcntl, t.slave, F_GETFL), there = 0;
  long all = 0;
  EXPECT(syscall(SYS_fcntl, t.slave, F_SETFL, mode | O_NONBLOCK) == 0);
  for (int full = 0; !full;) {
    EXPECT(syscall(SYS_ioctl, t.master, FIONREAD, &there) == 0);
    full = there == 4095;
    for (size_t n = sizeof bytes; n > 0;) {
      long r = raw_syscall(SYS_write, t.slave, bytes, n);
      if (r < 0)
        n /= 2;
      else
        all += r;
    }
    syscall(SYS_sched_yield);
  }
  EXPECT(syscall(SYS_fcntl, t.slave, F_SETFL, mode) == 0);
  return all;
}

#endif
