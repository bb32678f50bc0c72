/* Helpers of the replacements of wait, waitpid and the like: waiting on a thread of the pool, and pidfds. */
#ifndef CHARCOAL_POSIX_CHILDREN_H
#define CHARCOAL_POSIX_CHILDREN_H

#include "posix/nonblocking.h"
#include <stdbool.h>
#include <sys/wait.h>

struct ch_child_wait {
  idtype_t type;
  id_t id;
  int options;
};

/* Tells whether the descriptor's mode is O_NONBLOCK. A wait by such a pidfd says EAGAIN instead of waiting. */
CH_HIDDEN bool ch_is_nonblocking(int fd);
/* The slot (reactor/runtime_descriptors.h) of a new descriptor that is readable when the child has ended; -1 with
 * errno. */
CH_HIDDEN int ch_pidfd(pid_t);
CH_HIDDEN long ch_child_changes(void *wait); /* a struct ch_child_wait */

#endif
