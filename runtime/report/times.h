/* Notes how long branches run, wait and are ready. This is done only while CHARCOAL_DUMP, CHARCOAL_STATS or
 * CHARCOAL_DEBUG is set, because the clock has to be read twice for each run. Ready time counts from the end of the run
 * in which a branch became ready, or from when the scheduler learnt of it from outside.
 *
 * Invariant: all of a thread is written by that thread alone, under its `lock`, which another thread takes to read. */
#ifndef CHARCOAL_REPORT_TIMES_H
#define CHARCOAL_REPORT_TIMES_H

#include "activity/branch.h"
#include <pthread.h>

#define CH_BUCKETS CH_STATS_BUCKETS

/* A branch that has run, or been spawned, since times are noted. */
struct ch_times {
  struct ch_times *next;
  const struct ch_branch *branch;
  const char *site; /* where the activity was spawned; NULL: not known */
  int64_t since;    /* when its state began; 0: not known */
  int64_t ready;    /* when it became ready; 0: it is not ready, or that is not known yet */
  const char *what; /* what it has waited for since then; NULL: it does not wait */
  const void *object;
};

/* What has happened at one place: a wait of this kind, with these frames, in activities from this site. No frames: the
 * runs of such activities. */
#define CH_PLACE_FRAMES 24
struct ch_tally {
  struct ch_tally *next;
  uint64_t hash;
  const char *site, *what;
  const void *object; /* a lock's or semaphore's address, or NULL */
  uint64_t count;
  int64_t ns, ready_ns;
  unsigned depth;
  struct {
    const struct ch_frame_info *info;
    uint32_t point;
  } frames[CH_PLACE_FRAMES];
};

struct ch_timing {
  pthread_mutex_t lock;
  struct ch_times *branches[4096]; /* a table by the branch's address */
  struct ch_tally *places[1024];   /* a table by the hash of the place */
  unsigned distinct;
  uint64_t run[CH_BUCKETS], wait[CH_BUCKETS], ready[CH_BUCKETS];
  const struct ch_branch *stamped; /* the last branch of the queue that is known to be ready, or NULL */
  struct ch_branch *running;
  int64_t began;
};

/* Of this thread; NULL: nothing is noted. */
extern CH_HIDDEN __thread struct ch_timing *ch_timing;
CH_HIDDEN int64_t ch_times_now(void);
CH_HIDDEN const struct ch_times *ch_times_find(const struct ch_timing *, const struct ch_branch *);

/* The environment asks for it: from now on, on this thread. */
CH_HIDDEN void ch_times_start(void);
CH_HIDDEN void ch_times_end(void);

/* See watch.h. */
CH_HIDDEN void ch_times_spawned(struct ch_branch *, const char *site);
CH_HIDDEN void ch_times_split(const struct ch_branch *from, const struct ch_branch *to);
CH_HIDDEN void ch_times_branch_ends(const struct ch_branch *);
CH_HIDDEN void ch_times_run_begins(struct ch_branch *);
CH_HIDDEN void ch_times_run_ends(void);

#endif
