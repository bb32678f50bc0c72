/* Files by their names: opening, asking, renaming, removing. */
#define _GNU_SOURCE
#include "posix/operations/define.h"
#include <fcntl.h>
#include <linux/openat2.h>
#include <stdio.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

/* Looks along names that are in memory only; EAGAIN: some are not. */
static int cached_path(int directory, const char *path, int flags) {
  struct open_how how = {.flags = (uint64_t)(unsigned)(O_PATH | O_CLOEXEC | flags), .resolve = RESOLVE_CACHED};
  return (int)syscall(SYS_openat2, directory, path, &how, sizeof how);
}

/* The name is empty, or nothing has it. The kernel tells, because the program's pointer may be wrong. */
static bool is_no_name(int directory, const char *path) {
  int saved = errno, fd = cached_path(directory, path, O_NOFOLLOW);
  bool is = fd < 0 && errno == ENOENT;
  if (fd >= 0)
    close(fd);
  errno = saved;
  return is;
}

static bool is_plain_file(int fd) {
  struct stat s;
  return fstat(fd, &s) == 0 && (S_ISREG(s.st_mode) || S_ISDIR(s.st_mode));
}

/* Opens a file or directory whose name is in memory, which takes no time. A FIFO would wait for its other end, and a
 * device may do anything. The file is opened as non-blocking, and its mode is changed afterwards. So the call does not
 * wait, either, if the name comes to mean one of these in between, or if the file is lent to somebody (F_SETLEASE).
 * -1: the file has to be opened as an operation. */
static int open_at_once(int directory, const char *path, int flags) {
  int found = cached_path(directory, path, flags & O_NOFOLLOW);
  bool plain = found >= 0 && is_plain_file(found);
  if (found >= 0)
    close(found);
  if (!plain)
    return -1;
  int fd = openat(directory, path, flags | O_NONBLOCK);
  if (fd >= 0 && is_plain_file(fd) && (flags & O_NONBLOCK || fcntl(fd, F_SETFL, fcntl(fd, F_GETFL) & ~O_NONBLOCK) == 0))
    return fd;
  if (fd >= 0)
    close(fd);
  return -1;
}

static long perform_open(const req_t *q) { return or_error(openat(q->fd2, q->a, (int)q->flags, q->mode)); }
/* In the ring's own worker from the start: its first attempt would open a FIFO without waiting for its other end. */
static void prepare_open(const req_t *q, sqe_t *sqe) {
  sqe->opcode = IORING_OP_OPENAT;
  sqe->flags = IOSQE_ASYNC;
  sqe->fd = q->fd2;
  sqe->addr = (uint64_t)(uintptr_t)q->a;
  sqe->open_flags = q->flags;
  sqe->len = q->mode;
}
static const struct ch_operation_kind open_kind = {
    "open", perform_open, prepare_open, .queue = CH_POOL_WAITING, .interrupt = true, .in_place = true};

static long begin_openat(req_t *q, int directory, const char *path, int flags, mode_t mode) {
  long r = begin(q,
                 (req_t){.kind = &open_kind,
                         .fd = -1,
                         .fd2 = directory,
                         .a = path,
                         .flags = (unsigned)flags | O_LARGEFILE,
                         .mode = mode},
                 false);
  if (r == CH_LATER && !(flags & (O_CREAT | O_TRUNC | O_TMPFILE | O_PATH))) {
    int saved = errno, fd = open_at_once(directory, path, flags);
    errno = saved;
    if (fd >= 0)
      return fd;
  }
  return r;
}

static long perform_statx(const req_t *q) {
  return or_error(statx(q->fd2, q->a, (int)q->flags, q->mode, (void *)q->b));
}
static void prepare_statx(const req_t *q, sqe_t *sqe) {
  sqe->opcode = IORING_OP_STATX;
  sqe->fd = q->fd2;
  sqe->addr = (uint64_t)(uintptr_t)q->a;
  sqe->len = q->mode;
  sqe->off = (uint64_t)(uintptr_t)q->b;
  sqe->statx_flags = q->flags;
}
static const struct ch_operation_kind statx_kind = {"statx", perform_statx, prepare_statx, .queue = CH_POOL_STORAGE};

/* Only the pool makes this call, because the C library makes the struct stat of the kernel's answer. If the name is in
 * memory the answer is found here. */
static long perform_stat(const req_t *q) { return or_error(fstatat(q->fd2, q->a, (void *)q->b, (int)q->flags)); }
static const struct ch_operation_kind stat_kind = {"stat", perform_stat, NULL, .queue = CH_POOL_STORAGE};

static long begin_stat(req_t *q, int directory, const char *path, struct stat *to, int flags) {
  req_t request = {.kind = &stat_kind, .fd = -1, .fd2 = directory, .a = path, .b = to, .flags = (unsigned)flags};
  long begun = begin(q, request, flags & AT_EMPTY_PATH && is_no_name(directory, path));
  if (begun != CH_LATER || flags & ~(AT_SYMLINK_NOFOLLOW | AT_NO_AUTOMOUNT))
    return begun;
  int saved = errno, fd = cached_path(directory, path, flags & AT_SYMLINK_NOFOLLOW ? O_NOFOLLOW : 0);
  int r = fd < 0 ? -1 : fstat(fd, to);
  if (fd >= 0)
    close(fd);
  errno = saved;
  return r == 0 ? 0 : CH_LATER;
}

static long perform_rename(const req_t *q) {
  return or_error(q->flags ? renameat2(q->fd2, q->a, (int)q->mode, q->b, q->flags)
                           : renameat(q->fd2, q->a, (int)q->mode, q->b));
}
static void prepare_rename(const req_t *q, sqe_t *sqe) {
  sqe->opcode = IORING_OP_RENAMEAT;
  sqe->fd = q->fd2;
  sqe->addr = (uint64_t)(uintptr_t)q->a;
  sqe->len = q->mode;
  sqe->off = (uint64_t)(uintptr_t)q->b;
  sqe->rename_flags = q->flags;
}
static const struct ch_operation_kind rename_kind = {"rename", perform_rename, prepare_rename,
                                                     .queue = CH_POOL_STORAGE};

static long perform_unlink(const req_t *q) { return or_error(unlinkat(q->fd2, q->a, (int)q->flags)); }
static void prepare_unlink(const req_t *q, sqe_t *sqe) {
  sqe->opcode = IORING_OP_UNLINKAT;
  sqe->fd = q->fd2;
  sqe->addr = (uint64_t)(uintptr_t)q->a;
  sqe->unlink_flags = q->flags;
}
static const struct ch_operation_kind unlink_kind = {"unlink", perform_unlink, prepare_unlink,
                                                     .queue = CH_POOL_STORAGE};

static long perform_mkdir(const req_t *q) { return or_error(mkdirat(q->fd2, q->a, q->mode)); }
static void prepare_mkdir(const req_t *q, sqe_t *sqe) {
  sqe->opcode = IORING_OP_MKDIRAT;
  sqe->fd = q->fd2;
  sqe->addr = (uint64_t)(uintptr_t)q->a;
  sqe->len = q->mode;
}
static const struct ch_operation_kind mkdir_kind = {"mkdir", perform_mkdir, prepare_mkdir, .queue = CH_POOL_STORAGE};

static long perform_truncate(const req_t *q) { return or_error(truncate(q->a, q->offset)); }
static const struct ch_operation_kind truncate_kind = {"truncate", perform_truncate, NULL, .queue = CH_POOL_STORAGE};
static long perform_ftruncate(const req_t *q) { return or_error(ftruncate(q->fd, q->offset)); }
static const struct ch_operation_kind ftruncate_kind = {"ftruncate", perform_ftruncate, NULL, .queue = CH_POOL_STORAGE};

/* clang-format off */
CALL(openat, (int directory, const char *path, int flags, mode_t mode), begin_openat(&q, directory, path, flags, mode))
CALL(stat, (int directory, const char *path, struct stat *to, int flags), begin_stat(&q, directory, path, to, flags))
CALL(statx, (int directory, const char *path, int flags, unsigned mask, struct statx *to),
     begin(&q, (req_t){.kind = &statx_kind, .fd = -1, .fd2 = directory, .a = path, .flags = (unsigned)flags,
                       .mode = mask, .b = to}, !path))
TASK(rename, (int from_directory, const char *from, int to_directory, const char *to, unsigned flags),
     .fd = -1, .fd2 = from_directory, .a = from, .mode = (unsigned)to_directory, .b = to, .flags = flags)
TASK(unlink, (int directory, const char *path, int flags),
     .fd = -1, .fd2 = directory, .a = path, .flags = (unsigned)flags)
TASK(mkdir, (int directory, const char *path, mode_t mode), .fd = -1, .fd2 = directory, .a = path, .mode = mode)
TASK(truncate, (const char *path, int64_t length), .fd = -1, .a = path, .offset = length)
TASK(ftruncate, (int fd, int64_t length), .fd = fd, .offset = length)
/* clang-format on */
