/* setjmp and longjmp: same frame, across frames, volatile locals, loops, nested buffers, out of a qsort callback,
 * sigsetjmp, the builtin forms. */
#define _GNU_SOURCE
#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>
#define NI __attribute__((noinline))
static unsigned e;
static jmp_buf top, inner;
NI static int t(int x) {
  e = e * 31 + (unsigned)x;
  return x;
}
NI static void throw_(int depth, int v) {
  if (depth == 0)
    longjmp(top, t(v));
  throw_(depth - 1, v);
  t(depth);
}
NI static int catch_(int depth, int v) {
  volatile int before = t(5);
  int fixed = t(v * 2);
  switch (setjmp(top)) {
  case 0:
    before = 6;
    throw_(depth, v);
    return -1;
  default:
    return before * 100 + fixed;
  }
}
NI static int value(void) {
  int r = setjmp(top);
  volatile int keep = 3;
  if (r < 3)
    longjmp(top, t(r) + 1);
  return r * 10 + keep;
}
static int counted;
NI static int loop(int n) {
  volatile int i = 0;
  static int total;
  total = 0;
  if (setjmp(top))
    counted++;
  while (i < n) {
    int k = t(i);
    i = i + 1;
    total += k;
    if (k % 3 == 1)
      throw_(2, 1);
    total += t(1);
  }
  return total * 100 + counted;
}
NI static int nested(int n) {
  volatile int log = 0;
  jmp_buf mine;
  if (setjmp(mine) == 0) {
    log = log * 10 + 1;
    if (setjmp(inner) == 0) {
      log = log * 10 + 2;
      t(1);
      longjmp(inner, 1);
    }
    log = log * 10 + 3;
    t(2);
    longjmp(mine, t(n));
  }
  log = log * 10 + 4;
  return log;
}
NI static int compare(const void *a, const void *b) {
  int x = *(const int *)a, y = *(const int *)b;
  if (t(x) == 7 && y != 7)
    longjmp(top, 77);
  return (x > y) - (x < y);
}
NI static int sorted(void) {
  int a[] = {5, 2, 9, 7, 1, 3};
  if (setjmp(top))
    return 77;
  qsort(a, 6, sizeof *a, compare);
  return a[0];
}
NI static int masked(void) {
  sigjmp_buf b;
  volatile int n = 0;
  int r = sigsetjmp(b, 1);
  n = n + 1;
  t(n);
  if (r < 2)
    siglongjmp(b, r + 1);
  return n * 10 + r;
}
static void *bbuf[5];
NI static void bthrow(int d) {
  if (t(d) == 0)
    __builtin_longjmp(bbuf, 1);
  bthrow(d - 1);
  t(d);
}
NI static int builtin(int d) {
  volatile int x = t(d);
  if (__builtin_setjmp(bbuf))
    return x + 1000;
  x = x + 1;
  bthrow(d);
  return -1;
}
struct handler {
  jmp_buf b;
  struct handler *up;
  int code;
};
static struct handler *handlers;
NI static void raise_(int code) {
  handlers->code = code;
  longjmp(handlers->b, 1);
}
NI static int protect(int (*f)(int), int x) {
  struct handler h;
  h.up = handlers;
  handlers = &h;
  volatile int r = -1;
  if (setjmp(h.b) == 0)
    r = f(t(x));
  else
    r = -h.code;
  handlers = h.up;
  return r;
}
NI static int risky(int x) {
  if (x > 5)
    raise_(x * 3);
  return x + 1;
}
NI static int layered(int x) {
  int a = protect(risky, x), b = protect(risky, x + 4);
  if (a + b < 0)
    raise_(a + b + 100);
  return a * 100 + b;
}
NI static _Noreturn void never(void) { longjmp(top, t(4)); }
NI static int through_noreturn(int x) {
  int r = setjmp(top);
  if (r == 0) {
    if (x)
      never();
    return 1;
  }
  return r + t(x);
}
NI static int vla(int n) {
  volatile int k = 0;
  int a[n];
  for (int i = 0; i < n; i++)
    a[i] = t(i);
  if (setjmp(top))
    k = k + 1;
  a[k] += 5;
  if (k < n - 1)
    throw_(1, 1);
  int s = 0;
  for (int i = 0; i < n; i++)
    s = s * 10 + a[i];
  return s;
}
int main(void) {
  printf("%d %d %d\n", catch_(0, 3), catch_(5, 4), value());
  printf("%d %d %d %d\n", loop(9), nested(3), sorted(), masked());
  printf("%d %d\n", builtin(0), builtin(6));
  printf("%d %d %d\n", protect(layered, 1), protect(layered, 3), protect(layered, 9));
  printf("%d %d %d\n%u\n", through_noreturn(0), through_noreturn(1), vla(4), e);
}
