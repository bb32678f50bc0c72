/* System calls that take a while, as operations (reactor/operation.h).
 *
 * Each ch_begin_ function either finishes the call at once, where that takes no waiting, and returns its result (-1
 * with errno); or it returns CH_LATER of an operation, which is the minus of its address: then ch_operate starts it,
 * waits, and gives its memory back. What the arguments point to has to stay until then.
 */
#ifndef CHARCOAL_POSIX_OPERATIONS_H
#define CHARCOAL_POSIX_OPERATIONS_H

#include "posix/attempt.h"
#include <sys/stat.h>

struct ch_operation;
struct statx;

typedef long ch_outcome; /* >= -1: the result. Else CH_LATER */
#define CH_IS_LATER(outcome) ((outcome) < -1)
#define CH_OPERATION(outcome) ((struct ch_operation *)-(outcome))

/* Starts the operation, waits for its end, also when cancelled, and frees it: its result, or -1 with errno. ECANCELED:
 * it has had no effect. */
CH_HIDDEN long ch_operate(struct ch_operation *);
static inline long ch_complete(ch_outcome r) { return CH_IS_LATER(r) ? ch_operate(CH_OPERATION(r)) : r; }

CH_HIDDEN ch_outcome ch_begin_recv(int fd, void *, size_t, int flags);
/* -1 with EAGAIN, EINPROGRESS: wait for the descriptor, as after ch_attempt_accept4, ch_attempt_connect. */
CH_HIDDEN ch_outcome ch_begin_accept(int fd, struct sockaddr *, socklen_t *, int flags);
CH_HIDDEN ch_outcome ch_begin_connect(int fd, const struct sockaddr *, socklen_t);
/* offset -1: the file's position. */
CH_HIDDEN ch_outcome ch_begin_read(int fd, void *, size_t, int64_t offset);
CH_HIDDEN ch_outcome ch_begin_write(int fd, const void *, size_t, int64_t offset);
CH_HIDDEN ch_outcome ch_begin_readv(int fd, const struct iovec *, int n, int64_t offset, int flags);
CH_HIDDEN ch_outcome ch_begin_writev(int fd, const struct iovec *, int n, int64_t offset, int flags);
CH_HIDDEN ch_outcome ch_begin_openat(int directory, const char *path, int flags, mode_t mode);
CH_HIDDEN ch_outcome ch_begin_sync(int fd, int data_only);
CH_HIDDEN ch_outcome ch_begin_stat(int directory, const char *path, struct stat *, int flags);
CH_HIDDEN ch_outcome ch_begin_statx(int directory, const char *path, int flags, unsigned mask, struct statx *);
CH_HIDDEN ch_outcome ch_begin_rename(int from_directory, const char *from, int to_directory, const char *to,
                                     unsigned flags);
CH_HIDDEN ch_outcome ch_begin_unlink(int directory, const char *path, int flags);
CH_HIDDEN ch_outcome ch_begin_mkdir(int directory, const char *path, mode_t mode);
CH_HIDDEN ch_outcome ch_begin_truncate(int fd, const char *path, int64_t length);
CH_HIDDEN ch_outcome ch_begin_sendfile(int to, int from, int64_t *offset, size_t n);
CH_HIDDEN ch_outcome ch_begin_copy_range(int from, int64_t *from_offset, int to, int64_t *to_offset, size_t n,
                                         unsigned flags);
CH_HIDDEN ch_outcome ch_begin_splice(int from, int64_t *from_offset, int to, int64_t *to_offset, size_t n,
                                     unsigned flags);
CH_HIDDEN ch_outcome ch_begin_tee(int from, int to, size_t n, unsigned flags);
CH_HIDDEN ch_outcome ch_begin_flock(int fd, int operation);
CH_HIDDEN ch_outcome ch_begin_setlk(int fd, int command, void *lock);

/* The plain calls, for what never waits or is an error. */
CH_HIDDEN ssize_t ch_plain_pread(int fd, void *, size_t, int64_t offset);
CH_HIDDEN ssize_t ch_plain_pread_chk(int fd, void *, size_t, int64_t offset, size_t room);
CH_HIDDEN ssize_t ch_plain_read_chk(int fd, void *, size_t, size_t room);
CH_HIDDEN ssize_t ch_plain_pwrite(int fd, const void *, size_t, int64_t offset);
CH_HIDDEN ssize_t ch_plain_preadv(int fd, const struct iovec *, int, int64_t offset);
CH_HIDDEN ssize_t ch_plain_pwritev(int fd, const struct iovec *, int, int64_t offset);
CH_HIDDEN int ch_plain_open_2(const char *, int flags);
CH_HIDDEN int ch_plain_fcntl(int fd, int command, void *argument);
CH_HIDDEN int ch_plain_lockf(int fd, int command, int64_t n);

/* Any plain code: fn(argument) returns the result, or -errno. `patient`: it may last until somebody else does
 * something, and `interrupt`: EINTR means that it has done nothing. */
enum { CH_CALL_FOREIGN, CH_CALL_STORAGE, CH_CALL_PATIENT, CH_CALL_INTERRUPTIBLE };
CH_HIDDEN ch_outcome ch_begin_call(long (*fn)(void *), void *argument, int how);

/* Nothing else can run in this domain before the caller goes on: it may as well block. */
CH_HIDDEN int ch_alone(void);

#endif
