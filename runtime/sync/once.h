/* The plain part of ch_once_run (charcoal/locks.h). */
#ifndef CHARCOAL_SYNC_ONCE_H
#define CHARCOAL_SYNC_ONCE_H

#include "charcoal/locks.h"
#include "frames/allocator.h"

#define CH_ONCE_RUN (-2)
/* Begins a ch_once_run, and waits while somebody else runs the function. 0: the function has been run; CH_ONCE_RUN: the
 * caller has to run it, and then to call ch_once_leave; else an error number. */
CH_HIDDEN int ch_once_enter(ch_once *);
CH_HIDDEN void ch_once_leave(ch_once *, int done);

#endif
