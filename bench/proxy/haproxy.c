/* haproxy as a proxy that keeps its connections to the server: one thread, no log. */
#include "../common/launch.h"
#include <sys/mman.h>

static const char settings[] = "global\n"
                               "  nbthread 1\n"
                               "  maxconn 4000\n"
                               "defaults\n"
                               "  mode http\n"
                               "  timeout connect 5s\n"
                               "  timeout client 600s\n"
                               "  timeout server 30s\n"
                               "  option forwardfor\n"
                               "  http-reuse always\n"
                               "frontend clients\n"
                               "  bind 127.0.0.1:%d backlog 4096\n"
                               "  default_backend servers\n"
                               "backend servers\n"
                               "  server one %s\n";

int main(int argc, char **argv) {
  char file[32];
  int port = free_port(), fd = memfd_create("settings", 0); /* no file that would be left behind */
  if (fd < 0 || dprintf(fd, settings, port, argv[argc - 1]) < 0 ||
      snprintf(file, sizeof file, "/proc/self/fd/%d", fd) < 0)
    return perror("settings"), 1;
  char *command[] = {"haproxy", "-db", "-q", "-f", file, NULL};
  launch(port, command);
}
