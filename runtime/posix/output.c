/* Output of streams.h. */
#define _GNU_SOURCE
#include "posix/fields.h"
#include "activity/scope.h"
#include "posix/sole.h"
#include "wait/wait.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>

size_t ch_stream_pending(const FILE *f) {
  return f->_IO_write_ptr > f->_IO_write_base ? (size_t)(f->_IO_write_ptr - f->_IO_write_base) : 0;
}

/* Ready to be written to, in its buffer: a narrow stream, with nothing of its input unread. */
static bool prepare(FILE *f) {
  if (f->_mode > 0 || f->_flags & NO_WRITES)
    return false;
  if (!(f->_flags & IS_PUTTING) || !f->_IO_write_base) {
    if (ch_stream_has(f) || f->_flags & IN_BACKUP || (f->_flags & IS_PUTTING && f->_IO_write_ptr))
      return false;
    __overflow(f, EOF); /* sends nothing: there is nothing */
  }
  return f->_flags & IS_PUTTING && f->_IO_buf_base && f->_IO_read_end == f->_IO_write_base;
}

static size_t room(const FILE *f) { return (size_t)(f->_IO_buf_end - f->_IO_write_ptr); }

/* It goes into the buffer, and nothing has to be sent. */
static bool fits(const FILE *f, const char *data, size_t n) {
  if (f->_flags & IS_UNBUFFERED || n > room(f))
    return false;
  return !(f->_flags & IS_LINE_BUFFERED) || !memrchr(data, '\n', n);
}

/* How much of it has to be sent when it does not; the rest may stay. Whole buffers, or through the last line. */
static size_t due(const FILE *f, const char *data, size_t n) {
  size_t size = buffer_size(f), rest = 0;
  if (f->_flags & IS_UNBUFFERED)
    return n;
  if (f->_flags & IS_LINE_BUFFERED) {
    const char *last = memrchr(data, '\n', n);
    rest = last ? n - (size_t)(last + 1 - data) : 0;
  } else if (size > 0) {
    rest = (ch_stream_pending(f) + n) % size;
  }
  return rest > size ? n : rest < n ? n - rest : 0;
}

static void append(FILE *f, const char *data, size_t n) {
  memmove(f->_IO_write_ptr, data, n);
  f->_IO_write_ptr += n;
}

/* The first n of the pending bytes have gone. */
static void drop(FILE *f, size_t n) {
  f->_IO_write_base += n;
  if (f->_IO_write_base >= f->_IO_write_ptr) {
    shrink(f);
    f->_IO_write_base = f->_IO_write_ptr = f->_IO_buf_base;
    f->_IO_write_end = f->_flags & (IS_LINE_BUFFERED | IS_UNBUFFERED) ? f->_IO_buf_base : f->_IO_buf_end;
  }
  f->_IO_read_base = f->_IO_read_ptr = f->_IO_read_end = f->_IO_write_base;
}

void ch_stream_forget(FILE *f) { drop(f, ch_stream_pending(f)); }

/* Sends what is pending and then the data, as much as goes now. How much of the data; -1: errno, nothing has gone. A
 * cancelled scope is no reason not to try: what it does not do is wait. */
static ssize_t send_now(FILE *f, const char *data, size_t n) {
  size_t pending = ch_stream_pending(f);
  struct iovec v[2] = {{f->_IO_write_base, pending}, {(char *)data, n}};
  struct ch_scope barrier;
  bool marked = ch_is_marked();
  if (marked)
    ch_scope_enter(&barrier, CH_SCOPE_BARRIER, "stdio");
  ssize_t r = pending == 0 ? ch_attempt_writev(fileno(f), v + 1, 1) : ch_attempt_writev(fileno(f), v, n ? 2 : 1);
  if (marked) {
    int saved = errno;
    ch_scope_leave(&barrier);
    errno = saved;
  }
  if (r < 0)
    return -1;
  if (f->_offset >= 0)
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

long ch_stream_put_on(FILE *f, const char *data, size_t n, size_t *sent) {
  while (*sent < n) {
    const char *at = data + *sent;
    size_t left = n - *sent;
    if (fits(f, at, left)) {
      append(f, at, left);
      break;
    }
    if (due(f, at, left) == 0 && ch_stream_pending(f) == 0) { /* after what was pending has gone */
      append(f, at, left);
      break;
    }
    ssize_t r = send_now(f, at, due(f, at, left));
    if (r < 0)
      return errno == EAGAIN ? -1 : fail(f);
    *sent += (size_t)r;
  }
  return (long)n;
}

/* The plain call's bytes. It counts a line that it could not flush as written, which only fwrite's caller is told. */
static long put_plainly(FILE *f, const char *data, size_t n) {
  int failed_before = f->_flags & _IO_ERR_SEEN;
  f->_flags &= ~_IO_ERR_SEEN;
  size_t r = fwrite_unlocked(data, 1, n, f);
  bool fails = f->_flags & _IO_ERR_SEEN;
  f->_flags |= failed_before;
  return fails && (r == 0 || r == n) ? -1 : (long)r;
}

/* The stream is locked, and prepared; with what cannot wait for anybody the plain call is as good. */
static long put(FILE *f, const char *data, size_t n) {
  size_t sent = 0;
  if (fits(f, data, n)) {
    append(f, data, n);
    return (long)n;
  }
  if (!ch_stream_may_wait(f))
    return put_plainly(f, data, n);
  long r = ch_stream_put_on(f, data, n, &sent);
  if (r < 0 && errno == EAGAIN && !ferror_unlocked(f)) {
    int error = ch_stream_hold(f);
    if (error)
      return errno = error, fail(f);
    return -3 - (long)sent;
  }
  return r;
}

/* 0: locked. */
static int enter(FILE *f) { return ch_stream_is_free(f) && !ftrylockfile(f) ? 0 : -1; }

long ch_stream_put(FILE *f, const char *data, size_t n) {
  long r;
  if (enter(f) < 0)
    return CH_STREAM_TAKEN;
  r = prepare(f) ? put(f, data, n) : put_plainly(f, data, n);
  funlockfile(f);
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
  t->n = (size_t)(to - t->bytes);
  return t;
}

/* The text lies where the stream's next bytes go, or on the heap. When some of it has to wait it comes to the heap. */
static struct ch_put put_text(FILE *f, const char *text, size_t n, struct ch_text *heap) {
  if (!heap && !fits(f, text, n) && ch_stream_may_wait(f)) {
    /* Usually the peer takes it at once. Otherwise it must not stay where others write. */
    heap = text_new(n);
    if (!heap)
      return (struct ch_put){-1, NULL};
    memcpy(heap->bytes, text, n);
  }
  long r = put(f, heap ? heap->bytes : text, n);
  if (r < CH_STREAM_TAKEN)
    return (struct ch_put){r, heap};
  free(heap);
  return (struct ch_put){r == (long)n ? r : -1, NULL};
}

struct ch_put ch_stream_print(FILE *f, int flag, const char *format, va_list more) {
  struct ch_put r = {CH_STREAM_TAKEN, NULL};
  if (ch_domain.live == 1 && ch_is_sole()) {
    r.taken = flag < 0 ? vfprintf(f, format, more) : __vfprintf_chk(f, flag, format, more);
    return r;
  }
  if (enter(f) < 0) {
    r.text = ch_text_print(flag, format, more);
    if (!r.text)
      r.taken = -1;
    return r;
  }
  char small[256];
  int n = -1;
  bool ready = prepare(f), inside = ready && !(f->_flags & IS_UNBUFFERED) && room(f) > sizeof small;
  char *to = inside ? f->_IO_write_ptr : small;
  if (ready)
    n = inside ? format_into(to, room(f), flag, format, more) : format_into(small, sizeof small, flag, format, more);
  if (n < 0) { /* the plain call says what is wrong */
    r.taken = flag < 0 ? vfprintf(f, format, more) : __vfprintf_chk(f, flag, format, more);
  } else if ((size_t)n < (inside ? room(f) : sizeof small)) {
    r = put_text(f, to, (size_t)n, NULL);
  } else {
    struct ch_text *heap = ch_text_print(flag, format, more);
    r = heap ? put_text(f, heap->bytes, heap->n, heap) : (struct ch_put){-1, NULL};
  }
  funlockfile(f);
  return r;
}

struct ch_put ch_stream_puts(FILE *f, const char *s) {
  struct ch_put r = {CH_STREAM_TAKEN, NULL};
  size_t n = strlen(s);
  if (enter(f) < 0) {
    r.text = ch_text_of(NULL, s);
    if (!r.text)
      r.taken = -1;
    return r;
  }
  if (!prepare(f)) {
    r.taken = fputs_unlocked(s, f) < 0 || putc_unlocked('\n', f) < 0 ? -1 : (long)n + 1;
  } else if (n + 1 <= room(f) && !(f->_flags & IS_UNBUFFERED)) {
    memmove(f->_IO_write_ptr, s, n);
    f->_IO_write_ptr[n] = '\n';
    r = put_text(f, f->_IO_write_ptr, n + 1, NULL);
  } else {
    struct ch_text *heap = ch_text_of(NULL, s);
    r = heap ? put_text(f, heap->bytes, heap->n, heap) : (struct ch_put){-1, NULL};
  }
  funlockfile(f);
  return r;
}

struct ch_put ch_stream_putc(FILE *f, int c) {
  char byte = (char)c;
  long r = ch_stream_put(f, &byte, 1);
  struct ch_put p = {r, NULL};
  if (r <= CH_STREAM_TAKEN) {
    p.text = text_new(1);
    if (p.text)
      p.text->bytes[0] = byte;
  }
  return p;
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
