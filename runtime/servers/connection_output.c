/* Output to a connection (charcoal/output.h), in Charcoal C. */
#define _GNU_SOURCE
#include "charcoal.h"
#include <charcoal/dialect.h>
#include "charcoal/output.h"
#include "posix/socket_calls.h"
#include <errno.h>
#include <poll.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <unistd.h>

static void fail(struct ch_output *o, int error) {
  o->error = error == ECANCELED && !ch_cancelled() ? ETIMEDOUT : error;
}

static void send_all(struct ch_output *o, const char *bytes, size_t n) {
  while (n > 0 && !o->error) {
    ssize_t put = -1;
    within(o->timeout) do put = o->write ? o->write(o->to, bytes, n) : ch_socket_send(o->fd, bytes, n, MSG_NOSIGNAL);
    finish;
    if (put > 0) {
      bytes += put;
      n -= (size_t)put;
    } else {
      fail(o, put < 0 ? errno : EIO);
    }
  }
}

void ch_output_flush(struct ch_output *o) {
  send_all(o, o->bytes, o->used);
  o->used = 0;
}

void ch_output_add_more(struct ch_output *o, const void *bytes, size_t n) {
  ch_output_flush(o);
  if (n > o->size)
    send_all(o, bytes, n);
  else
    ch_output_add(o, bytes, n);
}

void ch_output_format(struct ch_output *o, const char *format, ...) {
  va_list arguments, again;
  va_start(arguments, format);
  va_copy(again, arguments);
  int n = vsnprintf(o->bytes + o->used, o->size - o->used, format, arguments);
  if (n >= 0 && (size_t)n >= o->size - o->used) {
    ch_output_flush(o);
    n = vsnprintf(o->bytes, o->size, format, again);
  }
  va_end(again);
  va_end(arguments);
  if (n < 0 || (size_t)n >= o->size)
    o->error = o->error ? o->error : EMSGSIZE;
  else
    o->used += (size_t)n;
}

static void copy_file(struct ch_output *o, int file, off_t from, off_t to) {
  while (from < to && !o->error) {
    size_t rest = (size_t)(to - from);
    ssize_t n = pread(file, o->bytes, rest < o->size ? rest : o->size, from);
    if (n <= 0)
      return fail(o, n < 0 ? errno : EIO);
    send_all(o, o->bytes, (size_t)n);
    from += n;
  }
}

/* How much of a file is read and sent at a time. malloc gets more than 128 KiB from the kernel each time. */
#define CHUNK ((size_t)96 << 10)

/* Sends until the socket has no room, and returns where in the file that was. */
static off_t send_while_there_is_room(struct ch_output *o, int file, off_t from, off_t to) {
  char *bytes = malloc(CHUNK);
  bool has_room = bytes != NULL;
  if (!bytes)
    fail(o, ENOMEM);
  while (from < to && has_room) {
    size_t rest = (size_t)(to - from);
    ssize_t n = pread(file, bytes, rest < CHUNK ? rest : CHUNK, from);
    ssize_t put = n > 0 ? ch_socket_send(o->fd, bytes, (size_t)n, MSG_NOSIGNAL | MSG_DONTWAIT) : -1;
    if (n <= 0 || (put < 0 && errno != EAGAIN))
      fail(o, n == 0 ? EIO : errno);
    has_room = n > 0 && put == n;
    from += put > 0 ? put : 0;
  }
  free(bytes);
  return from;
}

/* The bytes are copied. sendfile has no flag that says "do not wait", so threads of the pool would have to call it, and
 * they take the processor from this one. A connection that waits has no buffer, because its client may be slow. */
static void send_file(struct ch_output *o, int file, off_t from, off_t to) {
  while ((from = send_while_there_is_room(o, file, from, to)) < to && !o->error) {
    int ready = ch_fd_wait(o->fd, POLLOUT, o->timeout);
    if (ready <= 0)
      fail(o, ready < 0 ? -ready : ETIMEDOUT);
  }
}

void ch_output_file(struct ch_output *o, int file, off_t from, off_t to) {
  ch_output_flush(o);
  if (o->write)
    copy_file(o, file, from, to);
  else
    send_file(o, file, from, to);
}
