/* The resolvers of a thread. */
#define _GNU_SOURCE
#include "reactor/dns/resolver.h"
#include "activity/activity.h"
#include "frames/interposed.h"
#include "frames/runtime_calls.h"
#include "reactor/dns/dns.h"
#include "reactor/dns/servers.h"
#include "reactor/reactor.h"
#include "reactor/runtime_descriptors.h"
#include "reactor/timer.h"
#include "reactor/times.h"
#include "sched/child.h"
#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/time.h>

struct watch {
  struct watch *next;
  struct ch_resolver *resolver;
  struct ch_clause clause;
  int slot, wanted; /* `wanted`: the poll events that c-ares wants; 0: none */
  bool watching;    /* the clause is registered */
};

struct ch_resolver {
  struct ch_resolver *next, **at; /* in `resolvers` */
  ares_channel channel;
  struct watch *watches;
  struct ch_clause timer;
  bool timing;    /* the timer is registered */
  bool inherited; /* its queries are the parent's */
  bool working;   /* a function of c-ares runs: watches are only noted, and registered after it */
  unsigned outstanding;
  unsigned choice;  /* ch_dns_choice() when it was made: it asks the servers of that choice */
  struct stat read; /* what CONFIGURATION was when this resolver was made; compared by same_configuration */
};

static __thread struct ch_resolver *resolvers; /* this thread's, the newest first: no other one gets new queries */

/* It changes when the machine joins another network, so each query looks whether it has, as the C library does. */
#define CONFIGURATION "/etc/resolv.conf"
static struct stat configuration(void) {
  struct stat is;
  int saved = errno;
  if (stat(CONFIGURATION, &is) < 0)
    is = (struct stat){0};
  errno = saved;
  return is;
}
static bool same_configuration(const struct stat *a, const struct stat *b) {
  return a->st_dev == b->st_dev && a->st_ino == b->st_ino && a->st_size == b->st_size &&
         a->st_mtim.tv_sec == b->st_mtim.tv_sec && a->st_mtim.tv_nsec == b->st_mtim.tv_nsec;
}

/* The one that new queries go to; NULL: there is none yet, or it asks servers of an earlier choice or configuration. */
static struct ch_resolver *current(void) {
  struct ch_resolver *r = resolvers;
  if (!r || r->inherited || r->choice != ch_dns_choice())
    return NULL;
  const struct stat now = configuration();
  return same_configuration(&r->read, &now) ? r : NULL;
}

static void settle(struct ch_resolver *);

/* Lets c-ares read from the one socket, write to the other, and look at its clock. */
static void process(struct ch_resolver *r, ares_socket_t in, ares_socket_t out) {
  CH_NO_CANCELLATION;
  r->working = true;
  ch_cares.process_fd(r->channel, in, out);
  r->working = false;
  settle(r);
}

static void ready(struct ch_clause *c) {
  struct watch *w = (struct watch *)((char *)c - offsetof(struct watch, clause));
  struct ch_resolver *r = w->resolver;
  int events = (int)c->value;
  w->watching = false;
  if (events < 0)
    return; /* the watch could not be registered, so the query will time out */
  if (events & POLLNVAL)
    return settle(r); /* the socket has another number now */
  bool in = events & (POLLIN | POLLERR | POLLHUP) && w->wanted & POLLIN, out = events & POLLOUT && w->wanted & POLLOUT;
  process(r, in ? w->slot : ARES_SOCKET_BAD, out ? w->slot : ARES_SOCKET_BAD);
}

static void due(struct ch_clause *c) {
  struct ch_resolver *r = (struct ch_resolver *)((char *)c - offsetof(struct ch_resolver, timer));
  r->timing = false;
  process(r, ARES_SOCKET_BAD, ARES_SOCKET_BAD);
}

/* Called by c-ares, from inside any of its functions. */
static void socket_changed(void *data, ares_socket_t slot, int readable, int writable) {
  struct ch_resolver *r = data;
  struct watch *w = r->watches;
  while (w && w->slot != slot)
    w = w->next;
  if (!w) {
    if (!readable && !writable)
      return;
    w = calloc(1, sizeof *w);
    if (!w)
      return; /* without a watch the query will time out */
    w->resolver = r;
    w->slot = slot;
    w->next = r->watches;
    r->watches = w;
  }
  w->wanted = (readable ? POLLIN : 0) | (writable ? POLLOUT : 0);
  /* A socket that c-ares is about to close must leave the reactor now. */
  if (w->watching) {
    ch_clause_unwatch(&w->clause);
    w->watching = false;
  }
}

/* Its queries end, and it closes its sockets, for which c-ares calls socket_changed. */
static void free_resolver(struct ch_resolver *r) {
  if (r->timing)
    ch_clause_unwatch(&r->timer);
  r->timing = false;
  r->working = true;
  ch_cares.destroy(r->channel);
  for (struct watch *w = r->watches, *next; w; w = next)
    next = w->next, free(w);
  *r->at = r->next;
  if (r->next)
    r->next->at = r->at;
  free(r);
}

/* Sets the timer, or an earlier one: a query may be due before those that came earlier and are asked again less often.
 */
static void set_timer(struct ch_resolver *r) {
  struct timeval t;
  if (!ch_cares.timeout(r->channel, NULL, &t))
    return;
  struct ch_clause c = ch_timer_clause(ch_duration_of_timeval(&t) + 1000000);
  if (r->timing && c.value >= r->timer.value)
    return;
  if (r->timing)
    ch_clause_unwatch(&r->timer);
  r->timer = c;
  r->timing = true;
  ch_clause_watch(&r->timer, due);
}

/* Registers with the reactor what c-ares wants, which no other function does, and frees a resolver of earlier servers
 * that has nothing left to do. */
static void settle(struct ch_resolver *r) {
  if (r->working)
    return;
  for (struct watch **at = &r->watches; *at;) {
    struct watch *w = *at;
    if (!w->wanted) {
      *at = w->next;
      free(w);
      continue;
    }
    if (!w->watching) {
      w->clause = ch_fd_clause(ch_runtime_descriptor(w->slot), w->wanted);
      w->watching = true;
      ch_clause_watch(&w->clause, ready);
    }
    at = &w->next;
  }
  if (r->outstanding > 0) {
    set_timer(r);
  } else if (r != current()) {
    free_resolver(r);
  } else if (r->timing) {
    ch_clause_unwatch(&r->timer);
    r->timing = false;
  }
}

/* The default of c-ares, 5 s, makes every lost packet a long wait. Ours doubles as well: 0.75, 1.5, 3, 6, 12 s. */
#define CARES_DEFAULT_MS 5000
#define FIRST_TRY_MS 750
#define TRIES 5

/* Whether resolv.conf (or RES_OPTIONS) says something about timeouts, which then holds. */
static bool has_timeout(ares_channel channel) {
  struct ares_options saved;
  int mask = 0;
  if (ch_cares.save_options(channel, &saved, &mask) != ARES_SUCCESS)
    return true;
  bool has = saved.timeout != CARES_DEFAULT_MS;
  ch_cares.destroy_options(&saved);
  return has;
}

static void hook(void);

static struct ch_resolver *make_resolver(void) {
  struct ch_resolver *r = calloc(1, sizeof *r);
  if (!r)
    return NULL;
  r->read = configuration(); /* before it is read: if it changes meanwhile it is read again */
  struct ares_options options = {
      .timeout = FIRST_TRY_MS, .tries = TRIES, .sock_state_cb = socket_changed, .sock_state_cb_data = r};
  int error = ch_cares.init_options(&r->channel, &options, ARES_OPT_SOCK_STATE_CB);
  if (!error && !has_timeout(r->channel)) {
    ch_cares.destroy(r->channel);
    error = ch_cares.init_options(&r->channel, &options, ARES_OPT_SOCK_STATE_CB | ARES_OPT_TIMEOUTMS | ARES_OPT_TRIES);
  }
  if (error) {
    free(r);
    return NULL;
  }
  ch_cares.set_socket_functions(r->channel, &ch_cares_sockets, NULL);
  r->choice = ch_dns_choice();
  const char *list = ch_dns_server_list();
  if (list && ch_cares.set_servers(r->channel, list) != ARES_SUCCESS)
    fprintf(stderr,
            "charcoal: warning: CHARCOAL_DNS='%s' is ignored; write addresses such as 127.0.0.1:5353, with ',' "
            "between them\n",
            list);
  r->next = resolvers;
  r->at = &resolvers;
  if (r->next)
    r->next->at = &r->next;
  static pthread_once_t once = PTHREAD_ONCE_INIT;
  ch_library_once(&once, hook);
  return resolvers = r;
}

struct ch_resolver *ch_resolver(void) {
  struct ch_resolver *r = current();
  if (r)
    return r;
  if (resolvers && !resolvers->inherited)
    settle(resolvers); /* frees it, if it has nothing to do */
  return make_resolver();
}

void ch_resolver_ask(struct ch_resolver *r, const char *node, const struct ares_addrinfo_hints *hints,
                     ares_addrinfo_callback answered, void *data) {
  bool outermost = !r->working;
  r->outstanding++;
  r->working = true;
  ch_cares.getaddrinfo(r->channel, node, NULL, hints, answered, data);
  if (outermost)
    r->working = false;
  settle(r);
}

bool ch_resolver_answered(struct ch_resolver *r) {
  r->outstanding--;
  return CH_LIKELY(!r->inherited);
}

void ch_resolvers_end(void) {
  while (resolvers)
    free_resolver(resolvers);
}

/* ---- in a child of fork ----
 *
 * Its parent's queries are dropped where the child first waits, when the parent's other activities are gone. */

static void in_child(void) {
  for (struct ch_resolver *r = resolvers; r; r = r->next)
    r->inherited = true;
  ch_domain.asks_again = resolvers != NULL;
}
static void hook(void) { ch_child_hook(in_child); }

void ch_dns_ask_again(void) {
  ch_domain.asks_again = false;
  for (struct ch_resolver *r = resolvers, *next; r; r = next) {
    next = r->next;
    if (r->inherited)
      free_resolver(r);
  }
}
