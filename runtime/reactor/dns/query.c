/* A query: what is asked, how the answer is kept, and how many may be under way. */
#define _GNU_SOURCE
#include "activity/activity.h"
#include "frames/runtime_calls.h"
#include "reactor/dns/dns.h"
#include "reactor/dns/resolver.h"
#include "reactor/dns/servers.h"
#include "sched/child.h"
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

int ch_dns_available(void) { return ch_domain.current && ch_cares_available() && ch_resolver(); }

static __thread ch_sem *window;

/* Each lookup is two packets, the smallest socket buffers on the way hold some 270, and what does not fit is lost
 * without a word; dnsmasq refuses to have more than 150 lookups under way. */
#define UNDER_WAY 128

ch_sem *ch_dns_window(void) {
  if (!window && (window = malloc(sizeof *window)))
    *window = (ch_sem)CH_SEM_INIT(UNDER_WAY);
  return window;
}

/* Abandoned queries may be under way still, and post to the window when their resolver is freed. */
void ch_dns_end(void) {
  ch_resolvers_end();
  free(window);
  window = NULL;
}

static int eai_of(int status) {
  switch (status) {
  case ARES_SUCCESS:
    return 0;
  case ARES_ENODATA:
#ifdef EAI_NODATA
    return EAI_NODATA;
#endif
  case ARES_ENOTFOUND:
  case ARES_EBADNAME:
  case ARES_ENONAME:
    return EAI_NONAME;
  case ARES_ENOMEM:
    return EAI_MEMORY;
  case ARES_EBADFAMILY:
    return EAI_FAMILY;
  case ARES_EBADFLAGS:
  case ARES_EBADHINTS:
    return EAI_BADFLAGS;
  case ARES_ESERVICE:
    return EAI_SERVICE;
  case ARES_ESERVFAIL:
  case ARES_ETIMEOUT:
  case ARES_ECONNREFUSED:
  case ARES_EREFUSED:
    return EAI_AGAIN;
  default:
    return EAI_FAIL;
  }
}

static void free_list(struct addrinfo *list) {
  for (struct addrinfo *next; list; list = next) {
    next = list->ai_next;
    free(list->ai_canonname);
    free(list);
  }
}

static struct addrinfo *copy_list(const struct ares_addrinfo *result) {
  struct addrinfo *list = NULL, **end = &list;
  for (const struct ares_addrinfo_node *n = result->nodes; n; n = n->ai_next) {
    struct addrinfo *a = calloc(1, sizeof *a + (size_t)n->ai_addrlen);
    if (!a)
      return free_list(list), NULL;
    a->ai_family = n->ai_family;
    a->ai_addrlen = n->ai_addrlen;
    a->ai_addr = (struct sockaddr *)(a + 1);
    memcpy(a->ai_addr, n->ai_addr, (size_t)n->ai_addrlen);
    *end = a;
    end = &a->ai_next;
  }
  const char *canonical = result->name;
  for (const struct ares_addrinfo_cname *c = result->cnames; c; c = c->next)
    if (c->name)
      canonical = c->name;
  if (list && canonical && !(list->ai_canonname = strdup(canonical)))
    return free_list(list), NULL;
  return list;
}

static void ended(struct ch_dns_query *q) {
  if (q->abandoned) {
    ch_sem_post(ch_dns_window());
    ch_dns_free(q);
    return;
  }
  ch_group_now(q->group)->outside--;
  ch_sem_post(&q->done);
}

static void ask(struct ch_dns_query *, struct ch_resolver *);

/* In a child of fork, of a query of its parent's. */
static CH_COLD void inherited(struct ch_dns_query *q) {
  if (!q->abandoned && ch_is_gone(q->activity))
    ch_dns_abandon(q);
  struct ch_resolver *r = q->abandoned ? NULL : ch_resolver();
  if (r) {
    ask(q, r);
  } else {
    q->error = EAI_AGAIN;
    ended(q);
  }
}

static void answered(void *data, int status, int timeouts, struct ares_addrinfo *result) {
  struct ch_dns_query *q = data;
  (void)timeouts;
  if (!ch_resolver_answered(q->resolver)) {
    inherited(q);
    return;
  }
  q->error = eai_of(status);
  if (!q->error && !(q->found = copy_list(result)))
    q->error = result->nodes ? EAI_MEMORY : EAI_NONAME;
  if (result)
    ch_cares.freeaddrinfo(result);
  ended(q);
}

void ch_dns_abandon(struct ch_dns_query *q) {
  ch_group_now(q->group)->outside--;
  q->abandoned = 1;
}

void ch_dns_free(struct ch_dns_query *q) {
  free_list(q->found);
  free(q);
}

static void ask(struct ch_dns_query *q, struct ch_resolver *r) {
  struct ares_addrinfo_hints wanted = {
      .ai_family = q->family,
      .ai_socktype = SOCK_STREAM,
      .ai_flags = q->flags & AI_CANONNAME ? ARES_AI_CANONNAME : 0,
  };
  q->resolver = r;
  ch_resolver_ask(r, q->node, &wanted, answered, q);
}

struct ch_dns_query *ch_dns_start(const char *node, const struct addrinfo *hints) {
  CH_NO_CANCELLATION; /* c-ares opens files and sockets */
  size_t size = strlen(node) + 1;
  struct ch_resolver *r = ch_resolver(); /* the caller may have waited since ch_dns_available */
  struct ch_dns_query *q = r ? malloc(sizeof *q + size) : NULL;
  if (!q)
    return NULL;
  *q = (struct ch_dns_query){.group = ch_group_of(ch_domain.current),
                             .activity = ch_activity_of(ch_domain.current),
                             .family = hints->ai_family,
                             .flags = hints->ai_flags};
  memcpy(q->node, node, size);
  ch_group_now(q->group)->outside++;
  ask(q, r);
  return q;
}
