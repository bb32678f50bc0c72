/* Replacements of the calls that read and write files: pread, pwrite, preadv, pwritev, preadv2, pwritev2, fsync,
 * fdatasync, truncate, ftruncate, sendfile, splice, vmsplice and copy_file_range. */
#define _GNU_SOURCE
#include "posix/plain.h"
#include "posix/replacements/replacement.h"
#include <errno.h>
#include <fcntl.h>
#include <sys/sendfile.h>
#include <unistd.h>

CH_REPLACES(pread) ssize_t ch_posix_pread(int fd, void *to, size_t n, off_t offset) {
  return ch_do_pread(fd, to, n, offset);
}
CH_REPLACES(pread64) ssize_t ch_posix_pread64(int fd, void *to, size_t n, off_t offset) {
  return ch_do_pread(fd, to, n, offset);
}
CH_REPLACES(__pread_chk) ssize_t ch_posix_pread_chk(int fd, void *to, size_t n, off_t offset, size_t room) {
  return n > room ? ch_plain_pread_chk(fd, to, n, offset, room) : ch_do_pread(fd, to, n, offset);
}
CH_REPLACES(__pread64_chk) ssize_t ch_posix_pread64_chk(int fd, void *to, size_t n, off_t offset, size_t room) {
  return n > room ? ch_plain_pread_chk(fd, to, n, offset, room) : ch_do_pread(fd, to, n, offset);
}
CH_REPLACES(pwrite) ssize_t ch_posix_pwrite(int fd, const void *from, size_t n, off_t offset) {
  return ch_do_pwrite(fd, from, n, offset);
}
CH_REPLACES(pwrite64) ssize_t ch_posix_pwrite64(int fd, const void *from, size_t n, off_t offset) {
  return ch_do_pwrite(fd, from, n, offset);
}
CH_REPLACES(preadv) ssize_t ch_posix_preadv(int fd, const struct iovec *v, int n, off_t offset) {
  return ch_do_preadv(fd, v, n, offset);
}
CH_REPLACES(preadv64) ssize_t ch_posix_preadv64(int fd, const struct iovec *v, int n, off_t offset) {
  return ch_do_preadv(fd, v, n, offset);
}
CH_REPLACES(pwritev) ssize_t ch_posix_pwritev(int fd, const struct iovec *v, int n, off_t offset) {
  return ch_do_pwritev(fd, v, n, offset);
}
CH_REPLACES(pwritev64) ssize_t ch_posix_pwritev64(int fd, const struct iovec *v, int n, off_t offset) {
  return ch_do_pwritev(fd, v, n, offset);
}

/* From the position, what is no file is read or written as by readv and writev, where no flag but RWF_NOWAIT means
 * anything; which never waits. */
static int is_stream(int fd, off_t offset, int flags) {
  int saved = errno, is = offset == -1 && (flags == 0 || lseek(fd, 0, SEEK_CUR) < 0);
  errno = saved;
  return is;
}
static ssize_t read_somehow(int fd, const struct iovec *v, int n, off_t offset, int flags) {
  if (flags & RWF_NOWAIT || offset < -1)
    return ch_plain_preadv2(fd, v, n, offset, flags);
  return is_stream(fd, offset, flags) ? readv(fd, v, n) : ch_do_readv(fd, v, n, offset, flags);
}
static ssize_t write_somehow(int fd, const struct iovec *v, int n, off_t offset, int flags) {
  if (flags & RWF_NOWAIT || offset < -1)
    return ch_plain_pwritev2(fd, v, n, offset, flags);
  return is_stream(fd, offset, flags) ? writev(fd, v, n) : ch_do_writev(fd, v, n, offset, flags);
}
CH_REPLACES(preadv2) ssize_t ch_posix_preadv2(int fd, const struct iovec *v, int n, off_t offset, int flags) {
  return read_somehow(fd, v, n, offset, flags);
}
CH_REPLACES(preadv64v2) ssize_t ch_posix_preadv64v2(int fd, const struct iovec *v, int n, off_t offset, int flags) {
  return read_somehow(fd, v, n, offset, flags);
}
CH_REPLACES(pwritev2) ssize_t ch_posix_pwritev2(int fd, const struct iovec *v, int n, off_t offset, int flags) {
  return write_somehow(fd, v, n, offset, flags);
}
CH_REPLACES(pwritev64v2) ssize_t ch_posix_pwritev64v2(int fd, const struct iovec *v, int n, off_t offset, int flags) {
  return write_somehow(fd, v, n, offset, flags);
}

CH_REPLACES(fsync) int ch_posix_fsync(int fd) { return (int)ch_do_sync(fd, 0); }
CH_REPLACES(fdatasync) int ch_posix_fdatasync(int fd) { return (int)ch_do_sync(fd, 1); }

CH_REPLACES(truncate) int ch_posix_truncate(const char *path, off_t length) {
  return (int)ch_do_truncate(path, length);
}
CH_REPLACES(truncate64) int ch_posix_truncate64(const char *path, off_t length) {
  return (int)ch_do_truncate(path, length);
}
CH_REPLACES(ftruncate) int ch_posix_ftruncate(int fd, off_t length) { return (int)ch_do_ftruncate(fd, length); }
CH_REPLACES(ftruncate64) int ch_posix_ftruncate64(int fd, off_t length) {
  return (int)ch_do_ftruncate(fd, length);
}

CH_REPLACES(copy_file_range)
ssize_t ch_posix_copy_file_range(int from, off_t *from_offset, int to, off_t *to_offset, size_t n, unsigned flags) {
  return ch_do_copy_range(from, from_offset, to, to_offset, n, flags);
}

/* First the peer has room; what the storage has to bring in takes its time on another thread. On a descriptor that the
 * user made non-blocking the plain call waits for storage alone, and so do we. */
CH_REPLACES(sendfile) ssize_t ch_posix_sendfile(int to, int from, off_t *offset, size_t n) {
  return ch_do_sendfile(to, from, offset, n);
}
CH_REPLACES(sendfile64) ssize_t ch_posix_sendfile64(int to, int from, off_t *offset, size_t n) {
  return ch_do_sendfile(to, from, offset, n);
}

CH_REPLACES(splice)
ssize_t ch_posix_splice(int from, off_t *from_offset, int to, off_t *to_offset, size_t n, unsigned flags) {
  return ch_do_splice(from, from_offset, to, to_offset, n, flags);
}
CH_REPLACES(vmsplice) ssize_t ch_posix_vmsplice(int fd, const struct iovec *v, size_t n, unsigned flags) {
  return ch_do_vmsplice(fd, v, n, flags);
}
CH_REPLACES(tee) ssize_t ch_posix_tee(int from, int to, size_t n, unsigned flags) {
  return ch_do_tee(from, to, n, flags);
}
