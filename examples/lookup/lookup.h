/* Asks several name servers for one name. From paper 002 (AC), figures 2 to 4. */
#ifndef LOOKUP_H
#define LOOKUP_H

#include <netinet/in.h>
#include <stdint.h>

struct server {
  struct sockaddr_in address;
};

/* Each returns 0 and sets *address; or ENOENT: there is no such name; ECANCELED: the scope around the call was
 * cancelled, and no answer was taken; or another error number. */

/* Asks one server. */
int lookup_one(const struct server *server, const char *name, struct in_addr *address);

/* Figure 2: asks all servers at the same time. EILSEQ: they do not agree. */
int lookup_all(const struct server *servers, int n, const char *name, struct in_addr *address);

/* Figure 3: asks all servers at the same time, and takes the first answer. */
int lookup_first(const struct server *servers, int n, const char *name, struct in_addr *address);

/* Figure 4: as lookup_first, but for at most `timeout` ns; then ECANCELED. */
int lookup_with_timeout(const struct server *servers, int n, const char *name, struct in_addr *address,
                        int64_t timeout);

/* The same in the short form. */
int lookup_within(const struct server *servers, int n, const char *name, struct in_addr *address, int64_t timeout);

#endif
