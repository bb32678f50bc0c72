/* From one descriptor to another. */
#define _GNU_SOURCE
#include "posix/operations/define.h"
#include <fcntl.h>
#include <sys/sendfile.h>
#include <unistd.h>

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

/* clang-format off */
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
/* clang-format on */
