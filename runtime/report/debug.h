/* Where tools/gdb/charcoal.py begins, in a running process and in a core file. The domain and the heap are
 * thread-local, which debuggers cannot always resolve: so their addresses stand here. */
#ifndef CHARCOAL_REPORT_DEBUG_H
#define CHARCOAL_REPORT_DEBUG_H

#include "sched/domain.h"

struct ch_arena;
struct ch_large;

struct ch_debug {
  struct ch_domain *domain; /* the domain that was started last; NULL before main */
  struct ch_arena **arenas;
  struct ch_large **large;
};
extern CH_HIDDEN struct ch_debug ch_debug;

#endif
