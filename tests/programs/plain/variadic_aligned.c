/* Variadic arguments that want more than 16 bytes of alignment, between others. */
#include <stdarg.h>
#include <stdio.h>
#define NI __attribute__((noinline))
static unsigned e;
NI static int t(int x) {
  e = e * 31 + (unsigned)x;
  return x;
}
typedef double d4 __attribute__((vector_size(32)));
struct al {
  _Alignas(64) int a;
};
NI static int vectors(int n, ...) {
  va_list ap;
  va_start(ap, n);
  double s = 0;
  while (n-- > 0) {
    d4 v = va_arg(ap, d4);
    t(n);
    s = s * 3 + v[0] + v[3];
    s += va_arg(ap, int);
  }
  va_end(ap);
  return (int)s;
}
NI static int structures(int n, ...) {
  va_list ap;
  va_start(ap, n);
  int s = 0;
  while (n-- > 0) {
    struct al v = va_arg(ap, struct al);
    t(n);
    s = s * 3 + v.a;
    s += va_arg(ap, int);
  }
  va_end(ap);
  return s;
}
NI static long double longs(int n, ...) {
  va_list ap;
  va_start(ap, n);
  long double s = 0;
  while (n-- > 0) {
    s = s * 2 + va_arg(ap, long double);
    t(n);
    s += (long double)va_arg(ap, __int128);
  }
  va_end(ap);
  return s;
}
int main(void) {
  d4 a = {1, 2, 3, 4}, b = {5, 6, 7, 8};
  struct al x = {9}, y = {11};
  printf("%d %d %d\n", vectors(1, a, 1), vectors(2, a, 1, b, 2), vectors(3, a, 1, b, 2, a, 3));
  printf("%d %d %Lg\n%u\n", structures(1, x, 1), structures(3, x, 1, y, 2, x, 3),
         longs(3, 1.5L, (__int128)2, 3.5L, (__int128)4, 5.5L, (__int128)6), e);
}
