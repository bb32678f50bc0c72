/* Functions that keep other registers than the usual convention says, with values alive around their calls. */
#include <stdio.h>
#define NI __attribute__((noinline))
#if defined __x86_64__
#define KEEPS_ALL __attribute__((no_caller_saved_registers))
#define KEEPS_NONE __attribute__((no_callee_saved_registers))
#define PLAIN_REGISTERS __attribute__((target("general-regs-only")))
#else
#define KEEPS_ALL
#define KEEPS_NONE
#define PLAIN_REGISTERS
#endif
static int calls;
NI static int step(int x) { return x + ++calls % 3; }
KEEPS_ALL PLAIN_REGISTERS NI static void keeps_all(int *p) {
  *p += step(*p);
  *p ^= step(3);
}
KEEPS_NONE NI static int keeps_none(int a, int b) {
  int c = step(a), d = step(b), e = step(c ^ d);
  return a + 3 * b + 5 * c + 7 * d + 9 * e;
}
static void (*volatile through_all)(int *) KEEPS_ALL = keeps_all;
static int (*volatile through_none)(int, int) KEEPS_NONE = keeps_none;
NI static unsigned values_around(int i) {
  int a = step(i), b = step(a), c = step(b), d = step(c), e = step(d), x = i, y = -i;
  keeps_all(&x);
  unsigned sum = a + 3 * b + 5 * c + 7 * d + 9 * e + keeps_none(c, e);
  through_all(&y);
  return sum + through_none(x, y) + 11 * a + 13 * b + 17 * c + 19 * d + 23 * e;
}
int main(void) {
  unsigned sum = 0;
  for (int i = 0; i < 30; i++) {
    int x = i, y = i;
    keeps_all(&x);
    keeps_all(&y);
    sum = sum * 31 + x + y + values_around(i);
  }
  printf("%u %d\n", sum, calls);
}
