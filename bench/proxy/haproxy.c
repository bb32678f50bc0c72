/* haproxy as a proxy that keeps its connections to the server: one thread, no log. */
#include "../common/launch.h"

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
  char file[] = "/tmp/bench-haproxy-XXXXXX";
  int port = free_port(), fd = mkstemp(file);
  if (fd < 0 || dprintf(fd, settings, port, argv[argc - 1]) < 0)
    return perror(file), 1;
  close(fd);
  char *command[] = {"haproxy", "-db", "-q", "-f", file, NULL};
  launch(port, command);
}
