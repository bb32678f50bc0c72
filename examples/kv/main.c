/* kv: a server for clients of redis, in straight-line code. One activity serves each client. Each command is an atomic
 * block, so within a domain none needs a lock. If there are several domains (threads), one lock guards the data.
 *
 *   kv [-p PORT] [-f SNAPSHOT] [-d DOMAINS]
 *
 * On SIGTERM, SIGINT and SIGHUP it writes the snapshot and ends. */
#include "../port.h"
#include "kv.h"
#include <charcoal/server.h>
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

enum { MOST_CLIENTS = 1 << 20 }; /* in each domain; in practice the limit of descriptors is lower */

const char *snapshot;
int64_t last_save;

/* Sends what is published, until the client has gone. */
static void send_letters(struct client *c) {
  while (ch_sem_wait(&c->published) == 0) {
    struct buffer now;
    atomic {
      take_data();
      now = c->letters;
      c->letters = (struct buffer){0};
      c->told = false;
      give_data_back();
    }
    size_t done = 0;
    while (done < now.used) {
      ssize_t put = send(c->descriptor, now.at + done, now.used - done, MSG_NOSIGNAL);
      if (put < 0)
        break;
      done += (size_t)put;
    }
    free(now.at);
  }
}

static void serve(int descriptor, void *unused) {
  static _Atomic long long clients;
  (void)unused;
  struct client c = {.descriptor = descriptor, .id = ++clients};
  int command;
client:
  do {
    while (!c.closing && (command = next_command(&c)) > 0) {
      execute(&c);
      if (c.subscribed > 0 && !c.has_sender) {
        c.has_sender = true;
        async send_letters(&c);
      }
    }
    if (command < 0)
      add_error(&c.out, "ERR Protocol error");
    send_replies(&c);
    atomic {
      take_data();
      unsubscribe_all(&c, false, false);
      unsubscribe_all(&c, true, false);
      give_data_back();
    }
    end_transaction(&c);
    cancel client;
  }
  finish;
  if (c.told) /* another domain may not yet have posted, and must not do so when the client is gone */
    noncancellable ch_sem_wait(&c.published);
  close(descriptor);
  give_buffers_back(&c);
  free(c.letters.at);
  free(c.name);
}

/* Drops what has expired among the first entries. */
static atomic void expire_some(void) {
  int64_t now = now_ms();
  struct entry *e, *next;
  int looked = 0;
  take_data();
  HASH_ITER(hh, entries, e, next) {
    if (e->expires && e->expires <= now)
      drop(e);
    if (++looked == 10000)
      break;
  }
  give_data_back();
}

/* Entries that nobody asks for go, too: some are looked at ten times a second. */
static void expire(void) {
  while (ch_sleep(100000000) == 0)
    expire_some();
}

static intptr_t end_domain(void *unused) {
  (void)unused;
  free_spare_buffers();
  return 0;
}

/* Serves until a signal asks for the end, in this domain and in so many others. Returns 0 or an error number. */
static int serve_all(int port, int others) {
  sigset_t stop;
  ch_server_prepare(&stop);
  int listener = ch_listen("127.0.0.1", port, others > 0 ? CH_SHARE_PORT : 0), which;
  if (listener < 0)
    return errno;
  struct ch_servers_how how = {.address = "127.0.0.1",
                               .port = ch_port(listener),
                               .domains = (unsigned)others,
                               .most = MOST_CLIENTS,
                               .serve = serve,
                               .name = "kv"};
  ch_servers *servers = others > 0 ? ch_servers_start(&how) : NULL;
  if (others > 0 && !servers)
    return errno;
  printf("kv: 127.0.0.1:%d\n", how.port);
  fflush(stdout);
serving:
  do {
    async expire();
    async ch_serve(listener, MOST_CLIENTS, serve, NULL);
    sigwait(&stop, &which);
    cancel serving;
  }
  finish;
  if (servers) {
    ch_servers_stop(servers);
    ch_domains_each(ch_servers_domains(servers), end_domain, NULL);
    ch_servers_end(servers);
  }
  return 0;
}

int main(int argc, char **argv) {
  int port = 6380, domains = 1;
  for (int option; (option = getopt(argc, argv, "p:f:d:")) != -1;)
    switch (option) {
    case 'p':
      port = read_port(optarg);
      break;
    case 'f':
      snapshot = optarg;
      break;
    case 'd':
      domains = atoi(optarg);
      break;
    default:
      port = -1;
    }
  if (port < 0 || domains < 1 || domains > 64 || optind < argc)
    return fprintf(stderr, "usage: kv [-p PORT] [-f SNAPSHOT] [-d DOMAINS]\n"), 2;
  int error = snapshot ? load(snapshot) : 0;
  if (error)
    return fprintf(stderr, "kv: cannot read %s: %s\n", snapshot,
                   error == EINVAL ? "it is no snapshot, or not whole" : strerror(error)),
           1;
  last_save = now_ms();
  several_domains = domains > 1;
  error = serve_all(port, domains - 1);
  if (error)
    return fprintf(stderr, "kv: cannot serve: %s\n", strerror(error)), 1;
  atomic error = snapshot ? save(snapshot) : 0;
  if (error)
    return fprintf(stderr, "kv: cannot write %s: %s\n", snapshot, strerror(error)), 1;
}
