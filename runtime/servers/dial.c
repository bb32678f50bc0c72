/* Connecting to the first address that answers (charcoal/client.h), in Charcoal C: RFC 8305, sections 4 and 5. */
#define _GNU_SOURCE
#include "charcoal.h"
#include <charcoal/dialect.h>
#include "charcoal/client.h"
#include "posix/descriptors.h"
#include "posix/socket_calls.h"
#include <errno.h>
#include <netdb.h>
#include <netinet/tcp.h>
#include <stdbool.h>
#include <sys/socket.h>

#pragma weak freeaddrinfo /* it is linked only into programs that call getaddrinfo: see ch_dial */

/* So long an attempt is alone before the next one begins (RFC 8305, section 8). */
#define HEAD_START 250000000

/* ---- the order: the family of the first address and the others in turns ---- */

struct turns {
  int family;
  bool others;                      /* whether the other families have the next turn */
  const struct addrinfo *remain[2]; /* the next address of the family, and of the others */
};

static const struct addrinfo *find(const struct addrinfo *a, int family, bool others) {
  while (a && (a->ai_family != family) != others)
    a = a->ai_next;
  return a;
}

static struct turns begin_turns(const struct addrinfo *list) {
  int family = list ? list->ai_family : AF_UNSPEC;
  return (struct turns){.family = family, .remain = {list, find(list, family, true)}};
}

/* NULL: there are no more. */
static const struct addrinfo *next_address(struct turns *t) {
  bool others = t->remain[t->others] ? t->others : !t->others;
  const struct addrinfo *a = t->remain[others];
  if (a)
    t->remain[others] = find(a->ai_next, t->family, others);
  t->others = !others;
  return a;
}

/* ---- the attempts ---- */

static int try_address(const struct addrinfo *a) {
  int s = ch_plain_socket(a->ai_family, a->ai_socktype | SOCK_CLOEXEC, a->ai_protocol);
  if (s < 0)
    return -1;
  ch_socket_set(s, IPPROTO_TCP, TCP_NODELAY, 1);
  if (ch_socket_connect(s, a->ai_addr, a->ai_addrlen) == 0)
    return s;
  int error = errno;
  ch_socket_close(s);
  return errno = error, -1;
}

int ch_dial_addresses(const struct addrinfo *list) {
  struct turns turns = begin_turns(list);
  const struct addrinfo *a = next_address(&turns);
  int winner = -1, error = ENXIO;
  ch_sem failures;
  ch_sem_init(&failures, 0);
attempts:
  do {
    while (a && winner < 0) {
      async(a) {
        int s = try_address(a);
        if (s < 0) {
          error = errno;
          ch_sem_post(&failures);
        } else if (winner < 0) {
          winner = s;
          cancel attempts;
        } else {
          ch_socket_close(s); /* another branch has connected, too, and was first */
        }
      }
      a = next_address(&turns);
      if (a && ch_sem_timedwait(&failures, HEAD_START) == ECANCELED)
        break;
    }
  }
  finish;
  ch_sem_destroy(&failures);
  if (winner < 0)
    errno = error;
  return winner;
}

/* ---- names ---- */

static int error_of_name(int error) {
  switch (error) {
  case EAI_SYSTEM:
    return errno;
  case EAI_MEMORY:
    return ENOMEM;
  case EAI_AGAIN:
    return EAGAIN;
  default:
    return ENXIO;
  }
}

int ch_dial_found(int error, struct addrinfo *found) {
  if (error)
    return errno = error_of_name(error), -1;
  int s = ch_dial_addresses(found);
  error = errno;
  freeaddrinfo(found);
  if (s < 0)
    errno = error;
  return s;
}
