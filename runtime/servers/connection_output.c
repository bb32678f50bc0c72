/* Output to a connection (charcoal/output.h), in Charcoal C. */
#define _GNU_SOURCE
#include "charcoal.h"
#include <charcoal/dialect.h>
#include "charcoal/output.h"
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdarg.h>
#include <stdio.h>
#include <sys/sendfile.h>
#include <sys/socket.h>
#include <unistd.h>

static void fail(struct ch_output *o, int error) {
  o->error = error == ECANCELED && !ch_cancelled() ? ETIMEDOUT : error;
}

static void send_all(struct ch_output *o, const char *bytes, size_t n) {
  while (n > 0 && !o->error) {
    ssize_t put = -1;
    within(o->timeout) do put = o->write ? o->write(o->to, bytes, n) : send(o->fd, bytes, n, MSG_NOSIGNAL);
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

/* sendfile has no flag that says "do not wait", so the socket does not wait meanwhile. */
static void send_file(struct ch_output *o, int file, off_t from, off_t to) {
  int modes = fcntl(o->fd, F_GETFL);
  fcntl(o->fd, F_SETFL, modes | O_NONBLOCK);
  while (from < to && !o->error) {
    ssize_t n = sendfile(o->fd, file, &from, (size_t)(to - from));
    if (n < 0 && errno == EAGAIN) {
      int ready = ch_fd_wait(o->fd, POLLOUT, o->timeout);
      if (ready <= 0)
        fail(o, ready < 0 ? -ready : ETIMEDOUT);
    } else if (n <= 0) {
      fail(o, n < 0 ? errno : EIO);
    }
  }
  fcntl(o->fd, F_SETFL, modes);
}

void ch_output_file(struct ch_output *o, int file, off_t from, off_t to) {
  ch_output_flush(o);
  if (o->write)
    copy_file(o, file, from, to);
  else
    send_file(o, file, from, to);
}
