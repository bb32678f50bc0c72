/* The driver of `proxy`. A proxy is called `proxy 0 HOST:PORT`. The server that it passes requests to is `http/epoll`,
 * on the same core; that server's CPU time does not count. */
#include "../http/clients.h"
#include <libgen.h>

static struct server behind;

static struct server start(char *program, char *folder) {
  char path[1000], target[40], *copy = strdup(program);
  snprintf(path, sizeof path, "%s/../http/epoll", dirname(copy));
  char *server[] = {path, folder, NULL}, *proxy[] = {program, "0", target, NULL};
  behind = start_server(server);
  snprintf(target, sizeof target, "127.0.0.1:%d", behind.port);
  return start_server(proxy);
}

int main(int argc, char **argv) {
  int status = clients(argc, argv, start);
  end_server(behind);
  return status;
}
