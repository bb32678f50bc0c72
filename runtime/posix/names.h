/* The parts of getaddrinfo that never wait. The plain getaddrinfo is called without a node for the services, socket
 * types and protocols of a request, so the results are those of the C library. */
#ifndef CHARCOAL_POSIX_NAMES_H
#define CHARCOAL_POSIX_NAMES_H

#include "reactor/dns/dns.h"

struct ch_name_request {
  struct addrinfo hints; /* as asked for, completed; AF_INET when mapped addresses are looked for, AF_UNSPEC for
                            AI_ALL */
  struct addrinfo
      *kinds[2]; /* libc's answers for no node: IPv4, IPv6; one per socket type and protocol, with the port */
  int family;    /* as asked for, and as AI_ADDRCONFIG leaves it */
};

/* No name server is needed: no node, or a numeric one. */
CH_HIDDEN int ch_name_is_plain(const char *node, const struct addrinfo *hints);
CH_HIDDEN int ch_plain_getaddrinfo(const char *, const char *, const struct addrinfo *, struct addrinfo **);
/* 0, or the EAI_ error that the plain call would return; then there is nothing to end. */
CH_HIDDEN int ch_name_begin(struct ch_name_request *, const char *service, const struct addrinfo *hints);
CH_HIDDEN int ch_name_wants_mapped(const struct ch_name_request *);
/* Releases a request without a query. */
CH_HIDDEN void ch_name_give_up(struct ch_name_request *);
/* The result of the whole call, in memory that freeaddrinfo frees; releases the request and the query. */
CH_HIDDEN int ch_name_end(struct ch_name_request *, struct ch_dns_query *, struct addrinfo **result);

#endif
