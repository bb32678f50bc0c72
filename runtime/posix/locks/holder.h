/* Finds the activity that has a lock for which others wait, for the report of a deadlock and for dumps. */
#ifndef CHARCOAL_POSIX_LOCKS_HOLDER_H
#define CHARCOAL_POSIX_LOCKS_HOLDER_H

#include "posix/locks/queue.h"

struct ch_lock_report {
  const char *what;         /* "mutex", "rwlock", ... */
  const void *object;       /* its address */
  const void *wanted_at;    /* the code that asked for it; NULL: unknown */
  struct ch_branch *holder; /* the first branch of the activity of this domain that has it; NULL: unknown */
  const void *taken_at;     /* the code that took it; NULL: unknown */
};
/* What the branch waits for, if that is a lock. False: it is not. On the domain's thread. */
CH_HIDDEN bool ch_lock_reported(const struct ch_branch *, struct ch_lock_report *);

/* The branch has just begun to wait for what an activity of this domain has. If that closes a circle of activities that
 * wait for each other's mutexes, which nobody can end, ch_holder_confirm ends the program with a report: when all of
 * them have been set aside. */
CH_HIDDEN void ch_holder_check(struct ch_branch *);
CH_HIDDEN void ch_holder_confirm(void);

/* For the report of a deadlock: says of each activity that waits for a lock who has it, and where it was taken. */
CH_HIDDEN void ch_locks_report(int fd);

#endif
