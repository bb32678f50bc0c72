/* What the twins of stdio have in common: the lock, and writing out. */
#ifndef CHARCOAL_POSIX_TWINS_STREAMS_H
#define CHARCOAL_POSIX_TWINS_STREAMS_H

#include "charcoal_abi.h"
#include "posix/streams.h"
#include "posix/twins/twins.h"
#include <stdlib.h>

/* Waits until the stream may be free. 0, or an error number: nothing has happened. */
static int await_turn(FILE *f, int why) {
  struct ch_stream_note *line;
  struct ch_scope barrier;
  int error = 0;
  if (why == EAGAIN) { /* another thread: like any lock of threads, that is no wait which a cancel ends */
    ch_scope_enter(&barrier, CH_SCOPE_BARRIER, "flockfile");
    error = ch_do_call(ch_call_stream_lock, f, CH_CALL_PATIENT) < 0 ? errno : 0;
    ch_scope_leave(&barrier);
    return error;
  }
  if (why != EBUSY)
    return why;
  line = ch_stream_line(f);
  if (line) {
    error = ch_sem_wait(&line->turn);
    ch_stream_leave_line(line);
  }
  return error;
}

/* Takes the stream for a call that may wait: until ch_stream_unhold. 0, or an error number. */
static int hold(FILE *f) {
  int r, saved = errno;
  while ((r = ch_stream_hold(f)) != 0) {
    r = await_turn(f, r);
    if (r)
      return r;
  }
  errno = saved;
  return 0;
}

/* The stream is held, and cannot go on sending now. 0: it can, perhaps. -1: errno. */
static int await_room(FILE *f) { return await_output(ch_stream_fd(f)); }

/* Sends what is pending in a stream that is held. 0, or -1 with errno; ECANCELED: what has not gone is there still. */
static int write_out(FILE *f) {
  for (;;) {
    int r = ch_stream_flush(f);
    if (r > 0) /* no peer is waited for */
      return 0;
    if (r == 0 || errno != EAGAIN)
      return r;
    if (await_room(f) < 0) {
      if (errno != ECANCELED)
        ch_stream_lose(f);
      return -1;
    }
  }
}

#endif
