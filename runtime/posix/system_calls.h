/* What the replacement of syscall() needs of plain C. The arguments of a system call are words. */
#ifndef CHARCOAL_POSIX_SYSTEM_CALLS_H
#define CHARCOAL_POSIX_SYSTEM_CALLS_H

#include "frames/attributes.h"
#include <stdbool.h>
#include <stdint.h>

CH_HIDDEN long ch_plain_syscall(long number, long, long, long, long, long, long);

/* The same for ch_do_call, on a thread: the result, or -errno. */
struct ch_system_call {
  long number, a, b, c, d, e, f;
};
CH_HIDDEN long ch_call_system(void *);

/* The word at this place, or 0 if there is no memory. A call of syscall() need not pass six arguments, and then the
 * place of the last one may be anybody's. The word before it was passed; so both are in one page, unless the place is
 * the beginning of a page. */
CH_HIDDEN bool ch_page_is_there(const void *page);
static inline long ch_word_if_there(const void *place) {
  return (uintptr_t)place % 4096 != 0 || ch_page_is_there(place) ? *(const long *)place : 0;
}

#endif
