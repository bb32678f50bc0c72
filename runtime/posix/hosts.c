/* Name look-ups of the C library as calls for the pool. hosts.h says who owns their memory. */
#define _GNU_SOURCE
#include "posix/hosts.h"
#include "reactor/dns/servers.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* ---- getaddrinfo ---- */

struct ch_address_query {
  struct ch_abandoned own;
  const char *node, *service;
  const struct addrinfo *hints;
  struct addrinfo *found;
  int result, error, h_error; /* getaddrinfo's, and its errno and h_errno */
  struct addrinfo hints_room;
  char text[];
};

static void release_address_query(void *data) {
  struct ch_address_query *q = data;
  if (q->result == 0 && q->found)
    freeaddrinfo(q->found);
  free(q);
}

static size_t bytes(const char *s) { return s ? strlen(s) + 1 : 0; }
/* Copies it to *to, and moves that after it. */
static const char *put(char **to, const char *s) {
  const char *at = *to;
  if (!s)
    return NULL;
  *to = stpcpy(*to, s) + 1;
  return at;
}

struct ch_address_query *ch_address_query(const char *node, const char *service, const struct addrinfo *hints) {
  struct ch_address_query *q = calloc(1, sizeof *q + bytes(node) + bytes(service));
  if (!q)
    return NULL;
  char *to = q->text;
  q->own.release = release_address_query;
  q->node = put(&to, node);
  q->service = put(&to, service);
  if (hints) {
    q->hints_room = *hints;
    q->hints = &q->hints_room;
  }
  return q;
}

long ch_call_getaddrinfo(void *data) {
  struct ch_address_query *q = data;
  q->result = getaddrinfo(q->node, q->service, q->hints, &q->found);
  q->error = errno;
  q->h_error = h_errno;
  return 0;
}

int ch_address_query_end(struct ch_address_query *q, struct addrinfo **found) {
  int result = q->result;
  if (result == 0)
    *found = q->found;
  else
    h_errno = q->h_error;
  if (result == EAI_SYSTEM)
    errno = q->error;
  free(q);
  return result;
}

/* ---- getnameinfo ---- */

struct ch_name_info {
  struct ch_abandoned own;
  struct sockaddr *address;
  socklen_t length;
  char *host;
  socklen_t host_room;
  char *service;
  socklen_t service_room;
  int flags;
  int result, error, h_error; /* getnameinfo's, and its errno and h_errno */
  struct sockaddr_storage address_room;
  char text[];
};

int ch_plain_getnameinfo(const struct sockaddr *address, socklen_t length, char *host, socklen_t host_room,
                         char *service, socklen_t service_room, int flags) {
  return getnameinfo(address, length, host, host_room, service, service_room, flags);
}

struct ch_name_info *ch_name_info(const struct sockaddr *address, socklen_t length, socklen_t host_room,
                                  socklen_t service_room, int flags) {
  struct ch_name_info *n = calloc(1, sizeof *n + host_room + service_room);
  if (!n)
    return NULL;
  n->own.release = free;
  n->address = (struct sockaddr *)&n->address_room;
  n->length = length < sizeof n->address_room ? length : (socklen_t)sizeof n->address_room;
  memcpy(n->address, address, n->length);
  n->host = host_room ? n->text : NULL;
  n->host_room = host_room;
  n->service = service_room ? n->text + host_room : NULL;
  n->service_room = service_room;
  n->flags = flags;
  return n;
}

long ch_call_getnameinfo(void *data) {
  struct ch_name_info *n = data;
  n->result = getnameinfo(n->address, n->length, n->host, n->host_room, n->service, n->service_room, n->flags);
  n->error = errno;
  n->h_error = h_errno;
  return 0;
}

int ch_name_info_end(struct ch_name_info *n, char *host, char *service) {
  int result = n->result;
  if (result == 0 && n->host)
    strcpy(host, n->host);
  if (result == 0 && n->service)
    strcpy(service, n->service);
  if (result == EAI_NONAME || result == EAI_AGAIN || result == EAI_FAIL)
    h_errno = n->h_error;
  if (result == EAI_SYSTEM)
    errno = n->error;
  free(n);
  return result;
}

/* ---- gethostbyname and its like ---- */

enum { ROOM = 16384, ALIGNMENT = 16 };

struct ch_host_query {
  struct ch_abandoned own;
  const char *name;
  const void *address;
  socklen_t length;
  int family;
  struct hostent host, *found;
  char *room; /* aligned as the caller's buffer is, so that the answer can be moved there as it is */
  size_t size;
  int h_error, error; /* the call's results */
  char memory[] __attribute__((aligned(ALIGNMENT)));
};

struct ch_host_query *ch_host_query(const char *name, const void *address, socklen_t length, int family,
                                    const char *room, size_t size) {
  size_t shift = room ? (uintptr_t)room % ALIGNMENT : 0;
  if (!room)
    size = ROOM;
  struct ch_host_query *q = aligned_alloc(ALIGNMENT, (sizeof *q + shift + size + bytes(name) + length + ALIGNMENT - 1) /
                                                         ALIGNMENT * ALIGNMENT);
  if (!q)
    return NULL;
  *q = (struct ch_host_query){.own.release = free, .length = length, .family = family, .size = size};
  q->room = q->memory + shift;
  char *to = q->room + size;
  if (address)
    q->address = memcpy(to, address, length);
  else
    q->name = put(&to, name);
  return q;
}

long ch_call_host(void *data) {
  struct ch_host_query *q = data;
  if (q->address)
    q->error = gethostbyaddr_r(q->address, q->length, q->family, &q->host, q->room, q->size, &q->found, &q->h_error);
  else if (q->family)
    q->error = gethostbyname2_r(q->name, q->family, &q->host, q->room, q->size, &q->found, &q->h_error);
  else
    q->error = gethostbyname_r(q->name, &q->host, q->room, q->size, &q->found, &q->h_error);
  return 0;
}

static void *moved(void *p, const struct ch_host_query *q, char *room) {
  char *at = p;
  return at >= q->room && at < q->room + q->size ? room + (at - q->room) : p;
}

static void move_list(char **list, const struct ch_host_query *q, char *room) {
  for (; list && *list; list++)
    *list = moved(*list, q, room);
}

int ch_host_query_end(struct ch_host_query *q, struct hostent *to, char *room, struct hostent **result, int *h_error) {
  int error = q->error;
  *result = NULL;
  *h_error = q->h_error;
  if (q->found) {
    move_list(q->host.h_aliases, q, room);
    move_list(q->host.h_addr_list, q, room);
    memcpy(room, q->room, q->size);
    *to = (struct hostent){.h_name = moved(q->host.h_name, q, room),
                           .h_aliases = moved(q->host.h_aliases, q, room),
                           .h_addrtype = q->host.h_addrtype,
                           .h_length = q->host.h_length,
                           .h_addr_list = moved(q->host.h_addr_list, q, room)};
    *result = to;
  }
  free(q);
  return error;
}

struct hostent *ch_host_query_keep(struct ch_host_query *q) {
  static __thread struct ch_host_query *kept;
  if (!q->found) {
    h_errno = q->h_error;
    if (q->error)
      errno = q->error;
    free(q);
    return NULL;
  }
  free(kept);
  kept = q;
  return &q->host;
}

int ch_plain_gethostbyaddr_r(const void *address, socklen_t length, int family, struct hostent *to, char *room,
                             size_t size, struct hostent **result, int *h_error) {
  return gethostbyaddr_r(address, length, family, to, room, size, result, h_error);
}
struct hostent *ch_plain_gethostbyaddr(const void *address, socklen_t length, int family) {
  return gethostbyaddr(address, length, family);
}

struct hostent *ch_host_none(void) { return h_errno = NO_RECOVERY, NULL; }

int ch_names_are_the_systems(void) { return !ch_dns_has_servers(); }
