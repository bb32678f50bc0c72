/* The clients of a quote server: CASE says how many there are, and COUNT for how many tenths of a second they are
 * watched once all are connected.
 *
 * A server sends each client a message of 32 bytes a second from the moment at which it connects, with a number that
 * counts up from 0. The driver prints the server's CPU time per second, and beside it how many clients were served,
 * that is got a message for each second, the last of them within another half second. A message out of order or mixed
 * up is a wrong answer. */
#include "../common/drive.h"
#include "quote.h"
#include <sys/epoll.h>

struct client {
  unsigned long next;   /* number of the message that must come next */
  unsigned long before; /* `next` when the watch began */
  unsigned have;        /* bytes of it that are here */
  struct quote quote;
};

static struct client *clients;
static int *fds, epoll;

static void take(int i) {
  struct client *c = &clients[i];
  ssize_t got;
  while ((got = read(fds[i], (char *)&c->quote + c->have, sizeof c->quote - c->have)) > 0) {
    c->have += (unsigned)got;
    if (c->have < sizeof c->quote)
      continue;
    struct quote right;
    make_quote(&right, c->next);
    if (memcmp(&right, &c->quote, sizeof right)) {
      fprintf(stderr, "client %d: message %lu is not the right one\n", i, c->next);
      exit(1);
    }
    c->have = 0;
    c->next++;
  }
  if (got == 0 || errno != EAGAIN)
    fail("a client lost its connection");
}

static void read_until(double deadline) {
  struct epoll_event ready[512];
  for (double left; (left = deadline - now_ns()) > 0;) {
    int n = epoll_wait(epoll, ready, 512, (int)(left / 1e6) + 1);
    for (int i = 0; i < n; i++)
      take((int)ready[i].data.u32);
  }
}

int main(int argc, char **argv) {
  double window = driver_arguments(argc, argv) * 1e8;
  int n = atoi(argv[1]);
  char *command[] = {argv[3], argv[1], argv[2], NULL};
  if (n < 1)
    unknown_case(argv[1]);
  struct server server = start_server(command);
  clients = calloc((size_t)n, sizeof *clients);
  fds = calloc((size_t)n, sizeof *fds);
  epoll = epoll_create1(0);
  for (int i = 0; i < n; i++) {
    struct epoll_event event = {.events = EPOLLIN, .data.u32 = (unsigned)i};
    fds[i] = connect_to(server);
    if (epoll_ctl(epoll, EPOLL_CTL_ADD, fds[i], &event))
      fail("epoll_ctl");
    if (i % 256 == 255)
      read_until(now_ns() + 1);
  }
  read_until(now_ns() + (window < 1e9 ? 1e8 : 1.1e9)); /* until it is in its stride */
  for (int i = 0; i < n; i++)
    clients[i].before = clients[i].next;
  double start = now_ns(), cpu = server_cpu(server);
  read_until(start + window);
  cpu = server_cpu(server) - cpu;
  double seconds = (now_ns() - start) / 1e9;
  /* On a busy machine a message comes late, but a server that keeps up is late by no more than this. */
  read_until(now_ns() + (window < 1e9 ? 2e7 : 5e8));
  end_server(server);
  int served = 0;
  for (int i = 0; i < n; i++)
    served += clients[i].next - clients[i].before >= (unsigned long)seconds;
  printf("{\"metric\": \"cpu\", \"value\": %.6g, \"unit\": \"ms CPU/s\", \"check\": \"%d\", \"more\": "
         "[{\"metric\": \"served\", \"value\": %d, \"unit\": \"clients\"}]}\n",
         cpu / 1e6 / seconds, n, served);
}
