/* What the runtime tells about itself. */
#ifndef CHARCOAL_REPORT_REPORT_H
#define CHARCOAL_REPORT_REPORT_H

#include "sched/domain.h"

/* Reads CHARCOAL_CHECK and CHARCOAL_DUMP. */
CH_HIDDEN void ch_report_start(void);
CH_HIDDEN void ch_report_end(void);

#endif
