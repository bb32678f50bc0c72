/* Replacements of fwrite, fputs, putc, printf, perror and the like; of fflush, fclose, freopen, setvbuf and fseek,
 * which write out a stream's buffer; of flockfile; and of dprintf.
 *
 * A call whose bytes fit into the stream's buffer only fills it. Otherwise the buffer's bytes are sent, and then the
 * call's; whenever the descriptor takes no more, the call waits for it with the stream locked (posix/streams.h). If the
 * call is cancelled before any of its bytes have been sent it returns -1 (EOF, 0) with ECANCELED, and the stream is
 * unchanged. If it is cancelled later the rest stays in the stream, and the call has had its effect. In a cancelled
 * scope a call that need not wait is made.
 *
 * If a call writes out and then does something else (fseek, fsetpos, rewind, setvbuf), and writing out fails, it does
 * nothing else.
 *
 * For wide streams, and for streams without a descriptor, the plain calls are made. */
#define _GNU_SOURCE
#include "charcoal_abi.h"
#include "posix/descriptors.h"
#include "posix/single_activity.h"
#include "posix/replacements/streams.h"
#include <signal.h>
#include <string.h>
#include <unistd.h>

/* The stream is held: what has not gone follows. n, or -1 with errno; then p->sent of them are written. */
static long go_on(FILE *f, const char *data, size_t n, struct ch_stream_progress *p) {
  int before = errno;
  int64_t since = 0;
  long r = -1;
  do {
    if (await_room(f, before, &since) == 0) {
      r = ch_stream_put_on(f, data, n, p);
    } else if (errno != ECANCELED) {
      ch_stream_lose(f);
      break;
    } else { /* it has had no effect, or all of it */
      if (p->sent > 0)
        p->sent += ch_stream_keep(f, data + p->sent, n - p->sent);
      r = p->sent == n ? (long)n : -1;
      errno = ECANCELED;
      break;
    }
  } while (r < 0 && errno == EAGAIN);
  ch_stream_unhold(f);
  return r;
}

/* All of it, as one: n, or -1 with errno; then p->sent of them are written. */
static long put(FILE *f, const char *data, size_t n, struct ch_stream_progress *p) {
  long r = ch_stream_put(f, data, n, p);
  if (r == CH_STREAM_TAKEN) {
    int error = ch_stream_take(f);
    p->sent = 0;
    if (error)
      return errno = error, ch_stream_failed(f), -1;
    r = ch_stream_put_held(f, data, n, p);
  }
  return r == CH_STREAM_HELD ? go_on(f, data, n, p) : r;
}

/* What has not been taken at once. n, or -1. */
static int put_text(FILE *f, struct ch_put p) {
  if (p.taken >= -1)
    return (int)p.taken;
  if (!p.text) {
    if (p.taken == CH_STREAM_HELD)
      ch_stream_unhold(f);
    return errno = ENOMEM, -1;
  }
  int taken = p.taken == CH_STREAM_TAKEN;
  long r = (taken ? put : go_on)(f, p.text->bytes, p.text->n, &p.progress);
  free(p.text);
  return (int)r;
}

/* ---- bytes ---- */

static size_t put_items(const void *from, size_t size, size_t n, FILE *f) {
  size_t all;
  if (__builtin_mul_overflow(size, n, &all) || all == 0 || all > INT64_MAX / 2)
    return ch_plain_fwrite(from, size, n, f);
  struct ch_stream_progress progress;
  return put(f, from, all, &progress) < 0 ? progress.sent / size : n;
}
CH_REPLACES(fwrite) size_t ch_posix_fwrite(const void *from, size_t size, size_t n, FILE *f) {
  CH_SINGLE_ACTIVITY(fwrite(from, size, n, f));
  return put_items(from, size, n, f);
}
CH_REPLACES(fwrite_unlocked) size_t ch_posix_fwrite_unlocked(const void *from, size_t size, size_t n, FILE *f) {
  CH_SINGLE_ACTIVITY(fwrite_unlocked(from, size, n, f));
  return put_items(from, size, n, f);
}

static int put_string(const char *s, FILE *f) {
  struct ch_stream_progress progress;
  size_t n = strlen(s);
  return n == 0 || put(f, s, n, &progress) >= 0 ? 1 : EOF;
}
CH_REPLACES(fputs) int ch_posix_fputs(const char *s, FILE *f) {
  CH_SINGLE_ACTIVITY(fputs(s, f));
  return put_string(s, f);
}
CH_REPLACES(fputs_unlocked) int ch_posix_fputs_unlocked(const char *s, FILE *f) {
  CH_SINGLE_ACTIVITY(fputs_unlocked(s, f));
  return put_string(s, f);
}
/* By the name that the linker's --wrap=puts leaves alone. */
extern int _IO_puts(const char *);
CH_REPLACES(puts) int ch_posix_puts(const char *s) {
  CH_SINGLE_ACTIVITY(_IO_puts(s));
  int r = put_text(stdout, ch_stream_puts(stdout, s));
  return r < 0 ? EOF : r;
}

CH_SHARED_BODY int put_byte(int c, FILE *f) {
  if (f->_IO_write_ptr < f->_IO_write_end && ch_stream_is_free(f))
    return ch_plain_putc(c, f);
  CH_SINGLE_ACTIVITY(ch_plain_putc(c, f));
  return put_text(f, ch_stream_putc(f, c)) < 0 ? EOF : (unsigned char)c;
}
CH_REPLACES(putc) int ch_posix_putc(int c, FILE *f) { return put_byte(c, f); }
CH_REPLACES(_IO_putc) int ch_posix_IO_putc(int c, FILE *f) { return put_byte(c, f); }
CH_REPLACES(fputc) int ch_posix_fputc(int c, FILE *f) { return put_byte(c, f); }
CH_REPLACES(putchar) int ch_posix_putchar(int c) { return put_byte(c, stdout); }
CH_REPLACES(putc_unlocked) int ch_posix_putc_unlocked(int c, FILE *f) { return put_byte(c, f); }
CH_REPLACES(fputc_unlocked) int ch_posix_fputc_unlocked(int c, FILE *f) { return put_byte(c, f); }
CH_REPLACES(putchar_unlocked) int ch_posix_putchar_unlocked(int c) { return put_byte(c, stdout); }
/* What the macros call when there is no room. */
CH_REPLACES(__overflow) int ch_posix_overflow(FILE *f, int c) {
  CH_SINGLE_ACTIVITY(ch_plain_overflow(f, c));
  return c == EOF ? ch_plain_overflow(f, c) : put_byte(c, f);
}
CH_REPLACES(putw) int ch_posix_putw(int word, FILE *f) {
  CH_SINGLE_ACTIVITY(putw(word, f));
  return put_items(&word, sizeof word, 1, f) == 1 ? 0 : EOF;
}

/* ---- text ---- */

CH_REPLACES(vfprintf) int ch_posix_vfprintf(FILE *f, const char *format, va_list more) {
  return put_text(f, ch_stream_print(f, -1, format, more));
}
CH_REPLACES(vprintf) int ch_posix_vprintf(const char *format, va_list more) {
  return put_text(stdout, ch_stream_print(stdout, -1, format, more));
}
CH_REPLACES(__vfprintf_chk) int ch_posix_vfprintf_chk(FILE *f, int flag, const char *format, va_list more) {
  return put_text(f, ch_stream_print(f, flag, format, more));
}
CH_REPLACES(__vprintf_chk) int ch_posix_vprintf_chk(int flag, const char *format, va_list more) {
  return put_text(stdout, ch_stream_print(stdout, flag, format, more));
}

/* The variable arguments lie in memory, at the place of the last parameter: what va_start finds is passed on. */
#define PRINT(f, flag)                                                                                                 \
  do {                                                                                                                 \
    va_list more;                                                                                                      \
    va_start(more, format);                                                                                            \
    struct ch_put p = ch_stream_print(f, flag, format, more);                                                          \
    va_end(more);                                                                                                      \
    return put_text(f, p);                                                                                             \
  } while (0)
CH_REPLACES(fprintf) int ch_posix_fprintf(FILE *f, const char *format, ...) { PRINT(f, -1); }
CH_REPLACES(printf) int ch_posix_printf(const char *format, ...) { PRINT(stdout, -1); }
CH_REPLACES(__fprintf_chk) int ch_posix_fprintf_chk(FILE *f, int flag, const char *format, ...) { PRINT(f, flag); }
CH_REPLACES(__printf_chk) int ch_posix_printf_chk(int flag, const char *format, ...) { PRINT(stdout, flag); }

/* dprintf has no stream. An error says that not all of it was sent; but what is cancelled says how much was. */
static int put_to(int fd, struct ch_text *text) {
  size_t sent = 0;
  ssize_t r = 0;
  if (!text)
    return -1;
  while (r >= 0 && sent < text->n) {
    r = write_some(fd, text->bytes + sent, text->n - sent);
    sent += r > 0 ? (size_t)r : 0;
  }
  free(text);
  return r < 0 && (sent == 0 || errno != ECANCELED) ? -1 : (int)sent;
}
CH_REPLACES(vdprintf) int ch_posix_vdprintf(int fd, const char *format, va_list more) {
  CH_SINGLE_ACTIVITY(vdprintf(fd, format, more));
  return put_to(fd, ch_text_print(-1, format, more));
}
CH_REPLACES(__vdprintf_chk) int ch_posix_vdprintf_chk(int fd, int flag, const char *format, va_list more) {
  CH_SINGLE_ACTIVITY(vdprintf(fd, format, more));
  return put_to(fd, ch_text_print(flag, format, more));
}
#define PRINT_TO(fd, flag)                                                                                             \
  do {                                                                                                                 \
    va_list more;                                                                                                      \
    va_start(more, format);                                                                                            \
    struct ch_text *text = ch_text_print(flag, format, more);                                                          \
    va_end(more);                                                                                                      \
    return put_to(fd, text);                                                                                           \
  } while (0)
CH_REPLACES(dprintf) int ch_posix_dprintf(int fd, const char *format, ...) { PRINT_TO(fd, -1); }
CH_REPLACES(__dprintf_chk) int ch_posix_dprintf_chk(int fd, int flag, const char *format, ...) { PRINT_TO(fd, flag); }

static void complain(struct ch_text *text) {
  struct ch_stream_progress progress;
  if (!text)
    return;
  if (!ch_text_put_wide(stderr, text))
    put(stderr, text->bytes, text->n, &progress);
  free(text);
}
/* perror writes past a stream that is neither for bytes nor for wide characters, so that it stays neither. It has no
 * way to say that it was cancelled, so it is not. */
static void complain_past_stream(struct ch_text *text) {
  struct ch_scope barrier;
  ch_scope_enter(&barrier, CH_SCOPE_BARRIER, "perror");
  if (put_to(ch_stream_fd(stderr), text) < 0)
    ch_stream_failed(stderr);
  ch_scope_leave(&barrier);
}
CH_REPLACES(perror) void ch_posix_perror(const char *what) {
  CH_SINGLE_ACTIVITY(perror(what));
  int saved = errno;
  char room[100];
  struct ch_text *text = ch_text_of(what, ch_error_text(saved, room, sizeof room));
  if (ch_stream_is_passed_by_perror(stderr))
    complain_past_stream(text);
  else
    complain(text);
  errno = saved;
}
CH_REPLACES(psignal) void ch_posix_psignal(int signal, const char *what) {
  CH_SINGLE_ACTIVITY(psignal(signal, what));
  char room[100];
  complain(ch_text_of(what, ch_signal_text(signal, room, sizeof room)));
}

/* ---- writing out ---- */

static int flush(FILE *f) {
  int r, error = hold(f);
  if (error)
    return errno = error, EOF;
  r = write_out(f);
  if (r == 0)
    r = ch_plain_fflush(f);
  ch_stream_unhold(f);
  return r < 0 ? EOF : r;
}

/* For calls that write out and then do something else. 0, or -1 with errno: what is pending is lost, or, with
 * ECANCELED, still there. The plain call must not follow then, for it would stop the whole domain until it has gone. */
static int write_out_first(FILE *f) {
  int r, saved = errno, error = hold(f);
  if (error)
    return errno = error, -1;
  r = write_out(f);
  ch_stream_unhold(f);
  if (r == 0)
    errno = saved;
  return r;
}

static int flush_all(void) {
  FILE **all = ch_stream_all();
  int r = 0;
  if (!all)
    return EOF;
  for (FILE **f = all; *f; f++)
    if (ch_stream_is_open(*f) && flush(*f) == EOF)
      r = EOF;
  free(all);
  return r;
}

/* When the program ends: as in the C library, no lock of the user keeps it from that. */
CH_HIDDEN void ch_streams_end(void) {
  struct ch_scope barrier;
  FILE **all = ch_stream_all();
  ch_scope_enter(&barrier, CH_SCOPE_BARRIER, "exit");
  for (FILE **f = all; f && *f; f++)
    if (ch_stream_is_open(*f) && !ch_stream_is_user_locked(*f))
      write_out_first(*f);
  ch_scope_leave(&barrier);
  free(all);
}

CH_REPLACES(fflush) int ch_posix_fflush(FILE *f) {
  CH_SINGLE_ACTIVITY(fflush(f));
  return f ? flush(f) : flush_all();
}
CH_REPLACES(fflush_unlocked) int ch_posix_fflush_unlocked(FILE *f) {
  CH_SINGLE_ACTIVITY(fflush_unlocked(f));
  return f ? flush(f) : flush_all();
}

static int close_stream(FILE *f) {
  if (!ch_stream_is_of_command(f))
    return ch_plain_fclose(f);
  CH_SINGLE_ACTIVITY(pclose(f));
  return close_command(f);
}

/* Never refused, for it gives something back: cancelled, what cannot go at once is lost, and EOF with ECANCELED says
 * so. */
CH_REPLACES(fclose) int ch_posix_fclose(FILE *f) {
  int r = 0, error = 0, waited = hold(f);
  if (!waited) {
    r = write_out(f);
    if (r < 0) {
      error = errno;
      ch_stream_forget(f);
    }
    ch_stream_unhold(f);
  }
  r = close_stream(f); /* not only 0 or EOF: a stream of fopencookie returns what its function returned */
  return error ? (errno = error, EOF) : r;
}

/* Like fclose, it gives the old file back in any case. */
static void before_freopen(FILE *f) {
  int saved = errno;
  if (write_out_first(f) < 0)
    ch_stream_forget(f);
  errno = saved;
  ch_stream_closing(f);
}
CH_REPLACES(freopen) FILE *ch_posix_freopen(const char *path, const char *mode, FILE *f) {
  before_freopen(f);
  return ch_plain_freopen(path, mode, f);
}
CH_REPLACES(freopen64) FILE *ch_posix_freopen64(const char *path, const char *mode, FILE *f) {
  before_freopen(f);
  return ch_plain_freopen(path, mode, f);
}

CH_REPLACES(setvbuf) int ch_posix_setvbuf(FILE *f, char *buffer, int mode, size_t size) {
  CH_SINGLE_ACTIVITY(setvbuf(f, buffer, mode, size));
  if ((mode == _IONBF || buffer) && write_out_first(f) < 0) /* if it keeps the buffer that it has, nothing goes */
    return EOF;
  return ch_plain_setvbuf(f, buffer, mode, size);
}
CH_REPLACES(setbuffer) void ch_posix_setbuffer(FILE *f, char *buffer, size_t size) {
  CH_SINGLE_ACTIVITY(setbuffer(f, buffer, size));
  if (write_out_first(f) == 0)
    ch_plain_setbuffer(f, buffer, size);
}
CH_REPLACES(setbuf) void ch_posix_setbuf(FILE *f, char *buffer) { ch_posix_setbuffer(f, buffer, BUFSIZ); }

/* Cancelled, or when what was pending could not be written: -1 with errno, and the stream stands where it stood. */
CH_REPLACES(fseek) int ch_posix_fseek(FILE *f, long offset, int whence) {
  CH_SINGLE_ACTIVITY(fseek(f, offset, whence));
  return write_out_first(f) < 0 ? -1 : ch_plain_fseek(f, offset, whence);
}
CH_REPLACES(fseeko) int ch_posix_fseeko(FILE *f, off_t offset, int whence) {
  CH_SINGLE_ACTIVITY(fseeko(f, offset, whence));
  return write_out_first(f) < 0 ? -1 : ch_plain_fseek(f, offset, whence);
}
CH_REPLACES(fseeko64) int ch_posix_fseeko64(FILE *f, off_t offset, int whence) {
  CH_SINGLE_ACTIVITY(fseeko64(f, offset, whence));
  return write_out_first(f) < 0 ? -1 : ch_plain_fseek(f, offset, whence);
}
CH_REPLACES(fsetpos) int ch_posix_fsetpos(FILE *f, const fpos_t *to) {
  CH_SINGLE_ACTIVITY(fsetpos(f, to));
  return write_out_first(f) < 0 ? -1 : ch_plain_fsetpos(f, to);
}
CH_REPLACES(fsetpos64) int ch_posix_fsetpos64(FILE *f, const fpos_t *to) {
  CH_SINGLE_ACTIVITY(fsetpos(f, to));
  return write_out_first(f) < 0 ? -1 : ch_plain_fsetpos(f, to);
}
CH_REPLACES(rewind) void ch_posix_rewind(FILE *f) {
  CH_SINGLE_ACTIVITY(rewind(f));
  if (write_out_first(f) == 0 || errno != ECANCELED)
    ch_plain_rewind(f);
}

/* ---- flockfile ---- */

CH_REPLACES(flockfile) void ch_posix_flockfile(FILE *f) {
  while (ch_stream_user_take(f)) /* no memory */
    ch_reschedule();
}
CH_REPLACES(ftrylockfile) int ch_posix_ftrylockfile(FILE *f) { return ch_stream_user_lock(f) ? -1 : 0; }
CH_REPLACES(funlockfile) void ch_posix_funlockfile(FILE *f) { ch_stream_user_unlock(f); }
