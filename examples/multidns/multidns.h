/* Looks up n names, in three ways. Each sets ress[i] (NULL if the name was not found), which the caller has to free by
 * freeaddrinfo, and returns how many names were not found. This is the papers' running example, "multi-getaddrinfo". */
#ifndef MULTIDNS_H
#define MULTIDNS_H

#include <netdb.h>

/* One after the other: plain C. */
int multi_getaddrinfo1(const char **nodes, const char **services, const struct addrinfo *hints, struct addrinfo **ress,
                       int n);

/* All at once: one activity for each name. */
int multi_getaddrinfo2(const char **nodes, const char **services, const struct addrinfo *hints, struct addrinfo **ress,
                       int n);

/* At most max_conc at a time. */
int multi_getaddrinfo3(const char **nodes, const char **services, const struct addrinfo *hints, struct addrinfo **ress,
                       int n, int max_conc);

/* Say on standard output which activity looks up which name. */
extern int verbose;

#endif
