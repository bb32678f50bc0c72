/* Passes on what the scheduler does to those who watch it. See watch.h. */
#include "report/watch.h"
#include "atomicity/atomicity.h"
#include "report/broken_promise.h"
#include "report/times.h"
#include "report/trace.h"

int ch_watched;

static bool is_traced(void) { return ch_watched & CH_WATCH_TRACE; }
static bool is_checked(void) { return ch_watched & CH_WATCH_ATOMICITY; }

void ch_watch_start(void) {
  ch_trace_start();
  ch_times_start();
}

void ch_watch_spawned(struct ch_branch *b, const char *site) {
  if (ch_timing)
    ch_times_spawned(b, site);
  if (is_traced())
    ch_trace_spawned(b, site);
  if (is_checked())
    ch_atomicity_spawned(b, site);
}

void ch_watch_activity_ends(struct ch_branch *b) {
  if (ch_timing)
    ch_times_branch_ends(b);
  if (is_traced())
    ch_trace_activity_ends(b);
  if (is_checked())
    ch_atomicity_activity_ends(b);
}

void ch_watch_split(struct ch_branch *from, struct ch_branch *to) {
  if (ch_timing)
    ch_times_split(from, to);
  if (is_traced())
    ch_trace_split(from, to);
  if (is_checked())
    ch_atomicity_split(from, to);
  if (ch_watched & CH_WATCH_NO_YIELD)
    ch_no_yield_split(to);
  if (ch_watched & CH_WATCH_NEVER_WAITS)
    ch_never_waits_split(to);
}

void ch_watch_branch_ends(struct ch_branch *b) {
  if (ch_timing)
    ch_times_branch_ends(b);
  if (is_traced())
    ch_trace_branch_ends(b);
  if (is_checked())
    ch_atomicity_branch_ends(b);
}

void ch_watch_run_begins(struct ch_branch *b) {
  if (ch_timing)
    ch_times_run_begins(b);
  if (is_traced())
    ch_trace_run_begins(b);
  if (is_checked())
    ch_atomicity_run_begins(b);
  if (ch_watched & CH_WATCH_NEVER_WAITS)
    ch_never_waits_run_begins(b);
}

void ch_watch_run_ends(int status) {
  if (ch_timing)
    ch_times_run_ends();
  if (is_traced())
    ch_trace_run_ends();
  if (is_checked())
    ch_atomicity_run_ends(status);
  if (ch_watched & CH_WATCH_NO_YIELD)
    ch_no_yield_run_ends(status);
  if (ch_watched & CH_WATCH_NEVER_WAITS)
    ch_never_waits_run_ends(status);
}
