/* Replacements of getc, fgetc, getchar, fgets, fread, getline, getdelim, getw, and of the scanf family. If the buffer
 * does not hold all that the call will read, and the descriptor is a pipe, a terminal or a socket, the call waits for
 * the descriptor as often as needed. Then it makes the plain call, which finds everything in the buffer
 * (posix/streams.h).
 *
 * So a call that is cancelled while it waits has taken nothing. It returns EOF (NULL, -1, 0) with ECANCELED and sets
 * ferror; the next reader gets all the bytes. fread returns the items that were complete. For wide streams the plain
 * calls are made. */
#define _GNU_SOURCE
#include "posix/replacements/streams.h"
#include <limits.h>
#include <stdlib.h>

/* stdout's text before an answer to it is waited for. */
static void show_stdout(void) {
  int saved = errno;
  if (!hold(stdout)) {
    write_out(stdout);
    ch_stream_unhold(stdout);
  }
  errno = saved;
}

/* Begins a call: takes the stream. 0, or -1 with errno. */
static int begin(FILE *f) {
  int error = hold(f);
  if (error)
    return errno = error, ch_stream_failed(f), -1;
  if (ch_stream_pending(f)) /* it was written to */
    write_out(f);
  ch_stream_may_read(f); /* what ungetc has put back and what comes after it lie side by side from here */
  return 0;
}

/* The stream is held. 1: there are more bytes in the buffer. 0: none will come, make the plain call. -1: errno. */
static int more(FILE *f) {
  int shown = 0, saved = errno;
  int64_t since = 0;
  for (;;) {
    int r = ch_stream_fill(f);
    if (r >= 0)
      return errno = saved, r;
    if (errno != EAGAIN)
      break;
    if (!shown && ch_stream_shows_stdout(f)) {
      show_stdout();
      shown = 1;
    }
    if (ch_call_timeout(ch_stream_fd(f), SO_RCVTIMEO) < 0)
      return 0; /* nobody waits: the plain call gives what is there, and says EAGAIN */
    if (await_input(ch_stream_fd(f), saved, &since) < 0)
      break;
  }
  return ch_stream_failed(f), -1;
}

/* ---- a byte ---- */

CH_SHARED_BODY int next_byte(FILE *f, int unlocked) {
  int c = EOF;
  if ((!ch_stream_has(f) || !ch_stream_is_free(f)) && ch_stream_may_wait(f)) {
    if (begin(f) < 0)
      return EOF;
    if (ch_stream_has(f) || more(f) >= 0)
      c = unlocked ? ch_plain_uflow(f) : ch_plain_getc(f);
    ch_stream_unhold(f);
    return c;
  }
  return unlocked ? ch_plain_uflow(f) : ch_plain_getc(f);
}

CH_REPLACES(getc) int ch_posix_getc(FILE *f) { return next_byte(f, 0); }
CH_REPLACES(_IO_getc) int ch_posix_IO_getc(FILE *f) { return next_byte(f, 0); }
CH_REPLACES(fgetc) int ch_posix_fgetc(FILE *f) { return next_byte(f, 0); }
CH_REPLACES(getchar) int ch_posix_getchar(void) { return next_byte(stdin, 0); }
CH_REPLACES(getc_unlocked) int ch_posix_getc_unlocked(FILE *f) { return next_byte(f, 0); }
CH_REPLACES(fgetc_unlocked) int ch_posix_fgetc_unlocked(FILE *f) { return next_byte(f, 0); }
CH_REPLACES(getchar_unlocked) int ch_posix_getchar_unlocked(void) { return next_byte(stdin, 0); }
/* What the macros call when the buffer is empty. */
CH_REPLACES(__uflow) int ch_posix_uflow(FILE *f) { return next_byte(f, 1); }
CH_REPLACES(__underflow) int ch_posix_underflow(FILE *f) {
  int c = EOF;
  if (ch_stream_has(f) || !ch_stream_may_wait(f))
    return ch_plain_underflow(f);
  if (begin(f) < 0)
    return EOF;
  if (ch_stream_has(f) || more(f) >= 0)
    c = ch_plain_underflow(f);
  ch_stream_unhold(f);
  return c;
}

/* ---- a line ---- */

/* Whether so many bytes, or the delimiter before, are in the buffer; the first `seen` are known to have none. */
static inline int ends_in(FILE *f, size_t seen, size_t n, int delimiter) {
  return ch_stream_has(f) >= n || ch_stream_has_byte(f, seen, n, delimiter);
}

/* Nothing has to be waited for. */
static inline int is_there(FILE *f, size_t n, int delimiter) {
  return (ends_in(f, 0, n, delimiter) && ch_stream_is_free(f)) || !ch_stream_may_wait(f);
}

/* The stream is held until it is let go. 0: the plain call finds all it reads. -1: errno, and it is not held. BROKEN:
 * errno, and the plain call takes what there is all the same. */
enum { BROKEN = -2 };
static int gather(FILE *f, size_t n, int delimiter) {
  size_t seen = 0;
  if (begin(f) < 0)
    return -1;
  while (!ends_in(f, seen, n, delimiter)) {
    seen = ch_stream_has(f);
    int r = more(f);
    if (r == 0)
      break;
    if (r < 0)
      return errno != ECANCELED && ch_stream_has(f) ? BROKEN : (ch_stream_unhold(f), -1);
  }
  return 0;
}

/* At most n of the bytes that are in the buffer of a broken stream; how many. */
static size_t take_rest(FILE *f, char *to, size_t n) {
  size_t has = ch_stream_has(f);
  int error = errno;
  has = ch_plain_fread(to, 1, has < n ? has : n, f);
  return errno = error, has;
}

/* As the C library, which returns the rest only if its time is over. */
static char *get_rest(char *to, size_t most, FILE *f) {
  size_t got = take_rest(f, to, most);
  ch_stream_unhold(f);
  return errno == EAGAIN ? (to[got] = 0, to) : NULL;
}

CH_SHARED_BODY char *get_line(char *to, size_t room, int n, FILE *f) {
  size_t most = n > 1 ? (size_t)n - 1 : 0;
  char *r;
  if (n < 0 || (size_t)n > room || is_there(f, most, '\n'))
    return room < SIZE_MAX ? ch_plain_fgets_chk(to, room, n, f) : ch_plain_fgets(to, n, f);
  int gathered = gather(f, most, '\n');
  if (gathered < 0)
    return gathered == BROKEN ? get_rest(to, most, f) : NULL;
  r = ch_plain_fgets(to, n, f);
  ch_stream_unhold(f);
  return r;
}
CH_REPLACES(fgets) char *ch_posix_fgets(char *to, int n, FILE *f) { return get_line(to, SIZE_MAX, n, f); }
CH_REPLACES(fgets_unlocked) char *ch_posix_fgets_unlocked(char *to, int n, FILE *f) {
  return get_line(to, SIZE_MAX, n, f);
}
CH_REPLACES(__fgets_chk) char *ch_posix_fgets_chk(char *to, size_t room, int n, FILE *f) {
  return get_line(to, room, n, f);
}
CH_REPLACES(__fgets_unlocked_chk) char *ch_posix_fgets_unlocked_chk(char *to, size_t room, int n, FILE *f) {
  return get_line(to, room, n, f);
}

/* A last line, whatever has ended it. */
static ssize_t get_last(char **line, size_t *room, FILE *f) {
  size_t has = ch_stream_has(f);
  int error = errno;
  if (!*line || *room <= has) {
    char *more = realloc(*line, has + 1);
    if (!more)
      return ch_stream_unhold(f), -1;
    *line = more;
    *room = has + 1;
  }
  errno = error;
  has = take_rest(f, *line, has);
  (*line)[has] = 0;
  ch_stream_unhold(f);
  return (ssize_t)has;
}

CH_SHARED_BODY ssize_t get_until(char **line, size_t *room, int delimiter, FILE *f) {
  ssize_t r;
  if (!line || !room || is_there(f, SIZE_MAX, delimiter))
    return ch_plain_getdelim(line, room, delimiter, f);
  int gathered = gather(f, SIZE_MAX, delimiter);
  if (gathered < 0)
    return gathered == BROKEN ? get_last(line, room, f) : -1;
  r = ch_plain_getdelim(line, room, delimiter, f);
  ch_stream_unhold(f);
  return r;
}
CH_REPLACES(getdelim) ssize_t ch_posix_getdelim(char **line, size_t *room, int delimiter, FILE *f) {
  return get_until(line, room, delimiter, f);
}
CH_REPLACES(__getdelim) ssize_t ch_posix___getdelim(char **line, size_t *room, int delimiter, FILE *f) {
  return get_until(line, room, delimiter, f);
}
CH_REPLACES(getline) ssize_t ch_posix_getline(char **line, size_t *room, FILE *f) {
  return get_until(line, room, '\n', f);
}

/* ---- a block ---- */

/* Other errors lose the part of an item, as they do in the C library. */
static void put_back_if_cancelled(FILE *f, const char *part, size_t n) {
  if (errno == ECANCELED)
    ch_stream_put_back(f, part, n);
}

/* More than the buffer holds goes straight to its place. */
static size_t get_bytes(char *to, size_t size, size_t all, FILE *f) {
  size_t got = 0;
  int saved = errno;
  int64_t since = 0; /* of one read of the file */
  while (got < all) {
    size_t has = ch_stream_has(f);
    if (has > 0) {
      got += ch_plain_fread(to + got, 1, has < all - got ? has : all - got, f);
    } else if (all - got >= ch_stream_buffer_size(f) && !feof(f) && ch_stream_may_read(f)) {
      ssize_t r = ch_stream_read(f, to + got, all - got);
      if (r >= 0)
        errno = saved;
      if (r > 0)
        got += (size_t)r, since = 0;
      else if (r == 0)
        break;
      else if (errno != EAGAIN || await_input(ch_stream_fd(f), saved, &since) < 0) {
        ch_stream_failed(f);
        put_back_if_cancelled(f, to + got - got % size, got % size);
        break;
      }
    } else {
      int r = more(f);
      if (r == 0) {
        got += ch_plain_fread(to + got, 1, all - got, f);
        break;
      }
      if (r < 0) {
        put_back_if_cancelled(f, to + got - got % size, got % size);
        break;
      }
    }
  }
  return got;
}

CH_SHARED_BODY size_t get_block(char *to, size_t room, size_t size, size_t n, FILE *f) {
  size_t all;
  int overflows = __builtin_mul_overflow(size, n, &all);
  if (overflows || all > room || all == 0 || (ch_stream_has(f) >= all && ch_stream_is_free(f)) ||
      !ch_stream_may_wait(f))
    return room < SIZE_MAX ? ch_plain_fread_chk(to, room, size, n, f) : ch_plain_fread(to, size, n, f);
  if (begin(f) < 0)
    return 0;
  all = get_bytes(to, size, all, f);
  ch_stream_unhold(f);
  return all / size;
}
CH_REPLACES(fread) size_t ch_posix_fread(void *to, size_t size, size_t n, FILE *f) {
  return get_block(to, SIZE_MAX, size, n, f);
}
CH_REPLACES(fread_unlocked) size_t ch_posix_fread_unlocked(void *to, size_t size, size_t n, FILE *f) {
  return get_block(to, SIZE_MAX, size, n, f);
}
CH_REPLACES(__fread_chk) size_t ch_posix_fread_chk(void *to, size_t room, size_t size, size_t n, FILE *f) {
  return get_block(to, room, size, n, f);
}
CH_REPLACES(__fread_unlocked_chk)
size_t ch_posix_fread_unlocked_chk(void *to, size_t room, size_t size, size_t n, FILE *f) {
  return get_block(to, room, size, n, f);
}
CH_REPLACES(getw) int ch_posix_getw(FILE *f) {
  int word;
  return get_block((char *)&word, SIZE_MAX, sizeof word, 1, f) == 1 ? word : EOF;
}

/* ---- scanf ---- */

static int scan(FILE *f, int iso, const char *format, va_list arguments) {
  char *dry;
  int r = 1;
  if (!ch_stream_may_wait(f))
    return ch_plain_vfscanf(f, format, arguments, iso);
  if (!(dry = ch_scan_dry(format, iso)))
    return ch_stream_failed(f);
  if (begin(f) < 0)
    return free(dry), EOF;
  while (r > 0 && !ch_scan_is_there(f, dry, iso))
    r = more(f);
  free(dry);
  r = r < 0 ? EOF : ch_plain_vfscanf(f, format, arguments, iso);
  ch_stream_unhold(f);
  return r;
}

CH_REPLACES(vfscanf) int ch_posix_vfscanf(FILE *f, const char *format, va_list list) {
  return scan(f, 0, format, list);
}
CH_REPLACES(__isoc99_vfscanf) int ch_posix_isoc99_vfscanf(FILE *f, const char *format, va_list list) {
  return scan(f, 1, format, list);
}
CH_REPLACES(vscanf) int ch_posix_vscanf(const char *format, va_list list) { return scan(stdin, 0, format, list); }
CH_REPLACES(__isoc99_vscanf) int ch_posix_isoc99_vscanf(const char *format, va_list list) {
  return scan(stdin, 1, format, list);
}
#define SCAN(f, iso)                                                                                                   \
  do {                                                                                                                 \
    va_list list;                                                                                                      \
    va_start(list, format);                                                                                            \
    int r = scan(f, iso, format, list);                                                                                \
    va_end(list);                                                                                                      \
    return r;                                                                                                          \
  } while (0)
CH_REPLACES(fscanf) int ch_posix_fscanf(FILE *f, const char *format, ...) { SCAN(f, 0); }
CH_REPLACES(__isoc99_fscanf) int ch_posix_isoc99_fscanf(FILE *f, const char *format, ...) { SCAN(f, 1); }
CH_REPLACES(scanf) int ch_posix_scanf(const char *format, ...) { SCAN(stdin, 0); }
CH_REPLACES(__isoc99_scanf) int ch_posix_isoc99_scanf(const char *format, ...) { SCAN(stdin, 1); }
CH_REPLACES(__isoc23_vfscanf) int ch_posix_isoc23_vfscanf(FILE *f, const char *format, va_list list) {
  return scan(f, 2, format, list);
}
CH_REPLACES(__isoc23_vscanf) int ch_posix_isoc23_vscanf(const char *format, va_list list) {
  return scan(stdin, 2, format, list);
}
CH_REPLACES(__isoc23_fscanf) int ch_posix_isoc23_fscanf(FILE *f, const char *format, ...) { SCAN(f, 2); }
CH_REPLACES(__isoc23_scanf) int ch_posix_isoc23_scanf(const char *format, ...) { SCAN(stdin, 2); }
