#define _GNU_SOURCE
#include "posix/hosts.h"
#include <errno.h>
#include <stdlib.h>

long ch_call_getnameinfo(void *data) {
  struct ch_name_info *n = data;
  n->result = getnameinfo(n->address, n->length, n->host, n->host_room, n->service, n->service_room, n->flags);
  n->error = errno;
  return 0;
}

long ch_call_getaddrinfo(void *data) {
  struct ch_address_query *q = data;
  q->result = getaddrinfo(q->node, q->service, q->hints, q->found);
  q->error = errno;
  return 0;
}

long ch_call_host(void *data) {
  struct ch_host_query *q = data;
  if (q->address)
    q->error = gethostbyaddr_r(q->address, q->length, q->family, q->to, q->room, q->size, q->result, q->h_error);
  else if (q->family)
    q->error = gethostbyname2_r(q->name, q->family, q->to, q->room, q->size, q->result, q->h_error);
  else
    q->error = gethostbyname_r(q->name, q->to, q->room, q->size, q->result, q->h_error);
  return 0;
}

struct hostent *ch_host_keep(const struct hostent *found, char *room, int h_error) {
  static __thread struct hostent *kept;
  static __thread char *kept_room;
  h_errno = h_error;
  if (!found) {
    free(room);
    return NULL;
  }
  if (!kept && !(kept = malloc(sizeof *kept))) {
    free(room);
    return NULL;
  }
  free(kept_room);
  kept_room = room;
  *kept = *found;
  return kept;
}
