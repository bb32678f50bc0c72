/* What the input and the output of streams have in common. streams.h has the whole picture. */
#define _GNU_SOURCE
#include "posix/streams.h"
#include "posix/single_activity.h"
#include "reactor/reactor.h"
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* ---- both directions ---- */

int ch_stream_may_wait(FILE *f) {
  if (ch_is_single_activity())
    return 0;
  struct stat s;
  int saved = errno, fd = fileno(f);
  int slow = fd >= 0 && f->_mode <= 0 && fstat(fd, &s) == 0 &&
             (S_ISFIFO(s.st_mode) || S_ISSOCK(s.st_mode) || S_ISCHR(s.st_mode));
  errno = saved;
  return slow;
}
int ch_stream_fd(FILE *f) {
  int saved = errno, fd = fileno(f);
  errno = saved;
  return fd;
}
int ch_stream_failed(FILE *f) {
  f->_flags |= _IO_ERR_SEEN;
  return EOF;
}

void ch_stream_closing(FILE *f) {
  int fd = ch_stream_fd(f);
  if (fd >= 0)
    ch_fd_closing(fd);
}

/* ---- the plain calls ---- */

extern int __uflow(FILE *), __underflow(FILE *), __overflow(FILE *, int);
extern char *__fgets_chk(char *, size_t, int, FILE *);
extern size_t __fread_chk(void *, size_t, size_t, size_t, FILE *);
extern int __isoc99_vfscanf(FILE *, const char *, va_list);
extern int __isoc23_vfscanf(FILE *, const char *, va_list) __attribute__((weak)); /* of newer libraries */
extern int ch_gnu_vfscanf(FILE *, const char *, va_list) __asm__("vfscanf");

int ch_plain_getc(FILE *f) { return getc(f); }
int ch_plain_uflow(FILE *f) { return __uflow(f); }
int ch_plain_underflow(FILE *f) { return __underflow(f); }
char *ch_plain_fgets(char *to, int n, FILE *f) { return fgets(to, n, f); }
size_t ch_plain_fread(void *to, size_t size, size_t n, FILE *f) { return fread(to, size, n, f); }
char *ch_plain_fgets_chk(char *to, size_t room, int n, FILE *f) { return __fgets_chk(to, room, n, f); }
size_t ch_plain_fread_chk(void *to, size_t room, size_t size, size_t n, FILE *f) {
  return __fread_chk(to, room, size, n, f);
}
ssize_t ch_plain_getdelim(char **line, size_t *room, int delimiter, FILE *f) {
  return getdelim(line, room, delimiter, f);
}
int ch_plain_vfscanf(FILE *f, const char *format, va_list more, int iso) {
  if (iso == 2 && __isoc23_vfscanf)
    return __isoc23_vfscanf(f, format, more);
  return iso ? __isoc99_vfscanf(f, format, more) : ch_gnu_vfscanf(f, format, more);
}
int ch_plain_putc(int c, FILE *f) { return putc(c, f); }
int ch_plain_fflush(FILE *f) { return fflush(f); }
int ch_plain_overflow(FILE *f, int c) { return __overflow(f, c); }
size_t ch_plain_fwrite(const void *from, size_t size, size_t n, FILE *f) { return fwrite(from, size, n, f); }
FILE *ch_plain_fopen(const char *path, const char *mode) { return fopen(path, mode); }
FILE *ch_plain_fdopen(int fd, const char *mode) { return fdopen(fd, mode); }

int ch_plain_fifo_flags(const char *path, const char *mode) {
  struct stat s;
  int saved = errno, flags = *mode == 'r' ? O_RDONLY : *mode == 'w' ? O_WRONLY | O_CREAT | O_TRUNC : -1;
  if (*mode == 'a')
    flags = O_WRONLY | O_CREAT | O_APPEND;
  if (flags < 0 || stat(path, &s) < 0 || !S_ISFIFO(s.st_mode))
    return errno = saved, -1;
  for (const char *more = mode + 1; *more && *more != ','; more++) {
    if (*more == '+')
      flags = (flags & ~O_ACCMODE) | O_RDWR;
    flags |= *more == 'e' ? O_CLOEXEC : *more == 'x' ? O_EXCL : 0;
  }
  return flags;
}

FILE *ch_plain_freopen(const char *path, const char *mode, FILE *f) { return freopen(path, mode, f); }
int ch_plain_setvbuf(FILE *f, char *buffer, int mode, size_t size) { return setvbuf(f, buffer, mode, size); }
int ch_plain_fseek(FILE *f, off_t offset, int whence) { return fseeko(f, offset, whence); }
int ch_plain_fsetpos(FILE *f, const fpos_t *to) { return fsetpos(f, to); }
void ch_plain_rewind(FILE *f) { rewind(f); }
void ch_plain_setbuffer(FILE *f, char *buffer, size_t size) { setbuffer(f, buffer, size); }
const char *ch_error_text(int error, char *room, size_t n) { return strerror_r(error, room, n); }
const char *ch_signal_text(int signal, char *room, size_t n) {
  const char *known = sigdescr_np(signal);
  return known ? known : (snprintf(room, n, "Unknown signal %d", signal), room);
}
