/* Keeps the runtime's descriptors out of the way of the program's.
 *
 * POSIX gives a new descriptor the lowest free number, and programs rely on that; so the runtime's descriptors have
 * high numbers. Programs also close everything that is open (daemons, children before exec), or put a descriptor on a
 * number of their choice. So close, close_range and closefrom leave the runtime's descriptors open, and if a program
 * wants one of their numbers, the runtime's descriptor moves to another number. The runtime therefore refers to a
 * descriptor by its *slot*, whose number may change between any two system calls.
 *
 * Those calls are also defined here under their names (weakly, because a program may define them itself), so that code
 * which was not recompiled leaves the runtime's descriptors open as well. Only raw system calls can reach them.
 */
#ifndef CHARCOAL_REACTOR_RUNTIME_DESCRIPTORS_H
#define CHARCOAL_REACTOR_RUNTIME_DESCRIPTORS_H

#include "frames/attributes.h"
#include <stdbool.h>

/* Takes over a descriptor that was just made, and returns its slot, which is at least 0; or -1 with errno, and then the
 * descriptor is closed. `fd` below 0, with errno: it could not be made, and the result is -1. */
CH_HIDDEN int ch_add_runtime_descriptor(int fd);
/* Returns the present number of the descriptor in the slot. */
CH_HIDDEN int ch_runtime_descriptor(int slot);
CH_HIDDEN bool ch_is_runtime_descriptor(int fd);
/* Closes the descriptor in the slot. */
CH_HIDDEN void ch_close_runtime_descriptor(int slot);
/* Closes the descriptor in the slot, which this domain has waited for. errno stays as it was. */
CH_HIDDEN void ch_close_waited_for(int slot);
/* Frees the slot of a descriptor that somebody has closed by a system call of their own. */
CH_HIDDEN void ch_forget_runtime_descriptor(int slot);

/* ---- for close, dup2 and their like ---- */

/* Called before `fd` is put on the number `to`: if the runtime has a descriptor there, it moves to another number.
 * 0; or -1 with errno: there is no other number. */
CH_HIDDEN int ch_runtime_descriptor_makes_way(int fd, int to, int flags);
/* Closes the descriptors from `first` to `last` that are not the runtime's, by calls of `plain`, the system's
 * close_range. */
CH_HIDDEN int ch_close_range_except_ours(unsigned first, unsigned last, int flags,
                                         int (*plain)(unsigned, unsigned, int));

#endif
