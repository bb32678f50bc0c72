/* Return addresses of callers' callers: the same function called at the same place is called from there. */
// flags: -fno-omit-frame-pointer -fno-optimize-sibling-calls
#include <stdio.h>
#define NI __attribute__((noinline))
NI static void *own(void) { return __builtin_return_address(0); }
NI static void *inner(void) { return __builtin_return_address(1); }
NI static void *outer(void) {
  void *volatile r = inner();
  return r;
}
int main(void) {
  void *(*volatile which[])(void) = {own, outer};
  void *seen[2][2];
  for (int again = 0; again < 2; again++)
    for (int i = 0; i < 2; i++)
      seen[again][i] = which[i]();
  printf("%d %d %d\n", seen[0][0] == seen[1][0], seen[0][1] == seen[1][1], seen[0][0] == seen[0][1]);
}
