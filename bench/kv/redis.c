/* redis-server with one thread, which writes nothing to the disk. */
#include "../common/launch.h"

int main(void) {
  char port[16];
  int number = free_port();
  snprintf(port, sizeof port, "%d", number);
  char *command[] = {"redis-server", "--port", port,    "--bind", "127.0.0.1",  "--save",  "",
                     "--appendonly", "no",     "--dir", "/tmp",   "--loglevel", "warning", NULL};
  launch(number, command);
}
