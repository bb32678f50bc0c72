/* Writes text without allocating memory. See writer.h. */
#include "report/writer.h"
#include "frames/runtime_calls.h"
#include <errno.h>
#include <sys/socket.h>
#include <unistd.h>

void ch_put_end(struct ch_writer *w) {
  for (size_t at = 0; w->fd >= 0 && at < w->used;) {
    ssize_t n = ch_runtime_send(w->fd, w->text + at, w->used - at,
                                MSG_NOSIGNAL); /* the other side may have closed the connection */
    const bool is_socket = n >= 0 || errno != ENOTSOCK;
    if (!is_socket)
      n = ch_runtime_write(w->fd, w->text + at, w->used - at);
    if (n < 0 && errno == EINTR)
      continue;
    if (n < 0 && errno == EAGAIN && is_socket) /* a client that has taken nothing for seconds is not waited for again */
      w->fd = -1;
    if (n <= 0)
      break;
    at += (size_t)n;
  }
  w->used = 0;
}

static void put_byte(struct ch_writer *w, char c) {
  w->hash = (w->hash ^ (unsigned char)c) * 1099511628211u; /* FNV-1a */
  if (w->fd < 0)
    return;
  if (w->used == sizeof w->text)
    ch_put_end(w);
  w->text[w->used++] = c;
}

void ch_put(struct ch_writer *w, const char *s) {
  while (*s)
    put_byte(w, *s++);
}

static void put_digits(struct ch_writer *w, uint64_t n, unsigned base) {
  char digits[24], *at = digits + sizeof digits;
  *--at = 0;
  do
    *--at = "0123456789abcdef"[n % base];
  while (n /= base);
  ch_put(w, at);
}

void ch_put_number(struct ch_writer *w, uint64_t n) { put_digits(w, n, 10); }
void ch_put_hex(struct ch_writer *w, uint64_t n) {
  ch_put(w, "0x");
  put_digits(w, n, 16);
}
void ch_put_pointer(struct ch_writer *w, const void *p) { ch_put_hex(w, (uintptr_t)p); }

void ch_put_time(struct ch_writer *w, int64_t ns) {
  static const struct unit {
    const char *name;
    int64_t ns;
  } units[] = {{" h", 3600000000000}, {" min", 60000000000}, {" s", 1000000000}, {" ms", 1000000}, {" us", 1000}};
  for (const struct unit *u = units; u < units + sizeof units / sizeof *units; u++)
    if (ns >= u->ns) {
      ch_put_number(w, (uint64_t)(ns / u->ns));
      if (ns < 10 * u->ns) {
        ch_put(w, ".");
        ch_put_number(w, (uint64_t)(ns % u->ns / (u->ns / 10)));
      }
      ch_put(w, u->name);
      return;
    }
  ch_put_number(w, ns < 0 ? 0 : (uint64_t)ns);
  ch_put(w, " ns");
}

void ch_put_json(struct ch_writer *w, const char *s) {
  put_byte(w, '"');
  for (; *s; s++) {
    unsigned char c = (unsigned char)*s;
    if (c < ' ') {
      ch_put(w, c < 16 ? "\\u000" : "\\u001");
      put_byte(w, "0123456789abcdef"[c % 16]);
      continue;
    }
    if (c == '"' || c == '\\')
      put_byte(w, '\\');
    put_byte(w, *s);
  }
  put_byte(w, '"');
}

void ch_put_spaces(struct ch_writer *w, unsigned n) {
  while (n-- > 0)
    put_byte(w, ' ');
}
