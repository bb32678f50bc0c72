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

/* Takes a descriptor that was just made: its slot, at least 0; or -1 with errno, and it is closed. */
CH_HIDDEN int ch_add_runtime_descriptor(int fd);
CH_HIDDEN int ch_runtime_descriptor(int slot);
CH_HIDDEN bool ch_is_runtime_descriptor(int fd);
/* Closes it. */
CH_HIDDEN void ch_close_runtime_descriptor(int slot);
/* The descriptor is gone: somebody has closed it by hand. */
CH_HIDDEN void ch_forget_runtime_descriptor(int slot);

/* ---- for close's kin ---- */

/* Before `fd` is put on the number `to`: what is ours there moves. 0, or -1 with errno: there is no other number. */
CH_HIDDEN int ch_runtime_descriptor_makes_way(int fd, int to, int flags);
/* Those from `first` to `last` that are not ours, by close_range itself. */
CH_HIDDEN int ch_close_range_except_ours(unsigned first, unsigned last, int flags,
                                         int (*plain)(unsigned, unsigned, int));

#endif
