/* Variadic functions: calls and definitions, va_copy, va_list handed on, structures, many arguments. */
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#define NI __attribute__((noinline))
static unsigned e;
NI static int t(int x) {
  e = e * 31 + (unsigned)x;
  return x;
}
struct s3 {
  int a, b, c;
};
struct s40 {
  char b[40];
};
struct fd {
  float a;
  double b;
};
NI static long sum(int n, ...) {
  va_list ap;
  va_start(ap, n);
  long s = 0;
  for (int i = 0; i < n; i++) {
    s = s * 3 + va_arg(ap, int);
    t(i);
  }
  va_end(ap);
  return s;
}
NI static double kinds(const char *f, ...) {
  va_list ap;
  va_start(ap, f);
  double r = 0;
  for (; *f; f++) {
    t(*f);
    switch (*f) {
    case 'i':
      r += va_arg(ap, int);
      break;
    case 'l':
      r += (double)va_arg(ap, long);
      break;
    case 'd':
      r += va_arg(ap, double);
      break;
    case 'L':
      r += (double)va_arg(ap, long double);
      break;
    case 's':
      r += (double)strlen(va_arg(ap, char *));
      break;
    case '3': {
      struct s3 v = va_arg(ap, struct s3);
      t(v.b);
      r += v.a + v.b * 2 + v.c * 3;
      break;
    }
    case '4': {
      struct s40 v = va_arg(ap, struct s40);
      r += v.b[t(39)];
      break;
    }
    case 'f': {
      struct fd v = va_arg(ap, struct fd);
      r += v.a * v.b;
      break;
    }
    case 'q':
      r += (double)va_arg(ap, __int128);
      break;
    case 'p': {
      int (*g)(int) = va_arg(ap, int (*)(int));
      r += g(7);
      break;
    }
    }
    r = r * 1.5;
  }
  va_end(ap);
  return r;
}
NI static long vsum(int n, va_list ap) {
  long s = 0;
  while (n-- > 0)
    s += t(va_arg(ap, int));
  return s;
}
NI static long twice(int n, ...) {
  va_list a, b;
  va_start(a, n);
  va_copy(b, a);
  long s = vsum(n, a);
  t(n);
  s = s * 100 + vsum(n, b);
  va_end(a);
  va_end(b);
  return s;
}
NI static long by_pointer_inner(va_list *ap) {
  t(1);
  return va_arg(*ap, long);
}
NI static long by_pointer(int n, ...) {
  va_list ap;
  va_start(ap, n);
  long s = 0;
  for (int i = 0; i < n; i++) {
    s = s * 7 + by_pointer_inner(&ap);
    if (t(i) & 1)
      s += va_arg(ap, int);
  }
  va_end(ap);
  return s;
}
NI static int say(char *to, size_t n, const char *f, ...) {
  va_list ap;
  va_start(ap, f);
  t(1);
  int r = vsnprintf(to, n, f, ap);
  va_end(ap);
  t(r);
  return r;
}
NI static struct s3 returns(int k, ...) {
  va_list ap;
  va_start(ap, k);
  struct s3 r = {va_arg(ap, int), t(k), 0};
  r.c = va_arg(ap, int);
  va_end(ap);
  return r;
}
NI static double stack_floats(int n, double a, double b, double c, double d, double f, double g, double h, double i,
                              ...) {
  va_list ap;
  va_start(ap, i);
  double s = a + b + c + d + f + g + h + i;
  while (n--) {
    s = s * 2 + va_arg(ap, double);
    t(n);
  }
  va_end(ap);
  return s;
}
NI static int rec(int n, ...) {
  va_list ap;
  va_start(ap, n);
  int v = va_arg(ap, int), w = va_arg(ap, int);
  int r = n ? rec(n - 1, w, v + 1) : 0;
  r = r * 2 % 997 + v + w;
  r += va_arg(ap, int) * 0;
  va_end(ap);
  return r;
}
int main(void) {
  char buf[200];
  printf("%ld %ld %ld\n", sum(0), sum(3, t(1), t(2), t(3)), sum(12, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, t(12)));
  struct s40 b;
  memset(&b, 9, sizeof b);
  printf("%.10g\n",
         kinds("ildLs34fqp", 1, 2L, 3.5, 4.5L, "five", (struct s3){6, 7, 8}, b, (struct fd){1.5f, 2}, (__int128)9, t));
  printf("%.10g\n", kinds("dddddddddiiiiiiiilf3", 1., 2., 3., 4., 5., 6., 7., 8., 9., 1, 2, 3, 4, 5, 6, 7, 8, 9L,
                          (struct fd){2, 3}, (struct s3){1, 2, 3}));
  printf("%ld %ld\n", twice(4, 1, 2, 3, 4), by_pointer(4, 1L, 2L, 3, 4L, 5L, 6));
  printf("%d %s\n", say(buf, sizeof buf, "%d-%s-%5.2f-%c-%lld-%x", t(1), "two", 3.25, 'c', 1LL << 40, 255), buf);
  struct s3 r = returns(5, t(4), 6);
  printf("%d %d %d\n", r.a, r.b, r.c);
  printf("%g %d\n", stack_floats(3, 1, 2, 3, 4, 5, 6, 7, 8, 9., 10., 11.), rec(0, 1, 2, 3));
  long (*volatile ip)(int, ...) = sum;
  double (*volatile kp)(const char *, ...) = kinds;
  printf("%ld %g\n%u\n", ip(3, 7, 8, 9), kp("id", 1, 2.5), e);
}
