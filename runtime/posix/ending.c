/* The end of the program. The C library calls the program's handlers, the last one first, then the destructors, and
 * then flushes the streams.
 *
 * Of these only the flush may have to wait, and it may have to wait for an activity of this program. So the last of the
 * destructors writes out what is pending while other activities go on. The C library's flush then need not wait.
 */
#include "posix/streams.h"
#include "posix/single_activity.h"
#include "sched/host.h"

CH_HIDDEN void ch_reactor_leave(void) __attribute__((weak));
/* Charcoal C (replacements/output.c): waits on the native stack here. Weak: the runtime's own tests have no
 * replacements. */
CH_HIDDEN void ch_streams_end(void) __attribute__((weak));

static void write_out(void) {
  struct ch_domain *d = &ch_domain;
  if (!ch_streams_end)
    return;
  if (d->group && d->current) {
    if (!(d->live == 1 && ch_is_single_activity()))
      ch_streams_end();
  } else if (!d->group && d->ended && d->live > 0 && ch_host_begin_again()) {
    ch_streams_end();
    ch_host_drop();
    d->group = NULL;
    d->ended = 1;
  }
}

/* 101: after those of the program (they run in the order of falling priority; below are the implementation's). */
__attribute__((destructor(101))) static void at_the_end(void) {
  write_out();
  if (ch_reactor_leave)
    ch_reactor_leave();
}
