/* Functions that stand before the C library's own, under the same names, for code that was not recompiled; and the C
 * library's, behind them. */
#ifndef CHARCOAL_POSIX_LOCKS_INTERPOSED_H
#define CHARCOAL_POSIX_LOCKS_INTERPOSED_H

#include "frames/attributes.h"
#include <dlfcn.h>
#include <stdint.h>

/* Weak: a program's own, or a sanitizer's, comes first. */
#define CH_INTERPOSED __attribute__((weak, visibility("default")))

/* The function of that name in `library`, or behind this one (RTLD_NEXT). It is there, or the program ends. */
CH_HIDDEN void *ch_next_definition(void *library, const char *name);

/* The C library's own function, behind the runtime's of that name. `in_static`: a second name of it that only a static
 * C library has (a weak declaration); nothing can be looked up by name in a static program. */
#define CH_NEXT_DEFINITION(name, in_static)                                                                            \
  ({                                                                                                                   \
    static __typeof__(name) *_Atomic cached;                                                                           \
    __typeof__(name) *fn = cached;                                                                                     \
    if (CH_UNLIKELY(!fn))                                                                                              \
      cached = fn = in_static ? in_static : (__typeof__(name) *)(uintptr_t)ch_next_definition(RTLD_NEXT, #name);       \
    fn;                                                                                                                \
  })

#endif
