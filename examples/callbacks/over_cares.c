// Straight-line code that uses c-ares, a library which looks up names and calls back. `gethost` waits for the answer,
// and looks like an ordinary call.
//
// c-ares has no loop of its own. The function `drive` watches its sockets, and calls ares_process_fd when one is ready.
#include <ares.h>
#include <arpa/inet.h>
#include <charcoal.h>
#include <charcoal/events.h>
#include <netdb.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "../dnsd/answer.h"

static ares_channel channel_;
static int asked; // questions that have no answer yet

// Returns when all questions have their answers. Other activities go on while `poll` waits.
static void drive(void) {
  while (asked > 0) {
    ares_socket_t sockets[ARES_GETSOCK_MAXNUM];
    struct pollfd all[ARES_GETSOCK_MAXNUM];
    struct timeval limit = {1, 0}, *left = &limit;
    int bits = ares_getsock(channel_, sockets, ARES_GETSOCK_MAXNUM), n = 0;
    for (int i = 0; i < ARES_GETSOCK_MAXNUM; i++)
      if (ARES_GETSOCK_READABLE(bits, i) || ARES_GETSOCK_WRITABLE(bits, i))
        all[n++] = (struct pollfd){sockets[i], ARES_GETSOCK_WRITABLE(bits, i) ? POLLIN | POLLOUT : POLLIN, 0};
    left = ares_timeout(channel_, &limit, &limit);
    poll(all, (nfds_t)n, (int)(left->tv_sec * 1000 + left->tv_usec / 1000 + 1));
    for (int i = 0; i < n; i++)
      ares_process_fd(channel_, all[i].revents & ~POLLOUT ? all[i].fd : ARES_SOCKET_BAD,
                      all[i].revents & POLLOUT ? all[i].fd : ARES_SOCKET_BAD);
    ares_process_fd(channel_, ARES_SOCKET_BAD, ARES_SOCKET_BAD); // c-ares also looks which questions are late
  }
}

// The host's memory is the library's, so its address goes as a value.
static struct in_addr address_of(const struct hostent *host) {
  struct in_addr none = {0};
  return host && host->h_addr_list[0] ? *(struct in_addr *)host->h_addr_list[0] : none;
}
ch_callback(on_host, event(int, struct in_addr), (void *argument, int status, int timeouts, struct hostent *host),
            argument, ((void)timeouts, status), address_of(host))

    static int gethost(const char *name, struct in_addr *address) {
  int status;
  struct in_addr found;
  asked++;
  twait { ares_gethostbyname(channel_, name, AF_INET, on_host, ch_callback_data(on_host, mkevent(&status, &found))); }
  asked--;
  *address = found;
  return status;
}

// A name server for the example, in the same thread.
static void serve(int fd) {
  unsigned char question[512], reply[512];
  struct sockaddr_in from;
  socklen_t size = sizeof from;
  for (ssize_t n; (n = recvfrom(fd, question, sizeof question, 0, (struct sockaddr *)&from, &size)) >= 0;
       size = sizeof from)
    sendto(fd, reply, answer(question, (size_t)n, reply, sizeof reply), 0, (struct sockaddr *)&from, size);
}

static void look_up(const char *name) {
  struct in_addr address;
  int status = gethost(name, &address);
  printf("%s %s\n", name, status == ARES_SUCCESS ? inet_ntoa(address) : ares_strerror(status));
}

int main(void) {
  struct sockaddr_in here = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
  socklen_t size = sizeof here;
  char server[32];
  int fd = socket(AF_INET, SOCK_DGRAM, 0);
  if (bind(fd, (struct sockaddr *)&here, size) < 0 || getsockname(fd, (struct sockaddr *)&here, &size) < 0)
    return 1;
  ares_library_init(ARES_LIB_INIT_ALL);
  struct ares_options options = {.lookups = "b", .timeout = 5000, .tries = 5};
  ares_init_options(&channel_, &options, ARES_OPT_LOOKUPS | ARES_OPT_TIMEOUTMS | ARES_OPT_TRIES);
  snprintf(server, sizeof server, "127.0.0.1:%d", ntohs(here.sin_port));
  ares_set_servers_ports_csv(channel_, server);
  do {
    async serve(fd);
    do {
      async look_up("host1.example.test");
      async look_up("host2.example.test");
      async look_up("missing.example.test");
      drive();
    }
    finish;
    cancel;
  }
  finish;
  close(fd);
  ares_destroy(channel_);
  ares_library_cleanup();
}
