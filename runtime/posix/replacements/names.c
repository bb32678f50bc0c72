/* Replacements of getaddrinfo, getnameinfo, gethostbyname and the like.
 *
 * getaddrinfo calls the plain function if the request needs no name server, and if no other activity could run;
 * otherwise it uses c-ares. There is one known difference from the C library: `localhost` has both loopback addresses,
 * whatever /etc/hosts says (RFC 6761). */
#define _GNU_SOURCE
#include "posix/addresses.h"
#include "posix/hosts.h"
#include "posix/names.h"
#include "posix/single_activity.h"
#include "posix/replacements/replacement.h"
#include "reactor/dns/dns.h"
#include <stdlib.h>

/* NULL: errno says why, and nobody asks any more. */
static struct ch_dns_query *look_up(const char *node, const struct addrinfo *hints) {
  struct ch_dns_query *query;
  ch_sem *window = ch_dns_window();
  int error = window ? ch_sem_wait(window) : ENOMEM;
  if (error)
    return errno = error, NULL;
  query = ch_dns_start(node, hints);
  if (!query) {
    ch_sem_post(window);
    return errno = ENOMEM, NULL;
  }
  error = ch_sem_wait(&query->done);
  if (error) {
    ch_dns_abandon(query);
    return errno = error, NULL;
  }
  ch_sem_post(window);
  return query;
}

/* In a program of one activity, which has named no servers, all of it is the C library's. */
#define SINGLE_ACTIVITY_NAMES(call)                                                                                    \
  if (ch_names_are_the_systems())                                                                                      \
  CH_SINGLE_ACTIVITY(call)

/* What the C library leaves in h_errno when it has not found a name. */
static int h_error_of(int error) {
  return error == EAI_AGAIN    ? TRY_AGAIN
         : error == EAI_FAIL   ? NO_RECOVERY
         : error == EAI_NODATA ? NO_DATA
                               : HOST_NOT_FOUND;
}

/* By c-ares. EAI_SYSTEM: errno says more. */
static int ask_servers(const char *node, const char *service, const struct addrinfo *hints, struct addrinfo **result) {
  struct ch_name_request request;
  int error = ch_name_begin(&request, service, hints);
  if (error)
    return error;
  struct ch_dns_query *query = look_up(node, &request.hints);
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
  error = ch_name_end(&request, query, result);
  if (error && error != EAI_MEMORY)
    h_errno = h_error_of(error);
  return error;
}

CH_REPLACES(getaddrinfo)
int ch_posix_getaddrinfo(const char *node, const char *service, const struct addrinfo *hints,
                         struct addrinfo **result) {
  struct ch_address_query *plain;
  int error, saved = errno;
  SINGLE_ACTIVITY_NAMES(getaddrinfo(node, service, hints, result));
  if (ch_name_is_plain(node, hints))
    return ch_plain_getaddrinfo(node, service, hints, result);
  if (ch_dns_available()) {
    error = ask_servers(node, service, hints, result);
    if (error != EAI_SYSTEM)
      errno = saved; /* on the way a file may have been looked for that is not there */
    return error;
  }
  plain = ch_address_query(node, service, hints);
  if (!plain)
    return EAI_MEMORY;
  if (ch_do_call(ch_call_getaddrinfo, plain, CH_CALL_ABANDONED) < 0)
    return EAI_SYSTEM;
  return ch_address_query_end(plain, result);
}

/* ---- by a thread of the pool: the C library's own way, with all of its sources ---- */

CH_REPLACES(getnameinfo)
int ch_posix_getnameinfo(const struct sockaddr *address, socklen_t length, char *host, socklen_t host_room,
                         char *service, socklen_t service_room, int flags) {
  struct ch_name_info *n;
  CH_SINGLE_ACTIVITY(getnameinfo(address, length, host, host_room, service, service_room, flags));
  if (ch_is_nowhere(address) || length < sizeof address->sa_family ||
      ((!host || !host_room || flags & NI_NUMERICHOST) && (!service || !service_room || flags & NI_NUMERICSERV)))
    return ch_plain_getnameinfo(address, length, host, host_room, service, service_room, flags);
  n = ch_name_info(address, length, host ? host_room : 0, service ? service_room : 0, flags);
  if (!n)
    return EAI_MEMORY;
  if (ch_do_call(ch_call_getnameinfo, n, CH_CALL_ABANDONED) < 0)
    return EAI_SYSTEM;
  return ch_name_info_end(n, host, service);
}

/* No source of names has an address of that length, so the plain call need not wait. Only the memory that is there may
 * be read. */
static bool has_no_length_of_address(socklen_t length) { return length > sizeof(struct in6_addr); }

static int refused_host(struct hostent **result, int *h_error, int error) {
  *result = NULL;
  *h_error = NO_RECOVERY;
  return error;
}

/* 0 or an error number. */
static int host(const char *name, const void *address, socklen_t length, int family, struct hostent *to, char *room,
                size_t size, struct hostent **result, int *h_error) {
  int saved = errno;
  struct ch_host_query *q = ch_host_query(name, address, length, family, room, size);
  if (!q)
    return refused_host(result, h_error, ENOMEM);
  if (ch_do_call(ch_call_host, q, CH_CALL_ABANDONED) < 0) {
    int error = errno;
    errno = saved;
    return refused_host(result, h_error, error);
  }
  int error = ch_host_query_end(q, to, room, result, h_error);
  return errno = error > 0 ? error : saved, error;
}

CH_REPLACES(gethostbyname_r)
int ch_posix_gethostbyname_r(const char *name, struct hostent *to, char *room, size_t size, struct hostent **result,
                             int *h_error) {
  CH_SINGLE_ACTIVITY(gethostbyname_r(name, to, room, size, result, h_error));
  return host(name, NULL, 0, 0, to, room, size, result, h_error);
}
CH_REPLACES(gethostbyname2_r)
int ch_posix_gethostbyname2_r(const char *name, int family, struct hostent *to, char *room, size_t size,
                              struct hostent **result, int *h_error) {
  CH_SINGLE_ACTIVITY(gethostbyname2_r(name, family, to, room, size, result, h_error));
  return host(name, NULL, 0, family, to, room, size, result, h_error);
}
CH_REPLACES(gethostbyaddr_r)
int ch_posix_gethostbyaddr_r(const void *address, socklen_t length, int family, struct hostent *to, char *room,
                             size_t size, struct hostent **result, int *h_error) {
  CH_SINGLE_ACTIVITY(gethostbyaddr_r(address, length, family, to, room, size, result, h_error));
  if (has_no_length_of_address(length))
    return ch_plain_gethostbyaddr_r(address, length, family, to, room, size, result, h_error);
  return host(NULL, address, length, family, to, room, size, result, h_error);
}

/* The result lives until the next such call of the domain, as in C. */
static struct hostent *host_here(const char *name, const void *address, socklen_t length, int family) {
  struct ch_host_query *q = ch_host_query(name, address, length, family, NULL, 0);
  if (!q || ch_do_call(ch_call_host, q, CH_CALL_ABANDONED) < 0)
    return ch_host_none();
  return ch_host_query_keep(q);
}
CH_REPLACES(gethostbyname) struct hostent *ch_posix_gethostbyname(const char *name) {
  CH_SINGLE_ACTIVITY(gethostbyname(name));
  return host_here(name, NULL, 0, 0);
}
CH_REPLACES(gethostbyname2) struct hostent *ch_posix_gethostbyname2(const char *name, int family) {
  CH_SINGLE_ACTIVITY(gethostbyname2(name, family));
  return host_here(name, NULL, 0, family);
}
CH_REPLACES(gethostbyaddr) struct hostent *ch_posix_gethostbyaddr(const void *address, socklen_t length, int family) {
  CH_SINGLE_ACTIVITY(gethostbyaddr(address, length, family));
  if (has_no_length_of_address(length))
    return ch_plain_gethostbyaddr(address, length, family);
  return host_here(NULL, address, length, family);
}
