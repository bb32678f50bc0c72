/* How long a call may wait for a descriptor. */
#ifndef CHARCOAL_POSIX_CALL_LIMIT_H
#define CHARCOAL_POSIX_CALL_LIMIT_H

#include "frames/attributes.h"
#include <stdint.h>

/* How long the plain call would wait on this descriptor, in ns: for ever (CH_FOREVER), for the socket's timeout
 * (`option`: SO_RCVTIMEO or SO_SNDTIMEO), or not at all (-1: the user made it non-blocking or has set a negative
 * timeout, or it is a regular file). */
CH_HIDDEN int64_t ch_call_timeout(int fd, int option);
/* The same for a call that has waited under such a limit since then (0: it has not): what is left of it, and since when
 * it counts. The limit is one for all of a call's waits, but for each part that is sent into a local socket. */
struct ch_call_limit {
  int64_t left, since;
};
CH_HIDDEN struct ch_call_limit ch_call_limit(int fd, int option, int64_t since);
CH_HIDDEN int ch_is_timed_tcp(int fd); /* and its calls wait, for as long as SO_RCVTIMEO says */

#endif
