/* The table of the runtime's descriptors, and close, dup2 and the like, which step around them. See
 * runtime_descriptors.h. */
#define _GNU_SOURCE
#include "reactor/runtime_descriptors.h"
#include "frames/interposed.h"
#include "frames/runtime_calls.h"
#include "sched/child.h"
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <stdint.h>
#include <sys/syscall.h>
#include <unistd.h>

/* FIRST: in the table of descriptors that a process has anyway; select knows how large that is. */
enum { ROOM = 4096, FIRST = 56 };
/* By slot; written by all domains. 0: free, else the number and 1. */
static int descriptors[ROOM];
static int used; /* slots that were ever taken */

/* Marks the numbers that may be the runtime's, so that a close of any other number need not search the table. For
 * numbers from MARKED on it always does. */
enum { MARKED = 65536, WORD = 64 };
static uint64_t marks[MARKED / WORD];

/* The C library's, under a name that nobody replaces but sanitizers, which want to know. */
extern int __close(int);

static int above(int fd) { return fcntl(fd, F_DUPFD_CLOEXEC, FIRST); }
static int number_at(int slot) { return __atomic_load_n(&descriptors[slot], __ATOMIC_RELAXED) - 1; }
static int slots_used(void) { return __atomic_load_n(&used, __ATOMIC_RELAXED); }

static uint64_t bit(int fd) { return UINT64_C(1) << fd % WORD; }
static void mark(int fd) {
  if (fd < MARKED)
    __atomic_fetch_or(&marks[fd / WORD], bit(fd), __ATOMIC_RELAXED);
}
static void unmark(int fd) {
  if (fd >= 0 && fd < MARKED)
    __atomic_fetch_and(&marks[fd / WORD], ~bit(fd), __ATOMIC_RELAXED);
}
static bool is_marked(int fd) {
  return fd >= MARKED || (fd >= 0 && __atomic_load_n(&marks[fd / WORD], __ATOMIC_RELAXED) & bit(fd));
}

/* A child of vfork has its parent's memory, but descriptors of its own. What it does to the runtime's there does no
 * harm. */
static pid_t process;
static void in_child(void) { process = getpid(); }
static void note_process(void) {
  process = getpid();
  ch_child_hook(in_child);
}

int ch_add_runtime_descriptor(int fd) {
  static pthread_once_t once = PTHREAD_ONCE_INIT;
  CH_NO_CANCELLATION;
  if (fd < 0)
    return -1;
  ch_library_once(&once, note_process);
  int saved = errno, to = above(fd);
  if (to >= 0) {
    __close(fd);
    fd = to;
  }
  errno = saved;
  mark(fd);
  for (int i = 0; i < ROOM; i++) {
    int free = 0;
    if (number_at(i) < 0 &&
        __atomic_compare_exchange_n(&descriptors[i], &free, fd + 1, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED)) {
      int seen = slots_used();
      while (seen <= i && !__atomic_compare_exchange_n(&used, &seen, i + 1, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED))
        ;
      return i;
    }
  }
  unmark(fd);
  __close(fd);
  return errno = EMFILE, -1;
}

static int slot_of(int fd) {
  int n = is_marked(fd) ? slots_used() : 0;
  for (int i = 0; i < n; i++)
    if (number_at(i) == fd)
      return i;
  return -1;
}

int ch_runtime_descriptor(int slot) { return number_at(slot); }
bool ch_is_runtime_descriptor(int fd) { return slot_of(fd) >= 0; }
void ch_forget_runtime_descriptor(int slot) {
  unmark(number_at(slot));
  __atomic_store_n(&descriptors[slot], 0, __ATOMIC_RELAXED);
}
void ch_close_runtime_descriptor(int slot) {
  CH_NO_CANCELLATION;
  int fd = number_at(slot);
  ch_forget_runtime_descriptor(slot);
  __close(fd);
}

/* ---- the C library's calls ---- */

int ch_runtime_descriptor_makes_way(int fd, int to, int flags) {
  ch_look_whether_child();
  int slot = slot_of(to);
  if (slot < 0 || getpid() != process || fd == to || flags & ~O_CLOEXEC || ch_is_runtime_descriptor(fd) ||
      fcntl(fd, F_GETFD) < 0)
    return 0;
  int saved = errno, other = above(to);
  if (other < 0)
    return -1;
  mark(other);
  __atomic_store_n(&descriptors[slot], other + 1, __ATOMIC_RELAXED);
  unmark(to);
  errno = saved;
  return 0;
}

/* The lowest of the runtime's descriptors from there on. */
static unsigned next_of_ours(unsigned from) {
  unsigned next = UINT_MAX;
  int n = slots_used();
  for (int i = 0; i < n; i++) {
    int fd = number_at(i);
    if (fd >= 0 && (unsigned)fd >= from && (unsigned)fd < next)
      next = (unsigned)fd;
  }
  return next;
}

/* Flags that the kernel does not know are told by a range in which nothing is, because what is in the other one may be
 * left out. */
int ch_close_range_except_ours(unsigned first, unsigned last, int flags, int (*plain)(unsigned, unsigned, int)) {
  ch_look_whether_child();
  if (flags && plain(UINT_MAX, UINT_MAX, flags) < 0)
    return -1;
  for (unsigned ours; first <= last && (ours = next_of_ours(first)) <= last; first = ours + 1) {
    if (ours > first && plain(first, ours - 1, flags) < 0)
      return -1;
    if (ours == last)
      return 0;
  }
  return plain(first, last, flags);
}

/* ---- under their own names ---- */

extern int __dup2(int, int);

static int system_close_range(unsigned first, unsigned last, int flags) {
  return (int)syscall(SYS_close_range, first, last, flags);
}

CH_INTERPOSED int(close)(int fd) { return ch_is_runtime_descriptor(fd) ? (errno = EBADF, -1) : __close(fd); }
CH_INTERPOSED int(dup2)(int fd, int to) { return ch_runtime_descriptor_makes_way(fd, to, 0) < 0 ? -1 : __dup2(fd, to); }
CH_INTERPOSED int(dup3)(int fd, int to, int flags) {
  return ch_runtime_descriptor_makes_way(fd, to, flags) < 0 ? -1 : (int)syscall(SYS_dup3, fd, to, flags);
}
CH_INTERPOSED_CALL(close);
CH_INTERPOSED_CALL(dup2);
CH_INTERPOSED_CALL(dup3);
CH_INTERPOSED int close_range(unsigned first, unsigned last, int flags) {
  return ch_close_range_except_ours(first, last, flags, system_close_range);
}
/* If the kernel has no close_range (before Linux 5.9) they are closed one by one. */
CH_INTERPOSED void closefrom(int first) {
  unsigned from = first < 0 ? 0 : (unsigned)first;
  int saved = errno;
  if (ch_close_range_except_ours(from, UINT_MAX, 0, system_close_range) < 0)
    for (long fd = from, all = sysconf(_SC_OPEN_MAX); fd < all; fd++)
      close((int)fd);
  errno = saved;
}
