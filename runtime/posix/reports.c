/* The texts of err and warn, and syslog as a call for the pool. See reports.h. */
#define _GNU_SOURCE
#include "posix/reports.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <syslog.h>

struct ch_text *ch_report_warning(int error, const char *format, va_list more) {
  char room[100];
  const char *what = error >= 0 ? ch_error_text(error, room, sizeof room) : "";
  errno = error >= 0 ? error : errno; /* for %m */
  struct ch_text *text = format ? ch_text_print(-1, format, more) : NULL, *line = NULL;
  size_t n = text ? text->n : 0, name = strlen(program_invocation_short_name);
  if (!format || text)
    line = malloc(sizeof *line + name + n + strlen(what) + 6);
  if (line) {
    char *to = mempcpy(mempcpy(line->bytes, program_invocation_short_name, name), ": ", 2);
    if (text)
      to = mempcpy(to, text->bytes, n);
    if (text && error >= 0)
      to = mempcpy(to, ": ", 2);
    to = stpcpy(stpcpy(to, what), "\n");
    line->n = (size_t)(to - line->bytes);
  }
  free(text);
  return line;
}

long ch_call_syslog(void *data) {
  const struct ch_log_entry *e = data;
  syslog(e->priority, "%s", e->text->bytes);
  return 0;
}

void ch_plain_exit(int status) { exit(status); }
