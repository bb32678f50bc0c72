/* The access log, in the "combined" form that most tools know, followed by the time that each answer took. O_APPEND
 * keeps lines whole that several domains and processes write. */
#include "knot.h"
#include <arpa/inet.h>

static int file = -1;

void log_open(void) {
  int opened = settings.log ? open(settings.log, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0644) : -1;
  if (settings.log && opened < 0)
    return perror(settings.log);
  if (file < 0)
    file = opened;
  else if (dup3(opened, file, O_CLOEXEC) ==
           file) /* the descriptor keeps its number, because another domain may be writing */
    close(opened);
}

/* A text of the client's, without what could break a line. */
static const char *quoted(const char *text, char *to, size_t size) {
  size_t n = 0;
  for (text = text ? text : "-"; *text && n + 5 < size; text++)
    if (*text >= ' ' && *text < 127 && *text != '"' && *text != '\\')
      to[n++] = *text;
    else
      n += (size_t)snprintf(to + n, size - n, "\\x%02x", (unsigned char)*text);
  to[n] = '\0';
  return to;
}

void log_answer(const struct answer *a, int client, int64_t began) {
  char line[8192], target[4096], agent[1024], referer[1024], who[INET_ADDRSTRLEN], when[40];
  if (file < 0)
    return;
  const struct request *r = a->request;
  struct sockaddr_in address = {0};
  getpeername(client, (void *)&address, &(socklen_t){sizeof address});
  inet_ntop(AF_INET, &address.sin_addr, who, sizeof who);
  time_t now = time(NULL);
  struct tm parts;
  strftime(when, sizeof when, "%d/%b/%Y:%H:%M:%S %z", localtime_r(&now, &parts));
  int n =
      snprintf(line, sizeof line, "%s - - [%s] \"%s %s HTTP/%d.%d\" %d %lld \"%s\" \"%s\" %.6f\n", who, when,
               r->refused ? "-" : llhttp_method_name((llhttp_method_t)r->parser.method),
               quoted(r->refused ? NULL : r->target, target, sizeof target), r->parser.http_major, r->parser.http_minor,
               a->status, a->sent, quoted(request_field(r, "referer"), referer, sizeof referer),
               quoted(request_field(r, "user-agent"), agent, sizeof agent), (double)(ch_now() - began) / 1e9);
  if (write(file, line, (size_t)n) < 0)
    perror(settings.log);
}
