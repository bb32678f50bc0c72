/* Waiting for a descriptor on behalf of a call that looks again afterwards: for Charcoal C, too. */
#ifndef CHARCOAL_REACTOR_CALL_H
#define CHARCOAL_REACTOR_CALL_H

#include "frames/attributes.h"
#include <stdint.h>

/* Waits for poll's events, in its turn (turns.h). Timeout in ns; CH_FOREVER: without limit, because the readiness cache
 * says that the call would. Returns the events that may hold; 0: the time is over; CH_LOOK_AGAIN plus the ms that the
 * wait has lasted at least: the cache was wrong; or -errno. */
CH_HIDDEN int ch_call_wait(int fd, int events, int64_t timeout);
enum { CH_LOOK_AGAIN = 1 << 16 };

#endif
