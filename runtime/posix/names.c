/* The parts of getaddrinfo that never wait. See names.h. */
#define _GNU_SOURCE
#include "posix/names.h"
#include "posix/hosts.h"
#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

int ch_plain_getaddrinfo(const char *node, const char *service, const struct addrinfo *hints,
                         struct addrinfo **result) {
  return getaddrinfo(node, service, hints, result);
}

/* No name has a colon; an address may also be wrong in other ways, which the plain call tells. */
static bool is_ipv6(const char *node) {
  char address[INET6_ADDRSTRLEN];
  struct in6_addr unused;
  size_t n = strcspn(node, "%");
  if (n >= sizeof address)
    return false;
  memcpy(address, node, n);
  address[n] = 0;
  return inet_pton(AF_INET6, address, &unused) == 1;
}

static bool is_known_family(int family) { return family == AF_UNSPEC || family == AF_INET || family == AF_INET6; }

int ch_name_is_plain(const char *node, const struct addrinfo *hints) {
  if (!node || strcmp(node, "*") == 0 || !getaddrinfo || !freeaddrinfo)
    return 1; /* "*" is no node */
  if (hints && !is_known_family(hints->ai_family))
    return 1; /* it is refused, unless something else in the hints is */
  if (hints && hints->ai_flags & (AI_NUMERICHOST | AI_IDN | AI_CANONIDN))
    return 1;
  if (is_ipv6(node))
    return 1;
  struct addrinfo numeric = {.ai_flags = AI_NUMERICHOST, .ai_family = AF_UNSPEC}, *found = NULL;
  int error = getaddrinfo(node, NULL, &numeric, &found);
  if (!error)
    freeaddrinfo(found);
  return error != EAI_NONAME;
}

/* Whether the machine has an address of the family, apart from those of loopback. The C library looks at that first. */
static bool is_configured(int family) {
  struct addrinfo hints = {.ai_family = family, .ai_flags = AI_ADDRCONFIG | AI_PASSIVE, .ai_socktype = SOCK_STREAM};
  struct addrinfo *found = NULL;
  int error = getaddrinfo(NULL, "0", &hints, &found);
  if (!error)
    freeaddrinfo(found);
  return error != EAI_NONAME;
}

/* AI_ADDRCONFIG. An EAI_ error: the machine has no address of the family that is asked for. */
static int leave_out_unconfigured(struct ch_name_request *r) {
  if (r->family != AF_UNSPEC)
    return is_configured(r->family) ? 0 : EAI_NONAME;
  bool v4 = is_configured(AF_INET), v6 = is_configured(AF_INET6);
  if (v4 != v6)
    r->hints.ai_family = r->family = v4 ? AF_INET : AF_INET6;
  return 0;
}

int ch_name_begin(struct ch_name_request *r, const char *service, const struct addrinfo *hints) {
  *r = (struct ch_name_request){0};
  if (hints)
    r->hints = *hints;
  else
    r->hints = (struct addrinfo){.ai_family = AF_UNSPEC, .ai_flags = AI_V4MAPPED | AI_ADDRCONFIG};
  r->hints.ai_addrlen = 0;
  r->hints.ai_addr = NULL;
  r->hints.ai_canonname = NULL;
  r->hints.ai_next = NULL;
  r->family = r->hints.ai_family;
  static const int families[2] = {AF_INET, AF_INET6};
  static const char *const addresses[2] = {"0.0.0.0", "::"};
  int error = EAI_FAMILY;
  if (r->hints.ai_flags & AI_ADDRCONFIG && (error = leave_out_unconfigured(r)) != 0)
    return error;
  for (int i = 0; i < 2; i++) {
    if (r->family != AF_UNSPEC && r->family != families[i] && !(i == 0 && ch_name_wants_mapped(r)))
      continue;
    struct addrinfo kind = r->hints;
    kind.ai_family = families[i];
    /* Unknown flags are passed on, so that the C library refuses them. */
    kind.ai_flags = (kind.ai_flags & ~(AI_CANONNAME | AI_V4MAPPED | AI_ALL | AI_ADDRCONFIG)) | AI_NUMERICHOST;
    error = getaddrinfo(addresses[i], service, &kind, &r->kinds[i]);
    if (error)
      break;
  }
  if (error)
    for (int i = 0; i < 2; i++)
      if (r->kinds[i])
        freeaddrinfo(r->kinds[i]);
  if (ch_name_wants_mapped(r) && r->hints.ai_flags & AI_ALL)
    r->hints.ai_family = AF_UNSPEC;
  return error;
}

int ch_name_wants_mapped(const struct ch_name_request *r) {
  return r->family == AF_INET6 && r->hints.ai_flags & AI_V4MAPPED;
}

/* An address with a socket type, protocol and port. NULL: no memory. */
static struct addrinfo *combine(const struct addrinfo *address, const struct addrinfo *kind, bool mapped, int flags) {
  struct addrinfo *a = calloc(1, sizeof *a + (mapped ? sizeof(struct sockaddr_in6) : address->ai_addrlen));
  if (!a)
    return NULL;
  a->ai_flags = flags;
  a->ai_family = mapped ? AF_INET6 : address->ai_family;
  a->ai_socktype = kind->ai_socktype;
  a->ai_protocol = kind->ai_protocol;
  a->ai_addr = (struct sockaddr *)(a + 1);
  in_port_t port = ((struct sockaddr_in *)kind->ai_addr)->sin_port; /* lies at the same offset for IPv6 */
  if (mapped) {
    struct sockaddr_in6 *to = (struct sockaddr_in6 *)a->ai_addr;
    a->ai_addrlen = sizeof *to;
    to->sin6_family = AF_INET6;
    to->sin6_addr.s6_addr[10] = to->sin6_addr.s6_addr[11] = 0xff;
    memcpy(to->sin6_addr.s6_addr + 12, &((struct sockaddr_in *)address->ai_addr)->sin_addr, 4);
  } else {
    a->ai_addrlen = address->ai_addrlen;
    memcpy(a->ai_addr, address->ai_addr, address->ai_addrlen);
  }
  ((struct sockaddr_in *)a->ai_addr)->sin_port = port;
  return a;
}

static void free_all(struct addrinfo *list) {
  if (list)
    freeaddrinfo(list);
}

void ch_name_give_up(struct ch_name_request *r) {
  for (int i = 0; i < 2; i++)
    free_all(r->kinds[i]);
}

int ch_name_end(struct ch_name_request *r, struct ch_dns_query *q, struct addrinfo **result) {
  struct addrinfo *list = NULL, **end = &list;
  int error = q->error;
  for (struct addrinfo *a = q->found; a && !error; a = a->ai_next)
    for (struct addrinfo *kind = r->kinds[a->ai_family == AF_INET6]; kind && !error; kind = kind->ai_next) {
      *end = combine(a, kind, r->family == AF_INET6 && a->ai_family == AF_INET, r->hints.ai_flags);
      if (*end)
        end = &(*end)->ai_next;
      else
        error = EAI_MEMORY;
    }
  if (!error && list && r->hints.ai_flags & AI_CANONNAME && q->found->ai_canonname) {
    list->ai_canonname = q->found->ai_canonname;
    q->found->ai_canonname = NULL;
  }
  if (!error && !list)
    error = EAI_NONAME;
  ch_dns_free(q);
  for (int i = 0; i < 2; i++)
    free_all(r->kinds[i]);
  if (error)
    free_all(list);
  else
    *result = list;
  return error;
}
