/* Looks at descriptors without waiting. */
#ifndef CHARCOAL_FRAMES_POLL_NOW_H
#define CHARCOAL_FRAMES_POLL_NOW_H

#include <errno.h>
#include <poll.h>

/* What poll says with a timeout of 0. A signal that comes meanwhile ends even such a call with EINTR, which says
 * nothing of the descriptors: then they are looked at again. */
static inline int ch_poll_now(struct pollfd *all, nfds_t n) {
  int ready;
  do
    ready = poll(all, n, 0);
  while (ready < 0 && errno == EINTR);
  return ready;
}

#endif
