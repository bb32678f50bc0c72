/* Forced tail calls whose arguments lie in memory, made before and after a suspension; chains of them; and of functions
 * that have only a plain version. */
#include <setjmp.h>
#include <stdio.h>
#include <unistd.h>
#define NI __attribute__((noinline))
#define TAIL __attribute__((musttail)) return
typedef long L;
static unsigned seen;
NI static void wait(void) {
  usleep(1);
  seen++;
}
#define NINE L a, L b, L c, L d, L e, L f, L g, L h, L i
NI static L weigh(NINE) {
  wait();
  return a + 2 * b + 3 * c + 4 * d + 5 * e + 6 * f + 7 * g + 8 * h + 9 * i;
}
NI static L turn(NINE) {
  wait();
  TAIL weigh(i, h, g, f, e, d, c, b, a);
}
NI static L twice(NINE) {
  L s = a + i;
  wait();
  s += b * h;
  wait();
  TAIL turn(s, i, a, h, b, g, c, f, d);
}
NI static L count(NINE) {
  if (a == 0)
    return weigh(b, c, d, e, f, g, h, i, 1);
  if (a % 7 == 0)
    wait();
  TAIL count(a - 1, c, d, e, f, g, h, i, b + 1);
}
NI static double reals(double a, double b, double c, double d, double e, double f, double g, double h, double i,
                       double j) {
  wait();
  return a - b * 2 + c * 3 - d * 4 + e * 5 - f * 6 + g * 7 - h * 8 + i * 9 - j * 10;
}
NI static double mirror(double a, double b, double c, double d, double e, double f, double g, double h, double i,
                        double j) {
  wait();
  TAIL reals(j, i, h, g, f, e, d, c, b, a);
}
NI static long double longs(long double a, __int128 b, long double c, int d) {
  wait();
  return a + (long double)b * 2 + c * 3 + d;
}
NI static long double mixed(long double a, __int128 b, long double c, int d) {
  wait();
  TAIL longs(c, b + d, a, d * 2);
}
struct big {
  L v[6];
};
NI static L sum(struct big s, L k) {
  wait();
  L r = k;
  for (int i = 0; i < 6; i++)
    r = r * 3 + s.v[i];
  return r;
}
NI static L byValue(struct big s, L k) {
  s.v[2] += k;
  wait();
  TAIL sum(s, k + 1);
}
NI static struct big make(L a, L b, L c, L d, L e, L f) {
  wait();
  return (struct big){{a, b, c, d, e, f}};
}
NI static struct big made(L a, L b, L c, L d, L e, L f) {
  wait();
  TAIL make(f, e, d, c, b, a);
}
/* Plain versions only. */
NI static L leaf(NINE) { return a ^ b << 1 ^ c << 2 ^ d << 3 ^ e << 4 ^ f << 5 ^ g << 6 ^ h << 7 ^ i << 8; }
static jmp_buf env;
NI static L catches(NINE) {
  if (setjmp(env))
    return -1;
  wait();
  return leaf(b, c, d, e, f, g, h, i, a);
}
NI static L toPlain(NINE) {
  wait();
  if (a & 1)
    TAIL leaf(i, a, h, b, g, c, f, d, e);
  TAIL catches(a, b, c, d, e, f, g, h, i);
}
NI static void quiet(int n) { seen += (unsigned)n; }
NI static void toQuiet(int n) {
  wait();
  TAIL quiet(n * 3);
}
typedef L any(NINE);
static any *const table[] = {weigh, turn, twice, leaf, catches, toPlain};
NI static L through(NINE) {
  wait();
  TAIL table[(a + b) % 6](i, a, b, c, d, e, f, g, h);
}
int main(void) {
  for (L k = 0; k < 8; k++) {
    printf("%ld %ld %ld %ld ", turn(k, 2, 3, 4, 5, 6, 7, 8, 9), twice(k, 1, 1, 2, 3, 5, 8, 13, 21),
           count(30 + k, 1, 2, 3, 4, 5, 6, 7, 8), through(k, 1, 2, 3, 4, 5, 6, 7, 8));
    printf("%g %Lg %ld %ld %ld\n", mirror((double)k, 2, 3, 4, 5, 6, 7, 8, 9, 10), mixed((long double)k, k, 2.5L, 3),
           byValue((struct big){{k, 2, 3, 4, 5, 6}}, 7), made(k, 2, 3, 4, 5, 6).v[5],
           toPlain(k, 2, 3, 4, 5, 6, 7, 8, 9));
    toQuiet((int)k);
  }
  printf("%u\n", seen);
}
