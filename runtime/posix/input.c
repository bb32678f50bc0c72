/* The part of streams.h that is about input: what the buffer holds, and filling it. */
#define _GNU_SOURCE
#include "posix/fields.h"
#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

int ch_stream_has_byte(const FILE *f, size_t from, size_t n, int byte) {
  size_t has = ch_stream_has(f);
  if (n > has)
    n = has;
  return n > from && memchr(f->_IO_read_ptr + from, byte, n - from) != NULL;
}

size_t ch_stream_buffer_size(const FILE *f) { return f->_flags & IS_UNBUFFERED ? 1 : buffer_size(f); }

static void set_input(FILE *f, char *from, char *to) {
  f->_IO_read_base = f->_IO_read_ptr = from;
  f->_IO_read_end = to;
  f->_IO_write_base = f->_IO_write_ptr = f->_IO_write_end = f->_IO_buf_base;
}

/* Room for `n` bytes before the unread ones and some after them, which move. */
static int make_room(FILE *f, size_t before) {
  size_t has = ch_stream_has(f), size = buffer_size(f);
  if (before + has < size) {
    memmove(f->_IO_buf_base + before, f->_IO_read_ptr, has);
  } else {
    size_t more = 2 * (before + has) + 128;
    char *bigger = malloc(more);
    if (!bigger)
      return errno = ENOMEM, -1;
    memcpy(bigger + before, f->_IO_read_ptr, has);
    _IO_setb(f, bigger, bigger + more, 1);
  }
  set_input(f, f->_IO_buf_base + before, f->_IO_buf_base + before + has);
  return 0;
}

/* What ungetc put into a buffer of its own comes before the rest in the common one. */
static int leave_backup(FILE *f) {
  size_t n = ch_stream_has(f);
  char kept[256], *bytes = n > sizeof kept ? malloc(n) : kept;
  if (!bytes)
    return errno = ENOMEM, -1;
  memcpy(bytes, f->_IO_read_ptr, n);
  char *end = f->_IO_read_end, *base = f->_IO_read_base;
  f->_flags &= ~IN_BACKUP;
  f->_IO_read_end = f->_IO_save_end;
  f->_IO_save_end = end;
  f->_IO_read_base = f->_IO_save_base;
  f->_IO_save_base = base;
  f->_IO_read_ptr = f->_IO_read_base;
  ch_stream_put_back(f, bytes, n);
  if (bytes != kept)
    free(bytes);
  return 0;
}

/* Ready to be read from: 1. 0: the plain call says what is wrong. */
static int prepare(FILE *f) {
  if (f->_flags & (_IO_EOF_SEEN | NO_READS))
    return 0;
  if (f->_flags & IS_PUTTING && (f->_IO_write_ptr > f->_IO_write_base || _IO_switch_to_get_mode(f) == EOF))
    return 0;
  if (f->_mode == 0)
    f->_mode = -1;
  if (!f->_IO_buf_base)
    _IO_doallocbuf(f);
  if (f->_flags & IN_BACKUP)
    leave_backup(f);
  return f->_IO_buf_base != NULL;
}

static void note_end(FILE *f) {
  f->_flags |= _IO_EOF_SEEN;
  f->_offset = -1;
}

int ch_stream_may_read(FILE *f) { return prepare(f); }

int ch_stream_fill(FILE *f) {
  if (!prepare(f))
    return 0;
  if (ch_stream_has(f) == 0) {
    shrink(f);
    set_input(f, f->_IO_buf_base, f->_IO_buf_base);
  }
  if (f->_IO_read_end == f->_IO_buf_end && make_room(f, 0) < 0)
    return -1;
  /* Of an unbuffered stream nothing is read ahead. */
  struct iovec v = {f->_IO_read_end, f->_flags & IS_UNBUFFERED ? 1 : (size_t)(f->_IO_buf_end - f->_IO_read_end)};
  ssize_t r = ch_nonblocking_stream_readv(fileno(f), &v, 1);
  if (r < 0)
    return -1;
  if (r == 0)
    return note_end(f), 0;
  f->_IO_read_end += r;
  if (f->_offset >= 0)
    f->_offset += r;
  return 1;
}

ssize_t ch_stream_read(FILE *f, char *to, size_t n) {
  struct iovec v = {to, n};
  ssize_t r = ch_nonblocking_stream_readv(fileno(f), &v, 1);
  if (r == 0)
    note_end(f);
  if (r > 0 && f->_offset >= 0)
    f->_offset += r;
  return r;
}

void ch_stream_put_back(FILE *f, const char *bytes, size_t n) {
  if (n == 0)
    return;
  if ((size_t)(f->_IO_read_ptr - f->_IO_buf_base) < n && make_room(f, n) < 0)
    return;
  f->_IO_read_ptr -= n;
  if (f->_IO_read_base > f->_IO_read_ptr)
    f->_IO_read_base = f->_IO_read_ptr;
  memcpy(f->_IO_read_ptr, bytes, n);
}

bool ch_stream_shows_stdout(FILE *f) {
  return f->_flags & (IS_LINE_BUFFERED | IS_UNBUFFERED) && f != stdout && stdout->_flags & IS_LINE_BUFFERED &&
         !(stdout->_flags & NO_WRITES) && ch_stream_pending(stdout);
}

/* ---- scanf: would it find all that it reads? ----
 *
 * The same scan is made with the same input, but without assignments, so it only changes the position, which is put
 * back afterwards. Meanwhile the stream has no descriptor. So a scan that needs more input than there is gets an error,
 * and that is the answer. */

char *ch_scan_dry(const char *format, int iso) {
  char *dry = malloc(2 * strlen(format) + 1), *to = dry;
  if (!dry)
    return errno = ENOMEM, NULL;
  while (*format) {
    if (*format != '%') {
      *to++ = *format++;
      continue;
    }
    char *start = to;
    *to++ = *format++;
    if (*format == '%') {
      *to++ = *format++;
      continue;
    }
    size_t digits = strspn(format, "0123456789");
    if (format[digits] == '$')
      format += digits + 1;
    *to++ = '*';
    while (*format && strchr("*'I", *format)) {
      if (*format != '*')
        *to++ = *format;
      format++;
    }
    while (isdigit((unsigned char)*format))
      *to++ = *format++;
    while (*format && strchr("hlLqjztm", *format)) {
      if (*format != 'm')
        *to++ = *format;
      format++;
    }
    if (!iso && *format == 'a' && format[1] && strchr("sS[", format[1]))
      format++;
    if (*format == 'n') { /* this conversion reads nothing */
      format++;
      to = start;
    } else if (*format == '[') {
      *to++ = *format++;
      if (*format == '^')
        *to++ = *format++;
      if (*format == ']')
        *to++ = *format++;
      while (*format && *format != ']')
        *to++ = *format++;
    }
    if (to != start && *format)
      *to++ = *format++;
  }
  *to = 0;
  return dry;
}

static int scan(FILE *f, int iso, const char *format, ...) {
  va_list none;
  va_start(none, format);
  int r = ch_plain_vfscanf(f, format, none, iso);
  va_end(none);
  return r;
}

int ch_scan_is_there(FILE *f, const char *dry, int iso) {
  if (!prepare(f))
    return 1;
  struct {
    int flags, fd;
    char *base, *at, *end, *write_base, *write_at, *write_end;
    off_t offset;
  } was = {f->_flags,         f->_fileno,       f->_IO_read_base, f->_IO_read_ptr, f->_IO_read_end,
           f->_IO_write_base, f->_IO_write_ptr, f->_IO_write_end, f->_offset};
  int saved = errno;
  f->_flags &= ~(_IO_ERR_SEEN | IS_LINE_BUFFERED | IS_UNBUFFERED);
  f->_fileno = -1;
  scan(f, iso, dry);
  int wanted_more = f->_flags & _IO_ERR_SEEN;
  if (f->_flags & IN_BACKUP) {
    char *base = f->_IO_save_base, *end = f->_IO_save_end;
    f->_IO_save_base = f->_IO_read_base;
    f->_IO_save_end = f->_IO_read_end;
    f->_IO_read_base = base;
    f->_IO_read_end = end;
  }
  f->_flags = was.flags;
  f->_fileno = was.fd;
  f->_IO_read_base = was.base;
  f->_IO_read_ptr = was.at;
  f->_IO_read_end = was.end;
  f->_IO_write_base = was.write_base;
  f->_IO_write_ptr = was.write_at;
  f->_IO_write_end = was.write_end;
  f->_offset = was.offset;
  errno = saved;
  return !wanted_more;
}
