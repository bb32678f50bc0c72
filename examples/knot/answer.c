/* What is sent: headers, ranges, conditions (RFC 9110), pages about errors, and the bytes of files. */
#include "knot.h"
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/sendfile.h>
#include <sys/socket.h>

/* ---- sending ---- */

static void send_all(struct output *out, const char *bytes, size_t n) {
  while (n > 0 && !out->failed) {
    ssize_t put = -1;
    within(settings.timeout) do put = send(out->to, bytes, n, MSG_NOSIGNAL);
    finish;
    if (put <= 0) {
      out->failed = true;
      return;
    }
    bytes += put;
    n -= (size_t)put;
  }
}

void output_flush(struct output *out) {
  send_all(out, out->bytes, out->used);
  out->used = 0;
}

static void add(struct output *out, const char *bytes, size_t n) {
  if (n > sizeof out->bytes - out->used)
    output_flush(out);
  if (n > sizeof out->bytes) {
    send_all(out, bytes, n);
  } else {
    memcpy(out->bytes + out->used, bytes, n);
    out->used += n;
  }
}

__attribute__((format(printf, 2, 3))) static void addf(struct output *out, const char *format, ...) {
  char text[1024];
  va_list arguments;
  va_start(arguments, format);
  int n = vsnprintf(text, sizeof text, format, arguments);
  va_end(arguments);
  add(out, text, n < (int)sizeof text ? (size_t)n : sizeof text - 1);
}

/* The kernel copies from the file to the socket. sendfile has no flag that says "do not wait", so the socket does. */
static void send_file(struct output *out, int fd, off_t from, off_t to) {
  output_flush(out);
  int modes = fcntl(out->to, F_GETFL);
  fcntl(out->to, F_SETFL, modes | O_NONBLOCK);
  while (from < to && !out->failed) {
    ssize_t n = sendfile(out->to, fd, &from, (size_t)(to - from));
    out->failed = n == 0 || (n < 0 && (errno != EAGAIN || ch_fd_wait(out->to, POLLOUT, settings.timeout) <= 0));
  }
  fcntl(out->to, F_SETFL, modes);
}

/* ---- headers ---- */

static const char *reason(int status) {
  static const char *const reasons[600] = {
      [200] = "OK",
      [206] = "Partial Content",
      [301] = "Moved Permanently",
      [304] = "Not Modified",
      [400] = "Bad Request",
      [403] = "Forbidden",
      [404] = "Not Found",
      [405] = "Method Not Allowed",
      [408] = "Request Timeout",
      [412] = "Precondition Failed",
      [413] = "Content Too Large",
      [414] = "URI Too Long",
      [416] = "Range Not Satisfiable",
      [431] = "Request Header Fields Too Large",
      [500] = "Internal Server Error",
      [501] = "Not Implemented",
      [505] = "HTTP Version Not Supported",
  };
  return reasons[status];
}

const char *http_date(time_t t, char text[static 32]) {
  struct tm parts;
  strftime(text, 32, "%a, %d %b %Y %H:%M:%S GMT", gmtime_r(&t, &parts));
  return text;
}

/* The first lines of every answer. They are the same for a second. */
static void add_first_lines(struct output *out, int status, bool last) {
  static const char ok[] = "HTTP/1.1 200 OK\r\n";
  static _Thread_local time_t at;
  static _Thread_local char lines[128];
  static _Thread_local size_t size;
  struct timespec now;
  clock_gettime(CLOCK_REALTIME_COARSE, &now);
  atomic { /* a slice may end in any call, and then others would send lines that are half written */
    if (now.tv_sec != at) {
      char date[32];
      at = now.tv_sec;
      size = (size_t)snprintf(lines, sizeof lines, "%sServer: knot\r\nDate: %s\r\n", ok, http_date(at, date));
    }
  }
  if (status == 200)
    add(out, lines, size);
  else
    addf(out, "HTTP/1.1 %d %s\r\n%s", status, reason(status), lines + sizeof ok - 1);
  if (last)
    add(out, "Connection: close\r\n", 19);
}

void answer_status(struct output *out, int status, bool last, bool head_only, const char *more_headers) {
  char page[256];
  int size = snprintf(page, sizeof page, "<!doctype html><title>%d %s</title><h1>%d %s</h1>\n", status, reason(status),
                      status, reason(status));
  add_first_lines(out, status, last);
  addf(out, "Content-Type: text/html; charset=utf-8\r\nContent-Length: %d\r\n%s\r\n", size, more_headers);
  if (!head_only)
    add(out, page, (size_t)size);
}

/* ---- conditions (RFC 9110, section 13) ---- */

static time_t time_of(const char *date) {
  struct tm parts = {0};
  return date && strptime(date, "%a, %d %b %Y %H:%M:%S GMT", &parts) ? timegm(&parts) : -1;
}

/* Whether the list of tags has the file's. */
static bool has_tag(const char *list, const struct file *f) {
  return strcmp(list, "*") == 0 || strstr(list, f->etag) != NULL;
}

/* 0, 304 or 412. */
static int condition(const struct request *r, const struct file *f) {
  char *const *value = r->value;
  if (value[IF_MATCH] ? !has_tag(value[IF_MATCH], f)
                      : value[IF_UNMODIFIED_SINCE] && time_of(value[IF_UNMODIFIED_SINCE]) >= 0 &&
                            f->modified > time_of(value[IF_UNMODIFIED_SINCE]))
    return 412;
  if (value[IF_NONE_MATCH] ? has_tag(value[IF_NONE_MATCH], f)
                           : value[IF_MODIFIED_SINCE] && f->modified <= time_of(value[IF_MODIFIED_SINCE]))
    return 304;
  return 0;
}

/* The range that is asked for. 206; 200: all of it, also for what is no single range; 416. */
static int range(const struct request *r, const struct file *f, off_t *from, off_t *to) {
  const char *text = r->value[RANGE], *if_range = r->value[IF_RANGE];
  *from = 0;
  *to = f->size;
  if (!text || strncmp(text, "bytes=", 6) != 0 || strchr(text, ','))
    return 200;
  if (if_range && strcmp(if_range, f->etag) != 0 && time_of(if_range) != f->modified)
    return 200;
  char *end;
  text += 6;
  errno = 0;
  if (*text == '-') {
    long long last = strtoll(text + 1, &end, 10);
    if (end == text + 1 || *end || errno || last < 0)
      return 200;
    *from = last < f->size ? f->size - last : 0;
    return last > 0 && f->size > 0 ? 206 : 416;
  }
  long long first = strtoll(text, &end, 10), last = f->size - 1;
  if (end == text || *end != '-' || errno || first < 0)
    return 200;
  if (end[1]) {
    last = strtoll(end + 1, &end, 10);
    if (*end || errno || last < first)
      return 200;
  }
  if (first >= f->size)
    return 416;
  *from = first;
  *to = last < f->size - 1 ? last + 1 : f->size;
  return 206;
}

/* ---- the answer ---- */

static int answer_file(struct output *out, const struct request *r, struct file *f, bool last, bool head_only,
                       long long *sent) {
  off_t from, to;
  char more[128] = "";
  int status = condition(r, f);
  if (!status)
    status = range(r, f, &from, &to);
  if (status == 412 || status == 416) {
    if (status == 416)
      snprintf(more, sizeof more, "Content-Range: bytes */%lld\r\n", (long long)f->size);
    answer_status(out, status, last, head_only, more);
    return status;
  }
  add_first_lines(out, status, last);
  add(out, f->head, status == 304 ? f->validators : status == 206 ? f->description : f->head_size);
  if (status == 304)
    add(out, "\r\n", 2);
  if (status == 206)
    addf(out, "Content-Range: bytes %lld-%lld/%lld\r\nContent-Length: %lld\r\n\r\n", (long long)from, (long long)to - 1,
         (long long)f->size, (long long)(to - from));
  if (head_only || status == 304)
    return status;
  *sent = to - from;
  if (f->content)
    add(out, f->content + from, (size_t)(to - from));
  else
    send_file(out, f->fd, from, to);
  return status;
}

int answer(struct output *out, const struct request *r, bool last, long long *sent) {
  bool head_only = r->parser.method == HTTP_HEAD;
  struct file *f;
  *sent = 0;
  if (r->parser.method != HTTP_GET && !head_only) {
    answer_status(out, 405, last, false, "Allow: GET, HEAD\r\n");
    return 405;
  }
  int status = file_open(&f, r->target, r->value[ACCEPT_ENCODING]);
  if (status) {
    char more[HEAD_SIZE / 4 + 32] = "";
    if (status == 301) { /* a folder: its page has relative links, so the slash matters */
      size_t path = strcspn(r->target, "?#");
      if (r->target[0] != '/' || r->target[1] == '/' || path > HEAD_SIZE / 4 - 2)
        status = 404;
      else
        snprintf(more, sizeof more, "Location: %.*s/\r\n", (int)path, r->target);
    }
    answer_status(out, status, last, head_only, more);
    return status;
  }
  status = answer_file(out, r, f, last, head_only, sent);
  file_close(f);
  return status;
}
