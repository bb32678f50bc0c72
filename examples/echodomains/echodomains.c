/* An echo server on several cores: each domain has a listening socket of its own on the same port, and the kernel
 * divides the connections among them. A connection stays in its domain, so nothing is shared.
 *
 *   echodomains [PORT [DOMAINS]]
 *
 * SIGINT, SIGTERM and SIGHUP end it: all connections are closed, and each domain prints how many it has served. */
#include "../echo/serve.h"
#include "../port.h"
#include <charcoal.h>
#include <charcoal/server.h>
#include <stdio.h>
#include <stdlib.h>

static _Thread_local ch_may_interleave long served; /* by this domain */

static void serve_one(int connection, void *unused) {
  (void)unused;
  served++;
  serve(connection);
}

static intptr_t tell(void *next) {
  int *number = next;
  return printf("domain %d: %ld connections\n", (*number)++, served) < 0;
}

int main(int argc, char **argv) {
  int n = argc > 2 ? atoi(argv[2]) : 2, port = argc > 1 ? read_port(argv[1]) : 0, which;
  if (n < 1 || n > 64 || port < 0)
    return fprintf(stderr, "usage: echodomains [PORT [DOMAINS]]\n"), 2;
  sigset_t stop;
  ch_server_prepare(&stop);
  ch_servers *servers = ch_servers_start(&(struct ch_servers_how){
      .address = "127.0.0.1", .port = port, .domains = (unsigned)n, .most = 20000, .serve = serve_one, .name = "echo"});
  if (!servers)
    return perror("echodomains: cannot start"), 1;
  printf("echodomains: 127.0.0.1:%d\n", ch_servers_port(servers));
  fflush(stdout);
  sigwait(&stop, &which);
  ch_servers_stop(servers);
  int number = 0;
  ch_domains_each(ch_servers_domains(servers), tell, &number);
  ch_servers_end(servers);
}
