/* A TCP proxy: carries each connection to another server and back, and closes connections on which nothing has come for
 * a while.
 *
 *   proxy PORT HOST:PORT [IDLE-SECONDS]
 *
 * Bytes are read only as fast as the other side takes them, and one direction may end before the other. */
#include "../port.h"
#include <arpa/inet.h>
#include <charcoal.h>
#include <charcoal/client.h>
#include <errno.h>
#include <netinet/tcp.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

static const char *host, *port;
static int64_t idle; /* for how many ns a connection may be idle */

/* Carries bytes until `from` has no more, and says so to `to`. Each byte that comes moves the deadline on. */
static void carry(int from, int to, ch_scope *connection) {
  char bytes[16384];
  ssize_t got;
  while ((got = read(from, bytes, sizeof bytes)) > 0)
    for (ssize_t done = 0, put; done < got; done += put) {
      ch_deadline_move(connection, ch_now() + idle);
      if ((put = send(to, bytes + done, (size_t)(got - done), MSG_NOSIGNAL)) < 0) {
        ch_scope_cancel(connection); /* nobody receives the bytes, so the other direction is of no use either */
        return;
      }
    }
  shutdown(to, SHUT_WR);
}

static void serve(int client) {
  int server = -1;
  within(idle) do {
    ch_scope *connection = ch_scope_here();
    if ((server = ch_dial(host, port)) >= 0) {
      async carry(client, server, connection);
      carry(server, client, connection);
    }
  }
  finish;
  if (server >= 0)
    close(server);
  close(client);
}

int main(int argc, char **argv) {
  char *colon = argc > 2 ? strrchr(argv[2], ':') : NULL;
  double seconds = argc > 3 ? atof(argv[3]) : 60;
  if (!colon || argc > 4 || read_port(argv[1]) < 0 || seconds <= 0)
    return fprintf(stderr, "usage: proxy PORT HOST:PORT [IDLE-SECONDS]\n"), 2;
  *colon = '\0';
  host = argv[2];
  port = colon + 1;
  idle = (int64_t)(seconds * 1e9);

  struct sockaddr_in here = {.sin_family = AF_INET, .sin_port = htons((uint16_t)read_port(argv[1]))};
  int listener = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  setsockopt(listener, SOL_SOCKET, SO_REUSEADDR, &(int){1}, sizeof(int));
  if (bind(listener, (void *)&here, sizeof here) != 0 || listen(listener, 1000) != 0)
    return perror("proxy: cannot listen"), 1;
  getsockname(listener, (void *)&here, &(socklen_t){sizeof here});
  printf("proxy: port %d\n", ntohs(here.sin_port));
  fflush(stdout);
  for (;;) {
    int client = accept(listener, NULL, NULL);
    if (client >= 0) {
      setsockopt(client, IPPROTO_TCP, TCP_NODELAY, &(int){1}, sizeof(int));
      activate(client) { serve(client); }
    } else if (errno == EMFILE || errno == ENFILE) {
      ch_sleep(100000000); /* until a connection has ended, and its descriptors are free */
    } else if (errno != ECONNABORTED && errno != EINTR) {
      return perror("proxy: cannot accept"), 1;
    }
  }
}
