/* getaddrinfo, getnameinfo, gethostbyname and its like.
 *
 * getaddrinfo: the plain one for whatever needs no name server, c-ares for the rest. Known difference from libc:
 * `localhost` has both loopback addresses, whatever /etc/hosts says (RFC 6761). */
#define _GNU_SOURCE
#include "posix/twins/twins.h"
#include "reactor/dns.h"
#include "posix/hosts.h"
#include "posix/names.h"
#include <stdlib.h>

/* NULL: errno says why, and nobody asks any more. */
static struct ch_dns_query *look_up(const char *node, const struct addrinfo *hints) {
  struct ch_dns_query *query;
  int error = ch_sem_wait(ch_dns_window());
  if (error)
    return errno = error, NULL;
  query = ch_dns_start(node, hints);
  if (!query) {
    ch_sem_post(ch_dns_window());
    return errno = ENOMEM, NULL;
  }
  error = ch_sem_wait(&query->done);
  if (error) {
    ch_dns_abandon(query);
    return errno = error, NULL;
  }
  ch_sem_post(ch_dns_window());
  return query;
}

CH_TWIN(getaddrinfo)
int ch_posix_getaddrinfo(const char *node, const char *service, const struct addrinfo *hints,
                         struct addrinfo **result) {
  struct ch_name_request request;
  struct ch_dns_query *query;
  int error;
  if (ch_name_is_plain(node, hints))
    return ch_plain_getaddrinfo(node, service, hints, result);
  if (!ch_dns_available()) {
    struct ch_address_query plain = {node, service, hints, result, 0, 0};
    if (ch_do_call(ch_call_getaddrinfo, &plain, CH_CALL_FOREIGN) < 0)
      return EAI_SYSTEM;
    if (plain.result == EAI_SYSTEM)
      errno = plain.error;
    return plain.result;
  }
  error = ch_name_begin(&request, service, hints);
  if (error)
    return error;
  query = look_up(node, &request.hints);
  if (query && query->error && ch_name_wants_mapped(&request)) {
    /* AI_V4MAPPED, and there is no IPv6 address. */
    request.hints.ai_family = AF_INET;
    ch_dns_free(query);
    query = look_up(node, &request.hints);
  }
  if (!query) {
    ch_name_give_up(&request);
    return errno == ENOMEM ? EAI_MEMORY : EAI_SYSTEM;
  }
  return ch_name_end(&request, query, result);
}

/* ---- by a thread of the pool: the C library's own way, with all of its sources ---- */

CH_TWIN(getnameinfo)
int ch_posix_getnameinfo(const struct sockaddr *address, socklen_t length, char *host, socklen_t host_room,
                         char *service, socklen_t service_room, int flags) {
  struct ch_name_info n = {address, length, host, host_room, service, service_room, flags, 0, 0};
  if ((!host || !host_room || flags & NI_NUMERICHOST) && (!service || !service_room || flags & NI_NUMERICSERV)) {
    ch_call_getnameinfo(&n);
    return n.result;
  }
  if (ch_do_call(ch_call_getnameinfo, &n, CH_CALL_FOREIGN) < 0)
    return EAI_SYSTEM;
  if (n.result == EAI_SYSTEM)
    errno = n.error;
  return n.result;
}

/* 0 or an error number, as the reentrant ones say. */
static int host(struct ch_host_query *q) {
  int saved = errno, error = 0;
  if (ch_do_call(ch_call_host, q, CH_CALL_FOREIGN) < 0) {
    error = errno;
    *q->result = NULL;
    *q->h_error = NO_RECOVERY;
  }
  errno = saved;
  return error ? error : q->error;
}

CH_TWIN(gethostbyname_r)
int ch_posix_gethostbyname_r(const char *name, struct hostent *to, char *room, size_t size, struct hostent **result,
                             int *h_error) {
  struct ch_host_query q = {name, NULL, 0, 0, to, room, size, result, h_error, 0};
  return host(&q);
}
CH_TWIN(gethostbyname2_r)
int ch_posix_gethostbyname2_r(const char *name, int family, struct hostent *to, char *room, size_t size,
                              struct hostent **result, int *h_error) {
  struct ch_host_query q = {name, NULL, 0, family, to, room, size, result, h_error, 0};
  return host(&q);
}
CH_TWIN(gethostbyaddr_r)
int ch_posix_gethostbyaddr_r(const void *address, socklen_t length, int family, struct hostent *to, char *room,
                             size_t size, struct hostent **result, int *h_error) {
  struct ch_host_query q = {NULL, address, length, family, to, room, size, result, h_error, 0};
  return host(&q);
}

/* The result lives until the next such call of the domain, as in C. */
static struct hostent *host_here(const char *name, const void *address, socklen_t length, int family) {
  struct hostent to, *result = NULL;
  char *room = malloc(CH_HOST_ROOM);
  int h_error = NO_RECOVERY, error;
  if (!room)
    return ch_host_keep(NULL, NULL, NO_RECOVERY);
  struct ch_host_query q = {name, address, length, family, &to, room, CH_HOST_ROOM, &result, &h_error, 0};
  error = host(&q);
  result = ch_host_keep(error ? NULL : result, room, h_error);
  if (error)
    errno = error;
  return result;
}
CH_TWIN(gethostbyname) struct hostent *ch_posix_gethostbyname(const char *name) { return host_here(name, NULL, 0, 0); }
CH_TWIN(gethostbyname2) struct hostent *ch_posix_gethostbyname2(const char *name, int family) {
  return host_here(name, NULL, 0, family);
}
CH_TWIN(gethostbyaddr) struct hostent *ch_posix_gethostbyaddr(const void *address, socklen_t length, int family) {
  return host_here(NULL, address, length, family);
}
