/* A name server for the zone example.test on 127.0.0.1, for the demo and the tests.
 *
 *     dnsd [-p PORT] [-l LATENCY-MS] [-t SECONDS]
 *
 * It sends each answer LATENCY after the question came (by default 20 ms, more or less by up to a quarter). Each
 * question has an activity of its own, so many questions wait at the same time. It prints `dnsd: 127.0.0.1:PORT` when
 * it is ready, and ends by itself after SECONDS (default 300). Compiled by any other C compiler it is a server that
 * answers one question at a time.
 *
 * What it answers depends on the name alone, so anybody can tell whether an answer is right (answer.h). */
#include "../port.h"
#include "answer.h"

#include <arpa/inet.h>
#include <charcoal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

struct query {
  struct sockaddr_in from;
  ssize_t size;
  unsigned char text[512];
};

static int open_socket(int port) {
  int fd = socket(AF_INET, SOCK_DGRAM, 0), room = 8 << 20;
  struct sockaddr_in me = {.sin_family = AF_INET, .sin_port = htons(port), .sin_addr = {htonl(INADDR_LOOPBACK)}};
  socklen_t size = sizeof me;
  /* A burst of a thousand questions has to fit; only root may go beyond the system's limit. */
  if (fd >= 0 && setsockopt(fd, SOL_SOCKET, SO_RCVBUFFORCE, &room, sizeof room) != 0)
    setsockopt(fd, SOL_SOCKET, SO_RCVBUF, &room, sizeof room);
  if (fd < 0 || bind(fd, (struct sockaddr *)&me, size) != 0 || getsockname(fd, (struct sockaddr *)&me, &size) != 0) {
    perror("dnsd: cannot listen on 127.0.0.1");
    exit(1);
  }
  printf("dnsd: 127.0.0.1:%d\n", ntohs(me.sin_port));
  fflush(stdout);
  return fd;
}

int main(int argc, char **argv) {
  int option, port = 0, latency = 20, seconds = 300;
  while ((option = getopt(argc, argv, "p:l:t:")) != -1) {
    if (option == 'p')
      port = read_port(optarg);
    else if (option == 'l')
      latency = atoi(optarg);
    else if (option == 't')
      seconds = atoi(optarg);
    else
      port = -1;
  }
  if (port < 0 || latency < 0 || optind < argc)
    return fprintf(stderr, "usage: dnsd [-p PORT] [-l LATENCY-MS] [-t SECONDS]\n"), 2;
  alarm(seconds);
  int fd = open_socket(port);

  for (;;) {
    struct query q;
    socklen_t size = sizeof q.from;
    q.size = recvfrom(fd, q.text, sizeof q.text, 0, (struct sockaddr *)&q.from, &size);
    if (q.size < 0)
      continue;
    activate ch_copy(q) {
      usleep(latency * 750 + spread(q.text, q.size) % (latency * 500 + 1));
      unsigned char reply[600];
      size_t length = answer(q.text, q.size, reply, sizeof reply);
      if (length > 0)
        sendto(fd, reply, length, 0, (struct sockaddr *)&q.from, sizeof q.from);
    }
  }
}
