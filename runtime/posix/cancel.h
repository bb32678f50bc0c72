/* What the twins ask about cancellation. */
#ifndef CHARCOAL_POSIX_CANCEL_H
#define CHARCOAL_POSIX_CANCEL_H

#include "wait/wait.h"
#include <errno.h>

/* The scope around the running code is marked: blocking operations do nothing and say ECANCELED (law 4). */
#ifdef CH_LEAF_OR
static inline bool ch_refuses(void) { return ch_is_marked(); }
#else
static inline bool ch_refuses(void) { return false; }
#endif

#endif
