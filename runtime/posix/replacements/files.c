/* Replacements of calls on names of files (open, creat, fopen, stat, rename, unlink, mkdir and the like), and of flock
 * and fcntl.
 *
 * fstat has no replacement, because it asks about an open file, whose data are in memory. */
#define _GNU_SOURCE
#include "posix/descriptors.h"
#include "posix/single_activity.h"
#include "posix/streams.h"
#include "posix/replacements/replacement.h"
#include "posix/plain.h"
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

static inline int wants_mode(int flags) { return flags & O_CREAT || (flags & O_TMPFILE) == O_TMPFILE; }

/* The mode lies in memory, at the place of the last parameter, if there is one. */
#define OPEN(directory)                                                                                                \
  do {                                                                                                                 \
    mode_t mode = 0;                                                                                                   \
    if (wants_mode(flags)) {                                                                                           \
      va_list more;                                                                                                    \
      va_start(more, flags);                                                                                           \
      mode = va_arg(more, mode_t);                                                                                     \
      va_end(more);                                                                                                    \
    }                                                                                                                  \
    return ch_opened((int)ch_do_openat(directory, path, flags, mode));                                                 \
  } while (0)
CH_REPLACES(open) int ch_posix_open(const char *path, int flags, ...) { OPEN(AT_FDCWD); }
CH_REPLACES(open64) int ch_posix_open64(const char *path, int flags, ...) { OPEN(AT_FDCWD); }
CH_REPLACES(openat) int ch_posix_openat(int directory, const char *path, int flags, ...) { OPEN(directory); }
CH_REPLACES(openat64) int ch_posix_openat64(int directory, const char *path, int flags, ...) { OPEN(directory); }
CH_REPLACES(creat) int ch_posix_creat(const char *path, mode_t mode) {
  return ch_opened((int)ch_do_openat(AT_FDCWD, path, O_CREAT | O_WRONLY | O_TRUNC, mode));
}
CH_REPLACES(creat64) int ch_posix_creat64(const char *path, mode_t mode) {
  return ch_opened((int)ch_do_openat(AT_FDCWD, path, O_CREAT | O_WRONLY | O_TRUNC, mode));
}
/* _FORTIFY_SOURCE's open without a mode. */
static int open_without_mode(int directory, const char *path, int flags) {
  return wants_mode(flags) ? ch_plain_open_2(path, flags) : ch_opened((int)ch_do_openat(directory, path, flags, 0));
}
CH_REPLACES(__open_2) int ch_posix_open_2(const char *path, int flags) {
  return open_without_mode(AT_FDCWD, path, flags);
}
CH_REPLACES(__open64_2) int ch_posix_open64_2(const char *path, int flags) {
  return open_without_mode(AT_FDCWD, path, flags);
}
CH_REPLACES(__openat_2) int ch_posix_openat_2(int directory, const char *path, int flags) {
  return open_without_mode(directory, path, flags);
}
CH_REPLACES(__openat64_2) int ch_posix_openat64_2(int directory, const char *path, int flags) {
  return open_without_mode(directory, path, flags);
}

/* A FIFO waits for its other end; any other file is there as soon as a disk has found it. */
static FILE *open_stream(const char *path, const char *mode) {
  int flags, fd;
  FILE *f;
  CH_SINGLE_ACTIVITY(fopen(path, mode));
  flags = ch_plain_fifo_flags(path, mode);
  if (flags < 0)
    return ch_plain_fopen(path, mode);
  fd = ch_opened((int)ch_do_openat(AT_FDCWD, path, flags, 0666));
  f = fd < 0 ? NULL : ch_plain_fdopen(fd, mode);
  if (fd >= 0 && !f)
    ch_plain_close(fd);
  return f;
}
CH_REPLACES(fopen) FILE *ch_posix_fopen(const char *path, const char *mode) { return open_stream(path, mode); }
CH_REPLACES(fopen64) FILE *ch_posix_fopen64(const char *path, const char *mode) { return open_stream(path, mode); }

CH_REPLACES(stat) int ch_posix_stat(const char *path, struct stat *to) {
  return (int)ch_do_stat(AT_FDCWD, path, to, 0);
}
CH_REPLACES(stat64) int ch_posix_stat64(const char *path, struct stat *to) {
  return (int)ch_do_stat(AT_FDCWD, path, to, 0);
}
CH_REPLACES(lstat) int ch_posix_lstat(const char *path, struct stat *to) {
  return (int)ch_do_stat(AT_FDCWD, path, to, AT_SYMLINK_NOFOLLOW);
}
CH_REPLACES(lstat64) int ch_posix_lstat64(const char *path, struct stat *to) {
  return (int)ch_do_stat(AT_FDCWD, path, to, AT_SYMLINK_NOFOLLOW);
}
CH_REPLACES(fstatat) int ch_posix_fstatat(int directory, const char *path, struct stat *to, int flags) {
  return (int)ch_do_stat(directory, path, to, flags);
}
CH_REPLACES(fstatat64) int ch_posix_fstatat64(int directory, const char *path, struct stat *to, int flags) {
  return (int)ch_do_stat(directory, path, to, flags);
}
CH_REPLACES(statx) int ch_posix_statx(int directory, const char *path, int flags, unsigned mask, struct statx *to) {
  return (int)ch_do_statx(directory, path, flags, mask, to);
}

CH_REPLACES(rename) int ch_posix_rename(const char *from, const char *to) {
  return (int)ch_do_rename(AT_FDCWD, from, AT_FDCWD, to, 0);
}
CH_REPLACES(renameat) int ch_posix_renameat(int from_directory, const char *from, int to_directory, const char *to) {
  return (int)ch_do_rename(from_directory, from, to_directory, to, 0);
}
CH_REPLACES(renameat2)
int ch_posix_renameat2(int from_directory, const char *from, int to_directory, const char *to, unsigned flags) {
  return (int)ch_do_rename(from_directory, from, to_directory, to, flags);
}
CH_REPLACES(unlink) int ch_posix_unlink(const char *path) { return (int)ch_do_unlink(AT_FDCWD, path, 0); }
CH_REPLACES(unlinkat) int ch_posix_unlinkat(int directory, const char *path, int flags) {
  return (int)ch_do_unlink(directory, path, flags);
}
CH_REPLACES(rmdir) int ch_posix_rmdir(const char *path) { return (int)ch_do_unlink(AT_FDCWD, path, AT_REMOVEDIR); }
CH_REPLACES(mkdir) int ch_posix_mkdir(const char *path, mode_t mode) { return (int)ch_do_mkdir(AT_FDCWD, path, mode); }
CH_REPLACES(mkdirat) int ch_posix_mkdirat(int directory, const char *path, mode_t mode) {
  return (int)ch_do_mkdir(directory, path, mode);
}

CH_REPLACES(flock) int ch_posix_flock(int fd, int operation) {
  CH_SINGLE_ACTIVITY(flock(fd, operation));
  int held = ch_flock_held(fd, operation), r = (int)ch_do_flock(fd, operation);
  return r < 0 && errno == ECANCELED ? ch_flock_take_back(fd, held) : r;
}

/* fcntl's argument is an int, a pointer or nothing: a word in any case. */
static int control(int fd, int command, void *argument) {
  if (ch_domain.live == 1 && ch_is_single_activity())
    return ch_controlled(fd, command, ch_plain_fcntl(fd, command, argument));
  if (command == F_SETLKW || command == F_OFD_SETLKW)
    return (int)ch_do_setlk(fd, command, argument);
  return ch_controlled(fd, command, ch_plain_fcntl(fd, command, argument));
}
#define CONTROL()                                                                                                      \
  do {                                                                                                                 \
    va_list more;                                                                                                      \
    va_start(more, command);                                                                                           \
    void *argument = va_arg(more, void *);                                                                             \
    va_end(more);                                                                                                      \
    return control(fd, command, argument);                                                                             \
  } while (0)
CH_REPLACES(fcntl) int ch_posix_fcntl(int fd, int command, ...) { CONTROL(); }
CH_REPLACES(fcntl64) int ch_posix_fcntl64(int fd, int command, ...) { CONTROL(); }

static int lock_range(int fd, int command, off_t n) {
  struct flock range = {.l_type = F_WRLCK, .l_whence = SEEK_CUR, .l_len = n};
  return command == F_LOCK ? control(fd, F_SETLKW, &range) : ch_plain_lockf(fd, command, n);
}
CH_REPLACES(lockf) int ch_posix_lockf(int fd, int command, off_t n) { return lock_range(fd, command, n); }
CH_REPLACES(lockf64) int ch_posix_lockf64(int fd, int command, off_t n) { return lock_range(fd, command, n); }
