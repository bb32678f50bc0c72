/* What every server for TCP does: prepares its process, listens, accepts, hangs up.
 *
 *   static void serve(int connection, void *data) { ... close(connection); }
 *
 *   ch_server_prepare(&stop);
 *   int listener = ch_listen(NULL, 8080, 0);
 *   serving: do {
 *     async ch_serve(listener, 10000, serve, NULL);
 *     sigwait(&stop, &signal);
 *     cancel serving;
 *   } finish;                                          all connections have ended here
 *
 * Result: 0 or an error number, unless a description says otherwise.
 * Threads: any thread with a domain, unless a description says otherwise. */
#ifndef CHARCOAL_SERVER_H
#define CHARCOAL_SERVER_H

#include <charcoal.h>
#include <charcoal/domains.h>
#include <signal.h>

#if defined(__GLIBC__) && !defined(__USE_POSIX)
#error "<charcoal/server.h> needs POSIX: -std=gnu11 in place of c11, or -D_POSIX_C_SOURCE=200809L"
#elif defined(__CHARCOAL__) || defined(CHARCOAL_RUNTIME) || defined(CHARCOAL_LIBRARY)

#ifdef __cplusplus
extern "C" {
#endif

/* Prepares the process: raises its limit of descriptors as far as the system allows, ignores SIGPIPE, and blocks
 * SIGTERM, SIGINT and SIGHUP. It stores a set of these three, for sigwait. A program calls it before it starts other
 * threads or domains, so that they inherit the blocked signals. Never blocks.
 * Result: nothing. */
void ch_server_prepare(sigset_t *);

/* Makes a socket that listens at an address of this machine. `address` is text for inet_pton, of either family, or NULL
 * for all addresses of IPv4. With port 0 the kernel chooses one (ch_port). With the flag CH_SHARE_PORT other sockets
 * that were made with it, also those of other processes, may listen at the same port; the kernel divides the
 * connections among them (SO_REUSEPORT). The connections do not wait to fill packets (TCP_NODELAY). The caller closes
 * the socket. Never blocks.
 * Result: the descriptor; or -1, and errno is EINVAL: the address or the port is not valid; or the error of socket,
 * bind or listen. */
int ch_listen(const char *address, int port, unsigned flags);
#define CH_SHARE_PORT 1u

/* Returns the port of this side of a socket. Never blocks.
 * Result: the port; or -1, and errno is that of getsockname.
 * Threads: any. */
int ch_port(int socket);

/* Accepts connections, and calls serve(connection, data) for each in an activity of its own, which closes the
 * connection. At most `most` are served at a time; further ones wait in the kernel's queue. If there are no descriptors
 * or no memory, it tries again every 100 ms.
 * Result: 0; or the error of accept. In both cases the listener has been closed, and the activities of all connections
 * have ended.
 * Cancel: accepts the connections that the kernel has let in until now, closes the listener, cancels the activities of
 * the connections, waits for their ends, and returns 0. `serve` puts what must not be interrupted into a
 * `noncancellable` block. */
int ch_serve(int listener, unsigned long most, void (*serve)(int connection, void *data), void *data);

/* A server in several domains, each in a thread of its own with a listener of its own at the same port. */
struct ch_servers_how {
  const char *address; /* this and the next member: as for ch_listen */
  int port;
  unsigned domains;   /* how many domains */
  unsigned long most; /* in each domain; this and the next two members: as for ch_serve */
  void (*serve)(int connection, void *data);
  void *data;
  const char *name; /* of the threads; as for ch_domains_start */
};
typedef struct ch_servers ch_servers;

/* Starts such a server: ch_serve runs in each of the domains. The caller owns the result until ch_servers_end.
 * Result: the server; or NULL, and errno is that of ch_listen or ch_domains_start.
 * Cancel: has no effect on it. */
ch_servers *ch_servers_start(const struct ch_servers_how *);
/* ch_servers_port returns the port, which is the same in all domains; ch_servers_domains returns the domains, in which
 * the program may begin tasks. Never block. */
int ch_servers_port(const ch_servers *);
ch_domains *ch_servers_domains(const ch_servers *);
/* Cancels ch_serve in each domain, and waits until all connections have ended. The domains go on. The program calls
 * this once.
 * Result: 0; or the first error with which a ch_serve had ended before.
 * Cancel: does not end the wait. */
int ch_servers_stop(ch_servers *);
/* Ends the domains, and frees the server. ch_servers_stop must have returned before.
 * Result: nothing.
 * Cancel: does not end the wait. */
void ch_servers_end(ch_servers *);

/* Closes a connection so that the other side can still read all that was sent to it. It sends the end of data, reads
 * and drops what still comes until the other side has sent its end, for at most `timeout` ns, and closes the
 * descriptor. (If a descriptor is closed while the other side sends, the kernel sends a reset, and the other side may
 * lose what it has not read yet.)
 * Result: 0; ETIMEDOUT: the other side has not sent its end in time; the descriptor is closed.
 * Cancel: closes the descriptor at once, and returns ECANCELED. */
int ch_hang_up(int connection, int64_t timeout);

#if defined(__CHARCOAL__)
CH_MAY_BLOCK(ch_serve);
CH_MAY_BLOCK(ch_hang_up);
#endif

#ifdef __cplusplus
}
#endif

#endif
#endif
