/* Other calling conventions and code attributes: ms_abi, preserve_most, vectorcall, target, target_clones, naked,
 * section, no_callee_saved. x86-64. */
#include <stdarg.h>
#include <stdio.h>
#define NI __attribute__((noinline))
static unsigned e;
NI static int t(int x) {
  e = e * 31 + (unsigned)x;
  return x;
}
#if defined __x86_64__
#define MS __attribute__((ms_abi))
NI MS static long ms(int a, double b, long c, char d, int f, int g) {
  return t(a) + (long)b * 2 + c * 3 + d * 5 + f * t(7) + g;
}
struct three {
  char c[3];
};
NI MS static struct three ms3(struct three a, int k) {
  a.c[t(k)] = 'm';
  return a;
}
NI MS static int msva(int n, ...) {
  __builtin_ms_va_list ap;
  __builtin_ms_va_start(ap, n);
  int s = 0;
  while (n--)
    s = s * 3 + t(__builtin_va_arg(ap, int));
  __builtin_ms_va_end(ap);
  return s;
}
NI __attribute__((preserve_most)) static void pm(int *p) { *p += t(3); }
NI __attribute__((vectorcall)) static double vc(double a, float b, int c) { return a + b + t(c); }
NI __attribute__((regcall)) static int rc(int a, int b, int c, int d, int f, int g, int h, int i) {
  return t(a) + b + c + d + f + g + h * t(i);
}
NI __attribute__((target("avx2"))) static int av(const int *p, int n) {
  int s = 0;
  for (int i = 0; i < n; i++)
    s += p[i] * 3;
  return t(s);
}
__attribute__((naked, noinline)) static int nk(int x) { __asm__("leal 1(%rdi), %eax; ret"); }
#else
#define MS
NI static long ms(int a, double b, long c, char d, int f, int g) {
  return t(a) + (long)b * 2 + c * 3 + d * 5 + f * t(7) + g;
}
struct three {
  char c[3];
};
NI static struct three ms3(struct three a, int k) {
  a.c[t(k)] = 'm';
  return a;
}
NI static int msva(int n, ...) {
  va_list ap;
  va_start(ap, n);
  int s = 0;
  while (n--)
    s = s * 3 + t(va_arg(ap, int));
  va_end(ap);
  return s;
}
NI static void pm(int *p) { *p += t(3); }
NI static double vc(double a, float b, int c) { return a + b + t(c); }
NI static int rc(int a, int b, int c, int d, int f, int g, int h, int i) { return t(a) + b + c + d + f + g + h * t(i); }
NI static int av(const int *p, int n) {
  int s = 0;
  for (int i = 0; i < n; i++)
    s += p[i] * 3;
  return t(s);
}
NI static int nk(int x) { return x + 1; }
#endif
NI __attribute__((section(".text.special"))) static int special(int x) { return t(x) + 1; }
int main(void) {
  long(MS *volatile p)(int, double, long, char, int, int) = ms;
  struct three v = ms3((struct three){"ab"}, 1);
  int k = 1;
  pm(&k);
  int a[40];
  for (int i = 0; i < 40; i++)
    a[i] = i;
  printf("%ld %ld %.3s %d %d %g %d\n", ms(1, 2, 3, 4, 5, 6), p(t(6), 5, 4, 3, 2, 1), v.c, msva(7, 1, 2, 3, 4, 5, 6, 7),
         k, vc(1.5, 2.5f, 3), rc(1, 2, 3, 4, 5, 6, 7, 8));
  printf("%d %d %d\n%u\n", __builtin_cpu_supports("avx2") ? av(a, 40) : t(2340), nk(t(4)), special(5), e);
}
