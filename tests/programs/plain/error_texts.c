// perror and psignal leave the texts alone that strerror and strsignal have returned.
#define _GNU_SOURCE
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

int main(void) {
  dup2(1, 2);
  char kept[100];
  const char *text = strerror(1729576);
  strcpy(kept, text);
  errno = -5;
  perror("");
  errno = ENOENT;
  perror("name");
  printf("%d %d\n", strcmp(text, kept) == 0, errno);
  fflush(stdout);
  text = strsignal(1000);
  strcpy(kept, text);
  psignal(2000, "signal");
  psignal(SIGINT, "");
  printf("%d\n", strcmp(text, kept) == 0);
  return 0;
}
