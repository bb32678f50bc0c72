/* What the replacements of stdio have in common: taking a stream's lock, and writing out its buffer. */
#ifndef CHARCOAL_POSIX_REPLACEMENTS_STREAMS_H
#define CHARCOAL_POSIX_REPLACEMENTS_STREAMS_H

#include "charcoal_abi.h"
#include "posix/descriptors.h"
#include "posix/operations.h"
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

/* pclose, and fclose of what popen has returned: waits for a process until it ends, on a thread of the pool. It is not
 * cancelled, because it gives something back. */
static inline int close_command(FILE *f) {
  struct ch_scope barrier;
  int saved = errno;
  ch_stream_closing(f);
  ch_scope_enter(&barrier, CH_SCOPE_BARRIER, "pclose");
  long r = ch_do_call(ch_call_pclose, f, CH_CALL_WAITING);
  ch_scope_leave(&barrier);
  if (r < 0 && errno == ENOMEM) { /* it has not begun */
    errno = saved;
    r = ch_call_pclose(f);
    if (r < 0)
      errno = (int)-r, r = -1;
  }
  return (int)r;
}

#endif
