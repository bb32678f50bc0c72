/* Replacements of err, warn and the like, error, and syslog: messages of a program about itself.
 *
 * err and warn write a line to stderr, as put (replacements/output.c) does. syslog sends its message to another
 * process, which may be slow to take it, so a thread of the pool does that. None of these calls could report that it
 * was cancelled, so they are not cancelled. */
#define _GNU_SOURCE
#include "posix/reports.h"
#include "posix/single_activity.h"
#include "posix/replacements/streams.h"
#include <err.h>
#include <errno.h>
#include <string.h>
#include <syslog.h>

/* The whole line, to stderr. */
static void say(struct ch_text *line) {
  struct ch_scope barrier;
  int saved = errno;
  if (!line)
    return;
  ch_scope_enter(&barrier, CH_SCOPE_BARRIER, "warn");
  if (!ch_text_put_wide(stderr, line))
    fwrite(line->bytes, 1, line->n, stderr);
  ch_scope_leave(&barrier);
  free(line);
  errno = saved;
}

/* ---- err.h ---- */

CH_REPLACES(vwarn) void ch_posix_vwarn(const char *format, va_list more) {
  CH_SINGLE_ACTIVITY(vwarn(format, more));
  say(ch_report_warning(errno, format, more));
}
CH_REPLACES(vwarnx) void ch_posix_vwarnx(const char *format, va_list more) {
  CH_SINGLE_ACTIVITY(vwarnx(format, more));
  say(ch_report_warning(-1, format, more));
}
CH_REPLACES(verr) __attribute__((noreturn)) void ch_posix_verr(int status, const char *format, va_list more) {
  say(ch_report_warning(errno, format, more));
  ch_plain_exit(status);
}
CH_REPLACES(verrx) __attribute__((noreturn)) void ch_posix_verrx(int status, const char *format, va_list more) {
  say(ch_report_warning(-1, format, more));
  ch_plain_exit(status);
}

#define REPORT(error)                                                                                                  \
  do {                                                                                                                 \
    int number = (error);                                                                                              \
    va_list more;                                                                                                      \
    va_start(more, format);                                                                                            \
    struct ch_text *line = ch_report_warning(number, format, more);                                                    \
    va_end(more);                                                                                                      \
    say(line);                                                                                                         \
  } while (0)
CH_REPLACES(warn) void ch_posix_warn(const char *format, ...) { REPORT(errno); }
CH_REPLACES(warnx) void ch_posix_warnx(const char *format, ...) { REPORT(-1); }
CH_REPLACES(err) __attribute__((noreturn)) void ch_posix_err(int status, const char *format, ...) {
  REPORT(errno);
  ch_plain_exit(status);
}
CH_REPLACES(errx) __attribute__((noreturn)) void ch_posix_errx(int status, const char *format, ...) {
  REPORT(-1);
  ch_plain_exit(status);
}

/* ---- syslog.h ---- */

static void log_text(int priority, struct ch_text *text) {
  struct ch_scope barrier;
  struct ch_log_entry entry = {priority, text};
  int saved = errno;
  if (!text)
    return;
  ch_scope_enter(&barrier, CH_SCOPE_BARRIER, "syslog");
  if (ch_do_call(ch_call_syslog, &entry, CH_CALL_WAITING) < 0)
    ch_call_syslog(&entry);
  ch_scope_leave(&barrier);
  free(text);
  errno = saved;
}

static void log_line(int priority, int flag, const char *format, va_list more) {
  CH_SINGLE_ACTIVITY(vsyslog(priority, format, more));
  log_text(priority, ch_text_print(flag, format, more));
}
CH_REPLACES(vsyslog) void ch_posix_vsyslog(int priority, const char *format, va_list more) {
  log_line(priority, -1, format, more);
}
CH_REPLACES(__vsyslog_chk) void ch_posix_vsyslog_chk(int priority, int flag, const char *format, va_list more) {
  log_line(priority, flag, format, more);
}
#define LOG(flag)                                                                                                      \
  do {                                                                                                                 \
    va_list more;                                                                                                      \
    va_start(more, format);                                                                                            \
    log_line(priority, flag, format, more);                                                                            \
    va_end(more);                                                                                                      \
  } while (0)
CH_REPLACES(syslog) void ch_posix_syslog(int priority, const char *format, ...) { LOG(-1); }
CH_REPLACES(__syslog_chk) void ch_posix_syslog_chk(int priority, int flag, const char *format, ...) { LOG(flag); }
