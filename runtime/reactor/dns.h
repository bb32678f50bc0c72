/* Looking up names through c-ares, whose sockets and timer the reactor watches.
 *
 * c-ares is loaded when the first name is looked up, so that programs which never do need not have it.
 *
 * A query is the caller's memory from ch_dns_start until its semaphore has been posted. A resolver is one c-ares
 * channel with its watches; a new list of servers makes a new resolver, and the old one goes when its last query has
 * ended.
 */
#ifndef CHARCOAL_REACTOR_DNS_H
#define CHARCOAL_REACTOR_DNS_H

#include "charcoal.h"
#include <netdb.h>

#define CH_HIDDEN __attribute__((visibility("hidden")))

struct ch_dns_query {
  ch_sem done;            /* posted once, when the outcome below stands */
  int error;              /* 0 or an EAI_ value */
  struct addrinfo *found; /* addresses, each once; ai_canonname in the first if there is one. malloc'd as libc does */
  void *resolver, *group; /* private */
};

/* Whether names can be looked up here; if not (no c-ares) the plain call has to do. */
CH_HIDDEN int ch_dns_available(void);
/* To be taken before a query is started and posted after its end: so many may be under way at a time. */
CH_HIDDEN ch_sem *ch_dns_window(void);
/* Starts looking up the addresses of `node`; hints as for getaddrinfo, whose ai_family and ai_flags count. */
CH_HIDDEN void ch_dns_start(struct ch_dns_query *, const char *node, const struct addrinfo *hints);

#endif
