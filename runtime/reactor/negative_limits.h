/* Sockets whose SO_RCVTIMEO or SO_SNDTIMEO was set to a negative time. Their calls do not wait. The kernel stores that
 * time as 0, and so it answers as it does for a socket without a limit; therefore the process remembers these sockets.
 *
 * A socket is known by its cookie, which the kernel gives to no other, so it does not matter which of its numbers is
 * used. Sockets that recompiled code has not set itself (those of a parent process, of plain code) are not known. Any
 * thread may call these functions. */
#ifndef CHARCOAL_REACTOR_NEGATIVE_LIMITS_H
#define CHARCOAL_REACTOR_NEGATIVE_LIMITS_H

#include "frames/attributes.h"
#include <stdbool.h>

/* `option`: SO_RCVTIMEO or SO_SNDTIMEO. Called when the socket's limit has been set. */
CH_HIDDEN void ch_negative_limit_set(int fd, int option, bool negative);
/* Called when `fd` was accepted from the listener. */
CH_HIDDEN void ch_negative_limit_inherit(int listener, int fd);
/* Asked where the kernel says that there is no limit. Keeps errno. */
CH_HIDDEN CH_RARE bool ch_negative_limit_known(int fd, int option);
extern CH_HIDDEN unsigned ch_negative_limits; /* how many sockets are remembered */
static inline bool ch_negative_limit(int fd, int option) {
  return CH_UNLIKELY(__atomic_load_n(&ch_negative_limits, __ATOMIC_RELAXED) != 0) &&
         ch_negative_limit_known(fd, option);
}

#endif
