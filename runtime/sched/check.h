/* Assertions of the checked build (-DCHARCOAL_CHECKED): a broken invariant is our bug, never the user's. */
#ifndef CHARCOAL_SCHED_CHECK_H
#define CHARCOAL_SCHED_CHECK_H

#ifdef CHARCOAL_CHECKED
#include <stdio.h>
#include <stdlib.h>
#define CH_INVARIANT(condition, sentence)                                                                              \
  ((condition) ? (void)0                                                                                               \
               : (fprintf(stderr, "charcoal: broken invariant: %s (%s:%d)\n", sentence, __FILE__, __LINE__), abort()))
#else
#define CH_INVARIANT(condition, sentence) ((void)0)
#endif

#endif
