/* Reading and writing: files and disks, and devices that know no way of not waiting. */
#define _GNU_SOURCE
#include "posix/operations/define.h"
#include "posix/vectors.h"
#include "reactor/readiness_cache.h"
#include <fcntl.h>
#include <limits.h>
#include <sys/resource.h>
#include <sys/uio.h>
#include <unistd.h>

long ch_perform_read(const req_t *q) {
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
void ch_prepare_read(const req_t *q, sqe_t *sqe) { prepare_rw(q, sqe, IORING_OP_READ); }
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
    "read", ch_perform_read, ch_prepare_read, .queue = CH_POOL_STORAGE, .goes_on = true, .answered = after_read};
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

/* Whether a file can be read or written at a position. A transfer of no bytes tells. */
static bool is_positioned(int fd, bool writes) {
  struct ch_fd_entry *k = ch_fd_entry_make(fd);
  if (!is_for_ring() || (k && (writes ? k->written_at : k->read_at)))
    return true;
  int saved = errno;
  bool is = (writes ? pwritev : preadv)(fd, NULL, 0, 0) == 0 || errno != ESPIPE;
  errno = saved;
  if (k && writes)
    k->written_at = is;
  else if (k)
    k->read_at = is;
  return is;
}

/* Whether a call names a position in a file that has none. This is an error, which the plain call reports at once; a
 * ring would ignore it and transfer bytes. */
static CH_COLD bool is_without_position(int fd, enum ch_file_kind kind, bool writes) {
  if (kind == CH_UNKNOWN_FILE)
    kind = ch_fd_cache_ask_kind(fd);
  if (kind == CH_DEVICE_FILE) { /* an eventfd seeks nowhere without an error, and refuses to read there */
    char nothing;
    int saved = errno;
    bool refuses = lseek(fd, 0, SEEK_CUR) < 0 || (pread(fd, &nothing, 0, 0) < 0 && errno == ESPIPE);
    errno = saved;
    return refuses;
  }
  return kind == CH_STORAGE_FILE ? !is_positioned(fd, writes) : kind != CH_UNKNOWN_FILE;
}
static inline bool has_no_position(int fd, int64_t offset, bool writes) {
  if (offset < 0)
    return false;
  enum ch_file_kind kind = ch_fd_cache_kind(fd);
  return CH_LIKELY(kind == CH_STORAGE_FILE) ? !is_positioned(fd, writes) : is_without_position(fd, kind, writes);
}

/* A ring looks into the page cache itself. Without a ring, the page cache may have only the first part of what is read,
 * but the reader of a file expects all of it. So an operation reads the rest. */
static long begin_read(req_t *q, int fd, void *to, size_t n, int64_t offset) {
  long begun = begin(q, transfer(&read_kind, fd, to, n, offset, 0), n > LONGEST || has_no_position(fd, offset, false));
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
               n > LONGEST || n == 0 || has_no_position(fd, offset, true));
}

static long begin_readv(req_t *q, int fd, const struct iovec *v, int n, int64_t offset, int flags) {
  long begun = begin(q, transfer(&readv_kind, fd, v, (size_t)n, offset, flags),
                     n <= 0 || n > IOV_MAX || has_no_position(fd, offset, false));
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
               n <= 0 || n > IOV_MAX || has_no_position(fd, offset, true));
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

#define DEVICE_KIND(call, function)                                                                                    \
  static const struct ch_operation_kind device_##call##_kind = {                                                       \
      #call, function, NULL, .queue = CH_POOL_WAITING, .closes = true, .interrupt = true};
DEVICE_KIND(read, ch_perform_read)
DEVICE_KIND(write, perform_write)
DEVICE_KIND(readv, perform_readv)
DEVICE_KIND(writev, perform_writev)

/* clang-format off */
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
/* clang-format on */
