/* Looks up names through c-ares. dns.h says how long queries and resolvers live. */
#define _GNU_SOURCE
#include "reactor/dns.h"
#include "activity/activity.h"
#include "reactor/reactor.h"
#include "reactor/runtime_descriptors.h"
#include "reactor/timer.h"
#include "reactor/times.h"
#include "sched/child.h"
#include <ares.h>
#include <arpa/inet.h>
#include <dlfcn.h>
#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <sys/uio.h>

/* ---- c-ares, loaded ---- */

static struct {
  bool loaded;
  int (*library_init)(int);
  int (*init_options)(ares_channel *, struct ares_options *, int);
  void (*destroy)(ares_channel);
  int (*set_servers)(ares_channel, const char *);
  void (*getaddrinfo)(ares_channel, const char *, const char *, const struct ares_addrinfo_hints *,
                      ares_addrinfo_callback, void *);
  void (*freeaddrinfo)(struct ares_addrinfo *);
  void (*process_fd)(ares_channel, ares_socket_t, ares_socket_t);
  struct timeval *(*timeout)(ares_channel, struct timeval *, struct timeval *);
  int (*save_options)(ares_channel, struct ares_options *, int *);
  void (*destroy_options)(struct ares_options *);
  void (*set_socket_functions)(ares_channel, const struct ares_socket_functions *, void *);
} cares;

/* These are weak, because a static program has no dlopen, and then no c-ares. */
extern __typeof__(dlopen) dlopen __attribute__((weak));
extern __typeof__(dlsym) dlsym __attribute__((weak));

static void load(void) {
  void *library = dlopen && dlsym ? dlopen("libcares.so.2", RTLD_NOW | RTLD_LOCAL) : NULL;
  if (!library)
    return;
  struct {
    void *to;
    const char *name;
  } wanted[] = {{&cares.library_init, "ares_library_init"},
                {&cares.init_options, "ares_init_options"},
                {&cares.destroy, "ares_destroy"},
                {&cares.set_servers, "ares_set_servers_ports_csv"},
                {&cares.getaddrinfo, "ares_getaddrinfo"},
                {&cares.freeaddrinfo, "ares_freeaddrinfo"},
                {&cares.process_fd, "ares_process_fd"},
                {&cares.timeout, "ares_timeout"},
                {&cares.save_options, "ares_save_options"},
                {&cares.destroy_options, "ares_destroy_options"},
                {&cares.set_socket_functions, "ares_set_socket_functions"}};
  for (size_t i = 0; i < sizeof wanted / sizeof *wanted; i++) {
    void *symbol = dlsym(library, wanted[i].name);
    if (!symbol)
      return;
    memcpy(wanted[i].to, &symbol, sizeof symbol);
  }
  cares.loaded = cares.library_init(ARES_LIB_INIT_ALL) == ARES_SUCCESS;
}

/* ---- its sockets ----
 *
 * They are the runtime's descriptors. For c-ares a socket is the slot, which stays the same. */

static ares_socket_t make_socket(int family, int type, int protocol, void *unused) {
  (void)unused;
  return ch_add_runtime_descriptor(socket(family, type | SOCK_NONBLOCK | SOCK_CLOEXEC, protocol));
}
static int close_socket(ares_socket_t slot, void *unused) {
  (void)unused;
  return ch_close_waited_for(slot), 0;
}
static int connect_socket(ares_socket_t slot, const struct sockaddr *to, ares_socklen_t size, void *unused) {
  (void)unused;
  return connect(ch_runtime_descriptor(slot), to, size);
}
static ares_ssize_t receive(ares_socket_t slot, void *to, size_t n, int flags, struct sockaddr *from,
                            ares_socklen_t *size, void *unused) {
  (void)unused;
  return recvfrom(ch_runtime_descriptor(slot), to, n, flags, from, size);
}
static ares_ssize_t deliver(ares_socket_t slot, const struct iovec *pieces, int n, void *unused) {
  (void)unused;
  return writev(ch_runtime_descriptor(slot), pieces, n);
}
static const struct ares_socket_functions socket_functions = {make_socket, close_socket, connect_socket, receive,
                                                              deliver};

/* ---- a resolver ---- */

struct watch {
  struct watch *next;
  struct resolver *resolver;
  struct ch_clause clause;
  int slot, wanted; /* `wanted`: the poll events that c-ares wants; 0: none */
  bool watching;    /* the clause is registered */
};

struct resolver {
  struct resolver *next, **at; /* in `resolvers` */
  ares_channel channel;
  struct watch *watches;
  struct ch_clause timer;
  bool timing;    /* the timer is registered */
  bool inherited; /* its queries are the parent's */
  bool working;   /* a function of c-ares runs: watches are only noted, and registered after it */
  unsigned outstanding;
  unsigned choice;  /* the value of `choices` when it was made: it asks the servers of that choice */
  struct stat read; /* what CONFIGURATION was when this resolver was made; compared by same_configuration */
};

static __thread struct resolver *resolvers; /* this thread's, the newest first: no other one gets new queries */

/* The choice of servers is the whole program's: one thread may choose others while another one reads the list. So a
 * list is neither freed nor changed, and the same text is kept only once. */
struct server_list {
  struct server_list *next;
  char text[];
};
static struct server_list *lists;  /* all that were ever chosen */
static struct server_list *chosen; /* NULL: the servers of the environment or of the system */
static unsigned choices;           /* how often the user has chosen; counted after `chosen` has been set */

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
static struct resolver *current(void) {
  struct resolver *r = resolvers;
  if (!r || r->inherited || r->choice != __atomic_load_n(&choices, __ATOMIC_ACQUIRE))
    return NULL;
  const struct stat now = configuration();
  return same_configuration(&r->read, &now) ? r : NULL;
}
static struct resolver *make_resolver(void);
static struct resolver *current_or_new(void);

static void settle(struct resolver *);
static void due(struct ch_clause *);

static void ready(struct ch_clause *c) {
  struct watch *w = (struct watch *)((char *)c - offsetof(struct watch, clause));
  struct resolver *r = w->resolver;
  int events = (int)c->value;
  w->watching = false;
  if (events < 0)
    return; /* the watch could not be registered, so the query will time out */
  if (events & POLLNVAL)
    return settle(r); /* the socket has another number now */
  bool in = events & (POLLIN | POLLERR | POLLHUP) && w->wanted & POLLIN, out = events & POLLOUT && w->wanted & POLLOUT;
  r->working = true;
  cares.process_fd(r->channel, in ? w->slot : ARES_SOCKET_BAD, out ? w->slot : ARES_SOCKET_BAD);
  r->working = false;
  settle(r);
}

static void due(struct ch_clause *c) {
  struct resolver *r = (struct resolver *)((char *)c - offsetof(struct resolver, timer));
  r->timing = false;
  r->working = true;
  cares.process_fd(r->channel, ARES_SOCKET_BAD, ARES_SOCKET_BAD);
  r->working = false;
  settle(r);
}

/* Called by c-ares, from inside any of its functions. */
static void socket_changed(void *data, ares_socket_t slot, int readable, int writable) {
  struct resolver *r = data;
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
static void free_resolver(struct resolver *r) {
  if (r->timing)
    ch_clause_unwatch(&r->timer);
  r->timing = false;
  r->working = true;
  cares.destroy(r->channel);
  for (struct watch *w = r->watches, *next; w; w = next)
    next = w->next, free(w);
  *r->at = r->next;
  if (r->next)
    r->next->at = r->at;
  free(r);
}

/* Sets the timer, or an earlier one: a query may be due before those that came earlier and are asked again less often.
 */
static void set_timer(struct resolver *r) {
  struct timeval t;
  if (!cares.timeout(r->channel, NULL, &t))
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

/* Registers with the reactor what c-ares wants. No other function does that. */
static void settle(struct resolver *r) {
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
  if (cares.save_options(channel, &saved, &mask) != ARES_SUCCESS)
    return true;
  bool has = saved.timeout != CARES_DEFAULT_MS;
  cares.destroy_options(&saved);
  return has;
}

static void hook(void);

static struct resolver *make_resolver(void) {
  struct resolver *r = calloc(1, sizeof *r);
  if (!r)
    return NULL;
  r->read = configuration(); /* before it is read: if it changes meanwhile it is read again */
  struct ares_options options = {
      .timeout = FIRST_TRY_MS, .tries = TRIES, .sock_state_cb = socket_changed, .sock_state_cb_data = r};
  int error = cares.init_options(&r->channel, &options, ARES_OPT_SOCK_STATE_CB);
  if (!error && !has_timeout(r->channel)) {
    cares.destroy(r->channel);
    error = cares.init_options(&r->channel, &options, ARES_OPT_SOCK_STATE_CB | ARES_OPT_TIMEOUTMS | ARES_OPT_TRIES);
  }
  if (error) {
    free(r);
    return NULL;
  }
  cares.set_socket_functions(r->channel, &socket_functions, NULL);
  r->choice = __atomic_load_n(&choices, __ATOMIC_ACQUIRE);
  const struct server_list *set = __atomic_load_n(&chosen, __ATOMIC_ACQUIRE);
  const char *list = set ? set->text : getenv("CHARCOAL_DNS");
  if (list && cares.set_servers(r->channel, list) != ARES_SUCCESS)
    fprintf(stderr,
            "charcoal: warning: CHARCOAL_DNS='%s' is ignored; write addresses such as 127.0.0.1:5353, with ',' "
            "between them\n",
            list);
  r->next = resolvers;
  r->at = &resolvers;
  if (r->next)
    r->next->at = &r->next;
  static pthread_once_t once = PTHREAD_ONCE_INIT;
  pthread_once(&once, hook);
  return resolvers = r;
}

/* Frees this thread's newest resolver if it is not the current one and has nothing to do. */
static void settle_newest(void) {
  if (resolvers && !resolvers->inherited)
    settle(resolvers);
}

static struct resolver *current_or_new(void) {
  struct resolver *r = current();
  if (r)
    return r;
  settle_newest();
  return make_resolver();
}

int ch_dns_has_servers(void) { return __atomic_load_n(&chosen, __ATOMIC_ACQUIRE) || getenv("CHARCOAL_DNS"); }

int ch_dns_available(void) {
  static pthread_once_t once = PTHREAD_ONCE_INIT; /* c-ares is not to be initialized by two threads at once */
  if (!ch_domain.current)
    return 0;
  pthread_once(&once, load);
  if (!cares.loaded)
    return 0;
  return current_or_new() != NULL;
}

/* ---- in a child of fork ----
 *
 * Its parent's queries are dropped where the child first waits, when the parent's other activities are gone. */

static void in_child(void) {
  for (struct resolver *r = resolvers; r; r = r->next)
    r->inherited = true;
  ch_domain.asks_again = resolvers != NULL;
}
static void hook(void) { ch_child_hook(in_child); }

void ch_dns_ask_again(void) {
  ch_domain.asks_again = false;
  for (struct resolver *r = resolvers, *next; r; r = next) {
    next = r->next;
    if (r->inherited)
      free_resolver(r);
  }
}

static __thread ch_sem *window;

/* Abandoned queries may be under way still, and post to the window when their resolver is freed. */
void ch_dns_end(void) {
  while (resolvers)
    free_resolver(resolvers);
  free(window);
  window = NULL;
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
  settle_newest();
  return 0;
}

/* ---- a query ---- */

/* Each lookup is two packets, the smallest socket buffers on the way hold some 270, and what does not fit is lost
 * without a word; dnsmasq refuses to have more than 150 lookups under way. */
#define UNDER_WAY 128

ch_sem *ch_dns_window(void) {
  if (!window && (window = malloc(sizeof *window)))
    *window = (ch_sem)CH_SEM_INIT(UNDER_WAY);
  return window;
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

static void ask(struct ch_dns_query *, struct resolver *);

/* In a child of fork, of a query of its parent's. */
static CH_COLD void inherited(struct ch_dns_query *q) {
  if (!q->abandoned && ch_is_gone(q->activity))
    ch_dns_abandon(q);
  struct resolver *r = q->abandoned ? NULL : current_or_new();
  if (r) {
    ask(q, r);
  } else {
    q->error = EAI_AGAIN;
    ended(q);
  }
}

static void answered(void *data, int status, int timeouts, struct ares_addrinfo *result) {
  struct ch_dns_query *q = data;
  struct resolver *r = q->resolver;
  (void)timeouts;
  r->outstanding--;
  if (CH_UNLIKELY(r->inherited)) {
    inherited(q);
    return;
  }
  q->error = eai_of(status);
  if (!q->error && !(q->found = copy_list(result)))
    q->error = result->nodes ? EAI_MEMORY : EAI_NONAME;
  if (result)
    cares.freeaddrinfo(result);
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

static void ask(struct ch_dns_query *q, struct resolver *r) {
  struct ares_addrinfo_hints wanted = {
      .ai_family = q->family,
      .ai_socktype = SOCK_STREAM,
      .ai_flags = q->flags & AI_CANONNAME ? ARES_AI_CANONNAME : 0,
  };
  bool outermost = !r->working;
  q->resolver = r;
  r->outstanding++;
  r->working = true;
  cares.getaddrinfo(r->channel, q->node, NULL, &wanted, answered, q);
  if (outermost)
    r->working = false;
  settle(r);
}

struct ch_dns_query *ch_dns_start(const char *node, const struct addrinfo *hints) {
  size_t size = strlen(node) + 1;
  struct resolver *r = current_or_new(); /* the caller may have waited since ch_dns_available */
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
