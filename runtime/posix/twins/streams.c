/* getc, fgetc, getchar, fgets, fread, getline, getdelim, and the scanf family: while a stream's buffer is empty, and
 * its descriptor a pipe, a terminal or a socket, the descriptor is waited for before the plain call reads from it.
 *
 * So a read returns what there is, and a line or a block is put together here. A scanf waits once, for its first byte;
 * one whose input comes in pieces blocks the domain until the rest is there. Cancelled: the stream is as it was, except
 * that what had been read of a line or block is delivered as at an error: EOF or a short count, ferror, ECANCELED. */
#define _GNU_SOURCE
#include "posix/streams.h"
#include "posix/twins/twins.h"
#include <limits.h>
#include <stdlib.h>

/* 0: the next byte can be had without waiting for a peer. -1: errno. */
static int await_stream(FILE *f) {
  int fd = ch_stream_waits(f), r;
  if (fd < 0)
    return 0;
  r = await_input(fd);
  if (r < 0 && errno == EAGAIN)
    return 0; /* a non-blocking descriptor: the plain call says so itself */
  return r;
}

static int get(FILE *f) { return await_stream(f) < 0 ? ch_stream_failed(f) : ch_plain_getc(f); }

CH_TWIN(getc) int ch_posix_getc(FILE *f) { return get(f); }
CH_TWIN(_IO_getc) int ch_posix_IO_getc(FILE *f) { return get(f); }
CH_TWIN(fgetc) int ch_posix_fgetc(FILE *f) { return get(f); }
CH_TWIN(getchar) int ch_posix_getchar(void) { return get(stdin); }
CH_TWIN(getc_unlocked) int ch_posix_getc_unlocked(FILE *f) { return get(f); }
CH_TWIN(fgetc_unlocked) int ch_posix_fgetc_unlocked(FILE *f) { return get(f); }
CH_TWIN(getchar_unlocked) int ch_posix_getchar_unlocked(void) { return get(stdin); }
/* What the macros call when the buffer is empty. */
CH_TWIN(__uflow) int ch_posix_uflow(FILE *f) { return await_stream(f) < 0 ? ch_stream_failed(f) : ch_plain_uflow(f); }

static char *get_line(char *to, int n, FILE *f) {
  int got = 0, c;
  while (got < n - 1) {
    c = get(f);
    if (c == EOF) {
      if (got == 0 || ferror(f))
        return NULL;
      break;
    }
    to[got++] = (char)c;
    if (c == '\n')
      break;
  }
  to[got] = 0;
  return to;
}

static inline int line_is_there(int n, FILE *f) {
  return n <= 1 || ch_stream_has(f) >= (size_t)n - 1 || ch_stream_has_byte(f, (size_t)n - 1, '\n') ||
         !ch_stream_is_slow(f);
}

CH_TWIN(fgets) char *ch_posix_fgets(char *to, int n, FILE *f) {
  return line_is_there(n, f) ? ch_plain_fgets(to, n, f) : get_line(to, n, f);
}
CH_TWIN(fgets_unlocked) char *ch_posix_fgets_unlocked(char *to, int n, FILE *f) {
  return line_is_there(n, f) ? ch_plain_fgets(to, n, f) : get_line(to, n, f);
}
CH_TWIN(__fgets_chk) char *ch_posix_fgets_chk(char *to, size_t room, int n, FILE *f) {
  return (size_t)n > room || line_is_there(n, f) ? ch_plain_fgets_chk(to, room, n, f) : get_line(to, n, f);
}

static size_t get_block(char *to, size_t size, size_t n, FILE *f) {
  size_t all, got = 0;
  if (__builtin_mul_overflow(size, n, &all))
    return ch_plain_fread(to, size, n, f);
  while (got < all) {
    size_t has = ch_stream_has(f);
    if (has > 0) {
      if (has > all - got)
        has = all - got;
      got += ch_plain_fread(to + got, 1, has, f);
    } else {
      int c = get(f);
      if (c == EOF)
        break;
      to[got++] = (char)c;
    }
  }
  return got / size;
}

static inline int block_is_there(size_t size, size_t n, FILE *f) {
  return size == 0 || n == 0 || ch_stream_has(f) / size >= n || !ch_stream_is_slow(f);
}

CH_TWIN(fread) size_t ch_posix_fread(void *to, size_t size, size_t n, FILE *f) {
  return block_is_there(size, n, f) ? ch_plain_fread(to, size, n, f) : get_block(to, size, n, f);
}
CH_TWIN(fread_unlocked) size_t ch_posix_fread_unlocked(void *to, size_t size, size_t n, FILE *f) {
  return block_is_there(size, n, f) ? ch_plain_fread(to, size, n, f) : get_block(to, size, n, f);
}
CH_TWIN(__fread_chk) size_t ch_posix_fread_chk(void *to, size_t room, size_t size, size_t n, FILE *f) {
  return (size && n > room / size) || block_is_there(size, n, f) ? ch_plain_fread_chk(to, room, size, n, f)
                                                                 : get_block(to, size, n, f);
}

static ssize_t get_until(char **line, size_t *room, int delimiter, FILE *f) {
  size_t got = 0;
  int c;
  if (!line || !room)
    return errno = EINVAL, -1;
  do {
    c = get(f);
    if (c == EOF && (got == 0 || ferror(f)))
      return -1;
    if (!*line || *room < got + 2) {
      size_t more = *line && *room > 60 ? 2 * *room : 120;
      char *bigger = realloc(*line, more);
      if (!bigger) {
        if (c != EOF)
          ch_plain_ungetc(c, f);
        return errno = ENOMEM, -1;
      }
      *line = bigger;
      *room = more;
    }
    if (c == EOF)
      break;
    (*line)[got++] = (char)c;
  } while (c != delimiter);
  (*line)[got] = 0;
  return (ssize_t)got;
}

CH_TWIN(getdelim) ssize_t ch_posix_getdelim(char **line, size_t *room, int delimiter, FILE *f) {
  return ch_stream_has_byte(f, SIZE_MAX, delimiter) || !ch_stream_is_slow(f)
             ? ch_plain_getdelim(line, room, delimiter, f)
             : get_until(line, room, delimiter, f);
}
CH_TWIN(__getdelim) ssize_t ch_posix___getdelim(char **line, size_t *room, int delimiter, FILE *f) {
  return ch_stream_has_byte(f, SIZE_MAX, delimiter) || !ch_stream_is_slow(f)
             ? ch_plain_getdelim(line, room, delimiter, f)
             : get_until(line, room, delimiter, f);
}
CH_TWIN(getline) ssize_t ch_posix_getline(char **line, size_t *room, FILE *f) {
  return ch_stream_has_byte(f, SIZE_MAX, '\n') || !ch_stream_is_slow(f) ? ch_plain_getdelim(line, room, '\n', f)
                                                                        : get_until(line, room, '\n', f);
}

/* ---- scanf ---- */

CH_TWIN(vfscanf) int ch_posix_vfscanf(FILE *f, const char *format, va_list more) {
  return await_stream(f) < 0 ? ch_stream_failed(f) : ch_plain_vfscanf(f, format, more);
}
CH_TWIN(__isoc99_vfscanf) int ch_posix_isoc99_vfscanf(FILE *f, const char *format, va_list more) {
  return await_stream(f) < 0 ? ch_stream_failed(f) : ch_plain_isoc99_vfscanf(f, format, more);
}
CH_TWIN(vscanf) int ch_posix_vscanf(const char *format, va_list more) {
  return await_stream(stdin) < 0 ? ch_stream_failed(stdin) : ch_plain_vfscanf(stdin, format, more);
}
CH_TWIN(__isoc99_vscanf) int ch_posix_isoc99_vscanf(const char *format, va_list more) {
  return await_stream(stdin) < 0 ? ch_stream_failed(stdin) : ch_plain_isoc99_vfscanf(stdin, format, more);
}
static int scan(FILE *f, int iso, const char *format, va_list more) {
  if (await_stream(f) < 0)
    return ch_stream_failed(f);
  return iso ? ch_plain_isoc99_vfscanf(f, format, more) : ch_plain_vfscanf(f, format, more);
}
CH_TWIN(fscanf) int ch_posix_fscanf(FILE *f, const char *format, ...) {
  va_list more;
  va_start(more, format);
  int r = scan(f, 0, format, more);
  va_end(more);
  return r;
}
CH_TWIN(__isoc99_fscanf) int ch_posix_isoc99_fscanf(FILE *f, const char *format, ...) {
  va_list more;
  va_start(more, format);
  int r = scan(f, 1, format, more);
  va_end(more);
  return r;
}
CH_TWIN(scanf) int ch_posix_scanf(const char *format, ...) {
  va_list more;
  va_start(more, format);
  int r = scan(stdin, 0, format, more);
  va_end(more);
  return r;
}
CH_TWIN(__isoc99_scanf) int ch_posix_isoc99_scanf(const char *format, ...) {
  va_list more;
  va_start(more, format);
  int r = scan(stdin, 1, format, more);
  va_end(more);
  return r;
}
