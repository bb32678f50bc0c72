/* Beneath tests/io/names.c: a C library whose name services answer when the test lets them, and no c-ares. */
#define _GNU_SOURCE
#include "names.h"
#include <dlfcn.h>
#include <errno.h>
#include <netdb.h>
#include <netinet/in.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

const char ch_functions_beneath = 1; /* the replacements shall call the functions of this file */

sem_t names_begun, names_answer;
int names_given;

void *dlopen(const char *name, int flags) {
  (void)flags;
  (void)name;
  return NULL;
}

static void wait_for_the_answer(void) {
  sem_post(&names_begun);
  while (sem_wait(&names_answer) != 0)
    continue;
}

int getaddrinfo(const char *node, const char *service, const struct addrinfo *hints, struct addrinfo **found) {
  (void)service;
  if (hints && hints->ai_flags & AI_NUMERICHOST)
    return EAI_NONAME;
  wait_for_the_answer();
  if (strcmp(node, "broken") == 0)
    return errno = EPROTO, EAI_SYSTEM;
  if (strcmp(node, "some.name") != 0)
    return EAI_NONAME;
  *found = calloc(1, sizeof **found);
  (*found)->ai_family = hints ? hints->ai_family : AF_INET;
  __atomic_add_fetch(&names_given, 1, __ATOMIC_SEQ_CST);
  return 0;
}
void freeaddrinfo(struct addrinfo *found) {
  __atomic_sub_fetch(&names_given, 1, __ATOMIC_SEQ_CST);
  free(found);
}

int getnameinfo(const struct sockaddr *a, socklen_t length, char *host, socklen_t host_room, char *service,
                socklen_t service_room, int flags) {
  (void)flags;
  wait_for_the_answer();
  if (length != sizeof(struct sockaddr_in) || ((const struct sockaddr_in *)a)->sin_port != 7)
    return EAI_FAMILY;
  if (host && host_room < 10)
    return EAI_OVERFLOW;
  if (host)
    strcpy(host, "some.name");
  if (service && service_room)
    strcpy(service, "echo");
  return 0;
}

static int answer(struct hostent *to, char *room, size_t size, struct hostent **result, int *h_error,
                  const char *name) {
  wait_for_the_answer();
  *result = NULL;
  if (!name || strcmp(name, "some.name") != 0)
    return *h_error = HOST_NOT_FOUND, 0;
  struct {
    char *aliases[2], *addresses[2];
    char address[4], name[10], alias[6];
  } *at;
  size_t skip = -(uintptr_t)room % _Alignof(void *);
  if (size < skip + sizeof *at)
    return *h_error = NETDB_INTERNAL, ERANGE;
  at = (void *)(room + skip);
  strcpy(at->name, "some.name");
  strcpy(at->alias, "alias");
  memcpy(at->address, "\x0a\1\2\3", 4);
  at->aliases[0] = at->alias;
  at->addresses[0] = at->address;
  at->aliases[1] = at->addresses[1] = NULL;
  *to = (struct hostent){at->name, at->aliases, AF_INET, 4, at->addresses};
  *result = to;
  return *h_error = 0;
}
int gethostbyname_r(const char *name, struct hostent *to, char *room, size_t size, struct hostent **result,
                    int *h_error) {
  return answer(to, room, size, result, h_error, name);
}
int gethostbyname2_r(const char *name, int family, struct hostent *to, char *room, size_t size, struct hostent **result,
                     int *h_error) {
  return answer(to, room, size, result, h_error, family == AF_INET ? name : NULL);
}
int gethostbyaddr_r(const void *address, socklen_t length, int family, struct hostent *to, char *room, size_t size,
                    struct hostent **result, int *h_error) {
  return answer(to, room, size, result, h_error,
                family == AF_INET && length == 4 && *(const char *)address == 10 ? "some.name" : NULL);
}
