/* The runtime's own descriptors: out of the way of the program's.
 *
 * POSIX gives the lowest free number, and programs rely on it; so ours stand where few programs come. Daemons close
 * whatever is open; so the twins of close do not know ours, and dup2 onto one of them is refused (EBADF).
 */
#ifndef CHARCOAL_REACTOR_OWN_H
#define CHARCOAL_REACTOR_OWN_H

#include <stdbool.h>

enum { CH_OWN_BELOW = 1024 }; /* as a rule */

/* Takes a descriptor that was just made, and returns the number under which it is from now on. */
__attribute__((visibility("hidden"))) int ch_own(int fd);
__attribute__((visibility("hidden"))) bool ch_is_own(int fd);
/* Closes it. */
__attribute__((visibility("hidden"))) void ch_own_close(int fd);

#endif
