/* getaddrinfo (where there is no c-ares), getnameinfo and gethostbyname, as calls for the pool. */
#ifndef CHARCOAL_POSIX_HOSTS_H
#define CHARCOAL_POSIX_HOSTS_H

#include "posix/attempt.h"
#include <netdb.h>

struct ch_name_info {
  const struct sockaddr *address;
  socklen_t length;
  char *host;
  socklen_t host_room;
  char *service;
  socklen_t service_room;
  int flags;
  int result, error; /* getnameinfo's, and its errno */
};
CH_HIDDEN long ch_call_getnameinfo(void *);

struct ch_address_query {
  const char *node, *service;
  const struct addrinfo *hints;
  struct addrinfo **found;
  int result, error; /* getaddrinfo's, and its errno */
};
CH_HIDDEN long ch_call_getaddrinfo(void *);

#define CH_HOST_ROOM 16384
struct ch_host_query {
  const char *name;    /* or else: */
  const void *address; /* of `length` bytes */
  socklen_t length;
  int family; /* 0: gethostbyname's own choice */
  struct hostent *to;
  char *room;
  size_t size;
  struct hostent **result;
  int *h_error;
  int error; /* the call's result */
};
CH_HIDDEN long ch_call_host(void *);

/* Keeps the answer, and its memory, for this thread until the next one; sets h_errno. NULL for none. */
CH_HIDDEN struct hostent *ch_host_keep(const struct hostent *, char *room, int h_error);

#endif
