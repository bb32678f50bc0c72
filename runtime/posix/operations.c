#define _GNU_SOURCE
#include "posix/operations.h"
#include "reactor/operation.h"
#include "reactor/reactor.h"
#include <errno.h>
#include <fcntl.h>
#include <linux/io_uring.h>
#include <linux/openat2.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/sendfile.h>
#include <sys/syscall.h>
#include <sys/sysmacros.h>
#include <unistd.h>

typedef struct ch_operation op_t;
typedef struct io_uring_sqe sqe_t;

static long or_error(long r) { return r < 0 ? -errno : r; }
static ch_outcome refused(void) { return errno = ECANCELED, -1; }

/* In a scope what stands behind an `async` may go on. */
int ch_alone(void) {
  struct ch_domain *d = &ch_domain;
  return d->group == &d->base && !d->base.head && d->base.outside == 0 && d->current && !d->current->scope;
}

/* NULL: no memory; the caller makes the plain call. */
static op_t *make(const struct ch_operation_kind *kind, int fd) { return ch_operation_new(kind, fd); }
static ch_outcome later(op_t *op) { return -(ch_outcome)(intptr_t)op; }

/* ---- reading and writing ---- */

static long perform_read(op_t *op) {
  return or_error(op->offset < 0 ? read(op->fd, (void *)op->a, op->n)
                                 : pread(op->fd, (void *)op->a, op->n, op->offset));
}
static long perform_write(op_t *op) {
  return or_error(op->offset < 0 ? write(op->fd, op->a, op->n) : pwrite(op->fd, op->a, op->n, op->offset));
}
static long perform_readv(op_t *op) { return or_error(preadv2(op->fd, op->a, (int)op->n, op->offset, (int)op->flags)); }
static long perform_writev(op_t *op) {
  return or_error(pwritev2(op->fd, op->a, (int)op->n, op->offset, (int)op->flags));
}

static void prepare_rw(const op_t *op, sqe_t *sqe, unsigned opcode) {
  sqe->opcode = (uint8_t)opcode;
  sqe->fd = op->fd;
  sqe->addr = (uint64_t)(uintptr_t)op->a;
  sqe->len = (uint32_t)op->n;
  sqe->off = (uint64_t)op->offset;
  sqe->rw_flags = (int)op->flags;
}
static void prepare_read(const op_t *op, sqe_t *sqe) { prepare_rw(op, sqe, IORING_OP_READ); }
static void prepare_write(const op_t *op, sqe_t *sqe) { prepare_rw(op, sqe, IORING_OP_WRITE); }
static void prepare_readv(const op_t *op, sqe_t *sqe) { prepare_rw(op, sqe, IORING_OP_READV); }
static void prepare_writev(const op_t *op, sqe_t *sqe) { prepare_rw(op, sqe, IORING_OP_WRITEV); }

static const struct ch_operation_kind read_kind = {"read", perform_read, prepare_read, .lane = CH_LANE_STORAGE};
static const struct ch_operation_kind write_kind = {"write", perform_write, prepare_write, .lane = CH_LANE_STORAGE};
static const struct ch_operation_kind readv_kind = {"readv", perform_readv, prepare_readv, .lane = CH_LANE_STORAGE};
static const struct ch_operation_kind writev_kind = {"writev", perform_writev, prepare_writev, .lane = CH_LANE_STORAGE};

static op_t *make_rw(const struct ch_operation_kind *kind, int fd, const void *a, size_t n, int64_t offset, int flags) {
  op_t *op = make(kind, fd);
  if (op) {
    op->a = a;
    op->n = n;
    op->offset = offset;
    op->flags = (unsigned)flags;
  }
  return op;
}

/* What the page cache has is there at once. It may have the first part only, and a file's reader expects all of it: the
 * rest is read from there on, and *done says how much came before. */
ch_outcome ch_begin_read(int fd, void *to, size_t n, int64_t offset) {
  if (ch_is_marked())
    return refused();
  op_t *op;
  if (n > 0x7ffff000 || ch_alone() || !(op = make_rw(&read_kind, fd, to, n, offset, 0)))
    return offset < 0 ? read(fd, to, n) : pread(fd, to, n, offset);
  /* A ring looks there itself when it is asked. Without a page cache (O_DIRECT) "not now" would still wait for the
   * disk. */
  struct iovec v = {to, n};
  ssize_t r = ch_reactor_has_ring() || fcntl(fd, F_GETFL) & O_DIRECT ? (errno = EAGAIN, -1)
                                                                     : preadv2(fd, &v, 1, offset, RWF_NOWAIT);
  if (r == (ssize_t)n || r == 0 ||
      (r < 0 && errno != EAGAIN && errno != EOPNOTSUPP && errno != ENOSYS && errno != EINVAL)) {
    ch_operation_free(op);
    return r;
  }
  if (r > 0) {
    op->before = (size_t)r;
    op->a = (char *)to + r;
    op->n = n - (size_t)r;
    if (offset >= 0)
      op->offset = offset + r;
  }
  return later(op);
}

ch_outcome ch_begin_write(int fd, const void *from, size_t n, int64_t offset) {
  if (ch_is_marked())
    return refused();
  op_t *op;
  if (n > 0x7ffff000 || n == 0 || ch_alone() || !(op = make_rw(&write_kind, fd, from, n, offset, 0)))
    return offset < 0 ? write(fd, from, n) : pwrite(fd, from, n, offset);
  return later(op);
}

/* A negative offset of pread is an error, not the position. */
ch_outcome ch_begin_readv(int fd, const struct iovec *v, int n, int64_t offset, int flags) {
  if (ch_is_marked())
    return refused();
  op_t *op;
  if (n <= 0 || n > 1024 || ch_alone() || !(op = make_rw(&readv_kind, fd, v, (size_t)n, offset, flags)))
    return preadv2(fd, v, n, offset, flags);
  ssize_t r = flags || ch_reactor_has_ring() || fcntl(fd, F_GETFL) & O_DIRECT ? (errno = EAGAIN, -1)
                                                                              : preadv2(fd, v, n, offset, RWF_NOWAIT);
  if (r == 0 || (r > 0 && (size_t)r == ch_iovec_bytes(v, (size_t)n)) ||
      (r < 0 && errno != EAGAIN && errno != EOPNOTSUPP && errno != ENOSYS && errno != EINVAL)) {
    ch_operation_free(op);
    return r;
  }
  if (r > 0 && offset < 0) {
    /* The position has moved: back to where it was, and all of it once more. */
    lseek(fd, -r, SEEK_CUR);
  }
  return later(op);
}

ch_outcome ch_begin_writev(int fd, const struct iovec *v, int n, int64_t offset, int flags) {
  if (ch_is_marked())
    return refused();
  op_t *op;
  if (n <= 0 || n > 1024 || ch_alone() || !(op = make_rw(&writev_kind, fd, v, (size_t)n, offset, flags)))
    return pwritev2(fd, v, n, offset, flags);
  return later(op);
}

static long perform_sync(op_t *op) { return or_error(op->flags ? fdatasync(op->fd) : fsync(op->fd)); }
static void prepare_sync(const op_t *op, sqe_t *sqe) {
  sqe->opcode = IORING_OP_FSYNC;
  sqe->fd = op->fd;
  sqe->fsync_flags = op->flags ? IORING_FSYNC_DATASYNC : 0;
}
static const struct ch_operation_kind sync_kind = {"fsync", perform_sync, prepare_sync, .lane = CH_LANE_STORAGE};

ch_outcome ch_begin_sync(int fd, int data_only) {
  if (ch_is_marked())
    return refused();
  op_t *op;
  if (ch_alone() || !(op = make(&sync_kind, fd)))
    return data_only ? fdatasync(fd) : fsync(fd);
  op->flags = data_only != 0;
  return later(op);
}

/* ---- names ---- */

/* Looks along names that are in memory only; EAGAIN: some are not. */
static int cached_path(int directory, const char *path, int flags) {
  struct open_how how = {.flags = (uint64_t)(unsigned)(O_PATH | O_CLOEXEC | flags), .resolve = RESOLVE_CACHED};
  return (int)syscall(SYS_openat2, directory, path, &how, sizeof how);
}

static long perform_open(op_t *op) { return or_error(openat(op->fd2, op->a, (int)op->flags, op->mode)); }
/* In the ring's own worker from the start: its first attempt would open a FIFO without waiting for its other end. */
static void prepare_open(const op_t *op, sqe_t *sqe) {
  sqe->opcode = IORING_OP_OPENAT;
  sqe->flags = IOSQE_ASYNC;
  sqe->fd = op->fd2;
  sqe->addr = (uint64_t)(uintptr_t)op->a;
  sqe->open_flags = op->flags;
  sqe->len = op->mode;
}
static const struct ch_operation_kind open_kind = {"open", perform_open, prepare_open, .lane = CH_LANE_PATIENT,
                                                   .interrupt = true};

ch_outcome ch_begin_openat(int directory, const char *path, int flags, mode_t mode) {
  if (ch_is_marked())
    return refused();
  if (ch_alone())
    return openat(directory, path, flags, mode);
  /* A file or directory whose name is in memory: opening it takes no time. A FIFO waits for its other end. */
  if (!(flags & (O_CREAT | O_TRUNC | O_TMPFILE | O_PATH))) {
    struct stat s;
    int saved = errno, fd = cached_path(directory, path, flags & O_NOFOLLOW);
    if (fd >= 0) {
      bool quick = fstat(fd, &s) == 0 && (S_ISREG(s.st_mode) || S_ISDIR(s.st_mode));
      close(fd);
      if (quick)
        return openat(directory, path, flags);
    }
    errno = saved;
  }
  op_t *op = make(&open_kind, -1);
  if (!op)
    return openat(directory, path, flags, mode);
  op->fd2 = directory;
  op->a = path;
  op->flags = (unsigned)flags | O_LARGEFILE;
  op->mode = mode;
  return later(op);
}

static long perform_statx(op_t *op) { return or_error(statx(op->fd2, op->a, (int)op->flags, op->mode, (void *)op->b)); }
static void prepare_statx(const op_t *op, sqe_t *sqe) {
  sqe->opcode = IORING_OP_STATX;
  sqe->fd = op->fd2;
  sqe->addr = (uint64_t)(uintptr_t)op->a;
  sqe->len = op->mode;
  sqe->off = (uint64_t)(uintptr_t)op->b;
  sqe->statx_flags = op->flags;
}
static const struct ch_operation_kind statx_kind = {"statx", perform_statx, prepare_statx, .lane = CH_LANE_STORAGE};

ch_outcome ch_begin_statx(int directory, const char *path, int flags, unsigned mask, struct statx *to) {
  if (ch_is_marked())
    return refused();
  op_t *op;
  if (ch_alone() || !path || !(op = make(&statx_kind, -1)))
    return statx(directory, path, flags, mask, to);
  op->fd2 = directory;
  op->a = path;
  op->flags = (unsigned)flags;
  op->mode = mask;
  op->b = to;
  return later(op);
}

/* The pool's alone: a struct stat is what the C library makes of the kernel's answer. Names in memory are answered
 * here. */
static long perform_stat(op_t *op) { return or_error(fstatat(op->fd2, op->a, (void *)op->b, (int)op->flags)); }
static const struct ch_operation_kind stat_kind = {"stat", perform_stat, NULL, .lane = CH_LANE_STORAGE};

ch_outcome ch_begin_stat(int directory, const char *path, struct stat *to, int flags) {
  if (ch_is_marked())
    return refused();
  if (ch_alone() || (path && !*path))
    return fstatat(directory, path, to, flags);
  if (!(flags & ~(AT_SYMLINK_NOFOLLOW | AT_NO_AUTOMOUNT))) {
    int saved = errno, fd = cached_path(directory, path, flags & AT_SYMLINK_NOFOLLOW ? O_NOFOLLOW : 0);
    if (fd >= 0) {
      int r = fstat(fd, to);
      close(fd);
      if (r == 0) {
        errno = saved;
        return 0;
      }
    }
    errno = saved;
  }
  op_t *op = make(&stat_kind, -1);
  if (!op)
    return fstatat(directory, path, to, flags);
  op->fd2 = directory;
  op->a = path;
  op->b = to;
  op->flags = (unsigned)flags;
  return later(op);
}

static long perform_rename(op_t *op) {
  return or_error(op->flags ? renameat2(op->fd2, op->a, (int)op->mode, op->b, op->flags)
                            : renameat(op->fd2, op->a, (int)op->mode, op->b));
}
static void prepare_rename(const op_t *op, sqe_t *sqe) {
  sqe->opcode = IORING_OP_RENAMEAT;
  sqe->fd = op->fd2;
  sqe->addr = (uint64_t)(uintptr_t)op->a;
  sqe->len = op->mode;
  sqe->off = (uint64_t)(uintptr_t)op->b;
  sqe->rename_flags = op->flags;
}
static const struct ch_operation_kind rename_kind = {"rename", perform_rename, prepare_rename, .lane = CH_LANE_STORAGE};

ch_outcome ch_begin_rename(int from_directory, const char *from, int to_directory, const char *to, unsigned flags) {
  if (ch_is_marked())
    return refused();
  op_t *op;
  if (ch_alone() || !(op = make(&rename_kind, -1)))
    return flags ? renameat2(from_directory, from, to_directory, to, flags)
                 : renameat(from_directory, from, to_directory, to);
  op->fd2 = from_directory;
  op->a = from;
  op->mode = (unsigned)to_directory;
  op->b = to;
  op->flags = flags;
  return later(op);
}

static long perform_unlink(op_t *op) { return or_error(unlinkat(op->fd2, op->a, (int)op->flags)); }
static void prepare_unlink(const op_t *op, sqe_t *sqe) {
  sqe->opcode = IORING_OP_UNLINKAT;
  sqe->fd = op->fd2;
  sqe->addr = (uint64_t)(uintptr_t)op->a;
  sqe->unlink_flags = op->flags;
}
static const struct ch_operation_kind unlink_kind = {"unlink", perform_unlink, prepare_unlink, .lane = CH_LANE_STORAGE};

ch_outcome ch_begin_unlink(int directory, const char *path, int flags) {
  if (ch_is_marked())
    return refused();
  op_t *op;
  if (ch_alone() || !(op = make(&unlink_kind, -1)))
    return unlinkat(directory, path, flags);
  op->fd2 = directory;
  op->a = path;
  op->flags = (unsigned)flags;
  return later(op);
}

static long perform_mkdir(op_t *op) { return or_error(mkdirat(op->fd2, op->a, op->mode)); }
static void prepare_mkdir(const op_t *op, sqe_t *sqe) {
  sqe->opcode = IORING_OP_MKDIRAT;
  sqe->fd = op->fd2;
  sqe->addr = (uint64_t)(uintptr_t)op->a;
  sqe->len = op->mode;
}
static const struct ch_operation_kind mkdir_kind = {"mkdir", perform_mkdir, prepare_mkdir, .lane = CH_LANE_STORAGE};

ch_outcome ch_begin_mkdir(int directory, const char *path, mode_t mode) {
  if (ch_is_marked())
    return refused();
  op_t *op;
  if (ch_alone() || !(op = make(&mkdir_kind, -1)))
    return mkdirat(directory, path, mode);
  op->fd2 = directory;
  op->a = path;
  op->mode = mode;
  return later(op);
}

static long perform_truncate(op_t *op) {
  return or_error(op->a ? truncate(op->a, op->offset) : ftruncate(op->fd, op->offset));
}
static const struct ch_operation_kind truncate_kind = {"truncate", perform_truncate, NULL, .lane = CH_LANE_STORAGE};

ch_outcome ch_begin_truncate(int fd, const char *path, int64_t length) {
  if (ch_is_marked())
    return refused();
  op_t *op;
  if (ch_alone() || !(op = make(&truncate_kind, fd)))
    return path ? truncate(path, length) : ftruncate(fd, length);
  op->a = path;
  op->offset = length;
  return later(op);
}

/* ---- from descriptor to descriptor ---- */

static long perform_sendfile(op_t *op) { return or_error(sendfile(op->fd, op->fd2, (off_t *)op->a, op->n)); }
static const struct ch_operation_kind sendfile_kind = {"sendfile", perform_sendfile, NULL, .lane = CH_LANE_PATIENT,
                                                       .interrupt = true};

ch_outcome ch_begin_sendfile(int to, int from, int64_t *offset, size_t n) {
  if (ch_is_marked())
    return refused();
  op_t *op;
  if (ch_alone() || !(op = make(&sendfile_kind, to)))
    return sendfile(to, from, offset, n);
  op->fd2 = from;
  op->a = offset;
  op->n = n;
  return later(op);
}

static long perform_copy_range(op_t *op) {
  return or_error(copy_file_range(op->fd, (off_t *)op->a, op->fd2, (off_t *)op->b, op->n, op->flags));
}
static const struct ch_operation_kind copy_range_kind = {"copy_file_range", perform_copy_range, NULL,
                                                         .lane = CH_LANE_STORAGE};

ch_outcome ch_begin_copy_range(int from, int64_t *from_offset, int to, int64_t *to_offset, size_t n, unsigned flags) {
  if (ch_is_marked())
    return refused();
  op_t *op;
  if (ch_alone() || !(op = make(&copy_range_kind, from)))
    return copy_file_range(from, from_offset, to, to_offset, n, flags);
  op->a = from_offset;
  op->fd2 = to;
  op->b = to_offset;
  op->n = n;
  op->flags = flags;
  return later(op);
}

/* Pipes and sockets have two ends to wait for, and some descriptors no way to ask: a thread may wait in the call. */
static long perform_splice(op_t *op) {
  return or_error(splice(op->fd, (off_t *)op->a, op->fd2, (off_t *)op->b, op->n, op->flags));
}
static const struct ch_operation_kind splice_kind = {"splice", perform_splice, NULL, .lane = CH_LANE_PATIENT,
                                                     .interrupt = true};

ch_outcome ch_begin_splice(int from, int64_t *from_offset, int to, int64_t *to_offset, size_t n, unsigned flags) {
  if (ch_is_marked())
    return refused();
  op_t *op;
  if (ch_alone() || flags & SPLICE_F_NONBLOCK || !(op = make(&splice_kind, from)))
    return splice(from, from_offset, to, to_offset, n, flags);
  op->a = from_offset;
  op->fd2 = to;
  op->b = to_offset;
  op->n = n;
  op->flags = flags;
  return later(op);
}

static long perform_tee(op_t *op) { return or_error(tee(op->fd, op->fd2, op->n, op->flags)); }
static const struct ch_operation_kind tee_kind = {"tee", perform_tee, NULL, .lane = CH_LANE_PATIENT, .interrupt = true};

ch_outcome ch_begin_tee(int from, int to, size_t n, unsigned flags) {
  if (ch_is_marked())
    return refused();
  op_t *op;
  if (ch_alone() || flags & SPLICE_F_NONBLOCK || !(op = make(&tee_kind, from)))
    return tee(from, to, n, flags);
  op->fd2 = to;
  op->n = n;
  op->flags = flags;
  return later(op);
}

/* ---- locks on files ---- */

static long perform_flock(op_t *op) { return or_error(flock(op->fd, (int)op->flags)); }
static const struct ch_operation_kind flock_kind = {"flock", perform_flock, NULL, .lane = CH_LANE_PATIENT,
                                                    .interrupt = true};

ch_outcome ch_begin_flock(int fd, int operation) {
  if (ch_is_marked() && !(operation & LOCK_UN))
    return refused();
  int r = flock(fd, operation | LOCK_NB);
  if (r == 0 || errno != EWOULDBLOCK || operation & LOCK_NB)
    return r;
  op_t *op = make(&flock_kind, fd);
  if (!op)
    return flock(fd, operation);
  op->flags = (unsigned)operation;
  return later(op);
}

static long perform_setlk(op_t *op) { return or_error(fcntl(op->fd, (int)op->flags, op->a)); }
static const struct ch_operation_kind setlk_kind = {"fcntl", perform_setlk, NULL, .lane = CH_LANE_PATIENT,
                                                    .interrupt = true};

/* POSIX locks belong to the process, locks of the open file description to that: to no thread. */
ch_outcome ch_begin_setlk(int fd, int command, void *lock) {
  if (ch_is_marked() && ((struct flock *)lock)->l_type != F_UNLCK)
    return refused();
  int r = fcntl(fd, command == F_SETLKW ? F_SETLK : F_OFD_SETLK, lock);
  if (r == 0 || (errno != EAGAIN && errno != EACCES))
    return r;
  op_t *op = make(&setlk_kind, fd);
  if (!op)
    return fcntl(fd, command, lock);
  op->flags = (unsigned)command;
  op->a = lock;
  return later(op);
}

/* ---- anything ---- */

static long perform_foreign(op_t *op) { return ((void (*)(void *))(uintptr_t)op->offset)((void *)op->a), 0; }
static long perform_call(op_t *op) { return ((long (*)(void *))(uintptr_t)op->offset)((void *)op->a); }
static const struct ch_operation_kind call_kinds[] = {
    [CH_CALL_FOREIGN] = {"offloaded call", perform_foreign, NULL, .lane = CH_LANE_FOREIGN},
    [CH_CALL_STORAGE] = {"call", perform_call, NULL, .lane = CH_LANE_STORAGE},
    [CH_CALL_PATIENT] = {"call", perform_call, NULL, .lane = CH_LANE_PATIENT},
    [CH_CALL_INTERRUPTIBLE] = {"call", perform_call, NULL, .lane = CH_LANE_PATIENT, .interrupt = true}};

ch_outcome ch_begin_call(long (*fn)(void *), void *argument, int how) {
  if (ch_is_marked())
    return refused();
  if (!ch_domain.current)
    return errno = EPERM, -1;
  op_t *op = make(&call_kinds[how], -1);
  if (!op)
    return errno = ENOMEM, -1;
  op->offset = (int64_t)(uintptr_t)fn;
  op->a = argument;
  return later(op);
}

/* ---- plain ---- */

extern ssize_t __pread_chk(int, void *, size_t, off_t, size_t);
extern int __open_2(const char *, int);
extern ssize_t __read_chk(int, void *, size_t, size_t);

ssize_t ch_plain_pread(int fd, void *to, size_t n, int64_t offset) { return pread(fd, to, n, offset); }
ssize_t ch_plain_pread_chk(int fd, void *to, size_t n, int64_t offset, size_t room) {
  return __pread_chk(fd, to, n, offset, room);
}
ssize_t ch_plain_pwrite(int fd, const void *from, size_t n, int64_t offset) { return pwrite(fd, from, n, offset); }
ssize_t ch_plain_preadv(int fd, const struct iovec *v, int n, int64_t offset) { return preadv(fd, v, n, offset); }
ssize_t ch_plain_pwritev(int fd, const struct iovec *v, int n, int64_t offset) { return pwritev(fd, v, n, offset); }
int ch_plain_open_2(const char *path, int flags) { return __open_2(path, flags); }
int ch_plain_fcntl(int fd, int command, void *argument) { return fcntl(fd, command, argument); }
int ch_plain_lockf(int fd, int command, int64_t n) { return lockf(fd, command, n); }
ssize_t ch_plain_read_chk(int fd, void *to, size_t n, size_t room) { return __read_chk(fd, to, n, room); }
