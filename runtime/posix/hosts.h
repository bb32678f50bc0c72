/* getaddrinfo (where there is no c-ares), getnameinfo and gethostbyname, as calls for the pool.
 *
 * Such a call cannot be ended early. But it works on a copy of its arguments, in memory of its own, so a cancelled
 * caller need not wait for its end (CH_CALL_ABANDONED), and the caller's memory is not touched afterwards.
 */
#ifndef CHARCOAL_POSIX_HOSTS_H
#define CHARCOAL_POSIX_HOSTS_H

#include "posix/operations.h"
#include <netdb.h>

/* Weak, for a static program that never looks up names should not be made to contain how, and be warned of it. Whoever
 * calls one of them has linked it. */
#pragma weak getaddrinfo
#pragma weak freeaddrinfo
#pragma weak getnameinfo
#pragma weak gethostbyname
#pragma weak gethostbyname2
#pragma weak gethostbyaddr
#pragma weak gethostbyname_r
#pragma weak gethostbyname2_r
#pragma weak gethostbyaddr_r

/* Whether the C library may be asked in its own way, although c-ares could be: the user has named no servers. */
CH_HIDDEN int ch_names_are_the_systems(void);

/* NULL: no memory, errno. Then ch_do_call with the function, and _end with the outcome, which releases the query. */
struct ch_address_query;
CH_HIDDEN struct ch_address_query *ch_address_query(const char *node, const char *service,
                                                    const struct addrinfo *hints);
CH_HIDDEN long ch_call_getaddrinfo(void *);
CH_HIDDEN int ch_address_query_end(struct ch_address_query *, struct addrinfo **found);

struct ch_name_info;
CH_HIDDEN struct ch_name_info *ch_name_info(const struct sockaddr *, socklen_t, socklen_t host_room,
                                            socklen_t service_room, int flags);
CH_HIDDEN long ch_call_getnameinfo(void *);
CH_HIDDEN int ch_name_info_end(struct ch_name_info *, char *host, char *service);
CH_HIDDEN int ch_plain_getnameinfo(const struct sockaddr *, socklen_t, char *host, socklen_t host_room, char *service,
                                   socklen_t service_room, int flags);

/* By name, or else by address, of `length` bytes. family 0: gethostbyname's own choice. The answer is laid out for
 * `room`, of `size` bytes; room NULL: for memory of its own. */
struct ch_host_query;
CH_HIDDEN struct ch_host_query *ch_host_query(const char *name, const void *address, socklen_t length, int family,
                                              const char *room, size_t size);
CH_HIDDEN long ch_call_host(void *);
/* The reentrant calls' results: 0 or an error number. */
CH_HIDDEN int ch_host_query_end(struct ch_host_query *, struct hostent *to, char *room, struct hostent **result,
                                int *h_error);
/* The others': the answer and its memory are kept for this thread until the next one. NULL, with h_errno and errno. */
CH_HIDDEN struct hostent *ch_host_query_keep(struct ch_host_query *);
CH_HIDDEN int ch_plain_gethostbyaddr_r(const void *, socklen_t, int family, struct hostent *to, char *room, size_t size,
                                       struct hostent **result, int *h_error);
CH_HIDDEN struct hostent *ch_plain_gethostbyaddr(const void *, socklen_t, int family);
/* The call was refused, or cancelled; or no memory. */
CH_HIDDEN struct hostent *ch_host_none(void);

#endif
