/* A request comes in pieces. llhttp says where its head ends, where the whole request ends, and whether all of it is
 * HTTP. The head is divided into lines in the buffer that it was read into. Nothing here waits. */
#include "knot.h"

/* The first field with this name at or after `line`; NULL: there is none. */
static const char *find_field(const struct request *r, const char *line, const char *name) {
  size_t n = strlen(name), length;
  for (; line < r->bytes + r->head; line += length + 1)
    if ((length = strlen(line)) > n && line[n] == ':' && strncasecmp(line, name, n) == 0)
      return line + n + 1 + strspn(line + n + 1, " \t");
  return NULL;
}

const char *request_field(const struct request *r, const char *name) {
  return r->has_head ? find_field(r, r->fields, name) : NULL;
}

/* Ends each line of the head by zeros, which also replace blanks at its end. */
static void cut_into_lines(struct request *r) {
  for (char *c = r->bytes + r->head - 1, behind = '\0'; c >= r->bytes; behind = *c--)
    if (*c == '\r' || *c == '\n' || (!behind && (*c == ' ' || *c == '\t')))
      *c = '\0';
}

/* Whether each line is a name, a colon and a value. */
static bool fields_are_sound(const struct request *r) {
  for (const char *line = r->fields; line < r->bytes + r->head; line += strlen(line) + 1)
    if (*line && line[strcspn(line, ": \t")] != ':')
      return false;
  return true;
}

/* Finds the parts of the head. Returns 0, or the status of a refusal. */
static int read_head(struct request *r) {
  const llhttp_t *parser = &r->parser;
  cut_into_lines(r);
  char *line = r->bytes;
  while (!*line) /* empty lines before a request are allowed */
    line++;
  r->fields = line + strlen(line) + 1;
  r->target = line + strcspn(line, " ");
  r->target += strspn(r->target, " ");
  r->target[strcspn(r->target, " ")] = '\0';
  r->has_head = true;
  const char *host = request_field(r, "host");
  bool one_host = host ? !find_field(r, host, "host") && !strpbrk(host, " \t/\\?#@") : parser->http_minor == 0;
  if (parser->http_major != 1)
    return 505;
  if (!one_host || !fields_are_sound(r))
    return 400;
  if (parser->content_length > (uint64_t)settings.largest_body)
    return 413;
  bool has_body = parser->content_length > 0 || (parser->flags & F_CHUNKED);
  return has_body && request_field(r, "expect") ? 417 : 0; /* the client waits before it sends the body */
}

/* llhttp stops where the head ends, and where the request ends. */
static int stop(llhttp_t *parser) { return (void)parser, HPE_PAUSED; }
static const llhttp_settings_t callbacks = {.on_headers_complete = stop, .on_message_complete = stop};

void request_begin(struct request *r) {
  size_t rest = r->end - r->parsed;
  memmove(r->bytes, r->bytes + r->parsed, rest);
  memset(r, 0, offsetof(struct request, bytes));
  r->end = rest;
  llhttp_init(&r->parser, HTTP_REQUEST, &callbacks);
}

bool request_parse(struct request *r) {
  while (!r->complete && !r->refused) {
    size_t before = r->parsed;
    llhttp_errno_t error = llhttp_execute(&r->parser, r->bytes + r->parsed, r->end - r->parsed);
    r->parsed = error == HPE_OK ? r->end : (size_t)(llhttp_get_error_pos(&r->parser) - r->bytes);
    r->body += r->has_head ? (long long)(r->parsed - before) : 0;
    if (r->body > settings.largest_body) {
      r->refused = 413;
    } else if (error == HPE_PAUSED && !r->has_head) {
      r->head = r->parsed;
      r->refused = read_head(r);
      llhttp_resume(&r->parser);
    } else if (error == HPE_PAUSED) {
      r->complete = true;
    } else if (error != HPE_OK) {
      r->refused = error == HPE_INVALID_METHOD ? 501 : error == HPE_INVALID_VERSION ? 505 : 400;
    } else if (r->end == sizeof r->bytes && (!r->has_head || r->head == r->end)) {
      r->refused = r->parser.http_major ? 431 : 414; /* the version stands after the target */
    } else {
      if (r->has_head)
        r->parsed = r->end = r->head; /* the body is dropped */
      return false;
    }
  }
  return true;
}
