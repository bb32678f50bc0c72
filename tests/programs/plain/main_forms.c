/* main: called again by the program, with arguments and environment, returning a status from the depth. */
// args: first second 3
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
static int calls;
__attribute__((noinline)) static int t(int x) { return x; }
int main(int argc, char **argv, char **envp) {
  if (calls++ == 0) {
    int n = 0;
    while (envp[n])
      n += t(1);
    printf("%d %d\n", n > 0, envp[n] == 0 && argv[argc] == 0);
  }
  printf("%d", argc);
  for (int i = 1; i < argc; i++)
    printf(" %s:%zu", argv[i], strlen(argv[i]));
  printf("\n");
  if (argc > 1) {
    int r = main(t(argc - 1), argv, envp);
    return r + t(atoi("2"));
  }
  return 40;
}
