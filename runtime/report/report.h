/* Starts and ends the reports of a domain: dumps on request, statistics and the debug socket. */
#ifndef CHARCOAL_REPORT_REPORT_H
#define CHARCOAL_REPORT_REPORT_H

#include "sched/domain.h"

/* Reads CHARCOAL_CHECK and CHARCOAL_DUMP. False: no memory. */
CH_HIDDEN bool ch_report_start(void);
CH_HIDDEN void ch_report_end(void);

/* Reads CHARCOAL_STATS and CHARCOAL_DEBUG: a thread tells what they ask for while the program runs (serve.c). */
CH_HIDDEN void ch_serve_start(void);

/* The times that have been noted in all domains, as a profile in the format of pprof (profile.c), gzipped. To be freed;
 * NULL: no memory. */
CH_HIDDEN char *ch_profile(size_t *size);

#endif
