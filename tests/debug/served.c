/* A program that CHARCOAL_DEBUG serves reports of. It has a child that outlives it, and takes all descriptors until the
 * first line comes. It goes to the folder that it is given, and ends with its input. */
#include <charcoal.h>
#include <stdio.h>
#include <sys/resource.h>
#include <unistd.h>

int main(int n, char **arguments) {
  char line[2];
  int all[100], taken = 0;
  struct rlimit limit;
  getrlimit(RLIMIT_NOFILE, &limit);
  limit.rlim_cur = 64; /* the runtime's descriptors lie above */
  if (fork() == 0) {
    sleep(20);
    _exit(0);
  }
  ch_sleep(1000000);
  if (n > 1 && chdir(arguments[1]) != 0) return 1;
  setrlimit(RLIMIT_NOFILE, &limit);
  while ((all[taken] = dup(0)) >= 0) taken++;
  puts("ready");
  fflush(stdout);
  while (read(0, line, 2) == 2)
    while (taken > 0) close(all[--taken]);
}
