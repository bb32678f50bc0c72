/* Reads the number of a port from the command line. */
#ifndef PORT_H
#define PORT_H

#include <stdlib.h>

/* The port that a word of the command line names, 0 for any; -1: it names none. */
static inline int read_port(const char *text) {
  char *end;
  long port = strtol(text, &end, 10);
  return end != text && *end == '\0' && port >= 0 && port <= 65535 ? (int)port : -1;
}

#endif
