/* System calls that take a while, as operations (reactor/operation.h). The folder operations/ defines them.
 *
 * Each ch_do_ function blocks, and has a hand-written replacement, in plain C. It finishes the call at once where that
 * takes no waiting, and otherwise has it made by the ring or the pool and waits for its end, also when cancelled. What
 * the arguments point to has to stay until then. The result is the call's own, or -1 with errno; ECANCELED: it has had
 * no effect.
 */
#ifndef CHARCOAL_POSIX_OPERATIONS_H
#define CHARCOAL_POSIX_OPERATIONS_H

#include "posix/nonblocking.h"
#include <limits.h>
#include <sys/stat.h>

struct ch_request;
struct statx;

/* What an attempt says that is to be made again as an operation. LATER: not now; by ch_do_recv, ch_do_receive,
 * ch_do_accept, ch_do_connect. AS_STORAGE: by ch_do_read and its like. BY_THREAD: the call might wait, and there is no
 * form of it that does not; by ch_do_device_read and its like, ch_do_accept_by_thread. With each of them errno
 * is what it was before the attempt. */
#define CH_LATER LONG_MIN
#define CH_AS_STORAGE (LONG_MIN + 1)
#define CH_BY_THREAD (LONG_MIN + 2)

/* A result, or CH_LATER; CH_AS_STORAGE and CH_BY_THREAD from those that take any descriptor, CH_BY_THREAD from accept.
 * -1 with EAGAIN, EINPROGRESS: wait for the descriptor. */
CH_HIDDEN long ch_begin_recv(int fd, void *, size_t, int flags);
CH_HIDDEN long ch_begin_accept(int fd, struct sockaddr *, socklen_t *, int flags);
CH_HIDDEN long ch_begin_connect(int fd, const struct sockaddr *, socklen_t);

CH_HIDDEN long ch_do_recv(int fd, void *, size_t);
CH_HIDDEN long ch_do_receive(int fd, void *, size_t);
CH_HIDDEN long ch_do_accept(int fd, struct sockaddr *, socklen_t *, int flags);
CH_HIDDEN long ch_do_accept_by_thread(int fd, struct sockaddr *, socklen_t *, int flags);
CH_HIDDEN long ch_do_connect(int fd, const struct sockaddr *, socklen_t);
/* The plain calls on a thread. */
CH_HIDDEN long ch_do_device_read(int fd, void *, size_t);
CH_HIDDEN long ch_do_device_write(int fd, const void *, size_t);
CH_HIDDEN long ch_do_device_readv(int fd, const struct iovec *, int n);
CH_HIDDEN long ch_do_device_writev(int fd, const struct iovec *, int n);
/* To a named local receiver, for which the caller's socket waits. */
CH_HIDDEN long ch_do_sendmsg(int fd, const struct msghdr *, int flags);
/* With MSG_WAITALL and MSG_PEEK, for which a ready descriptor is not enough. */
CH_HIDDEN long ch_do_recvmsg(int fd, struct msghdr *, int flags);
/* offset -1: the file's position. */
CH_HIDDEN long ch_do_read(int fd, void *, size_t, int64_t offset);
CH_HIDDEN long ch_do_write(int fd, const void *, size_t, int64_t offset);
CH_HIDDEN long ch_do_readv(int fd, const struct iovec *, int n, int64_t offset, int flags);
CH_HIDDEN long ch_do_writev(int fd, const struct iovec *, int n, int64_t offset, int flags);
CH_HIDDEN long ch_do_pread(int fd, void *, size_t, int64_t offset);
CH_HIDDEN long ch_do_pwrite(int fd, const void *, size_t, int64_t offset);
CH_HIDDEN long ch_do_preadv(int fd, const struct iovec *, int n, int64_t offset);
CH_HIDDEN long ch_do_pwritev(int fd, const struct iovec *, int n, int64_t offset);
CH_HIDDEN long ch_do_openat(int directory, const char *path, int flags, mode_t mode);
CH_HIDDEN long ch_do_sync(int fd, int data_only);
CH_HIDDEN long ch_do_stat(int directory, const char *path, struct stat *, int flags);
CH_HIDDEN long ch_do_statx(int directory, const char *path, int flags, unsigned mask, struct statx *);
CH_HIDDEN long ch_do_rename(int from_directory, const char *from, int to_directory, const char *to, unsigned flags);
CH_HIDDEN long ch_do_unlink(int directory, const char *path, int flags);
CH_HIDDEN long ch_do_mkdir(int directory, const char *path, mode_t mode);
CH_HIDDEN long ch_do_truncate(const char *path, int64_t length);
CH_HIDDEN long ch_do_ftruncate(int fd, int64_t length);
CH_HIDDEN long ch_do_sendfile(int to, int from, int64_t *offset, size_t n);
CH_HIDDEN long ch_do_copy_range(int from, int64_t *from_offset, int to, int64_t *to_offset, size_t n, unsigned flags);
CH_HIDDEN long ch_do_splice(int from, int64_t *from_offset, int to, int64_t *to_offset, size_t n, unsigned flags);
CH_HIDDEN long ch_do_vmsplice(int fd, const struct iovec *, size_t n, unsigned flags);
CH_HIDDEN long ch_do_tee(int from, int to, size_t n, unsigned flags);
/* The lock (LOCK_SH, LOCK_EX) that the description has before it may have to wait for another, or 0; and after the wait
 * was cancelled: -1 with ECANCELED, and it has that lock again; ENOLCK: somebody else has got one meanwhile. */
CH_HIDDEN int ch_flock_held(int fd, int operation);
CH_HIDDEN int ch_flock_take_back(int fd, int held);
CH_HIDDEN long ch_do_flock(int fd, int operation);
CH_HIDDEN long ch_do_setlk(int fd, int command, void *lock);

/* Any plain code: fn(argument) returns the result, or -errno. CH_CALL_WAITING: it may last until somebody else does
 * something. INTERRUPTIBLE: and EINTR means that it has done nothing. CANCELLABLE: and it can be ended by the
 * cancellation of its thread (ch_pool_cancellable). ABANDONED: nobody need wait for its end; the argument is on the
 * heap, begins with a struct ch_abandoned, and is the caller's unless the result is -1, upon which it will be released.
 */
enum {
  CH_CALL_FOREIGN,
  CH_CALL_STORAGE,
  CH_CALL_WAITING,
  CH_CALL_INTERRUPTIBLE,
  CH_CALL_CANCELLABLE,
  CH_CALL_ABANDONED
};
struct ch_abandoned {
  void (*release)(void *); /* the whole argument */
};
CH_HIDDEN long ch_do_call(long (*fn)(void *), void *argument, int how);

#endif
