/* Assertions of the runtime's invariants, in builds with -DCHARCOAL_CHECKED. A broken invariant is a bug of the
 * runtime, never the user's mistake. */
#ifndef CHARCOAL_SCHED_CHECK_H
#define CHARCOAL_SCHED_CHECK_H

#ifdef CHARCOAL_CHECKED
#include <stdio.h>
#include <stdlib.h>
#define CH_INVARIANT_HELP                                                                                              \
  "; if the program overwrites no memory of others (-fsanitize=address), please report this as a bug of Charcoal\n"
#define CH_INVARIANT(condition, sentence)                                                                              \
  ((condition)                                                                                                         \
       ? (void)0                                                                                                       \
       : (fprintf(stderr, "charcoal: broken invariant: %s (%s:%d)" CH_INVARIANT_HELP, sentence, __FILE__, __LINE__),   \
          abort()))
#else
#define CH_INVARIANT(condition, sentence) ((void)0)
#endif

#endif
