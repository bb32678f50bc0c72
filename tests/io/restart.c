/* A server that ends, by returning from main or by exit, while an activity waits in accept: its port is free for the
 * next one at once. restart PORT HOW; port 0: any, which is printed. */
#include <arpa/inet.h>
#include <charcoal.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

int main(int argc, char **argv) {
  struct sockaddr_in at = {
      .sin_family = AF_INET, .sin_port = htons((uint16_t)atoi(argv[1])), .sin_addr = {htonl(INADDR_LOOPBACK)}};
  socklen_t n = sizeof at;
  int listener = socket(AF_INET, SOCK_STREAM, 0), one = 1;
  setsockopt(listener, SOL_SOCKET, SO_REUSEADDR, &one, sizeof one);
  if (bind(listener, (void *)&at, n) || listen(listener, 10) || getsockname(listener, (void *)&at, &n))
    return perror("restart"), 1;
  activate (listener) { accept(listener, NULL, NULL); }
  activate (listener) { ch_fd_wait(listener, POLLIN, CH_FOREVER); }
  ch_sleep(1000000);
  if (argv[1][0] == '0')
    printf("%d\n", ntohs(at.sin_port));
  if (strcmp(argv[2], "exit") == 0)
    exit(0);
  return 0;
}
