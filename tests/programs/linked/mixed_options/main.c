#include <stdio.h>
struct v {
  long a, b, c;
};
struct v a(int, struct v, int (*)(int));
static unsigned e;
static int f(int x) {
  e = e * 31 + (unsigned)x;
  return x;
}
struct v last(int d, struct v x, int (*g)(int)) {
  x.c += g(d);
  return d ? a(d - 1, x, f) : x;
}
int main(void) {
  for (int d = 0; d < 12; d++) {
    struct v r = a(d, (struct v){d, 1, 2}, f);
    printf("%ld %ld %ld %u\n", r.a, r.b, r.c, e);
  }
}
