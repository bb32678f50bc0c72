/* A resolver is one c-ares channel of a thread, with the reactor's watches on its sockets and its timer.
 *
 * New queries go to the thread's newest resolver. A new choice of servers, or a change of /etc/resolv.conf, makes a new
 * one, and the old one is freed when its last query has ended. A child of fork makes a new one, too, because answers to
 * its parent's queries would come to either of them. */
#ifndef CHARCOAL_REACTOR_DNS_RESOLVER_H
#define CHARCOAL_REACTOR_DNS_RESOLVER_H

#include "reactor/dns/cares.h"

struct ch_resolver;

/* The one that new queries go to, which is made if need be. NULL: no memory, or c-ares is refused what it needs. */
CH_HIDDEN struct ch_resolver *ch_resolver(void);
/* Asks for the addresses of `node`. `answered` is called once, in this call or later. */
CH_HIDDEN void ch_resolver_ask(struct ch_resolver *, const char *node, const struct ares_addrinfo_hints *,
                               ares_addrinfo_callback answered, void *data);
/* Called first by each `answered`. Whether the answer counts: not in a child of fork, if the parent had asked. */
CH_HIDDEN bool ch_resolver_answered(struct ch_resolver *);
/* Frees all resolvers of the thread. Their queries end. */
CH_HIDDEN void ch_resolvers_end(void);

#endif
