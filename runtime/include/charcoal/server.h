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
 * Times are nanoseconds. Unless a description says otherwise, a function may be called in any activity. */
#ifndef CHARCOAL_SERVER_H
#define CHARCOAL_SERVER_H

#include <charcoal.h>
#include <charcoal/domains.h>
#include <signal.h>

#if defined(__CHARCOAL__) || defined(CHARCOAL_RUNTIME) || defined(CHARCOAL_LIBRARY)

#ifdef __cplusplus
extern "C" {
#endif

/* Prepares the process, before it starts other threads or domains: raises its limit of descriptors as far as the system
 * allows, ignores SIGPIPE, and blocks SIGTERM, SIGINT and SIGHUP, which are put into the set for sigwait. Never blocks.
 */
void ch_server_prepare(sigset_t *);

/* Makes a socket that listens at an address of this machine: text for inet_pton, of either family, or NULL for all
 * addresses of IPv4. The port is 0 for any. With CH_SHARE_PORT other sockets that say so, too, may listen at the same
 * port, also those of other processes; the kernel divides the connections among them (SO_REUSEPORT). Its connections do
 * not wait to fill packets (TCP_NODELAY). The caller closes the socket. Never blocks.
 * Result: the descriptor; or -1, and errno is EINVAL: the text is no address, or the port no port; or what socket, bind
 * or listen say. */
int ch_listen(const char *address, int port, unsigned flags);
#define CH_SHARE_PORT 1u

/* Returns the port of this side of a socket, or -1 and errno as getsockname sets it. Never blocks.
 * Threads: any. */
int ch_port(int socket);

/* Accepts connections, and calls serve(connection, data) for each in an activity of its own, which closes the
 * connection. At most `most` are served at a time; further ones wait in the kernel's queue. If there are no descriptors
 * or no memory, it tries again every 100 ms.
 * Result: 0; or the error of accept. Either way the listener is closed then, and no activity of a connection is left.
 * Cancel: accepts what the kernel has let in until now, closes the listener, cancels the activities of the connections,
 * waits for their ends, and returns 0. What an activity is not to be interrupted in stands in `noncancellable`. */
int ch_serve(int listener, unsigned long most, void (*serve)(int connection, void *data), void *data);

/* The same in several domains, each in a thread of its own, with a listener of its own at the same port. */
struct ch_servers_how {
  const char *address; /* as for ch_listen, as is */
  int port;
  unsigned domains;   /* how many */
  unsigned long most; /* connections at a time in each; as for ch_serve, as are */
  void (*serve)(int connection, void *data);
  void *data;
  const char *name; /* of the threads; as for ch_domains_start */
};
typedef struct ch_servers ch_servers;

/* Starts them. The caller owns the result until ch_servers_end.
 * Result: NULL: errno is that of ch_listen or ch_domains_start.
 * Cancel: has no effect on it. */
ch_servers *ch_servers_start(const struct ch_servers_how *);
/* Return the port, which is the same for all, and the domains, in which the program may begin tasks. Never block. */
int ch_servers_port(const ch_servers *);
ch_domains *ch_servers_domains(const ch_servers *);
/* Cancels ch_serve in each domain, and waits until all connections have ended. The domains stay. To be called once.
 * Result: 0; or the error with which a ch_serve had ended before.
 * Cancel: does not end the wait. */
int ch_servers_stop(ch_servers *);
/* Ends the domains, after ch_servers_stop, and frees the servers.
 * Cancel: does not end the wait. */
void ch_servers_end(ch_servers *);

/* Closes a connection without taking from the other side what was sent last: says that nothing follows, drops what
 * still comes until the other side says the same, for at most so long, and closes the descriptor. If a descriptor is
 * closed while the other side sends, that gets a reset, and may lose what it has not read.
 * Result: 0; ETIMEDOUT: the other side has not come to an end.
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
