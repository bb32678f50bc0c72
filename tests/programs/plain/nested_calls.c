/* Calls nested in arguments, in initialisers, in subscripts, in assignments; values alive across many of them. */
#include <stdio.h>
#define NI __attribute__((noinline))
static unsigned e;
NI static long f(long d, long x) {
  e = e * 31 + (unsigned)d;
  return d <= 0 ? x + 1 : f(d - 1, f(d - 1, x));
}
NI static int t(int x) {
  e = e * 31 + (unsigned)x;
  return x;
}
NI static int g(int a, int b, int c, int d) { return t(a) * 1000 + b * 100 + c * 10 + d; }
struct v {
  double x, y, z;
};
NI static struct v add(struct v a, struct v b) {
  t(1);
  return (struct v){a.x + b.x, a.y + b.y, a.z + b.z};
}
NI static struct v cross(struct v a, struct v b) {
  t(2);
  return (struct v){a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}
NI static double dot(struct v a, struct v b) { return a.x * b.x + a.y * b.y + a.z * b.z + t(0); }
NI static unsigned live(int a, int b, int c, int d) {
  unsigned r1 = (unsigned)t(a), r2 = (unsigned)t(b) + r1, r3 = (unsigned)t(c) * r2, r4 = (unsigned)t(d) ^ r3,
           r5 = r1 * 3 + (unsigned)t(1), r6 = r5 + r2 * (unsigned)t(2), r7 = r6 ^ r3, r8 = r7 + (unsigned)t(3),
           r9 = r8 * r4 + r5;
  double q = r1 * 0.5;
  float w = (float)r2;
  long z = r3;
  t(4);
  return r1 + r2 + r3 + r4 + r5 + r6 + r7 + r8 + r9 + (unsigned)(q * 4) + (unsigned)w + (unsigned)z;
}
int main(void) {
  printf("%ld %ld\n", f(7, 0), f(f(2, 1), f(1, 3)));
  printf("%d\n", g(t(1), g(t(2), t(3), 4, t(5)), t(6), g(1, t(7), g(t(8), 9, 1, 2), 3)));
  struct v a = {1, 2, 3}, b = {4, 5, 6};
  printf("%g %g\n", dot(add(a, cross(a, b)), cross(add(b, a), add(a, cross(b, a)))), dot(a, b));
  int m[3][3] = {{t(1), t(2), t(3)}, {t(4), [2] = t(6)}};
  m[t(1)][t(1)] = m[t(0)][t(2)] + (m[t(2)][t(2)] = t(9));
  for (int i = 0; i < 9; i++)
    printf("%d ", m[i / 3][i % 3]);
  printf("\n%u %u\n%u\n", live(1, 2, 3, 4), live(t(9), t(8), t(7), t(6)), e);
}
