/* The driver of `http`. A server is called `server -p 0 FOLDER`. */
#include "clients.h"

static struct server start(char *program, char *folder) {
  char *command[] = {program, "-p", "0", folder, NULL};
  return start_server(command);
}

int main(int argc, char **argv) { return clients(argc, argv, start); }
