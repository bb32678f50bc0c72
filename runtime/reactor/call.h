/* Waits for a descriptor on behalf of a call that tries again afterwards. Charcoal C may use this header, too. */
#ifndef CHARCOAL_REACTOR_CALL_H
#define CHARCOAL_REACTOR_CALL_H

#include "frames/attributes.h"
#include <stdint.h>

/* Waits for events of poll, in its turn (turns.h). The timeout is in ns; CH_FOREVER is no limit, because the readiness
 * cache says that the call would have none. Returns the events that may hold; 0 if the time is over; CH_LOOK_AGAIN plus
 * the ms that the wait has lasted at least, if the cache was wrong; or -errno. */
CH_HIDDEN int ch_call_wait(int fd, int events, int64_t timeout);
enum { CH_LOOK_AGAIN = 1 << 16 };

#endif
