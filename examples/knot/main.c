/* Knot: a web server for files, in straight-line code. One activity serves each connection; each domain (a thread) has
 * a listening socket of its own.
 *
 *   SIGTERM, SIGINT   no new connections; requests that have begun are answered; then it ends
 *   SIGHUP            forgets the files that it remembers, and opens the log anew
 */
#include "knot.h"
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <getopt.h>
#include <limits.h>
#include <netinet/tcp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

static const char usage[] =
    "usage: knot [options] FOLDER\n"
    "  -p, --port PORT          listens there (8080; 0: any port, which is printed)\n"
    "  -d, --domains N          threads that serve (1)\n"
    "  -c, --connections N      at most so many at a time in each thread (20000)\n"
    "  -i, --idle SECONDS       closes a connection on which no request has come for so long (60)\n"
    "  -s, --timeout SECONDS    that a client may take for a request, or to take some of an answer (10)\n"
    "  -b, --body BYTES         the largest body of a request (65536)\n"
    "  -l, --log FILE           writes a line for each request\n"
    "  -t, --tls CERT KEY       files in PEM; a client may then begin TLS, at the same port\n"
    "  -h, --help\n";

#define SECOND 1000000000LL
struct settings settings = {.port = 8080,
                            .domains = 1,
                            .connections = 20000,
                            .idle = 60 * SECOND,
                            .timeout = 10 * SECOND,
                            .largest_body = 65536};
bool stopping;

/* ---- a domain ---- */

struct domain {
  int listener;
  ch_sem orders; /* posted for each order: to reload, or to stop */
  ch_sem room;   /* connections that may still come */
  ch_thread thread;
};

static int listen_at(int port) {
  struct sockaddr_in here = {.sin_family = AF_INET, .sin_port = htons((uint16_t)port)};
  int s = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  setsockopt(s, SOL_SOCKET, SO_REUSEADDR, &(int){1}, sizeof(int));
  setsockopt(s, SOL_SOCKET, SO_REUSEPORT, &(int){1}, sizeof(int));
  setsockopt(s, IPPROTO_TCP, TCP_NODELAY, &(int){1}, sizeof(int)); /* its connections inherit it */
  if (bind(s, (void *)&here, sizeof here) != 0 || listen(s, 4096) != 0) {
    fprintf(stderr, "knot: cannot listen at port %d: %s\n", port, strerror(errno));
    exit(1);
  }
  return s;
}

static int port_of(int listener) {
  struct sockaddr_in here;
  getsockname(listener, (void *)&here, &(socklen_t){sizeof here});
  return ntohs(here.sin_port);
}

/* Serves each client that comes by an activity in the scope, until none can be accepted any more. */
static void accept_all(struct domain *d, ch_scope *connections) {
  while (ch_sem_wait(&d->room) == 0) {
    struct sockaddr_in client;
    int connection = accept4(d->listener, (void *)&client, &(socklen_t){sizeof client}, SOCK_CLOEXEC);
    if (connection >= 0) {
      uint32_t address = client.sin_addr.s_addr;
      activate[ch_in(connections)](d, connection, address) {
        serve(connection, address);
        ch_sem_post(&d->room);
      }
      continue;
    }
    ch_sem_post(&d->room);
    if (errno == EMFILE || errno == ENFILE || errno == ENOBUFS || errno == ENOMEM)
      ch_sleep(SECOND / 10); /* until some connection ends */
    else if (errno != ECONNABORTED && errno != EINTR && errno != EPROTO)
      return;
  }
}

static void run_domain(void *data) {
  struct domain *d = data;
  log_open();
connections:
  do {
    ch_scope *connections = ch_scope_here();
  accepting:
    do {
      async accept_all(d, connections);
      while (ch_sem_wait(&d->orders) == 0 && !stopping) {
        files_forget();
        log_open();
      }
      cancel accepting;
    }
    finish;
    /* Clients that the kernel has let in already get an answer, too. The socket no longer waits for others. */
    fcntl(d->listener, F_SETFL, O_NONBLOCK);
    accept_all(d, connections);
    close(d->listener);
    cancel connections; /* whoever is idle ends; whoever has a request finishes it */
  }
  finish;
  files_forget();
}

/* ---- the process ---- */

/* The options that take a number. */
static const struct number {
  const char *name;
  long long *to, unit, least, most;
} numbers[] = {
    {"port", &settings.port, 1, 0, 65535},
    {"domains", &settings.domains, 1, 1, 256},
    {"connections", &settings.connections, 1, 1, 1 << 20},
    {"idle", &settings.idle, SECOND, 1, 86400},
    {"timeout", &settings.timeout, SECOND, 1, 86400},
    {"body", &settings.largest_body, 1, 0, 1LL << 40},
};

static void read_number(const struct number *n, const char *text) {
  char *end;
  long long value = strtoll(text, &end, 10);
  if (end == text || *end || value < n->least || value > n->most) {
    fprintf(stderr, "knot: --%s takes a number from %lld to %lld, not '%s'\n", n->name, n->least, n->most, text);
    exit(2);
  }
  *n->to = value * n->unit;
}

/* Ends the program: nobody knows what the command line means. */
static _Noreturn void refuse(void) {
  fputs(usage, stderr);
  exit(2);
}

static void read_options(int argc, char **argv) {
  static const char letters[] = "p:d:c:i:s:b:l:t:h"; /* those of `numbers` first, and in the same order */
  static const struct option options[] = {{"port", 1, NULL, 'p'},        {"domains", 1, NULL, 'd'},
                                          {"connections", 1, NULL, 'c'}, {"idle", 1, NULL, 'i'},
                                          {"timeout", 1, NULL, 's'},     {"body", 1, NULL, 'b'},
                                          {"log", 1, NULL, 'l'},         {"tls", 1, NULL, 't'},
                                          {"help", 0, NULL, 'h'},        {0}};
  for (int c; (c = getopt_long(argc, argv, letters, options, NULL)) != -1;) {
    if (c == 'h')
      exit(fputs(usage, stdout) < 0);
    if (c == '?' || (c == 't' && optind == argc))
      refuse();
    if (c == 'l')
      settings.log = optarg;
    else if (c == 't')
      tls_load(optarg, argv[optind++]);
    else
      read_number(&numbers[(strchr(letters, c) - letters) / 2], optarg);
  }
  if (optind != argc - 1)
    refuse();
  settings.root = argv[optind];
  int folder = open(settings.root, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (folder < 0) {
    fprintf(stderr, "knot: %s: %s\n", settings.root, strerror(errno));
    exit(2);
  }
  close(folder);
}

int main(int argc, char **argv) {
  read_options(argc, argv);
  struct rlimit files;
  getrlimit(RLIMIT_NOFILE, &files);
  files.rlim_cur = files.rlim_max;
  setrlimit(RLIMIT_NOFILE, &files);

  sigset_t signals;
  sigemptyset(&signals);
  sigaddset(&signals, SIGTERM);
  sigaddset(&signals, SIGINT);
  sigaddset(&signals, SIGHUP);
  sigprocmask(SIG_BLOCK, &signals, NULL);
  signal(SIGPIPE, SIG_IGN);

  struct domain *domains = calloc((size_t)settings.domains, sizeof *domains);
  for (int i = 0; i < settings.domains; i++) {
    ch_sem_init(&domains[i].room, (unsigned long)settings.connections);
    domains[i].listener = listen_at((int)settings.port);
    settings.port = port_of(domains[i].listener);
  }
  for (int i = 0; i < settings.domains; i++)
    if (ch_domain_start(&domains[i].thread, run_domain, &domains[i]) != 0)
      return fprintf(stderr, "knot: cannot start a thread\n"), 1;
  printf("knot: http://127.0.0.1:%lld/\n", settings.port);
  fflush(stdout);

  while (!stopping) {
    int which;
    if (sigwait(&signals, &which) != 0)
      continue;
    stopping = which != SIGHUP;
    for (int i = 0; i < settings.domains; i++)
      ch_sem_post(&domains[i].orders);
  }
  for (int i = 0; i < settings.domains; i++)
    ch_domain_join(&domains[i].thread);
  free(domains);
}
