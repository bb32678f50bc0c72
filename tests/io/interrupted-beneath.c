/* See interrupted.c. This is plain C, and the runtime's calls reach these definitions. */
#define _GNU_SOURCE
#include <errno.h>
#include <mqueue.h>
#include <poll.h>
#include <signal.h>
#include <stdint.h>
#include <sys/select.h>
#include <sys/sem.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

const char ch_functions_beneath = 1; /* the runtime shall call the functions of this file (frames/c_library.h) */

extern int signals_come;
int signals_come;

/* Two of three. */
static int is_interrupted(void) {
  static unsigned looks;
  if (!signals_come || ++looks % 3 == 0)
    return 0;
  errno = EINTR;
  return 1;
}

/* A time that has passed, or none: such a call only looks. */
static int looks(const struct timespec *t) { return t && t->tv_sec == 0 && t->tv_nsec == 0; }

int poll(struct pollfd *all, nfds_t n, int timeout) {
  struct timespec t = {timeout / 1000, timeout % 1000 * 1000000L};
  if (n > 0 && timeout == 0 && is_interrupted())
    return -1;
  return (int)syscall(SYS_ppoll, all, n, timeout < 0 ? NULL : &t, NULL, _NSIG / 8);
}

int pselect(int n, fd_set *in, fd_set *out, fd_set *except, const struct timespec *timeout, const sigset_t *mask) {
  struct timespec t = timeout ? *timeout : (struct timespec){0};
  struct {
    const sigset_t *mask;
    size_t size;
  } masked = {mask, _NSIG / 8};
  if (looks(timeout) && is_interrupted())
    return -1;
  return (int)syscall(SYS_pselect6, n, in, out, except, timeout ? &t : NULL, &masked);
}

ssize_t mq_timedreceive(mqd_t q, char *to, size_t n, unsigned *priority, const struct timespec *until) {
  return looks(until) && is_interrupted() ? -1 : syscall(SYS_mq_timedreceive, q, to, n, priority, until);
}
int mq_timedsend(mqd_t q, const char *from, size_t n, unsigned priority, const struct timespec *until) {
  return looks(until) && is_interrupted() ? -1 : (int)syscall(SYS_mq_timedsend, q, from, n, priority, until);
}
int semtimedop(int id, struct sembuf *all, size_t n, const struct timespec *timeout) {
  return looks(timeout) && is_interrupted() ? -1 : (int)syscall(SYS_semtimedop, id, all, n, timeout);
}
