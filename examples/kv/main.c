/* kv: a server for clients of redis, in straight-line code. One activity serves each client. Each command is an atomic
 * block, so none needs a lock.
 *
 *   kv [-p PORT] [-f SNAPSHOT]
 *
 * SIGTERM and SIGINT write the snapshot and end it. */
#include "../port.h"
#include "kv.h"
#include <arpa/inet.h>
#include <errno.h>
#include <netinet/tcp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

const char *snapshot;
int64_t last_save;

/* Sends what is published, until the client has gone. */
static void send_letters(struct client *c) {
  while (ch_sem_wait(&c->published) == 0) {
    struct buffer now = c->letters;
    c->letters = (struct buffer){0};
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

static void serve(int descriptor) {
  struct client c = {.descriptor = descriptor};
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
      unsubscribe_all(&c, false, false);
      unsubscribe_all(&c, true, false);
    }
    cancel client;
  }
  finish;
  close(descriptor);
  give_buffers_back(&c);
  free(c.letters.at);
}

/* Drops what has expired among the first entries. */
static atomic void expire_some(void) {
  int64_t now = now_ms();
  struct entry *e, *next;
  int looked = 0;
  HASH_ITER(hh, entries, e, next) {
    if (e->expires && e->expires <= now)
      drop(e);
    if (++looked == 10000)
      break;
  }
}

/* Entries that nobody asks for go, too: some are looked at ten times a second. */
static void expire(void) {
  while (ch_sleep(100000000) == 0)
    expire_some();
}

static int listen_at(int port) {
  struct sockaddr_in here = {
      .sin_family = AF_INET, .sin_port = htons((uint16_t)port), .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
  int s = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  setsockopt(s, SOL_SOCKET, SO_REUSEADDR, &(int){1}, sizeof(int));
  setsockopt(s, IPPROTO_TCP, TCP_NODELAY, &(int){1}, sizeof(int)); /* its connections inherit it */
  if (bind(s, (void *)&here, sizeof here) != 0 || listen(s, 4096) != 0)
    return -1;
  getsockname(s, (void *)&here, &(socklen_t){sizeof here});
  printf("kv: 127.0.0.1:%d\n", ntohs(here.sin_port));
  fflush(stdout);
  return s;
}

int main(int argc, char **argv) {
  int port = 6380;
  for (int option; (option = getopt(argc, argv, "p:f:")) != -1;)
    switch (option) {
    case 'p':
      port = read_port(optarg);
      break;
    case 'f':
      snapshot = optarg;
      break;
    default:
      port = -1;
    }
  if (port < 0 || optind < argc)
    return fprintf(stderr, "usage: kv [-p PORT] [-f SNAPSHOT]\n"), 2;
  struct rlimit files;
  getrlimit(RLIMIT_NOFILE, &files);
  files.rlim_cur = files.rlim_max;
  setrlimit(RLIMIT_NOFILE, &files);
  int error = snapshot ? load(snapshot) : 0;
  if (error)
    return fprintf(stderr, "kv: cannot read %s: %s\n", snapshot,
                   error == EINVAL ? "it is no snapshot, or not whole" : strerror(error)),
           1;
  last_save = now_ms();
  int listener = listen_at(port), connection;
  if (listener < 0)
    return perror("kv: cannot listen"), 1;

  sigset_t stop;
  sigemptyset(&stop);
  sigaddset(&stop, SIGTERM);
  sigaddset(&stop, SIGINT);
  sigprocmask(SIG_BLOCK, &stop, NULL);
  activate expire();
serving:
  do {
    async {
      int which;
      sigwait(&stop, &which);
      cancel serving;
    }
    while ((connection = accept(listener, NULL, NULL)) >= 0 || errno != ECANCELED)
      if (connection >= 0) {
        activate(connection) { serve(connection); }
      } else if (errno == EMFILE || errno == ENFILE) {
        ch_sleep(100000000);
      }
  }
  finish;
  atomic error = snapshot ? save(snapshot) : 0;
  if (error)
    return fprintf(stderr, "kv: cannot write %s: %s\n", snapshot, strerror(error)), 1;
}
