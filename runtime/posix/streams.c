#define _GNU_SOURCE
#include "posix/streams.h"
#include <errno.h>
#include <stdio_ext.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define LINE_BUFFERED 0x200
#define UNBUFFERED 0x2

size_t ch_stream_has(const FILE *f) { return (size_t)(f->_IO_read_end - f->_IO_read_ptr); }

int ch_stream_has_byte(const FILE *f, size_t n, int byte) {
  size_t has = ch_stream_has(f);
  return memchr(f->_IO_read_ptr, byte, n < has ? n : has) != NULL;
}

int ch_stream_is_slow(FILE *f) {
  struct stat s;
  int saved = errno, fd = fileno(f);
  int slow = fd >= 0 && fstat(fd, &s) == 0 && (S_ISFIFO(s.st_mode) || S_ISSOCK(s.st_mode) || S_ISCHR(s.st_mode));
  errno = saved;
  return slow;
}

int ch_stream_waits(FILE *f) {
  if (ch_stream_has(f) || feof_unlocked(f) || f->_mode > 0 || !ch_stream_is_slow(f))
    return -1;
  int saved = errno;
  if ((f->_flags & (LINE_BUFFERED | UNBUFFERED) || isatty(fileno(f))) && stdout->_flags & LINE_BUFFERED)
    fflush(stdout);
  errno = saved;
  return fileno(f);
}

int ch_stream_failed(FILE *f) {
  f->_flags |= 0x20;
  return EOF;
}

extern int __uflow(FILE *);
extern char *__fgets_chk(char *, size_t, int, FILE *);
extern size_t __fread_chk(void *, size_t, size_t, size_t, FILE *);
extern int __isoc99_vfscanf(FILE *, const char *, va_list);

int ch_plain_getc(FILE *f) { return getc(f); }
int ch_plain_ungetc(int c, FILE *f) { return ungetc(c, f); }
int ch_plain_uflow(FILE *f) { return __uflow(f); }
char *ch_plain_fgets(char *to, int n, FILE *f) { return fgets(to, n, f); }
size_t ch_plain_fread(void *to, size_t size, size_t n, FILE *f) { return fread(to, size, n, f); }
char *ch_plain_fgets_chk(char *to, size_t room, int n, FILE *f) { return __fgets_chk(to, room, n, f); }
size_t ch_plain_fread_chk(void *to, size_t room, size_t size, size_t n, FILE *f) {
  return __fread_chk(to, room, size, n, f);
}
ssize_t ch_plain_getdelim(char **line, size_t *room, int delimiter, FILE *f) {
  return getdelim(line, room, delimiter, f);
}
#undef vfscanf
extern int ch_gnu_vfscanf(FILE *, const char *, va_list) __asm__("vfscanf");
int ch_plain_vfscanf(FILE *f, const char *format, va_list more) { return ch_gnu_vfscanf(f, format, more); }
int ch_plain_isoc99_vfscanf(FILE *f, const char *format, va_list more) { return __isoc99_vfscanf(f, format, more); }
