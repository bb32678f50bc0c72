/* What every client for TCP does first: finds a server by its name, and connects.
 *
 *   within (5000000000) do server = ch_dial("www.example.test", "http"); finish;       within five seconds
 *
 * Result: The functions return a socket, which the caller closes. It does not wait to fill packets (TCP_NODELAY), and
 * is closed by exec. If they fail, they return -1 and set errno.
 * Cancel: ends all attempts; the result is -1 with errno ECANCELED, and no socket is left.
 * Threads: any thread with a domain. */
#ifndef CHARCOAL_CLIENT_H
#define CHARCOAL_CLIENT_H

#include <charcoal.h>
#include <netdb.h>
#include <sys/socket.h>

#if defined(__GLIBC__) && !defined(__USE_XOPEN2K)
#error "<charcoal/client.h> needs POSIX: -std=gnu11 in place of c11, or -D_POSIX_C_SOURCE=200809L"
#elif defined(__CHARCOAL__) || defined(CHARCOAL_RUNTIME) || defined(CHARCOAL_LIBRARY)

#ifdef __cplusplus
extern "C" {
#endif

/* Looks up a host and a service, which is a name or a port, and connects to the first of their addresses that answers.
 * Waits for both. The addresses are tried in the order in which getaddrinfo returns them, but the two families take
 * turns. If an address fails, or has not answered after 250 ms, the next one is tried, too; when one is connected, the
 * other attempts are given up. A `within` around the call limits the time for all of this.
 * Result: the socket; or -1, and errno is ENXIO: there is no such host or service; EAGAIN: no name server has answered;
 * or the error of connect for the address that failed last; or ENOMEM, EMFILE and the like.
 * Source: "happy eyeballs", RFC 8305 without its sections 3 and 7. */
CH_INLINE int ch_dial(const char *host, const char *service);

/* Connects as ch_dial does to one of the addresses in a list that getaddrinfo has made for SOCK_STREAM. The caller owns
 * the list, which is only read.
 * Result: as ch_dial; errno is ENXIO if the list is empty. */
int ch_dial_addresses(const struct addrinfo *);

/* Private: the second half of ch_dial, which gets the result and the list of getaddrinfo. The call of getaddrinfo
 * stands in this header so that only programs that look up names contain that function, about which the linker warns in
 * static programs. */
int ch_dial_found(int error, struct addrinfo *found);
CH_INLINE int ch_dial(const char *host, const char *service) {
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
