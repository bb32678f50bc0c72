/* What is sent: heads, ranges, conditions (RFC 9110), pages about errors, and the bytes of files. */
#include "knot.h"
#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/sendfile.h>
#include <unistd.h>

/* ---- sending ---- */

static void send_all(struct output *out, const char *bytes, size_t n) {
  while (n > 0 && !out->failed) {
    ssize_t put = -1;
    within(settings.timeout) do put = out->to->tls ? tls_write(out->to, bytes, n) : write(out->to->fd, bytes, n);
    finish;
    if (put > 0) {
      bytes += put;
      n -= (size_t)put;
    } else {
      out->failed = true;
    }
  }
}

void output_flush(struct output *out) {
  send_all(out, out->bytes, out->used);
  out->used = 0;
}

static void add(struct output *out, const char *bytes, size_t n) {
  if (n > sizeof out->bytes - out->used)
    output_flush(out);
  if (n > sizeof out->bytes)
    return send_all(out, bytes, n);
  memcpy(out->bytes + out->used, bytes, n);
  out->used += n;
}

static void add_text(struct output *out, const char *text) { add(out, text, strlen(text)); }

/* The longest text is a location, which is a part of the request's text. */
__attribute__((format(printf, 2, 3))) static void addf(struct output *out, const char *format, ...) {
  char text[HEAD_SIZE + 256];
  va_list arguments;
  va_start(arguments, format);
  int n = vsnprintf(text, sizeof text, format, arguments);
  va_end(arguments);
  add(out, text, (size_t)n);
}

static void send_file_encrypted(struct output *out, int fd, off_t from, off_t to) {
  for (output_flush(out); from < to && !out->failed; from += (off_t)out->used, output_flush(out)) {
    size_t most = sizeof out->bytes, rest = (size_t)(to - from);
    ssize_t n = pread(fd, out->bytes, rest < most ? rest : most, from);
    out->failed = n <= 0;
    out->used = n > 0 ? (size_t)n : 0;
  }
}

/* The kernel copies from the file to the socket. sendfile has no flag that says "do not wait", so the socket does. */
static void send_file(struct output *out, int fd, off_t from, off_t to) {
  int socket = out->to->fd, modes = fcntl(socket, F_GETFL);
  output_flush(out);
  fcntl(socket, F_SETFL, modes | O_NONBLOCK);
  while (from < to && !out->failed) {
    ssize_t n = sendfile(socket, fd, &from, (size_t)(to - from));
    out->failed = n == 0 || (n < 0 && (errno != EAGAIN || ch_fd_wait(socket, POLLOUT, settings.timeout) <= 0));
  }
  fcntl(socket, F_SETFL, modes);
}

/* ---- heads ---- */

/* The status with its meaning in words. */
static const char *in_words(int status) {
  static const char *const words[600] = {
      [200] = "200 OK",
      [206] = "206 Partial Content",
      [301] = "301 Moved Permanently",
      [304] = "304 Not Modified",
      [400] = "400 Bad Request",
      [403] = "403 Forbidden",
      [404] = "404 Not Found",
      [405] = "405 Method Not Allowed",
      [408] = "408 Request Timeout",
      [412] = "412 Precondition Failed",
      [413] = "413 Content Too Large",
      [414] = "414 URI Too Long",
      [416] = "416 Range Not Satisfiable",
      [417] = "417 Expectation Failed",
      [431] = "431 Request Header Fields Too Large",
      [500] = "500 Internal Server Error",
      [501] = "501 Not Implemented",
      [505] = "505 HTTP Version Not Supported",
  };
  return words[status];
}

const char *http_date(time_t t, char text[static 32]) {
  struct tm parts;
  strftime(text, 32, "%a, %d %b %Y %H:%M:%S GMT", gmtime_r(&t, &parts));
  return text;
}

/* Now, as HTTP has it. The text is written once a second. A slice may end in any call, so without `atomic` another
 * activity might send a text that is half written. */
static atomic const char *http_now(void) {
  static _Thread_local time_t written;
  static _Thread_local char text[32];
  time_t now = time(NULL);
  if (now != written)
    http_date(written = now, text);
  return text;
}

static void add_first_lines(struct output *out, int status, bool last) {
  add_text(out, "HTTP/1.1 ");
  add_text(out, in_words(status));
  add_text(out, "\r\nServer: knot\r\nDate: ");
  add_text(out, http_now());
  add_text(out, last ? "\r\nConnection: close\r\n" : "\r\n");
}

int answer_status(struct output *out, int status, bool last, bool head_only, const char *more_fields) {
  char page[256];
  const char *words = in_words(status);
  int size = snprintf(page, sizeof page, "<!doctype html><title>%s</title><h1>%s</h1>\n", words, words);
  add_first_lines(out, status, last);
  addf(out, "Content-Type: text/html; charset=utf-8\r\nContent-Length: %d\r\n%s\r\n", size, more_fields);
  if (!head_only)
    add_text(out, page);
  return status;
}

/* ---- conditions (RFC 9110, section 13) ---- */

/* -1: there is no date, or it is none. */
static time_t time_of(const char *date) {
  struct tm parts = {0};
  return date && strptime(date, "%a, %d %b %Y %H:%M:%S GMT", &parts) ? timegm(&parts) : -1;
}

static bool has_tag(const char *list, const struct file *f) {
  return strcmp(list, "*") == 0 || strstr(list, f->etag) != NULL;
}

/* 0, 304 or 412. */
static int condition(const struct request *r, const struct file *f) {
  const char *match = request_field(r, "if-match"), *none_match = request_field(r, "if-none-match");
  time_t unmodified = time_of(request_field(r, "if-unmodified-since"));
  if (match ? !has_tag(match, f) : unmodified >= 0 && f->modified > unmodified)
    return 412;
  if (none_match ? has_tag(none_match, f) : f->modified <= time_of(request_field(r, "if-modified-since")))
    return 304;
  return 0;
}

/* Reads digits. -1: there are none. */
static long long number(const char **at) { return isdigit((unsigned char)**at) ? strtoll(*at, (char **)at, 10) : -1; }

/* The range that is asked for. 206; 200: all of it, also for what is no single range; 416. */
static int range(const struct request *r, const struct file *f, off_t *from, off_t *to) {
  const char *text = request_field(r, "range"), *if_range = request_field(r, "if-range");
  *from = 0;
  *to = f->size;
  if (!text || strncasecmp(text, "bytes=", 6) != 0)
    return 200;
  if (if_range && strcmp(if_range, f->etag) != 0 && time_of(if_range) != f->modified)
    return 200;
  text += 6;
  long long first = number(&text);
  if (*text++ != '-')
    return 200;
  long long last = number(&text);
  if (*text || (first < 0 && last < 0) || (first >= 0 && last >= 0 && last < first))
    return 200;
  if (first < 0) { /* the last so many */
    first = last < f->size ? f->size - last : 0;
    last = f->size - 1;
  }
  if (first >= f->size)
    return 416;
  *from = first;
  *to = last < 0 || last >= f->size ? f->size : last + 1;
  return 206;
}

/* ---- the answer ---- */

static int answer_file(struct output *out, const struct request *r, struct file *f, bool last, bool head_only,
                       long long *sent) {
  char more[64] = "";
  off_t from, to;
  int status = condition(r, f);
  if (!status)
    status = range(r, f, &from, &to);
  if (status == 416)
    snprintf(more, sizeof more, "Content-Range: bytes */%lld\r\n", (long long)f->size);
  if (status == 412 || status == 416)
    return answer_status(out, status, last, head_only, more);
  add_first_lines(out, status, last);
  add_text(out, f->validators);
  add_text(out, status == 304 ? "\r\n" : f->description);
  if (status == 206)
    addf(out, "Content-Range: bytes %lld-%lld/%lld\r\nContent-Length: %lld\r\n\r\n", (long long)from, (long long)to - 1,
         (long long)f->size, (long long)(to - from));
  if (status == 200)
    add_text(out, f->length);
  if (head_only || status == 304)
    return status;
  *sent = to - from;
  if (f->content)
    add(out, f->content + from, (size_t)(to - from));
  else if (out->to->tls)
    send_file_encrypted(out, f->fd, from, to);
  else
    send_file(out, f->fd, from, to);
  return status;
}

/* The target names a folder, and has no slash at its end. The links in the folder's page are relative, so the client
 * has to ask again, with the slash. A target that begins with two slashes would name another server there. */
static int answer_folder(struct output *out, const char *target, bool last, bool head_only) {
  char location[HEAD_SIZE + 32];
  if (target[0] != '/' || target[1] == '/')
    return answer_status(out, 404, last, head_only, "");
  snprintf(location, sizeof location, "Location: %.*s/\r\n", (int)strcspn(target, "?#"), target);
  return answer_status(out, 301, last, head_only, location);
}

int answer(struct output *out, const struct request *r, bool last, long long *sent) {
  bool head_only = r->parser.method == HTTP_HEAD;
  const char *target = r->text;
  struct file *f;
  if (r->parser.method != HTTP_GET && !head_only)
    return answer_status(out, 405, last, false, "Allow: GET, HEAD\r\n");
  int status = file_open(&f, target, request_field(r, "accept-encoding"));
  if (status == 301)
    return answer_folder(out, target, last, head_only);
  if (status)
    return answer_status(out, status, last, head_only, "");
  status = answer_file(out, r, f, last, head_only, sent);
  file_close(f);
  return status;
}
