/* The choice of name servers. */
#define _GNU_SOURCE
#include "reactor/dns/servers.h"
#include "charcoal.h"
#include <arpa/inet.h>
#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

/* The choice of servers is the whole program's: one thread may choose others while another one reads the list. So a
 * list is neither freed nor changed, and the same text is kept only once. */
struct server_list {
  struct server_list *next;
  char text[];
};
static struct server_list *lists;  /* all that were ever chosen */
static struct server_list *chosen; /* NULL: the servers of the environment or of the system */
static unsigned choices;           /* how often the user has chosen; counted after `chosen` has been set */

int ch_dns_has_servers(void) { return __atomic_load_n(&chosen, __ATOMIC_ACQUIRE) || getenv("CHARCOAL_DNS"); }

unsigned ch_dns_choice(void) { return __atomic_load_n(&choices, __ATOMIC_ACQUIRE); }

const char *ch_dns_server_list(void) {
  const struct server_list *set = __atomic_load_n(&chosen, __ATOMIC_ACQUIRE);
  return set ? set->text : getenv("CHARCOAL_DNS");
}

/* a.b.c.d[:port] or [v6][:port], comma separated. */
static bool is_server_list(const char *list) {
  char copy[1024], *rest = copy, *item;
  if (strlen(list) >= sizeof copy || !*list)
    return false;
  strcpy(copy, list);
  while ((item = strsep(&rest, ","))) {
    char *port = NULL;
    struct in6_addr v6;
    struct in_addr v4;
    if (*item == '[') {
      char *end = strchr(item, ']');
      if (!end || (end[1] && end[1] != ':'))
        return false;
      port = end[1] ? end + 2 : NULL;
      *end = 0;
      if (inet_pton(AF_INET6, item + 1, &v6) != 1)
        return false;
    } else if (inet_pton(AF_INET6, item, &v6) != 1) {
      port = strchr(item, ':');
      if (port)
        *port++ = 0;
      if (inet_pton(AF_INET, item, &v4) != 1)
        return false;
    }
    if (port && (!*port || strspn(port, "0123456789") != strlen(port) || strtoul(port, NULL, 10) > 65535))
      return false;
  }
  return true;
}

/* The list with this text; NULL: no memory. */
static struct server_list *kept_list(const char *text) {
  struct server_list *first = __atomic_load_n(&lists, __ATOMIC_ACQUIRE);
  for (struct server_list *l = first; l; l = l->next)
    if (strcmp(l->text, text) == 0)
      return l;
  struct server_list *l = malloc(sizeof *l + strlen(text) + 1);
  if (!l)
    return NULL;
  strcpy(l->text, text);
  do
    l->next = first;
  while (!__atomic_compare_exchange_n(&lists, &first, l, false, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE));
  return l;
}

int ch_dns_servers(const char *list) {
  struct server_list *l = NULL;
  if (list && !is_server_list(list))
    return EINVAL;
  if (list && !(l = kept_list(list)))
    return ENOMEM;
  __atomic_store_n(&chosen, l, __ATOMIC_RELEASE);
  __atomic_fetch_add(&choices, 1, __ATOMIC_RELEASE);
  return 0;
}
