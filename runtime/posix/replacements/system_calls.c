/* The replacement of syscall(), by which programs make system calls by number. Those that can wait are made by the
 * replacements of the functions that stand for them. All others, and those whose arguments differ from the function's,
 * are made as they are. */
#define _GNU_SOURCE
#include "offload/pool.h"
#include "posix/futex.h"
#include "posix/single_activity.h"
#include "posix/system_calls.h"
#include "posix/replacements/replacement.h"
#include <fcntl.h>
#include <linux/futex.h>
#include <stdarg.h>
#include <sys/epoll.h>
#include <sys/file.h>
#include <sys/select.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static bool takes_bits(long operation) { return ((int)operation & FUTEX_CMD_MASK) == FUTEX_WAIT_BITSET; }

/* FUTEX_WAIT and FUTEX_WAIT_BITSET, unless they are an error. The other operations that wait are about locks that a
 * thread owns. */
static bool waits_for_word(long word, long operation, long bits) {
  int command = (int)operation & FUTEX_CMD_MASK;
  bool is_error = word % (long)sizeof(uint32_t) != 0 || (takes_bits(operation) && !(uint32_t)bits);
  return (command == FUTEX_WAIT || command == FUTEX_WAIT_BITSET) && !is_error;
}

static long wait_with_limit(long word, long operation, long value, long limit, long bits) {
  struct ch_system_call call = {SYS_futex, word, operation, value, limit, 0, bits};
  return ch_do_call(ch_call_system, &call, CH_CALL_INTERRUPTIBLE);
}

/* Locks that are made of futexes ask again after whatever error. So that this ends in a cancelled scope, where the call
 * never waits, others run meanwhile: one of them has the lock. */
static long wait_for_word(long word, long operation, long value, long limit, long bits) {
  long r = limit ? wait_with_limit(word, operation, value, limit, bits)
                 : ch_do_futex_wait((const uint32_t *)word, (uint32_t)value,
                                    takes_bits(operation) ? (uint32_t)bits : FUTEX_BITSET_MATCH_ANY,
                                    !(operation & FUTEX_PRIVATE_FLAG));
  if (r < 0 && errno == ECANCELED) {
    ch_reschedule();
    errno = ECANCELED;
  }
  return r;
}

/* The function returns the error's number. */
static long sleep_by_clock(long clock, long flags, long time, long left) {
  int error = clock_nanosleep((clockid_t)clock, (int)flags, (const struct timespec *)time, (struct timespec *)left);
  return error ? (errno = error, -1) : 0;
}

/* The functions change the ids of all threads, but the calls by number only those of this one. */
static bool gives_thread_its_own_ids(long number) {
  return number == SYS_setfsuid || number == SYS_setfsgid || number == SYS_setuid || number == SYS_setgid ||
         number == SYS_setreuid || number == SYS_setregid || number == SYS_setresuid || number == SYS_setresgid;
}

#define INT(word) ((int)(word))
#define SIZE(word) ((size_t)(word))
#define POINTER(word) ((void *)(word))
/* x86-64 passes the sixth argument in memory, the other processors in a register. */
#ifdef __x86_64__
#define SIXTH(list) ch_word_if_there((list)->overflow_arg_area)
#else
#define SIXTH(list) va_arg(list, long)
#endif

CH_REPLACES(syscall) long ch_posix_syscall(long number, ...) {
  va_list more;
  va_start(more, number);
  long a = va_arg(more, long), b = va_arg(more, long), c = va_arg(more, long), d = va_arg(more, long),
       e = va_arg(more, long), f = SIXTH(more);
  va_end(more);
  if (CH_UNLIKELY(gives_thread_its_own_ids(number)))
    ch_pool_follow_ids();
  CH_SINGLE_ACTIVITY(ch_plain_syscall(number, a, b, c, d, e, f));
  switch (number) {
  case SYS_futex:
    if (waits_for_word(a, b, f))
      return wait_for_word(a, b, c, d, f);
    break;
  case SYS_nanosleep:
    return nanosleep(POINTER(a), POINTER(b));
  case SYS_clock_nanosleep:
    return sleep_by_clock(a, b, c, d);
  case SYS_read:
    return read(INT(a), POINTER(b), SIZE(c));
  case SYS_write:
    return write(INT(a), POINTER(b), SIZE(c));
  case SYS_readv:
    return readv(INT(a), POINTER(b), INT(c));
  case SYS_writev:
    return writev(INT(a), POINTER(b), INT(c));
  case SYS_recvfrom:
    return recvfrom(INT(a), POINTER(b), SIZE(c), INT(d), POINTER(e), POINTER(f));
  case SYS_sendto:
    return sendto(INT(a), POINTER(b), SIZE(c), INT(d), POINTER(e), (socklen_t)f);
  case SYS_recvmsg:
    return recvmsg(INT(a), POINTER(b), INT(c));
  case SYS_sendmsg:
    return sendmsg(INT(a), POINTER(b), INT(c));
  case SYS_accept:
    return accept(INT(a), POINTER(b), POINTER(c));
  case SYS_accept4:
    return accept4(INT(a), POINTER(b), POINTER(c), INT(d));
  case SYS_connect:
    return connect(INT(a), POINTER(b), (socklen_t)c);
#ifdef SYS_poll /* later processors do not have these three */
  case SYS_poll:
    return poll(POINTER(a), SIZE(b), INT(c));
  case SYS_select:
    return select(INT(a), POINTER(b), POINTER(c), POINTER(d), POINTER(e));
  case SYS_epoll_wait:
    return epoll_wait(INT(a), POINTER(b), INT(c), INT(d));
#endif
  case SYS_flock:
    return flock(INT(a), INT(b));
  case SYS_wait4:
    return wait4((pid_t)a, POINTER(b), INT(c), POINTER(d));
  default:
    break;
  }
  return ch_plain_syscall(number, a, b, c, d, e, f);
}
