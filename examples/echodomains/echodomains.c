/* An echo server on several cores: each domain has a listening socket of its own on the same port (SO_REUSEPORT), among
 * which the kernel divides the connections. A connection stays in its domain, so nothing is shared.
 *
 *   echodomains [PORT [DOMAINS]]
 *
 * SIGINT and SIGTERM end it: all connections are closed, and each domain says how many it has served. */
#include "../echo/serve.h"
#include "../port.h"
#include <arpa/inet.h>
#include <charcoal.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <unistd.h>

static int listen_at(in_port_t port) {
  struct sockaddr_in here = {.sin_family = AF_INET, .sin_port = port, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
  int listener = socket(AF_INET, SOCK_STREAM, 0);
  setsockopt(listener, SOL_SOCKET, SO_REUSEADDR, &(int){1}, sizeof(int));
  setsockopt(listener, SOL_SOCKET, SO_REUSEPORT, &(int){1}, sizeof(int));
  if (bind(listener, (void *)&here, sizeof here) || listen(listener, 4096)) {
    close(listener);
    return -1;
  }
  return listener;
}

/* One domain's part: accepts until it is cancelled, and ends when its connections have. How many there were. */
static intptr_t accept_all(void *argument) {
  int listener = (int)(intptr_t)argument, connection;
  intptr_t served = 0;
  do {
    while ((connection = accept(listener, NULL, NULL)) >= 0) {
      served++;
      activate[ch_in(ch_scope_here())](connection) { serve(connection); }
    }
  }
  finish;
  close(listener);
  return served;
}

int main(int argc, char **argv) {
  int n = argc > 2 ? atoi(argv[2]) : 2, wanted = argc > 1 ? read_port(argv[1]) : 0;
  if (n < 1 || n > 64 || wanted < 0)
    return fprintf(stderr, "usage: echodomains [PORT [DOMAINS]]\n"), 2;
  struct rlimit files = {20000, 20000};
  setrlimit(RLIMIT_NOFILE, &files);
  sigset_t stop;
  sigemptyset(&stop);
  sigaddset(&stop, SIGINT);
  sigaddset(&stop, SIGTERM);
  sigprocmask(SIG_BLOCK, &stop, NULL); /* the domains' threads inherit it */

  int listeners[64], which;
  struct sockaddr_in here;
  socklen_t size = sizeof here;
  in_port_t port = htons((uint16_t)wanted);
  for (int i = 0; i < n; i++) {
    listeners[i] = listen_at(port);
    if (listeners[i] < 0 || getsockname(listeners[i], (void *)&here, &size))
      return perror("echodomains: cannot listen"), 1;
    port = here.sin_port; /* of the first; the others share it */
  }
  ch_domains *domains = ch_domains_start((unsigned)n, &(struct ch_domains_how){.name = "echo", .pinned = 1});
  if (!domains)
    return perror("echodomains: cannot start"), 1;
  ch_task *tasks[64];
  for (int i = 0; i < n; i++)
    tasks[i] = ch_domain_spawn(domains, (unsigned)i, accept_all, (void *)(intptr_t)listeners[i]);
  printf("echodomains: 127.0.0.1:%d\n", ntohs(port));
  fflush(stdout);

  sigwait(&stop, &which);
  for (int i = 0; i < n; i++) {
    intptr_t served;
    ch_task_cancel(tasks[i]);
    ch_task_join(tasks[i], &served);
    printf("domain %d: %ld connections\n", i, (long)served);
  }
  return ch_domains_end(domains, 0);
}
