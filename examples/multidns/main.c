/* Looks up the names in a file and writes `NAME ADDRESS` (or `NAME -`) for each, in the order of the file.
 *
 *     multidns -m seq|all|MAX [-s ADDRESS:PORT] [-o FILE] [-v] NAMES
 *
 * MAX is how many lookups may be under way at the same time. With -s it asks that name server instead of the system's.
 * The last line on standard output is a summary: names, failures, seconds, and the most memory (kB) that the process
 * ever had. */
#include "multidns.h"

#include <arpa/inet.h>
#include <charcoal.h>
#include <errno.h>
#include <netdb.h>
#include <resolv.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

static void fail(const char *what, const char *name) {
  fprintf(stderr, "multidns: %s %s: %s\n", what, name, strerror(errno));
  exit(2);
}

/* The lines of a file, each to be freed by the caller, as the array. */
static const char **read_names(const char *path, int *count) {
  FILE *file = fopen(path, "r");
  const char **names = NULL;
  char line[300];
  if (file == NULL)
    fail("cannot read", path);
  *count = 0;
  while (fgets(line, sizeof line, file) != NULL) {
    line[strcspn(line, "\n")] = 0;
    if (line[0] == 0)
      continue;
    names = realloc(names, sizeof *names * (*count + 1));
    if (names == NULL || (names[(*count)++] = strdup(line)) == NULL)
      fail("no memory for", path);
  }
  fclose(file);
  return names;
}

/* Sends this process's lookups to another name server: those of the activities by the library's own call, those of a
 * sequential program by the C library's state (resolver(3)). */
static void use_server(const char *server) {
  char host[64];
  int port;
  struct sockaddr_in address = {.sin_family = AF_INET};
  if (sscanf(server, "%63[^:]:%d", host, &port) != 2 || inet_pton(AF_INET, host, &address.sin_addr) != 1) {
    fprintf(stderr, "multidns: -s wants ADDRESS:PORT, not %s\n", server);
    exit(2);
  }
  address.sin_port = htons(port);
  ch_dns_servers(server);
  res_init();
  _res.nscount = 1;
  _res.nsaddr_list[0] = address;
  _res.options &= ~(RES_DNSRCH | RES_DEFNAMES);
}

/* The most memory that this process ever had, in kB. */
static long peak_memory(void) {
  FILE *file = fopen("/proc/self/status", "r");
  char line[200];
  long kb = 0;
  while (file != NULL && fgets(line, sizeof line, file) != NULL)
    if (sscanf(line, "VmHWM: %ld", &kb) == 1)
      break;
  if (file != NULL)
    fclose(file);
  return kb;
}

static double now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return t.tv_sec + t.tv_nsec * 1e-9;
}

int main(int argc, char **argv) {
  const char *mode = "all", *server = NULL, *output = NULL;
  int option, n;
  while ((option = getopt(argc, argv, "m:s:o:v")) != -1) {
    if (option == 'm')
      mode = optarg;
    else if (option == 's')
      server = optarg;
    else if (option == 'o')
      output = optarg;
    else if (option == 'v')
      verbose = 1;
    else
      optind = argc;
  }
  bool known = strcmp(mode, "seq") == 0 || strcmp(mode, "all") == 0 || atoi(mode) > 0;
  if (optind + 1 != argc || !known) {
    fprintf(stderr, "usage: multidns -m seq|all|MAX [-s ADDRESS:PORT] [-o FILE] [-v] NAMES\n");
    return 2;
  }
  if (server != NULL)
    use_server(server);
  const char **nodes = read_names(argv[optind], &n);
  const char **services = calloc(n, sizeof *services);
  struct addrinfo **ress = calloc(n, sizeof *ress);
  struct addrinfo hints = {.ai_family = AF_INET, .ai_socktype = SOCK_STREAM};

  double start = now();
  int failed;
  if (strcmp(mode, "seq") == 0)
    failed = multi_getaddrinfo1(nodes, services, &hints, ress, n);
  else if (strcmp(mode, "all") == 0)
    failed = multi_getaddrinfo2(nodes, services, &hints, ress, n);
  else
    failed = multi_getaddrinfo3(nodes, services, &hints, ress, n, atoi(mode));
  double seconds = now() - start;

  FILE *file = output != NULL ? fopen(output, "w") : stdout;
  if (file == NULL)
    fail("cannot write", output);
  for (int i = 0; i < n; i++) {
    char text[INET_ADDRSTRLEN] = "-";
    if (ress[i] != NULL) {
      inet_ntop(AF_INET, &((struct sockaddr_in *)ress[i]->ai_addr)->sin_addr, text, sizeof text);
      freeaddrinfo(ress[i]);
    }
    fprintf(file, "%s %s\n", nodes[i], text);
    free((char *)nodes[i]);
  }
  free(nodes);
  free(services);
  free(ress);
  if (file != stdout && fclose(file) != 0)
    fail("cannot write", output);
  printf("names=%d failed=%d seconds=%.3f peak_kb=%ld\n", n, failed, seconds, peak_memory());
  return 0;
}
