/* What is sent: heads, ranges, conditions (RFC 9110), error pages, and the bytes of files. */
#include "knot.h"

/* ---- heads ---- */

/* The status with its meaning, as llhttp names it, in words. */
static const char *in_words(int status, char text[static 64]) {
  snprintf(text, 64, "%d %s", status, llhttp_status_name((llhttp_status_t)status));
  for (char *c = text; (c = strchr(c, '_'));)
    *c = ' ';
  return text;
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

static void begin(struct answer *a, int status) {
  a->status = status;
  ch_output_text(a->to, "HTTP/1.1 ");
  ch_output_text(a->to, status == 200 ? "200 OK" : in_words(status, (char[64]){0}));
  ch_output_text(a->to, "\r\nServer: knot\r\nDate: ");
  ch_output_text(a->to, http_now());
  ch_output_text(a->to, a->last ? "\r\nConnection: close\r\n" : "\r\n");
}

static bool wants_head_only(const struct request *r) { return !r->refused && r->parser.method == HTTP_HEAD; }

/* Goes on with a page about the status, and ends the answer. */
static void end_with_page(struct answer *a) {
  char page[256];
  const char *words = in_words(a->status, (char[64]){0});
  int size = snprintf(page, sizeof page, "<!doctype html><title>%s</title><h1>%s</h1>\n", words, words);
  ch_output_format(a->to, "Content-Type: text/html; charset=utf-8\r\nContent-Length: %d\r\n\r\n", size);
  if (!wants_head_only(a->request))
    ch_output_text(a->to, page);
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
static int range(const struct request *r, const struct file *f, long long *from, long long *to) {
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
  if (first < 0) { /* the range is the last bytes of the file, and `last` is their number */
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

static void answer_file(struct answer *a, const struct file *f) {
  long long from, to;
  int status = condition(a->request, f);
  if (!status)
    status = range(a->request, f, &from, &to);
  begin(a, status);
  if (status == 416)
    ch_output_format(a->to, "Content-Range: bytes */%lld\r\n", (long long)f->size);
  if (status == 412 || status == 416)
    return end_with_page(a);
  ch_output_text(a->to, f->validators);
  ch_output_text(a->to, status == 304 ? "\r\n" : f->description);
  if (status == 206)
    ch_output_format(a->to, "Content-Range: bytes %lld-%lld/%lld\r\nContent-Length: %lld\r\n\r\n", from, to - 1,
                     (long long)f->size, to - from);
  if (status == 200)
    ch_output_text(a->to, f->length);
  if (wants_head_only(a->request) || status == 304)
    return;
  a->sent = to - from;
  if (f->content)
    ch_output_add(a->to, f->content + from, (size_t)a->sent);
  else
    ch_output_file(a->to, f->fd, from, to);
}

/* There is no file to be sent. */
static void answer_without_file(struct answer *a, int status) {
  const char *target = a->request->target;
  /* A target that begins with two slashes would name another server in a location. */
  begin(a, status == 301 && (target[0] != '/' || target[1] == '/') ? 404 : status);
  if (a->status == 301) /* the links in a folder's page are relative: the client asks again, with a slash at the end */
    ch_output_format(a->to, "Location: %.*s/\r\n", (int)strcspn(target, "?#"), target);
  if (a->status == 405)
    ch_output_text(a->to, "Allow: GET, HEAD\r\n");
  end_with_page(a);
}

void answer(struct answer *a) {
  const struct request *r = a->request;
  struct file *f;
  int status = r->refused;
  if (!status && r->parser.method != HTTP_GET && r->parser.method != HTTP_HEAD)
    status = 405;
  if (!status)
    status = file_open(&f, r->target, request_field(r, "accept-encoding"));
  if (status)
    return answer_without_file(a, status);
  answer_file(a, f);
  file_close(f);
}
