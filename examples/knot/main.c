/* Knot: a web server for files, in straight-line code. One activity serves each connection; each domain (a thread) has
 * a listening socket of its own.
 *
 *   SIGTERM, SIGINT   it accepts no new connections, answers the requests that have begun, and then ends
 *   SIGHUP            it forgets the files that it remembers, and opens the log anew */
#include "knot.h"
#include <charcoal/server.h>
#include <err.h>
#include <getopt.h>
#include <signal.h>

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
static const struct option options[] = {{"port", 1, NULL, 'p'},        {"domains", 1, NULL, 'd'},
                                        {"connections", 1, NULL, 'c'}, {"idle", 1, NULL, 'i'},
                                        {"timeout", 1, NULL, 's'},     {"body", 1, NULL, 'b'},
                                        {"log", 1, NULL, 'l'},         {"tls", 1, NULL, 't'},
                                        {"help", 0, NULL, 'h'},        {0}};

struct settings settings = {.port = 8080,
                            .domains = 1,
                            .connections = 20000,
                            .idle = 60 * SECOND,
                            .timeout = 10 * SECOND,
                            .largest_body = 65536};
bool stopping;

/* The options that take a number. */
static const struct number {
  int letter;
  const char *name;
  long long *to, unit, least, most;
} numbers[] = {
    {'p', "port", &settings.port, 1, 0, 65535},
    {'d', "domains", &settings.domains, 1, 1, 256},
    {'c', "connections", &settings.connections, 1, 1, 1 << 20},
    {'i', "idle", &settings.idle, SECOND, 1, 86400},
    {'s', "timeout", &settings.timeout, SECOND, 1, 86400},
    {'b', "body", &settings.largest_body, 1, 0, 1LL << 40},
};

static void read_number(int letter, const char *text) {
  const struct number *n = numbers;
  while (n->letter != letter)
    n++;
  char *end;
  long long value = strtoll(text, &end, 10);
  if (end == text || *end || value < n->least || value > n->most)
    errx(2, "--%s takes a number from %lld to %lld, not '%s'", n->name, n->least, n->most, text);
  *n->to = value * n->unit;
}

static void read_certificate(const char *certificate, const char *key) {
  settings.tls = ch_ssl_server(certificate, key);
  if (!settings.tls) {
    ERR_print_errors_fp(stderr);
    errx(2, "cannot use %s and %s", certificate, key);
  }
}

/* Ends the program: nobody knows what the command line means. */
static _Noreturn void refuse(void) {
  fputs(usage, stderr);
  exit(2);
}

static void read_options(int argc, char **argv) {
  for (int c; (c = getopt_long(argc, argv, "p:d:c:i:s:b:l:t:h", options, NULL)) != -1;) {
    if (c == 'h')
      exit(fputs(usage, stdout) < 0);
    if (c == '?' || (c == 't' && optind == argc))
      refuse();
    if (c == 'l')
      settings.log = optarg;
    else if (c == 't')
      read_certificate(optarg, argv[optind++]);
    else
      read_number(c, optarg);
  }
  if (optind != argc - 1)
    refuse();
  settings.root = open(argv[optind], O_PATH | O_DIRECTORY | O_CLOEXEC);
  if (settings.root < 0)
    err(2, "%s", argv[optind]);
}

int main(int argc, char **argv) {
  sigset_t signals;
  read_options(argc, argv);
  log_open();
  file_types_load();
  ch_server_prepare(&signals);
  ch_servers *servers = ch_servers_start(&(struct ch_servers_how){.port = (int)settings.port,
                                                                  .domains = (unsigned)settings.domains,
                                                                  .most = (unsigned long)settings.connections,
                                                                  .serve = serve,
                                                                  .name = "knot"});
  if (!servers)
    err(1, "cannot start");
  printf("knot: http://127.0.0.1:%d/\n", ch_servers_port(servers));
  fflush(stdout);
  for (int which; sigwait(&signals, &which) == 0 && which == SIGHUP;) {
    log_open();
    ch_domains_each(ch_servers_domains(servers), files_forget, NULL);
  }
  stopping = true;
  ch_servers_stop(servers);
  ch_domains_each(ch_servers_domains(servers), files_forget, NULL);
  ch_servers_end(servers);
}
