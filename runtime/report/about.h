/* Describes in words what a branch waits for. */
#ifndef CHARCOAL_REPORT_ABOUT_H
#define CHARCOAL_REPORT_ABOUT_H

#include "report/writer.h"
#include "wait/wait.h"

/* Its clauses, one by one, while it waits. n counts from 0; false: there are no more. */
CH_HIDDEN bool ch_about_wait(const struct ch_branch *, unsigned n, struct ch_about *);
/* The semaphore for which it waits alone, or NULL. Takes a look at each that has waited longer. */
CH_HIDDEN const void *ch_about_semaphore(const struct ch_branch *);
/* The first branch of the activity whose end it waits for alone; NULL: none, or more than a hundred have waited longer
 * for that. A deadlock's report asks for every activity, so this has to take constant time. */
CH_HIDDEN struct ch_branch *ch_about_activity(const struct ch_branch *);
/* The C library's function in which it waits, as its saved frames say; NULL: none. */
CH_HIDDEN const char *ch_about_call(const struct ch_branch *);

/* The frame that is shown as the innermost one, of those that begin with `top`: that of the C library's function in
 * which it waits, with nothing of how the runtime makes that call; or `top`. */
CH_HIDDEN const struct ch_frame *ch_about_top(const struct ch_frame *top);

/* Where a frame stands: the functions that were inlined there, innermost first, and then its own. Of the runtime's own
 * functions none is. */
struct ch_spot {
  const char *function, *file; /* NULL: not known */
  uint32_t line;               /* 0: not known */
};
/* n counts from 0; false: there are no more. */
CH_HIDDEN bool ch_about_frame(const struct ch_frame_info *, uint32_t point, unsigned n, struct ch_spot *);

#endif
