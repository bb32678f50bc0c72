/* Loops of every form, with calls in condition, increment and body. */
#include <stdio.h>
static unsigned trace;
__attribute__((noinline)) static int step(int x) {
  trace = trace * 31u + (unsigned)x;
  return x;
}
__attribute__((noinline)) static int sum_for(int n) {
  int s = 0;
  for (int i = step(0); step(i) < n; i += step(1))
    s += step(i) * 3;
  return s;
}
__attribute__((noinline)) static long nested(int n) {
  long s = 0;
  for (int i = 0; i < n; i++)
    for (int j = i; j < n; j++) {
      if (step(i + j) % 7 == 3)
        continue;
      if (step(i * j) > 40)
        break;
      int k = 0;
      do {
        s += step(k) ^ i;
        if (step(k) == 4)
          break;
      } while (step(++k) < j);
      s = s * 3 + j;
    }
  return s;
}
__attribute__((noinline)) static int countdown(unsigned n) {
  int r = 0;
  while (n-- > 0)
    r += step((int)n & 5);
  return r;
}
__attribute__((noinline)) static int two_variables(int n) {
  int r = 0;
  for (int lo = 0, hi = n; lo < hi; lo += step(1), hi -= step(2))
    r += step(lo) * step(hi);
  return r;
}
__attribute__((noinline)) static int forever(int n) {
  int i = 0;
  for (;;) {
    if (step(i) >= n)
      return i;
    if (step(i) & 1) {
      i += 3;
      continue;
    }
    i++;
  }
}
int main(void) {
  printf("%d\n", sum_for(10));
  printf("%ld\n", nested(9));
  printf("%d\n", countdown(20));
  printf("%d\n", two_variables(30));
  printf("%d\n", forever(25));
  printf("trace %u\n", trace);
}
