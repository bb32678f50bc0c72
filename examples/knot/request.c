/* A request comes in pieces. llhttp finds its parts, which are copied into the request's own text. Nothing here waits.
 */
#include "knot.h"
#include <string.h>
#include <strings.h>

static struct request *of(llhttp_t *parser) { return (struct request *)parser; }
_Static_assert(offsetof(struct request, parser) == 0, "a request begins with its parser");

static int refuse(struct request *r, int status) {
  r->refused = status;
  return -1;
}

/* Appends to the part that is being collected. One byte stays free for the zero behind it. */
static int append(struct request *r, const char *at, size_t n, int status) {
  if (n >= sizeof r->text - r->used)
    return refuse(r, status);
  memcpy(r->text + r->used, at, n);
  r->used += n;
  return 0;
}

static const char *end_part(struct request *r) {
  const char *part = r->text + r->begin;
  r->text[r->used++] = '\0';
  r->begin = r->used;
  return part;
}

static int on_target(llhttp_t *parser, const char *at, size_t n) { return append(of(parser), at, n, 414); }

static int on_target_complete(llhttp_t *parser) {
  end_part(of(parser));
  return 0;
}

static int on_body(llhttp_t *parser, const char *at, size_t n) {
  (void)at;
  struct request *r = of(parser);
  return (r->body += (long long)n) > settings.largest_body ? refuse(r, 413) : 0;
}

/* A name or a value. Fields behind a body in chunks count as part of it, and nobody looks at them. */
static int on_field(llhttp_t *parser, const char *at, size_t n) {
  return of(parser)->head_over ? on_body(parser, at, n) : append(of(parser), at, n, 431);
}

static int on_name_complete(llhttp_t *parser) {
  struct request *r = of(parser);
  if (r->head_over)
    return 0;
  if (r->fields == FIELDS)
    return refuse(r, 431);
  const char *name = r->field[r->fields].name = end_part(r);
  return strpbrk(name, " \t") ? refuse(r, 400) : 0;
}

static int on_value_complete(llhttp_t *parser) {
  struct request *r = of(parser);
  if (!r->head_over)
    r->field[r->fields++].value = end_part(r);
  return 0;
}

static int on_headers_complete(llhttp_t *parser) {
  struct request *r = of(parser);
  int hosts = 0;
  for (int i = 0; i < r->fields; i++)
    hosts += strcasecmp(r->field[i].name, "host") == 0;
  const char *host = request_field(r, "host");
  r->head_over = true;
  if (parser->http_major != 1)
    return refuse(r, 505);
  if (hosts > 1 || (hosts == 0 && parser->http_minor >= 1) || (host && strpbrk(host, " \t/\\?#@")))
    return refuse(r, 400);
  if (parser->content_length > (uint64_t)settings.largest_body)
    return refuse(r, 413);
  bool has_body = parser->content_length > 0 || (parser->flags & F_CHUNKED);
  return has_body && request_field(r, "expect") ? refuse(r, 417) : 0; /* the client waits before it sends the body */
}

static int on_message_complete(llhttp_t *parser) {
  of(parser)->complete = true;
  return HPE_PAUSED;
}

static const llhttp_settings_t callbacks = {
    .on_url = on_target,
    .on_url_complete = on_target_complete,
    .on_header_field = on_field,
    .on_header_field_complete = on_name_complete,
    .on_header_value = on_field,
    .on_header_value_complete = on_value_complete,
    .on_headers_complete = on_headers_complete,
    .on_body = on_body,
    .on_message_complete = on_message_complete,
};

void request_begin(struct request *r) {
  memset(r, 0, offsetof(struct request, field)); /* the fields and the text need not be zero */
  llhttp_init(&r->parser, HTTP_REQUEST, &callbacks);
}

size_t request_take(struct request *r, const char *bytes, size_t n) {
  r->begun = true;
  llhttp_errno_t error = llhttp_execute(&r->parser, bytes, n);
  if (error == HPE_OK)
    return n;
  if (!r->complete && !r->refused)
    r->refused = error == HPE_INVALID_METHOD ? 501 : error == HPE_INVALID_VERSION ? 505 : 400;
  return (size_t)(llhttp_get_error_pos(&r->parser) - bytes);
}

const char *request_field(const struct request *r, const char *name) {
  for (int i = 0; i < r->fields; i++)
    if (strcasecmp(r->field[i].name, name) == 0)
      return r->field[i].value;
  return NULL;
}
