/* Looks up names through c-ares. The reactor watches the sockets and the timer of c-ares.
 *
 * A query lives from ch_dns_start until ch_dns_free; an abandoned query is freed when its answer comes. resolver.h says
 * whom it asks, and what happens to it in a child of fork.
 */
#ifndef CHARCOAL_REACTOR_DNS_DNS_H
#define CHARCOAL_REACTOR_DNS_DNS_H

#include "frames/attributes.h"
#include "charcoal.h"
#include <netdb.h>

struct ch_dns_query {
  ch_sem done;            /* posted once, when the outcome below stands */
  int error;              /* 0 or an EAI_ value */
  struct addrinfo *found; /* addresses, each once; ai_canonname in the first if there is one. malloc'd as libc does */
  /* The rest is private. */
  void *resolver, *group, *activity;
  int abandoned, family, flags;
  char node[];
};

/* Whether names can be looked up here; if not (no c-ares) the plain call has to do. */
CH_HIDDEN int ch_dns_available(void);
/* To be taken before a query is started and posted after its end: so many may be under way at a time. NULL: no memory;
 * once there is one, it stays until ch_dns_end. */
CH_HIDDEN ch_sem *ch_dns_window(void);
/* Starts looking up the addresses of `node`; hints as for getaddrinfo, of which ai_family and
 * AI_CANONNAME count. NULL: no memory. */
CH_HIDDEN struct ch_dns_query *ch_dns_start(const char *node, const struct addrinfo *hints);
/* Nobody waits for it any more. It posts to the window in the end. */
CH_HIDDEN void ch_dns_abandon(struct ch_dns_query *);
CH_HIDDEN void ch_dns_free(struct ch_dns_query *);
/* In a child of fork: asks again what the child's own branches are waiting for, by sockets of its own. */
CH_HIDDEN CH_COLD void ch_dns_ask_again(void);
/* The domain of this thread ends: nobody waits for a query. The reactor and the timers are still there. */
CH_HIDDEN void ch_dns_end(void);

#endif
