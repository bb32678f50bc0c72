/* The process of system(), whose status nobody else takes.
 *
 * POSIX has SIGCHLD blocked while system waits, because a handler that waits for any child would take the status of the
 * command. But a domain's other activities want this signal meanwhile, so its handler may run. If a wait for any child,
 * or for a group, finds the command, it leaves the status here and goes on to look for another child. SIGINT and
 * SIGQUIT are ignored in the whole process while a command runs, as POSIX says. */
#ifndef CHARCOAL_POSIX_COMMAND_H
#define CHARCOAL_POSIX_COMMAND_H

#include "frames/attributes.h"
#include <sys/types.h>

struct ch_command {
  pid_t process;
  int status; /* what the wait that found it has left */
};

/* Begins `sh -c line` with the signal mask of the caller. NULL: it cannot be begun, and errno says why. */
CH_HIDDEN struct ch_command *ch_command_start(const char *line);
/* A wait for its process has returned `taken` (a process, or -1 with errno) and `status`. The result is that of
 * system. */
CH_HIDDEN int ch_command_ended(struct ch_command *, pid_t taken, int status);

#endif
