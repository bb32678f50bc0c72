/* The texts of err, warn and their like, and syslog as a call for the pool. */
#ifndef CHARCOAL_POSIX_REPORTS_H
#define CHARCOAL_POSIX_REPORTS_H

#include "posix/streams.h"

/* "program: text: what the error number means\n", without the last part for -1. format may be NULL. To be freed; NULL
 * with errno. */
CH_HIDDEN struct ch_text *ch_report_warning(int error, const char *format, va_list);

struct ch_log_entry {
  int priority;
  const struct ch_text *text;
};
CH_HIDDEN long ch_call_syslog(void *entry);

__attribute__((noreturn)) CH_HIDDEN void ch_plain_exit(int);

#endif
