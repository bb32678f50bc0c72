/* One pointer, called with several prototypes: flags beside it say which, in the arms of ifs and switches, in loops and
 * in tail position. */
// skip: undefined (this is what the sanitizer's function check is for)
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#define NI __attribute__((noinline))
struct two {
  double x, y;
};
struct five {
  long v[5];
};
static int calls;
NI static int negate(int n) {
  calls++;
  return -n;
}
NI static double power(double x, double n) {
  calls++;
  double r = 1;
  while (n-- > 0)
    r *= x;
  return r;
}
NI static long double longer(long double x, int n) {
  calls++;
  return x * n + 0.5L;
}
NI static struct two both(struct two p, float f) {
  calls++;
  return (struct two){p.y * f, p.x};
}
NI static struct five sum(struct five f, long k) {
  calls++;
  for (int i = 0; i < 5; i++)
    f.v[i] += k * i;
  return f;
}
NI static void *at(const char *s, size_t n) {
  calls++;
  return (char *)s + n;
}
NI static __int128 wide(__int128 a, signed char b) {
  calls++;
  return a * b;
}
NI static long eight(long a, long b, long c, long d, long e, long f, long g, long h) {
  calls++;
  return a + b * 2 + c * 3 + d * 4 + e * 5 + f * 6 + g * 7 + h * 8;
}
NI static long double half(long double l) {
  calls++;
  return l / 2;
}
NI static void nothing(void) { calls++; }
struct entry {
  int kind;
  void *function;
};
NI static double call(const struct entry *e, int n, double x) {
  void *p = e->function;
  switch (e->kind) {
  case 0:
    return ((int (*)(int))p)(n);
  case 1:
    return ((double (*)(double, double))p)(x, n);
  case 2:
    return (double)((long double (*)(long double, int))p)(x, n);
  case 3:
    return ((struct two (*)(struct two, float))p)((struct two){x, n}, 2.0f).x;
  case 4:
    return ((struct five (*)(struct five, long))p)((struct five){{n, n, n, n, n}}, n).v[4];
  case 5:
    return *((char *(*)(const char *, size_t))p)("abcdef", n);
  case 6:
    return (double)((__int128 (*)(__int128, signed char))p)((__int128)n << 60, -2);
  default:
    ((void (*)(void))p)();
    return 0;
  }
}
NI static int tails(int wantsTwo, void *p, int a, double b) {
  if (wantsTwo)
    return ((int (*)(const void *, const void *))p)(&a, &b);
  return ((int (*)(int))p)(a);
}
NI static double either(int real, void *p, double x, int n) {
  double r;
  if (real)
    r = ((double (*)(double, double))p)(x, x);
  else
    r = ((int (*)(int))p)(n);
  return r;
}
NI static long deep(int memory, void *p, long n, long double l) {
  if (memory)
    return ((long (*)(long, long, long, long, long, long, long, long))p)(n, n, n, n, n, n, n, n);
  else
    return (long)((long double (*)(long double))p)(l);
}
NI static double kAndR(int real, void *p, int n) {
  return real ? ((double (*)())p)((double)n, 2.0) : ((int (*)())p)(n);
}
int main(void) {
  struct entry table[] = {{0, (void *)negate}, {1, (void *)power}, {2, (void *)longer}, {3, (void *)both},
                          {4, (void *)sum},    {5, (void *)at},    {6, (void *)wide},   {7, (void *)nothing},
                          {0, (void *)abs},    {1, (void *)power}, {0, (void *)negate}};
  struct entry *volatile all = table;
  for (int k = 0; k < 3; k++)
    for (unsigned i = 0; i < sizeof table / sizeof *table; i++)
      printf("%g ", call(&all[i], k + 2, 1.5));
  void *volatile one = (void *)negate, *volatile real = (void *)power, *volatile half_ = (void *)half,
                 *volatile eight_ = (void *)eight;
  printf("%g %g %ld %ld", either(0, one, 2.5, 7), either(1, real, 3.0, 3), deep(0, half_, 5, 8.5L),
         deep(1, eight_, 5, 8.5L));
  printf("\n%d %d %g %g %d\n", tails(0, one, 5, 1), tails(0, (void *)abs, -9, 1), kAndR(0, one, 3), kAndR(1, real, 3),
         calls);
}
