/* The plain versions of C library calls, for Charcoal C. In the file of a replacement the call's name means the
 * replacement, so each plain call has a name here that begins with ch_plain_. */
#ifndef CHARCOAL_POSIX_PLAIN_H
#define CHARCOAL_POSIX_PLAIN_H

#include "frames/attributes.h"
#include <netdb.h>
#include <poll.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/resource.h>
#include <sys/select.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <time.h>

CH_HIDDEN ssize_t ch_plain_preadv2(int fd, const struct iovec *, int n, off_t offset, int flags);
CH_HIDDEN ssize_t ch_plain_pwritev2(int fd, const struct iovec *, int n, off_t offset, int flags);
CH_HIDDEN int ch_plain_ppoll(struct pollfd *, nfds_t, const struct timespec *, const sigset_t *);
CH_HIDDEN int ch_plain_pselect(int, fd_set *, fd_set *, fd_set *, const struct timespec *, const sigset_t *);
/* How many of n descriptors select looks at: the kernel leaves out those for which the process has no room yet. A set
 * need not be larger, although programs pass their limit of descriptors (getdtablesize) with a set of the usual size.
 */
CH_HIDDEN int ch_select_reach(int n);
/* Reads the beginning of a file of /proc into `text` of `room` bytes, and ends it with a zero. What cannot be read is
 * empty. Keeps errno. */
CH_HIDDEN void ch_proc_text(const char *file, char *text, size_t room);
CH_HIDDEN int ch_plain_poll_chk(struct pollfd *, nfds_t, int timeout, size_t room);
CH_HIDDEN int ch_plain_close(int fd);
CH_HIDDEN int ch_plain_clock_nanosleep(clockid_t, int flags, const struct timespec *, struct timespec *left);
CH_HIDDEN ssize_t ch_plain_pread_chk(int fd, void *, size_t, int64_t offset, size_t room);
CH_HIDDEN ssize_t ch_plain_read_chk(int fd, void *, size_t, size_t room);
CH_HIDDEN int ch_plain_open_2(const char *, int flags);
CH_HIDDEN int ch_plain_fcntl(int fd, int command, void *argument);
CH_HIDDEN int ch_plain_lockf(int fd, int command, int64_t n);
CH_HIDDEN int ch_plain_epoll_pwait(int, struct epoll_event *, int, int timeout, const sigset_t *);
CH_HIDDEN int ch_plain_eventfd_read(int fd, eventfd_t *);
CH_HIDDEN int ch_plain_eventfd_write(int fd, eventfd_t);
CH_HIDDEN int ch_plain_sendmmsg(int, struct mmsghdr *, unsigned, int);
CH_HIDDEN int ch_plain_recvmmsg(int fd, struct mmsghdr *, unsigned n, int flags, struct timespec *timeout);
CH_HIDDEN pid_t ch_plain_wait4(pid_t, int *status, int options, struct rusage *);
CH_HIDDEN int ch_plain_waitid(idtype_t, id_t, siginfo_t *, int options);
/* Gives this thread's processor to another thread. */
CH_HIDDEN void ch_plain_sched_yield(void);
CH_HIDDEN void ch_plain_testcancel(void);
CH_HIDDEN int ch_plain_sigtimedwait(const sigset_t *, siginfo_t *, const struct timespec *);

#endif
