/* What every client for TCP does first: finds a server by its name, and connects.
 *
 *   within (5000000000) do server = ch_dial("www.example.test", "http"); finish;
 *
 * Times are nanoseconds. */
#ifndef CHARCOAL_CLIENT_H
#define CHARCOAL_CLIENT_H

#include <charcoal.h>
#include <netdb.h>
#include <sys/socket.h>

#if defined(__CHARCOAL__) || defined(CHARCOAL_RUNTIME) || defined(CHARCOAL_LIBRARY)

#ifdef __cplusplus
extern "C" {
#endif

/* Connects to the first address that answers, of those that getaddrinfo finds for a host and a service, which is a name
 * or a port. Addresses are tried in their order, the families in turns; each is given 250 ms before the next one is
 * tried, too, and when one is connected the other attempts are given up. So an address that does not answer delays the
 * connection by 250 ms at most ("happy eyeballs", RFC 8305 without its sections 3 and 7). A limit for all of it is a
 * `within` around the call.
 * Result: a socket, which the caller closes. It does not wait to fill packets (TCP_NODELAY), and is closed by exec.
 * Otherwise -1, and errno is ENXIO: there is no such host or service; EAGAIN: no server of names has answered; what
 * connect has said of the address that failed last; or ENOMEM, EMFILE and the like.
 * Cancel: ends all attempts; -1 and ECANCELED, and no socket is left.
 * Threads: any that is a domain. */
static inline int ch_dial(const char *host, const char *service);

/* The same for a list that the program has, as getaddrinfo makes it for SOCK_STREAM. It is only read. If it is empty,
 * errno is ENXIO. */
int ch_dial_addresses(const struct addrinfo *);

/* What ch_dial does with the result and the list of getaddrinfo. That call stands in the header, so that only programs
 * that look up names contain what does so: in static ones the linker warns of it. */
int ch_dial_found(int error, struct addrinfo *found);
static inline int ch_dial(const char *host, const char *service) {
  struct addrinfo wanted, *found = NULL;
  __builtin_memset(&wanted, 0, sizeof wanted);
  wanted.ai_socktype = SOCK_STREAM;
  return ch_dial_found(getaddrinfo(host, service, &wanted, &found), found);
}

#ifdef __cplusplus
}
#endif

#endif
#endif
