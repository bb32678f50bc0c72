/* A request comes in pieces. llhttp finds its parts; what an answer depends on is copied into the request's own text.
 * Nothing here waits. */
#include "knot.h"
#include <string.h>
#include <strings.h>

static const char *const names[HEADERS] = {
    [HOST] = "host",
    [RANGE] = "range",
    [IF_RANGE] = "if-range",
    [IF_MATCH] = "if-match",
    [IF_NONE_MATCH] = "if-none-match",
    [IF_MODIFIED_SINCE] = "if-modified-since",
    [IF_UNMODIFIED_SINCE] = "if-unmodified-since",
    [ACCEPT_ENCODING] = "accept-encoding",
    [USER_AGENT] = "user-agent",
    [REFERER] = "referer",
};

static struct request *of(llhttp_t *parser) { return (struct request *)parser; }
_Static_assert(offsetof(struct request, parser) == 0, "a request begins with its parser");

static int refuse(struct request *r, int status) {
  r->refused = status;
  return -1;
}

/* Appends to the text that is being collected. One byte stays free for the zero behind it. */
static int append(struct request *r, const char *at, size_t n, int status) {
  if (n >= sizeof r->text - r->used)
    return refuse(r, status);
  memcpy(r->text + r->used, at, n);
  r->used += n;
  return 0;
}

static int on_url(llhttp_t *parser, const char *at, size_t n) {
  struct request *r = of(parser);
  if (!r->target)
    r->target = r->text;
  return append(r, at, n, 414);
}

static int end_text(llhttp_t *parser) {
  of(parser)->text[of(parser)->used++] = '\0';
  return 0;
}

/* A header's name is collected where its value will stand. */
static int on_name(llhttp_t *parser, const char *at, size_t n) { return append(of(parser), at, n, 431); }

static char *last_text(struct request *r) {
  size_t begin = r->used;
  while (begin > 0 && r->text[begin - 1] != '\0')
    begin--;
  return r->text + begin;
}

static int on_name_complete(llhttp_t *parser) {
  struct request *r = of(parser);
  r->text[r->used] = '\0';
  char *name = last_text(r);
  if (strpbrk(name, " \t"))
    return refuse(r, 400);
  for (r->name = 0; r->name < HEADERS && strcasecmp(name, names[r->name]) != 0;)
    r->name++;
  r->used = (size_t)(name - r->text);
  if (r->name == HOST && r->value[HOST])
    return refuse(r, 400);
  if (r->name < HEADERS)
    r->value[r->name] = name;
  return 0;
}

static int on_value(llhttp_t *parser, const char *at, size_t n) {
  return of(parser)->name < HEADERS ? append(of(parser), at, n, 431) : 0;
}

static int on_value_complete(llhttp_t *parser) { return of(parser)->name < HEADERS ? end_text(parser) : 0; }

static int on_headers_complete(llhttp_t *parser) {
  struct request *r = of(parser);
  if (parser->http_major != 1)
    return refuse(r, 505);
  if (parser->http_minor >= 1 && !r->value[HOST])
    return refuse(r, 400);
  if (parser->content_length > (uint64_t)settings.largest_body)
    return refuse(r, 413);
  return 0;
}

static int on_body(llhttp_t *parser, const char *at, size_t n) {
  (void)at;
  struct request *r = of(parser);
  return (r->body += (long long)n) > settings.largest_body ? refuse(r, 413) : 0;
}

static int on_message_complete(llhttp_t *parser) {
  of(parser)->complete = true;
  return HPE_PAUSED;
}

static const llhttp_settings_t callbacks = {
    .on_url = on_url,
    .on_url_complete = end_text,
    .on_header_field = on_name,
    .on_header_field_complete = on_name_complete,
    .on_header_value = on_value,
    .on_header_value_complete = on_value_complete,
    .on_headers_complete = on_headers_complete,
    .on_body = on_body,
    .on_message_complete = on_message_complete,
};

void request_begin(struct request *r) {
  memset(r, 0, offsetof(struct request, text));
  llhttp_init(&r->parser, HTTP_REQUEST, &callbacks);
}

size_t request_take(struct request *r, const char *bytes, size_t n) {
  r->begun = true;
  bool in_head = r->body == 0 && r->head <= HEAD_SIZE;
  llhttp_errno_t error = llhttp_execute(&r->parser, bytes, n);
  if (error == HPE_OK) {
    if (in_head && (r->head += n) > HEAD_SIZE && r->body == 0)
      r->refused = 431;
    return n;
  }
  if (!r->complete && !r->refused)
    r->refused = error == HPE_INVALID_METHOD ? 501 : error == HPE_INVALID_VERSION ? 505 : 400;
  return (size_t)(llhttp_get_error_pos(&r->parser) - bytes);
}

bool request_keeps_alive(const struct request *r) { return llhttp_should_keep_alive(&r->parser); }
