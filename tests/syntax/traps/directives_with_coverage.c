// Coverage has a token watcher of its own, which also sees the tokens of directives.
#include <charcoal.h>
#include <stdio.h>
%:define DIGRAPH 1
#define HASH 0x13 /* '#' may stand in comments */
#if DIGRAPH + 2 > 1 && defined(HASH)
static int taken(int n) {
#ifdef NEVER
  return 1
#elif HASH
  return n ? 2 : 3;
#endif
}
#endif
# 100 "renamed.c"
static int lined(int n) {
  if (n)
    atomic { n++; }
  return n;
}
int main(void) {
  ch_activity a;
  int sum = 0;
  activate [&a] { if (sum) sum = 1; else sum = lined(taken(0)); }
  ch_activity_wait(&a);
  printf("%d\n", sum);
  return 0;
}
