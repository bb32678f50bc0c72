/* The plain part of ch_cond_wait (charcoal/locks.h). */
#ifndef CHARCOAL_SYNC_COND_H
#define CHARCOAL_SYNC_COND_H

#include "charcoal/locks.h"
#include "frames/allocator.h"

#define CH_COND_NOT_BEGUN (-2)
/* Gives the mutex back and waits for a signal: 0; ECANCELED. The mutex is not taken again. CH_COND_NOT_BEGUN: the scope
 * is cancelled; EPERM: the mutex; then it is as before. */
CH_HIDDEN int ch_cond_sleep(ch_cond *, ch_mutex *);

#endif
