/* An echo server: blocking, straight-line code serves each connection, and all connections are in one thread.
 *
 *   echo [PORT] */
#include "../port.h"
#include "serve.h"
#include <arpa/inet.h>
#include <charcoal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>

int main(int argc, char **argv) {
  int port = argc > 1 ? read_port(argv[1]) : 0;
  if (port < 0 || argc > 2)
    return fprintf(stderr, "usage: echo [PORT]\n"), 2;
  struct sockaddr_in here = {.sin_family = AF_INET, .sin_port = htons(port)};
  struct rlimit files = {20000, 20000};
  socklen_t size = sizeof here;
  int listener = socket(AF_INET, SOCK_STREAM, 0), connection;
  here.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  setrlimit(RLIMIT_NOFILE, &files);
  setsockopt(listener, SOL_SOCKET, SO_REUSEADDR, &(int){1}, sizeof(int));
  if (bind(listener, (void *)&here, size) || listen(listener, 4096) || getsockname(listener, (void *)&here, &size))
    return perror("echo: cannot listen"), 1;
  printf("echo: 127.0.0.1:%d\n", ntohs(here.sin_port));
  fflush(stdout);
  while ((connection = accept(listener, NULL, NULL)) >= 0)
    activate(connection) { serve(connection); }
  return perror("echo: cannot accept"), 1;
}
