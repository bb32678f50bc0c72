/* getaddrinfo: the plain one for whatever needs no name server, c-ares for the rest. Known difference from libc:
 * `localhost` has both loopback addresses, whatever /etc/hosts says (RFC 6761). */
#define _GNU_SOURCE
#include "posix/twins/twins.h"
#include "reactor/dns.h"
#include "posix/names.h"
#include <stdlib.h>

static void look_up(struct ch_dns_query *query, const char *node, const struct addrinfo *hints) {
  ch_sem_wait(ch_dns_window());
  ch_dns_start(query, node, hints);
  ch_sem_wait(&query->done);
  ch_sem_post(ch_dns_window());
}

CH_TWIN(getaddrinfo)
int ch_posix_getaddrinfo(const char *node, const char *service, const struct addrinfo *hints,
                         struct addrinfo **result) {
  struct ch_name_request request;
  struct ch_dns_query query;
  int error;
  if (ch_name_is_plain(node, hints) || !ch_dns_available())
    return ch_plain_getaddrinfo(node, service, hints, result);
  error = ch_name_begin(&request, service, hints);
  if (error)
    return error;
  look_up(&query, node, &request.hints);
  if (query.error && ch_name_wants_mapped(&request)) {
    /* AI_V4MAPPED, and there is no IPv6 address. */
    request.hints.ai_family = AF_INET;
    look_up(&query, node, &request.hints);
  }
  return ch_name_end(&request, &query, result);
}
