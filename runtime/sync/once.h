/* The plain part of ch_once_run (charcoal/locks.h). */
#ifndef CHARCOAL_SYNC_ONCE_H
#define CHARCOAL_SYNC_ONCE_H

#include "charcoal/locks.h"
#include "frames/allocator.h"

#define CH_ONCE_RUN (-2)
/* 0: it has been run; CH_ONCE_RUN: by the caller, who then ends it; or an error. Waits while somebody runs it. */
CH_HIDDEN int ch_once_enter(ch_once *);
CH_HIDDEN void ch_once_leave(ch_once *, int done);

#endif
