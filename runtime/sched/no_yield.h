/* assert_no_yield { … }: a block in which it is an error that the activity is set aside.
 *
 * Switches are noticed by the hooks of report/watch.h, so nothing is paid before the first such block is entered. Yield
 * points inside do nothing, as under a spinlock. */
#ifndef CHARCOAL_SCHED_NO_YIELD_H
#define CHARCOAL_SCHED_NO_YIELD_H

#include "report/watch.h"

/* The code that was in the block, if any, will not come back to its end. */
CH_HIDDEN void ch_no_yield_drop(void);

/* The innermost block around the thread's running code. */
struct ch_no_yield_block {
  const char *site;      /* "file:line"; NULL: there is none */
  struct ch_branch *who; /* whose code it is. NULL: the thread's own, which may have no branch yet */
};
extern CH_HIDDEN __thread __attribute__((tls_model("initial-exec"))) struct ch_no_yield_block ch_no_yield_block;

#endif
