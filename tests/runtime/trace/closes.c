/* Closes all descriptors, as daemons do, between two findings, and then has a file of its own. Prints what is in it. */
#include <charcoal.h>
#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>

static int first, second;
static void add(int *to) {
  int seen = *to;
  ch_sleep(1000000);
  *to = seen + 1;
}
static void lose_one(int *from) {
  ch_activity a;
  activate [&a] add(from);
  add(from);
  ch_activity_wait(&a);
}

int main(int argc, char **argv) {
  lose_one(&first);
  for (int fd = 3; fd < 50; fd++) close(fd);
  int mine = open(argv[argc - 1], O_CREAT | O_TRUNC | O_RDWR, 0600);
  lose_one(&second);
  char text[100];
  ssize_t n = pread(mine, text, sizeof text, 0);
  printf("%d: %zd\n", mine, n);
}
