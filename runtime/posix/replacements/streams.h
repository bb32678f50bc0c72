/* What the replacements of stdio have in common: taking a stream's lock, and writing out its buffer. */
#ifndef CHARCOAL_POSIX_REPLACEMENTS_STREAMS_H
#define CHARCOAL_POSIX_REPLACEMENTS_STREAMS_H

#include "charcoal_abi.h"
#include "posix/streams.h"
#include "posix/replacements/replacement.h"
#include <stdlib.h>

/* Takes the stream for a call that may wait: until ch_stream_unhold. 0, or an error number. */
static int hold(FILE *f) { return ch_stream_take(f); }

/* The stream is held, and cannot go on sending now. 0: it can, perhaps. -1: errno. */
CH_SHARED_BODY int await_room(FILE *f, int before, int64_t *since) {
  return await_output(ch_stream_fd(f), before, since);
}

/* Sends what is pending in a stream that is held. 0, or -1 with errno; ECANCELED: what has not gone is there still. */
static int write_out(FILE *f) {
  int before = errno;
  int64_t since = 0;
  for (;;) {
    int r = ch_stream_flush(f);
    if (r > 0) /* no peer is waited for */
      return 0;
    if (r == 0 || errno != EAGAIN)
      return r;
    if (await_room(f, before, &since) < 0) {
      if (errno != ECANCELED)
        ch_stream_lose(f);
      return -1;
    }
  }
}

#endif
