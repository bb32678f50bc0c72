/* Many parameters: integer and floating registers, stack, mixed, structures between them. */
#include <stdio.h>
#define NI __attribute__((noinline))
struct big {
  long a[5];
};
struct two {
  long a, b;
};
struct fl {
  float a, b;
};
static unsigned e;
NI static int t(int x) {
  e = e * 31 + (unsigned)x;
  return x;
}
NI static long ints(int a, long b, short c, char d, unsigned f, long long g, int h, int i, unsigned char j, short k,
                    long l, int m) {
  long r = t(a) + b * 2;
  t((int)b);
  r += c * 3 + d * 5;
  t(k);
  return r + f * 7L + g * 11 + h * 13L + i * 17L + j * 19L + k * 23L + l * 29 + m * t(31);
}
NI static double floats(float a, double b, float c, double d, double f, double g, float h, double i, double j,
                        float k) {
  t((int)j);
  return a + b * 2 + c * 3 + d * 5 + f * 7 + g * 11 + h * 13 + i * 17 + j * 19 + k * t(23);
}
NI static double mixed(int a, double b, struct big c, int d, float f, struct two g, double h, struct fl i, long j,
                       struct two k, int l, int m, struct big n, double o, long double p, __int128 q, int r) {
  double s = a + b + c.a[t(1)] + d + f + g.a + g.b + h + i.a + i.b;
  t(l);
  c.a[1]++;
  n.a[4] += c.a[1];
  return s * 2 + j + k.a + k.b + l + m + n.a[t(4)] + o + (double)p + (double)q + r;
}
NI static int twenty(int a0, int a1, int a2, int a3, int a4, int a5, int a6, int a7, int a8, int a9, int b0, int b1,
                     int b2, int b3, int b4, int b5, int b6, int b7, int b8, int b9) {
  int s = a0;
  s = s * 3 + a1;
  s = s * 3 % 1009 + a2;
  t(s);
  s = s * 3 % 1009 + a3;
  s = s * 3 % 1009 + a4;
  s = s * 3 % 1009 + a5;
  s = s * 3 % 1009 + a6;
  t(s);
  s = s * 3 % 1009 + a7;
  s = s * 3 % 1009 + a8;
  s = s * 3 % 1009 + a9;
  s = s * 3 % 1009 + b0;
  s = s * 3 % 1009 + b1;
  s = s * 3 % 1009 + b2;
  t(s);
  s = s * 3 % 1009 + b3;
  s = s * 3 % 1009 + b4;
  s = s * 3 % 1009 + b5;
  s = s * 3 % 1009 + b6;
  t(s);
  s = s * 3 % 1009 + b7;
  s = s * 3 % 1009 + b8;
  return s * 3 % 1009 + b9;
}
NI static int rotate(int n, int a, int b, int c, int d, int f, int g, int h, int i) {
  if (n == 0)
    return a + 2 * b + 3 * c + 4 * d + 5 * f + 6 * g + 7 * h + 8 * i;
  return rotate(n - 1, t(b), c, d, f, g, h, i, a);
}
int main(void) {
  printf("%ld\n", ints(t(1), t(2), (short)t(3), (char)t(4), (unsigned)t(5), t(6), t(7), t(8), (unsigned char)t(9),
                       (short)t(10), t(11), t(12)));
  printf("%g\n", floats(1, 2, 3, t(4), 5, 6, (float)t(7), 8, 9, 10));
  struct big x = {{1, 2, 3, 4, 5}};
  struct two y = {t(6), 7};
  printf("%g\n", mixed(1, 2, x, 3, 4, y, 5, (struct fl){6, 7}, 8, y, t(9), 10, x, 11, 12, 13, 14));
  printf("%ld %ld\n", x.a[1], x.a[4]);
  printf("%d\n", twenty(1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, t(19), t(20)));
  printf("%d\n%u\n", rotate(11, 1, 2, 3, 4, 5, 6, 7, 8), e);
}
