// __builtin_setjmp and __builtin_longjmp: small enough that the optimizer wants to put them into their callers, which
// can be suspended.
#include <stdio.h>

static void *place[5];
static unsigned trace;

__attribute__((noinline)) static int step(int x) {
  trace = trace * 31 + (unsigned)x;
  return x;
}

__attribute__((noinline)) static void back(int x) {
  if (step(x) > 1)
    __builtin_longjmp(place, 1);
}

static int attempt(int x) {
  volatile int tries = 0;
  if (__builtin_setjmp(place) == 0) {
    tries++;
    back(x);
    return step(tries);
  }
  return 100 + tries + step(x);
}

int main(void) {
  char text[20];
  for (int i = 0; i < 4; i++) {
    snprintf(text, sizeof text, "%d", step(i));
    int got = attempt(i);
    printf("%s %d\n", text, got);
  }
  printf("%u\n", trace);
  return 0;
}
