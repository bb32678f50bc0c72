/* The system calls that the ring or the pool makes, each described by a struct ch_operation_kind. See operations.h. */
#define _GNU_SOURCE
#include "posix/operations.h"
#include "posix/plain.h"
#include "posix/operate.h"
#include "offload/pool.h"
#include "reactor/readiness_cache.h"
#include "reactor/reactor.h"
#include "posix/vectors.h"
#include <errno.h>
#include <fcntl.h>
#include <linux/io_uring.h>
#include <linux/openat2.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/resource.h>
#include <sys/sendfile.h>
#include <sys/syscall.h>
#include <sys/sysmacros.h>
#include <unistd.h>

typedef struct ch_request req_t;
typedef struct io_uring_sqe sqe_t;

static long or_error(long r) { return r < 0 ? -errno : r; }
static long refused(void) { return errno = ECANCELED, -1; }

/* ---- beginning a call ----
 *
 * A request is either made at once, and its result returned (-1 and errno), or written to *q. In the latter case
 * CH_LATER tells the caller to carry it out as an operation. */

static long in_place(const req_t *q) {
  long r = q->kind->perform(q);
  return r < 0 ? (errno = (int)-r, -1) : r;
}

/* A call that waits for somebody: after an attempt has said "not now". */
static long begin_wait(req_t *q, req_t request) {
  *q = request;
  return ch_is_marked() ? refused() : CH_LATER;
}

/* A call that takes its time: in place, where nothing else could run meanwhile, or where it takes none (`at_once`). */
static long begin(req_t *q, req_t request, bool at_once) {
  long r = begin_wait(q, request);
  return r == CH_LATER && (ch_is_alone() || at_once) ? in_place(q) : r;
}

/* ---- reading and writing ---- */

static long perform_read(const req_t *q) {
  return or_error(q->offset < 0 ? read(q->fd, (void *)q->a, q->n) : pread(q->fd, (void *)q->a, q->n, q->offset));
}
static long perform_write(const req_t *q) {
  return or_error(q->offset < 0 ? write(q->fd, q->a, q->n) : pwrite(q->fd, q->a, q->n, q->offset));
}
static long perform_readv(const req_t *q) {
  return or_error(preadv2(q->fd, q->a, (int)q->n, q->offset, (int)q->flags));
}
static long perform_writev(const req_t *q) {
  return or_error(pwritev2(q->fd, q->a, (int)q->n, q->offset, (int)q->flags));
}

/* A ring that does not poll for storage refuses RWF_HIPRI, which is only a wish. */
static void prepare_rw(const req_t *q, sqe_t *sqe, unsigned opcode) {
  sqe->opcode = (uint8_t)opcode;
  sqe->fd = q->fd;
  sqe->addr = (uint64_t)(uintptr_t)q->a;
  sqe->len = (uint32_t)q->n;
  sqe->off = (uint64_t)q->offset;
  sqe->rw_flags = (int)q->flags & ~RWF_HIPRI;
}
static void prepare_read(const req_t *q, sqe_t *sqe) { prepare_rw(q, sqe, IORING_OP_READ); }
static void prepare_write(const req_t *q, sqe_t *sqe) { prepare_rw(q, sqe, IORING_OP_WRITE); }
static void prepare_readv(const req_t *q, sqe_t *sqe) { prepare_rw(q, sqe, IORING_OP_READV); }
static void prepare_writev(const req_t *q, sqe_t *sqe) { prepare_rw(q, sqe, IORING_OP_WRITEV); }

/* If an error keeps a ring from all of a transfer (the disk is full, the memory ends), it tells how much has been done,
 * but leaves the position where it was (Linux 6.18 does). Then it is put where the plain call leaves it. */
static void put_position(const req_t *q, long done, size_t wanted, bool writes) {
  if (q->offset >= 0 || q->position < 0 || done == 0 || (size_t)done == wanted)
    return;
  int saved = errno;
  if (lseek(q->fd, 0, SEEK_CUR) == q->position) {
    if (writes && fcntl(q->fd, F_GETFL) & O_APPEND)
      lseek(q->fd, 0, SEEK_END);
    else
      lseek(q->fd, q->position + done, SEEK_SET);
  }
  errno = saved;
}
static void after_read(const req_t *q, long done) { put_position(q, done, q->n, false); }
static void after_write(const req_t *q, long done) { put_position(q, done, q->n, true); }
static void after_readv(const req_t *q, long done) { put_position(q, done, ch_iovec_bytes(q->a, q->n), false); }
static void after_writev(const req_t *q, long done) { put_position(q, done, ch_iovec_bytes(q->a, q->n), true); }

static const struct ch_operation_kind read_kind = {
    "read", perform_read, prepare_read, .queue = CH_POOL_STORAGE, .goes_on = true, .answered = after_read};
static const struct ch_operation_kind write_kind = {"write", perform_write, prepare_write, .queue = CH_POOL_STORAGE,
                                                    .answered = after_write};
static const struct ch_operation_kind readv_kind = {"readv", perform_readv, prepare_readv, .queue = CH_POOL_STORAGE,
                                                    .answered = after_readv};
static const struct ch_operation_kind writev_kind = {"writev", perform_writev, prepare_writev, .queue = CH_POOL_STORAGE,
                                                     .answered = after_writev};
/* Under a limit of a file's size (RLIMIT_FSIZE), whose signal the ring loses. */
static const struct ch_operation_kind limited_write_kind = {"write", perform_write, NULL, .queue = CH_POOL_STORAGE};
static const struct ch_operation_kind limited_writev_kind = {"writev", perform_writev, NULL, .queue = CH_POOL_STORAGE};
/* Whether a ring may get the request: whoever is alone makes the call in place, and needs none. */
static bool is_for_ring(void) { return !ch_is_alone() && ch_reactor_has_ring(); }
static bool is_limited(void) {
  struct rlimit limit;
  return is_for_ring() && getrlimit(RLIMIT_FSIZE, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY;
}

/* What the kernel transfers at most in one call. */
#define LONGEST 0x7ffff000

static req_t transfer(const struct ch_operation_kind *kind, int fd, const void *a, size_t n, int64_t offset,
                      int flags) {
  int64_t position = offset < 0 && is_for_ring() ? lseek(fd, 0, SEEK_CUR) : -1;
  return (req_t){
      .kind = kind, .fd = fd, .a = a, .n = n, .offset = offset, .flags = (unsigned)flags, .position = position};
}

/* Reads what the page cache has, without waiting for the rest. -1 and EAGAIN: an operation is needed. Without the page
 * cache (O_DIRECT) this is so at once, because there RWF_NOWAIT would still wait for the disk. */
static ssize_t cached(int fd, const struct iovec *v, int n, int64_t offset) {
  return fcntl(fd, F_GETFL) & O_DIRECT ? (errno = EAGAIN, -1) : preadv2(fd, v, n, offset, RWF_NOWAIT);
}
static bool is_refusal(ssize_t r) {
  return r < 0 && (errno == EAGAIN || errno == EOPNOTSUPP || errno == ENOSYS || errno == EINVAL);
}

/* Whether a call names a position in a file that has none. This is an error, which the plain call reports at once; a
 * ring would ignore it and transfer bytes. */
static bool has_no_position(int fd, int64_t offset) {
  if (offset < 0)
    return false;
  enum ch_file_kind kind = ch_fd_cache_kind(fd);
  if (kind == CH_UNKNOWN_FILE)
    kind = ch_fd_cache_ask_kind(fd);
  if (kind == CH_DEVICE_FILE) { /* an eventfd seeks nowhere without an error, and refuses to read there */
    char nothing;
    int saved = errno;
    bool refuses = lseek(fd, 0, SEEK_CUR) < 0 || (pread(fd, &nothing, 0, 0) < 0 && errno == ESPIPE);
    errno = saved;
    return refuses;
  }
  return kind != CH_UNKNOWN_FILE && kind != CH_STORAGE_FILE;
}

/* A ring looks into the page cache itself. Without a ring, the page cache may have only the first part of what is read,
 * but the reader of a file expects all of it. So an operation reads the rest. */
static long begin_read(req_t *q, int fd, void *to, size_t n, int64_t offset) {
  long begun = begin(q, transfer(&read_kind, fd, to, n, offset, 0), n > LONGEST || has_no_position(fd, offset));
  if (begun != CH_LATER || CH_LIKELY(ch_reactor_has_ring()))
    return begun;
  ssize_t r = cached(fd, &(struct iovec){to, n}, 1, offset);
  if (r == (ssize_t)n || r == 0 || (r < 0 && !is_refusal(r)))
    return r;
  if (r > 0) {
    q->before = (unsigned)r;
    q->a = (char *)to + r;
    q->n = n - (size_t)r;
    if (offset >= 0)
      q->offset = offset + r;
  }
  return CH_LATER;
}

static long begin_write(req_t *q, int fd, const void *from, size_t n, int64_t offset) {
  return begin(q, transfer(is_limited() ? &limited_write_kind : &write_kind, fd, from, n, offset, 0),
               n > LONGEST || n == 0 || has_no_position(fd, offset));
}

static long begin_readv(req_t *q, int fd, const struct iovec *v, int n, int64_t offset, int flags) {
  long begun = begin(q, transfer(&readv_kind, fd, v, (size_t)n, offset, flags),
                     n <= 0 || n > IOV_MAX || has_no_position(fd, offset));
  if (begun != CH_LATER || flags || ch_reactor_has_ring())
    return begun;
  ssize_t r = cached(fd, v, n, offset);
  if (r == 0 || (r > 0 && (size_t)r == ch_iovec_bytes(v, (size_t)n)) || (r < 0 && !is_refusal(r)))
    return r;
  if (r > 0 && offset < 0) /* the position has moved; move it back, and read all of it once more */
    lseek(fd, -r, SEEK_CUR);
  return CH_LATER;
}

static long begin_writev(req_t *q, int fd, const struct iovec *v, int n, int64_t offset, int flags) {
  return begin(q, transfer(is_limited() ? &limited_writev_kind : &writev_kind, fd, v, (size_t)n, offset, flags),
               n <= 0 || n > IOV_MAX || has_no_position(fd, offset));
}

/* An offset below 0 means the position above, and is an error here, which the plain call words. */
static long begin_pread(req_t *q, int fd, void *to, size_t n, int64_t offset) {
  return CH_UNLIKELY(offset < 0) ? pread(fd, to, n, offset) : begin_read(q, fd, to, n, offset);
}
static long begin_pwrite(req_t *q, int fd, const void *from, size_t n, int64_t offset) {
  return CH_UNLIKELY(offset < 0) ? pwrite(fd, from, n, offset) : begin_write(q, fd, from, n, offset);
}
static long begin_preadv(req_t *q, int fd, const struct iovec *v, int n, int64_t offset) {
  return offset < 0 ? preadv(fd, v, n, offset) : begin_readv(q, fd, v, n, offset, 0);
}
static long begin_pwritev(req_t *q, int fd, const struct iovec *v, int n, int64_t offset) {
  return offset < 0 ? pwritev(fd, v, n, offset) : begin_writev(q, fd, v, n, offset, 0);
}

static long perform_sync(const req_t *q) { return or_error(q->flags ? fdatasync(q->fd) : fsync(q->fd)); }
static void prepare_sync(const req_t *q, sqe_t *sqe) {
  sqe->opcode = IORING_OP_FSYNC;
  sqe->fd = q->fd;
  sqe->fsync_flags = q->flags ? IORING_FSYNC_DATASYNC : 0;
}
static const struct ch_operation_kind sync_kind = {"fsync", perform_sync, prepare_sync, .queue = CH_POOL_STORAGE};

/* ---- names ---- */

/* Looks along names that are in memory only; EAGAIN: some are not. */
static int cached_path(int directory, const char *path, int flags) {
  struct open_how how = {.flags = (uint64_t)(unsigned)(O_PATH | O_CLOEXEC | flags), .resolve = RESOLVE_CACHED};
  return (int)syscall(SYS_openat2, directory, path, &how, sizeof how);
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
  long begun = begin(q, request, path && !*path);
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

static long perform_truncate(const req_t *q) {
  return or_error(q->a ? truncate(q->a, q->offset) : ftruncate(q->fd, q->offset));
}
static const struct ch_operation_kind truncate_kind = {"truncate", perform_truncate, NULL, .queue = CH_POOL_STORAGE};

/* ---- from descriptor to descriptor ---- */

static long perform_sendfile(const req_t *q) { return or_error(sendfile(q->fd, q->fd2, (off_t *)q->a, q->n)); }
static const struct ch_operation_kind sendfile_kind = {"sendfile", perform_sendfile, NULL, .queue = CH_POOL_WAITING,
                                                       .interrupt = true};

static long perform_copy_range(const req_t *q) {
  return or_error(copy_file_range(q->fd, (off_t *)q->a, q->fd2, (off_t *)q->b, q->n, q->flags));
}
static const struct ch_operation_kind copy_range_kind = {"copy_file_range", perform_copy_range, NULL,
                                                         .queue = CH_POOL_STORAGE};

/* Pipes and sockets have two ends to wait for, and some descriptors no way to ask: a thread may wait in the call. */
static long perform_splice(const req_t *q) {
  return or_error(splice(q->fd, (off_t *)q->a, q->fd2, (off_t *)q->b, q->n, q->flags));
}
static const struct ch_operation_kind splice_kind = {"splice", perform_splice, NULL, .queue = CH_POOL_WAITING,
                                                     .interrupt = true};

/* SPLICE_F_NONBLOCK is about pipes; anything else waits as its own mode says. */
static bool splices_without_waiting(int fd) {
  int mode = fcntl(fd, F_GETFL);
  return mode < 0 || mode & O_NONBLOCK || fcntl(fd, F_GETPIPE_SZ) >= 0;
}

static bool waits_in_splice(int from, int to, unsigned flags) {
  return !(flags & SPLICE_F_NONBLOCK && splices_without_waiting(from) && splices_without_waiting(to));
}

static long perform_vmsplice(const req_t *q) { return or_error(vmsplice(q->fd, q->a, q->n, q->flags)); }
static const struct ch_operation_kind vmsplice_kind = {"vmsplice", perform_vmsplice, NULL, .queue = CH_POOL_WAITING,
                                                       .interrupt = true};
static long perform_tee(const req_t *q) { return or_error(tee(q->fd, q->fd2, q->n, q->flags)); }
static const struct ch_operation_kind tee_kind = {"tee", perform_tee, NULL, .queue = CH_POOL_WAITING,
                                                  .interrupt = true};

/* ---- locks on files ---- */

/* The kernel gives up a lock before it looks whether it may give another in its place. */
int ch_flock_held(int fd, int operation) {
  if (operation & (LOCK_UN | LOCK_NB))
    return 0;
  char name[40], text[4096];
  snprintf(name, sizeof name, "/proc/self/fdinfo/%d", fd);
  ch_proc_text(name, text, sizeof text);
  const char *line = strstr(text, ": FLOCK");
  const char *end = line ? strchrnul(line, '\n') : NULL, *write = line ? strstr(line, "WRITE") : NULL;
  return !line ? 0 : write && write < end ? LOCK_EX : LOCK_SH;
}

int ch_flock_take_back(int fd, int held) {
  if (held && flock(fd, held | LOCK_NB) < 0)
    errno = ENOLCK;
  else
    errno = ECANCELED;
  return -1;
}

static long perform_flock(const req_t *q) { return or_error(flock(q->fd, (int)q->flags)); }
static const struct ch_operation_kind flock_kind = {"flock", perform_flock, NULL, .queue = CH_POOL_WAITING,
                                                    .interrupt = true};

static long begin_flock(req_t *q, int fd, int operation) {
  if (ch_is_marked() && !(operation & LOCK_UN))
    return refused();
  int r = flock(fd, operation | LOCK_NB);
  if (r == 0 || errno != EWOULDBLOCK || operation & LOCK_NB)
    return r;
  *q = (req_t){.kind = &flock_kind, .fd = fd, .flags = (unsigned)operation};
  return CH_LATER;
}

static long perform_setlk(const req_t *q) { return or_error(fcntl(q->fd, (int)q->flags, q->a)); }
static const struct ch_operation_kind setlk_kind = {"fcntl", perform_setlk, NULL, .queue = CH_POOL_WAITING,
                                                    .interrupt = true};

/* POSIX locks belong to the process, locks of the open file description to that: to no thread. */
static long begin_setlk(req_t *q, int fd, int command, void *lock) {
  if (ch_is_marked() && ((struct flock *)lock)->l_type != F_UNLCK)
    return refused();
  int r = fcntl(fd, command == F_SETLKW ? F_SETLK : F_OFD_SETLK, lock);
  if (r == 0 || (errno != EAGAIN && errno != EACCES))
    return r;
  *q = (req_t){.kind = &setlk_kind, .fd = fd, .flags = (unsigned)command, .a = lock};
  return CH_LATER;
}

/* ---- anything ---- */

static long perform_call(const req_t *q) { return ((long (*)(void *))(uintptr_t)q->offset)((void *)q->a); }
static void release_call(const req_t *q) { ((struct ch_abandoned *)(uintptr_t)q->a)->release((void *)q->a); }
static const struct ch_operation_kind call_kinds[] = {
    [CH_CALL_FOREIGN] = {"call", perform_call, NULL, .queue = CH_POOL_FOREIGN},
    [CH_CALL_STORAGE] = {"call", perform_call, NULL, .queue = CH_POOL_STORAGE},
    [CH_CALL_WAITING] = {"call", perform_call, NULL, .queue = CH_POOL_WAITING},
    [CH_CALL_INTERRUPTIBLE] = {"call", perform_call, NULL, .queue = CH_POOL_WAITING, .interrupt = true},
    [CH_CALL_CANCELLABLE] = {"call", perform_call, NULL, .queue = CH_POOL_WAITING, .cancellable = true,
                             .in_place = true},
    [CH_CALL_ABANDONED] = {"call", perform_call, NULL, .queue = CH_POOL_FOREIGN, .abandoned = release_call}};

static long begin_call(req_t *q, long (*fn)(void *), void *argument, int how) {
  *q = (req_t){.kind = &call_kinds[how], .fd = -1, .offset = (int64_t)(uintptr_t)fn, .a = argument};
  int error = ch_is_marked() ? ECANCELED : !ch_is_in_branch() ? EPERM : 0;
  if (!error)
    return CH_LATER;
  if (q->kind->abandoned)
    q->kind->abandoned(q);
  return errno = error, -1;
}

/* ---- devices ---- */

#define DEVICE_KIND(call, function)                                                                                    \
  static const struct ch_operation_kind device_##call##_kind = {                                                       \
      #call, function, NULL, .queue = CH_POOL_WAITING, .closes = true, .interrupt = true};
DEVICE_KIND(read, perform_read)
DEVICE_KIND(write, perform_write)
DEVICE_KIND(readv, perform_readv)
DEVICE_KIND(writev, perform_writev)

/* ---- what a peer ends ----
 *
 * These follow a try that would have had to wait (nonblocking.c). */

static long perform_recv(const req_t *q) { return or_error(recv(q->fd, (void *)q->a, q->n, 0)); }
static void prepare_recv(const req_t *q, sqe_t *sqe) {
  sqe->opcode = IORING_OP_RECV;
  sqe->ioprio = ch_uring_recv_flags;
  sqe->fd = q->fd;
  sqe->addr = (uint64_t)(uintptr_t)q->a;
  sqe->len = (uint32_t)q->n;
}
static const struct ch_operation_kind recv_kind = {
    "recv",         perform_recv,      prepare_recv,     .queue = CH_POOL_WAITING,
    .closes = true, .interrupt = true, .receives = true, .relies_on_cache = true};
/* The same for read. By now the number may mean another kind of file, because somebody has closed the socket and used
 * its number again. */
static void prepare_read_any(const req_t *q, sqe_t *sqe) {
  prepare_read(q, sqe);
  sqe->flags = IOSQE_ASYNC; /* without RWF_NOWAIT the kernel, too, asks poll and then reads */
}
static const struct ch_operation_kind read_any_kind = {
    "read", perform_read, prepare_read_any, .queue = CH_POOL_WAITING, .closes = true, .interrupt = true};
static const struct ch_operation_kind receive_kind = {"read",
                                                      perform_read,
                                                      prepare_recv,
                                                      .queue = CH_POOL_WAITING,
                                                      .closes = true,
                                                      .interrupt = true,
                                                      .receives = true,
                                                      .relies_on_cache = true,
                                                      .otherwise = &read_any_kind};
static long perform_accept(const req_t *q) {
  return or_error(accept4(q->fd, (struct sockaddr *)q->a, (socklen_t *)q->b, (int)q->flags));
}
static void prepare_accept(const req_t *q, sqe_t *sqe) {
  sqe->opcode = IORING_OP_ACCEPT;
  sqe->fd = q->fd;
  sqe->addr = (uint64_t)(uintptr_t)q->a;
  sqe->addr2 = (uint64_t)(uintptr_t)q->b;
  sqe->accept_flags = q->flags;
}
static const struct ch_operation_kind accept_kind = {
    "accept",       perform_accept,    prepare_accept,         .queue = CH_POOL_WAITING,
    .closes = true, .interrupt = true, .relies_on_cache = true};
static const struct ch_operation_kind accept_by_thread_kind = {
    "accept", perform_accept, NULL, .queue = CH_POOL_WAITING, .closes = true, .interrupt = true};
static long perform_connect(const req_t *q) { return or_error(connect(q->fd, q->a, (socklen_t)q->n)); }
static void prepare_connect(const req_t *q, sqe_t *sqe) {
  sqe->opcode = IORING_OP_CONNECT;
  sqe->fd = q->fd;
  sqe->addr = (uint64_t)(uintptr_t)q->a;
  sqe->off = q->n;
}
static const struct ch_operation_kind connect_kind = {
    "connect", perform_connect, prepare_connect, .queue = CH_POOL_WAITING, .closes = true, .interrupt = true};
/* For local datagrams, whose receiver may have no room although the socket has: no event tells when that changes, so
 * the call itself waits, on a thread. */
static long perform_sendmsg(const req_t *q) { return or_error(sendmsg(q->fd, q->a, (int)q->flags)); }
static const struct ch_operation_kind sendmsg_kind = {"sendmsg", perform_sendmsg, NULL, .queue = CH_POOL_WAITING,
                                                      .interrupt = true};
static long perform_recvmsg(const req_t *q) { return or_error(recvmsg(q->fd, (struct msghdr *)q->a, (int)q->flags)); }
static const struct ch_operation_kind recvmsg_kind = {"recvmsg",      perform_recvmsg,  NULL, .queue = CH_POOL_WAITING,
                                                      .closes = true, .interrupt = true};
/* ---- the calls ----
 *
 * Each line has a call's name (before it, where the program knows it by another), its parameters, and how it begins. */

#define CALL(name, parameters, ...) CALL_AS(#name, name, parameters, __VA_ARGS__)
#define CALL_AS(known, name, parameters, ...)                                                                          \
  static const struct ch_leaf leaf_##name = CH_OPERATION_LEAF(known, ch_operation_ended);                              \
  struct ch_int_result ch_do_##name##_int parameters CH_INT_NAME(ch_do_##name);                                        \
  struct ch_int_result ch_do_##name##_int parameters {                                                                 \
    req_t q;                                                                                                           \
    int before = errno;                                                                                                \
    long r = __VA_ARGS__;                                                                                              \
    return r == CH_LATER ? (errno = before, ch_operate_int(&leaf_##name, &q)) : ch_done(r);                            \
  } CH_COLD long ch_do_##name parameters {                                                                             \
    req_t q;                                                                                                           \
    int before = errno;                                                                                                \
    long r = __VA_ARGS__;                                                                                              \
    return r == CH_LATER ? (errno = before, ch_operate(&leaf_##name, &q)) : r;                                         \
  }
/* A call that waits, and one that takes its time, with the members of its request. */
#define WAIT(known, name, parameters, ...)                                                                             \
  CALL_AS(known, name, parameters, begin_wait(&q, (req_t){.kind = &name##_kind, __VA_ARGS__}))
#define TASK(name, parameters, ...) CALL(name, parameters, begin(&q, (req_t){.kind = &name##_kind, __VA_ARGS__}, false))

/* clang-format off */
WAIT("recv", recv, (int fd, void *to, size_t n), .fd = fd, .a = to, .n = n)
WAIT("read", receive, (int fd, void *to, size_t n), .fd = fd, .a = to, .n = n, .offset = -1)
WAIT("accept", accept, (int fd, struct sockaddr *address, socklen_t *length, int flags),
     .fd = fd, .a = address, .b = length, .flags = (unsigned)flags)
WAIT("accept", accept_by_thread, (int fd, struct sockaddr *address, socklen_t *length, int flags),
     .fd = fd, .a = address, .b = length, .flags = (unsigned)flags)
WAIT("connect", connect, (int fd, const struct sockaddr *address, socklen_t length),
     .fd = fd, .a = address, .n = length)
WAIT("sendmsg", sendmsg, (int fd, const struct msghdr *m, int flags), .fd = fd, .a = m, .flags = (unsigned)flags)
WAIT("recvmsg", recvmsg, (int fd, struct msghdr *m, int flags), .fd = fd, .a = m, .flags = (unsigned)flags)
WAIT("read", device_read, (int fd, void *to, size_t n), .fd = fd, .a = to, .n = n, .offset = -1)
WAIT("write", device_write, (int fd, const void *from, size_t n), .fd = fd, .a = from, .n = n, .offset = -1)
WAIT("readv", device_readv, (int fd, const struct iovec *v, int n), .fd = fd, .a = v, .n = (size_t)n, .offset = -1)
WAIT("writev", device_writev, (int fd, const struct iovec *v, int n), .fd = fd, .a = v, .n = (size_t)n, .offset = -1)

CALL(read, (int fd, void *to, size_t n, int64_t offset), begin_read(&q, fd, to, n, offset))
CALL(write, (int fd, const void *from, size_t n, int64_t offset), begin_write(&q, fd, from, n, offset))
CALL(readv, (int fd, const struct iovec *v, int n, int64_t offset, int flags), begin_readv(&q, fd, v, n, offset, flags))
CALL(writev, (int fd, const struct iovec *v, int n, int64_t offset, int flags),
     begin_writev(&q, fd, v, n, offset, flags))
CALL(pread, (int fd, void *to, size_t n, int64_t offset), begin_pread(&q, fd, to, n, offset))
CALL(pwrite, (int fd, const void *from, size_t n, int64_t offset), begin_pwrite(&q, fd, from, n, offset))
CALL(preadv, (int fd, const struct iovec *v, int n, int64_t offset), begin_preadv(&q, fd, v, n, offset))
CALL(pwritev, (int fd, const struct iovec *v, int n, int64_t offset), begin_pwritev(&q, fd, v, n, offset))
TASK(sync, (int fd, int data_only), .fd = fd, .flags = data_only != 0)

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
TASK(truncate, (int fd, const char *path, int64_t length), .fd = fd, .a = path, .offset = length)

TASK(sendfile, (int to, int from, int64_t *offset, size_t n), .fd = to, .fd2 = from, .a = offset, .n = n)
TASK(copy_range, (int from, int64_t *from_offset, int to, int64_t *to_offset, size_t n, unsigned flags),
     .fd = from, .a = from_offset, .fd2 = to, .b = to_offset, .n = n, .flags = flags)
CALL(splice, (int from, int64_t *from_offset, int to, int64_t *to_offset, size_t n, unsigned flags),
     begin(&q, (req_t){.kind = &splice_kind, .fd = from, .a = from_offset, .fd2 = to, .b = to_offset, .n = n,
                       .flags = flags}, !waits_in_splice(from, to, flags)))
CALL(vmsplice, (int fd, const struct iovec *v, size_t n, unsigned flags),
     begin(&q, (req_t){.kind = &vmsplice_kind, .fd = fd, .a = v, .n = n, .flags = flags}, flags & SPLICE_F_NONBLOCK))
CALL(tee, (int from, int to, size_t n, unsigned flags),
     begin(&q, (req_t){.kind = &tee_kind, .fd = from, .fd2 = to, .n = n, .flags = flags}, flags & SPLICE_F_NONBLOCK))

CALL(flock, (int fd, int operation), begin_flock(&q, fd, operation))
CALL(setlk, (int fd, int command, void *lock), begin_setlk(&q, fd, command, lock))
CALL(call, (long (*fn)(void *), void *argument, int how), begin_call(&q, fn, argument, how))
/* clang-format on */

/* ---- plain ---- */

extern ssize_t __pread_chk(int, void *, size_t, off_t, size_t);
extern int __open_2(const char *, int);
extern ssize_t __read_chk(int, void *, size_t, size_t);

ssize_t ch_plain_pread_chk(int fd, void *to, size_t n, int64_t offset, size_t room) {
  return __pread_chk(fd, to, n, offset, room);
}
int ch_plain_open_2(const char *path, int flags) { return __open_2(path, flags); }
int ch_plain_fcntl(int fd, int command, void *argument) { return fcntl(fd, command, argument); }
int ch_plain_lockf(int fd, int command, int64_t n) { return lockf(fd, command, n); }
ssize_t ch_plain_read_chk(int fd, void *to, size_t n, size_t room) { return __read_chk(fd, to, n, room); }
