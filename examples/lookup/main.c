/* Asks several name servers for one name.
 *
 *     lookup -m all|first|timeout|within [-t MS] NAME ADDRESS:PORT...
 *
 * Prints the address and how long the lookup took. If there is no answer, it prints the reason, and the exit status is
 * 1. */
#include "lookup.h"

#include <arpa/inet.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

static struct server read_server(const char *text) {
  struct server server = {.address = {.sin_family = AF_INET}};
  char host[64];
  unsigned port;
  if (sscanf(text, "%63[^:]:%u", host, &port) != 2 || inet_pton(AF_INET, host, &server.address.sin_addr) != 1) {
    fprintf(stderr, "lookup: a server is ADDRESS:PORT, not %s\n", text);
    exit(2);
  }
  server.address.sin_port = htons((uint16_t)port);
  return server;
}

static double now_ms(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec * 1e3 + (double)t.tv_nsec / 1e6;
}

int main(int argc, char **argv) {
  const char *mode = "first";
  int64_t timeout = 1000;
  int option, result;
  while ((option = getopt(argc, argv, "m:t:")) != -1) {
    if (option == 'm')
      mode = optarg;
    else if (option == 't')
      timeout = atoll(optarg);
    else
      optind = argc;
  }
  if (argc - optind < 2) {
    fprintf(stderr, "usage: lookup -m all|first|timeout|within [-t MS] NAME ADDRESS:PORT...\n");
    return 2;
  }
  const char *name = argv[optind++];
  int n = argc - optind;
  struct server *servers = calloc((size_t)n, sizeof *servers);
  struct in_addr address;
  for (int i = 0; i < n; i++)
    servers[i] = read_server(argv[optind + i]);

  double start = now_ms();
  if (strcmp(mode, "all") == 0)
    result = lookup_all(servers, n, name, &address);
  else if (strcmp(mode, "first") == 0)
    result = lookup_first(servers, n, name, &address);
  else if (strcmp(mode, "timeout") == 0)
    result = lookup_with_timeout(servers, n, name, &address, timeout * 1000000);
  else if (strcmp(mode, "within") == 0)
    result = lookup_within(servers, n, name, &address, timeout * 1000000);
  else
    return fprintf(stderr, "lookup: no mode '%s'\n", mode), 2;
  double elapsed = now_ms() - start;

  free(servers);
  char text[INET_ADDRSTRLEN] = "-";
  if (result == 0)
    inet_ntop(AF_INET, &address, text, sizeof text);
  printf("%s %s (%s) after %.0f ms\n", name, text, result == 0 ? "ok" : strerror(result), elapsed);
  return result != 0;
}
