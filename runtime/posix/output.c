/* The part of streams.h that is about output: room in the buffer, and writing it out. */
#define _GNU_SOURCE
#include "posix/fields.h"
#include "activity/scope.h"
#include "posix/single_activity.h"
#include "sched/check.h"
#include "wait/wait.h"
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <wchar.h>

size_t ch_stream_pending(const FILE *f) {
  return f->_IO_write_ptr > f->_IO_write_base ? (size_t)(f->_IO_write_ptr - f->_IO_write_base) : 0;
}

/* Ready to be written to, in its buffer: a narrow stream, with nothing of its input unread. */
static bool is_ready(const FILE *f) {
  return f->_mode <= 0 && f->_flags & IS_PUTTING && f->_IO_write_base && f->_IO_read_end == f->_IO_write_base;
}

static size_t room(const FILE *f) { return (size_t)(f->_IO_buf_end - f->_IO_write_ptr); }

/* The input side of a stream that is written to is empty, and stands where its unsent output begins. */
static void hide_input(FILE *f) { f->_IO_read_base = f->_IO_read_ptr = f->_IO_read_end = f->_IO_write_base; }

/* Nothing is pending: the next output begins at the buffer's start. */
static void rewind_output(FILE *f) {
  f->_IO_write_base = f->_IO_write_ptr = f->_IO_buf_base;
  f->_IO_write_end = f->_flags & (IS_LINE_BUFFERED | IS_UNBUFFERED) ? f->_IO_buf_base : f->_IO_buf_end;
  hide_input(f);
}

/* Makes the stream ready for output if possible. After input, the output begins where the input ended, so there may be
 * little room although nothing is pending. */
static bool prepare(FILE *f) {
  if (f->_mode > 0 || f->_flags & NO_WRITES)
    return false;
  if (!(f->_flags & IS_PUTTING) || !f->_IO_write_base) {
    if (ch_stream_has(f) || f->_flags & IN_BACKUP || (f->_flags & IS_PUTTING && f->_IO_write_ptr))
      return false;
    __overflow(f, EOF); /* nothing is pending, so this sends nothing */
  }
  return is_ready(f);
}

/* Whether the data go into the buffer, and nothing has to be sent. */
static bool fits(const FILE *f, const char *data, size_t n) {
  if (f->_flags & IS_UNBUFFERED || n > room(f))
    return false;
  return !(f->_flags & IS_LINE_BUFFERED) || !memrchr(data, '\n', n);
}

/* How the C library would send what does not fit. A stream that was ready for output is filled up and sent first, then
 * whole blocks go past the buffer (all of it, if the buffer is too small to be a block), and of what is left the lines
 * if the stream is line buffered. The rest stays in the buffer. */
static struct ch_stream_progress plan(const FILE *f, const char *data, size_t n, bool was_ready) {
  size_t size = buffer_size(f), begun = was_ready && n > room(f) ? room(f) : 0;
  bool by_lines = f->_flags & IS_LINE_BUFFERED;
  if (f->_flags & IS_UNBUFFERED)
    return (struct ch_stream_progress){0, n, 0};
  if (was_ready && n <= room(f)) { /* it would fit, but its lines have to be sent */
    begun = (size_t)((const char *)memrchr(data, '\n', n) + 1 - data);
    return (struct ch_stream_progress){0, size < 128 ? n : begun, begun};
  }
  size_t due = size < 128 ? n : n - (n - begun) % size;
  if (due == 0 && n > room(f))
    due = room(f);
  const char *first = by_lines && due <= begun ? memchr(data, '\n', n) : NULL;
  if (first && !was_ready)
    begun = (size_t)(first - data) < room(f) ? (size_t)(first - data) : room(f);
  const char *line = by_lines ? memrchr(data + due, '\n', n - due) : NULL;
  return (struct ch_stream_progress){0, line ? (size_t)(line + 1 - data) : due, begun};
}

static void append(FILE *f, const char *data, size_t n) {
  CH_INVARIANT(n <= room(f), "what is appended to a stream fits into its buffer");
  memmove(f->_IO_write_ptr, data, n);
  f->_IO_write_ptr += n;
}

/* The first n of the pending bytes have gone. */
static void drop(FILE *f, size_t n) {
  f->_IO_write_base += n;
  if (f->_IO_write_base >= f->_IO_write_ptr) {
    shrink(f);
    rewind_output(f);
  } else {
    hide_input(f);
  }
}

void ch_stream_forget(FILE *f) { drop(f, ch_stream_pending(f)); }

/* Sends what is pending and then the data, as much as is possible now. The result is how much of the data was sent; or
 * -1 and errno if nothing was. It tries also in a cancelled scope, because it does not wait. */
static ssize_t send_now(FILE *f, const char *data, size_t n) {
  size_t pending = ch_stream_pending(f);
  struct iovec v[2] = {{f->_IO_write_base, pending}, {(char *)data, n}};
  struct ch_scope barrier;
  bool marked = ch_is_marked();
  if (marked)
    ch_scope_enter(&barrier, CH_SCOPE_BARRIER, "stdio");
  ssize_t r = pending == 0 ? ch_nonblocking_stream_writev(fileno(f), v + 1, 1)
                           : ch_nonblocking_stream_writev(fileno(f), v, n ? 2 : 1);
  if (marked) {
    int saved = errno;
    ch_scope_leave(&barrier);
    errno = saved;
  }
  if (r < 0)
    return -1;
  if (f->_flags & IS_APPENDING)
    f->_offset = -1;
  else if (f->_offset >= 0)
    f->_offset += r;
  size_t before = (size_t)r < pending ? (size_t)r : pending;
  if (before)
    drop(f, before);
  return r - (ssize_t)before;
}

/* As the plain call: what an error kept from going is lost, and the stream marked. */
static long fail(FILE *f) {
  int saved = errno;
  ch_stream_failed(f);
  ch_stream_forget(f);
  errno = saved;
  return -1;
}

void ch_stream_lose(FILE *f) { fail(f); }

long ch_stream_put_on(FILE *f, const char *data, size_t n, struct ch_stream_progress *p) {
  while (p->sent < p->due || (n - p->sent > room(f) && ch_stream_pending(f))) {
    ssize_t r = send_now(f, data + p->sent, p->due - p->sent);
    if (r < 0 && errno == EAGAIN)
      return -1;
    if (r < 0) {
      p->sent = p->sent > p->begun ? p->sent : p->begun;
      return fail(f);
    }
    p->sent += (size_t)r;
  }
  if (n - p->sent > room(f))
    rewind_output(f);
  append(f, data + p->sent, n - p->sent);
  return (long)n;
}

/* The plain call. Only fwrite's caller is told that what could not be sent was taken. */
static long put_plainly(FILE *f, const char *data, size_t n, struct ch_stream_progress *p) {
  int failed_before = f->_flags & _IO_ERR_SEEN;
  f->_flags &= ~_IO_ERR_SEEN;
  p->sent = fwrite_unlocked(data, 1, n, f);
  bool fails = p->sent < n || f->_flags & _IO_ERR_SEEN;
  f->_flags |= failed_before;
  return fails ? -1 : (long)n;
}

/* The stream is locked; with what cannot wait for anybody the plain call is as good. */
static long put(FILE *f, const char *data, size_t n, struct ch_stream_progress *p, bool held) {
  *p = (struct ch_stream_progress){0};
  int before = errno;
  bool was_ready = is_ready(f);
  if (was_ready && fits(f, data, n)) {
    append(f, data, n);
    return (long)n;
  }
  if (!ch_stream_may_wait(f) || !prepare(f))
    return put_plainly(f, data, n, p);
  *p = plan(f, data, n, was_ready);
  long r = ch_stream_put_on(f, data, n, p);
  if (r < 0 && errno == EAGAIN) {
    int error = held ? 0 : ch_stream_hold(f);
    return error ? (errno = error, fail(f)) : (errno = before, CH_STREAM_HELD);
  }
  return r;
}

/* 0: locked. */
static int enter(FILE *f) { return ch_stream_is_free(f) && !ftrylockfile(f) ? 0 : -1; }

long ch_stream_put(FILE *f, const char *data, size_t n, struct ch_stream_progress *p) {
  if (enter(f) < 0)
    return CH_STREAM_TAKEN;
  long r = put(f, data, n, p, false);
  funlockfile(f);
  return r;
}

long ch_stream_put_held(FILE *f, const char *data, size_t n, struct ch_stream_progress *p) {
  long r = put(f, data, n, p, true);
  if (r != CH_STREAM_HELD)
    ch_stream_unhold(f);
  return r;
}

size_t ch_stream_keep(FILE *f, const char *data, size_t n) {
  size_t pending = ch_stream_pending(f);
  if (room(f) < n) {
    size_t size = pending + n + 128;
    char *bigger = malloc(size);
    if (!bigger)
      return 0;
    memcpy(bigger, f->_IO_write_base, pending);
    _IO_setb(f, bigger, bigger + size, 1);
    f->_IO_read_base = f->_IO_read_ptr = f->_IO_read_end = f->_IO_write_base = bigger;
    f->_IO_write_ptr = bigger + pending;
    f->_IO_write_end = f->_flags & (IS_LINE_BUFFERED | IS_UNBUFFERED) ? bigger : bigger + size;
  }
  append(f, data, n);
  return n;
}

/* ---- text ---- */

extern int __vsnprintf_chk(char *, size_t, int, size_t, const char *, va_list);
extern int __vfprintf_chk(FILE *, int, const char *, va_list);
extern int __vasprintf_chk(char **, int, const char *, va_list);

static struct ch_text *text_new(size_t n) {
  struct ch_text *t = malloc(sizeof *t + n + 1);
  if (t)
    t->n = n;
  return t;
}

/* Into `to` as far as there is room: how long it is. */
static int format_into(char *to, size_t space, int flag, const char *format, va_list more) {
  va_list again;
  va_copy(again, more);
  int n = flag < 0 ? vsnprintf(to, space, format, again) : __vsnprintf_chk(to, space, flag, space, format, again);
  va_end(again);
  return n;
}

struct ch_text *ch_text_print(int flag, const char *format, va_list more) {
  char small[256];
  int n = format_into(small, sizeof small, flag, format, more);
  struct ch_text *t = n < 0 ? NULL : text_new((size_t)n);
  if (!t)
    return NULL;
  if ((size_t)n < sizeof small)
    memcpy(t->bytes, small, (size_t)n + 1);
  else
    format_into(t->bytes, (size_t)n + 1, flag, format, more);
  return t;
}

struct ch_text *ch_text_of(const char *prefix, const char *text) {
  size_t a = prefix && *prefix ? strlen(prefix) : 0, b = strlen(text);
  struct ch_text *t = text_new(a + b + 3);
  if (!t)
    return NULL;
  char *to = t->bytes;
  if (a)
    to = mempcpy(mempcpy(to, prefix, a), ": ", 2);
  to = mempcpy(mempcpy(to, text, b), "\n", 1);
  *to = 0;
  t->n = (size_t)(to - t->bytes);
  return t;
}

bool ch_text_put_wide(FILE *f, const struct ch_text *text) {
  return fwide(f, 0) > 0 && (fwprintf(f, L"%s", text->bytes), true);
}

bool ch_stream_is_passed_by_perror(FILE *f) {
  return fwide(f, 0) == 0 && (fcntl(fileno(f), F_GETFL) & O_ACCMODE) == O_RDWR;
}

/* The text was made: it goes out, and is freed unless some of it has to wait. */
static struct ch_put put_text(FILE *f, struct ch_text *text) {
  struct ch_put r = {.taken = -1, .text = text};
  if (text)
    r.taken = put(f, text->bytes, text->n, &r.progress, false);
  if (r.taken != CH_STREAM_HELD) {
    free(text);
    r.text = NULL;
  }
  return r;
}

/* The stream is somebody else's: the text is made, to be put out in its turn. */
static struct ch_put put_later(struct ch_text *text) {
  return (struct ch_put){.taken = text ? CH_STREAM_TAKEN : -1, .text = text};
}

static int print_plainly(FILE *f, int flag, const char *format, va_list more) {
  return flag < 0 ? vfprintf(f, format, more) : __vfprintf_chk(f, flag, format, more);
}

/* What fits into the buffer is made there. Else what cannot wait for anybody is the plain call's. */
struct ch_put ch_stream_print(FILE *f, int flag, const char *format, va_list more) {
  struct ch_put r = {.taken = -1};
  if (ch_domain.live == 1 && ch_is_single_activity()) {
    r.taken = print_plainly(f, flag, format, more);
    return r;
  }
  if (enter(f) < 0)
    return put_later(ch_text_print(flag, format, more));
  int n = -1;
  if (is_ready(f) && !(f->_flags & IS_UNBUFFERED) && room(f) > 0)
    n = format_into(f->_IO_write_ptr, room(f), flag, format, more);
  if (n >= 0 && (size_t)n < room(f) && fits(f, f->_IO_write_ptr, (size_t)n)) {
    f->_IO_write_ptr += n;
    r.taken = n;
  } else if (!(f->_flags & NO_WRITES) && ch_stream_may_wait(f)) {
    r = put_text(f, ch_text_print(flag, format, more));
  } else {
    r.taken = print_plainly(f, flag, format, more);
  }
  funlockfile(f);
  return r;
}

struct ch_put ch_stream_puts(FILE *f, const char *s) {
  struct ch_put r = {.taken = -1};
  size_t n = strlen(s);
  if (enter(f) < 0)
    return put_later(ch_text_of(NULL, s));
  if (is_ready(f) && !(f->_flags & (IS_LINE_BUFFERED | IS_UNBUFFERED)) && n + 1 <= room(f)) {
    append(f, s, n);
    append(f, "\n", 1);
    r.taken = (long)n + 1;
  } else if (ch_stream_may_wait(f)) {
    r = put_text(f, ch_text_of(NULL, s));
  } else {
    r.taken = fputs_unlocked(s, f) < 0 || putc_unlocked('\n', f) < 0 ? -1 : (long)n + 1;
  }
  funlockfile(f);
  return r;
}

struct ch_put ch_stream_putc(FILE *f, int c) {
  char byte = (char)c;
  struct ch_put r = {.taken = CH_STREAM_TAKEN};
  if (enter(f) == 0) {
    if (is_ready(f) || (ch_stream_may_wait(f) && prepare(f))) /* one byte fits even into the smallest buffer */
      r.taken = put(f, &byte, 1, &r.progress, false);
    else
      r.taken = putc_unlocked(c, f) == EOF ? -1 : 1;
    funlockfile(f);
  }
  if (r.taken <= CH_STREAM_TAKEN && (r.text = text_new(1)))
    r.text->bytes[0] = byte;
  return r;
}

/* ---- flushing ---- */

int ch_stream_flush(FILE *f) {
  if (f->_mode > 0 || !(f->_flags & IS_PUTTING) || !ch_stream_pending(f) || f->_IO_read_end != f->_IO_write_base ||
      !ch_stream_may_wait(f))
    return 1;
  while (ch_stream_pending(f))
    if (send_now(f, NULL, 0) < 0)
      return errno == EAGAIN ? -1 : (int)fail(f);
  return 0;
}

/* glibc's own list. */
extern FILE *_IO_list_all;
extern void _IO_list_lock(void), _IO_list_unlock(void);

FILE **ch_stream_all(void) {
  size_t n = 0;
  _IO_list_lock();
  for (FILE *f = _IO_list_all; f; f = f->_chain)
    n++;
  FILE **all = malloc((n + 1) * sizeof *all);
  n = 0;
  for (FILE *f = _IO_list_all; all && f; f = f->_chain)
    if (f->_mode <= 0 ? ch_stream_pending(f) > 0 : true)
      all[n++] = f;
  _IO_list_unlock();
  if (all)
    all[n] = NULL;
  return all;
}

bool ch_stream_is_open(FILE *which) {
  _IO_list_lock();
  FILE *f = _IO_list_all;
  while (f && f != which)
    f = f->_chain;
  _IO_list_unlock();
  return f != NULL;
}
