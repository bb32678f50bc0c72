/* The list of domains from which tools/gdb/charcoal.py begins, in a running process and in a core file. A domain and
 * its heap are thread-local, and debuggers cannot always find such variables, so the list holds their addresses for
 * each thread that runs a domain. */
#ifndef CHARCOAL_REPORT_DEBUG_H
#define CHARCOAL_REPORT_DEBUG_H

#include "sched/domain.h"
#include <pthread.h>

struct ch_arena;
struct ch_large;
struct ch_name;
struct ch_timing;

struct ch_debug {
  struct ch_debug *next;
  struct ch_domain *domain;
  void *tls; /* the address of the thread's ch_tls */
  struct ch_arena **arenas;
  struct ch_large **large;
  struct ch_name ***names; /* the table's buckets (activity/names.c) */
  pthread_t thread;
  struct ch_timing **timing;
  struct ch_debug **at; /* what points to this one */
};
/* For each domain but this thread's. They run meanwhile, and do not end. */
CH_HIDDEN void ch_debug_visit_others(void (*visit)(const struct ch_debug *));
extern CH_HIDDEN struct ch_debug *ch_debug; /* the domain that was started last; NULL before main */

/* Calls visit for each domain, while none begins or ends. */
CH_HIDDEN void ch_debug_visit(void (*visit)(struct ch_debug *, void *), void *data);

#endif
