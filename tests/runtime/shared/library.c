/* Knows nothing of activities. */
#include <unistd.h>

int library_read(int fd) {
  char byte;
  return (int)read(fd, &byte, 1) + 1;
}
