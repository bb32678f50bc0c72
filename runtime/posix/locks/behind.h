/* Functions that stand before the C library's own, under the same names, for code that was not recompiled; and the C
 * library's, behind them. */
#ifndef CHARCOAL_POSIX_LOCKS_BEHIND_H
#define CHARCOAL_POSIX_LOCKS_BEHIND_H

#include "frames/attributes.h"

/* Weak: a program's own, or a sanitizer's, comes first. */
#define CH_BEFORE_THE_C_LIBRARYS __attribute__((weak, visibility("default")))

/* The function of that name in `library`, or behind this one (RTLD_NEXT). It is there, or the program ends. */
CH_HIDDEN void *ch_behind(void *library, const char *name);

#endif
