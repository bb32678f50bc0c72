/* Addresses that are surely wrong. A call reads its caller's structures (times, messages, vectors, sets) before the
 * kernel does. If one of them can be nowhere, the call is left to the kernel, which tells of the wrong address, and of
 * errors that come before. An address that is not mapped for another reason is not found out here: it ends the program
 * where the C library's own functions that read would. */
#ifndef CHARCOAL_POSIX_ADDRESSES_H
#define CHARCOAL_POSIX_ADDRESSES_H

#include <stdbool.h>
#include <stdint.h>

/* No object is in the first page, in which NULL and the members of a structure at NULL are, or in the last one, in
 * which small negative numbers are. */
static inline bool ch_is_nowhere(const void *p) { return (uintptr_t)p + 4096 < 8192; }
static inline bool ch_is_wrong(const void *p) { return p && ch_is_nowhere(p); }

#endif
