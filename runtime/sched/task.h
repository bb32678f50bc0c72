/* A task is an activity that was started from another domain (charcoal/domains.h). This is its plain part; the calls
 * that wait are Charcoal C (domains/domains.c).
 *
 * Invariants: 1. `references` counts the holder of the handle, the activity until it has ended, and a cancel that is
 * under way; the last of them frees the task; 2. only the task's domain uses `activity`; 3. a cancel is posted
 * only while its sender has not seen that the task has finished.
 */
#ifndef CHARCOAL_SCHED_TASK_H
#define CHARCOAL_SCHED_TASK_H

#include "charcoal.h"
#include "reactor/inbox.h"

#include "charcoal/lowlevel.h"

struct ch_task {
  struct ch_letter begin, cancel;
  struct ch_inbox *inbox;
  void (*run)(struct ch_task *); /* the body, of Charcoal C; spawned when `begin` is opened */
  intptr_t (*fn)(void *);
  void *argument;
  intptr_t result;            /* once it has finished */
  ch_waiter ended;            /* scheduled when it has finished */
  struct ch_branch *activity; /* from its begin to its end */
  unsigned references;
  bool cancelled;       /* a cancel has been posted */
  bool begun_cancelled; /* it came before the activity began */
  bool finished;
};

CH_HIDDEN ch_task *ch_task_new(struct ch_inbox *inbox, intptr_t (*fn)(void *), void *argument);
/* Has spawn(task) called in its domain, in plain code, outside any activity. */
CH_HIDDEN void ch_task_post(ch_task *, void (*spawn)(ch_task *));
/* By the activity itself, first and last. */
CH_HIDDEN void ch_task_begins(ch_task *);
CH_HIDDEN void ch_task_ends(ch_task *, intptr_t result);
CH_HIDDEN void ch_task_release(ch_task *);
CH_HIDDEN bool ch_task_is_current(const ch_task *);

/* Cancels all activities of this domain. */
CH_HIDDEN void ch_domain_cancel_all(void);

#endif
