/* Compound literals, flexible arrays, designated initialisers, empty structures, zero-length arrays, _Generic, local
 * statics, wide shifts, pointer arithmetic, sizeof with effects. */
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#define NI __attribute__((noinline))
static unsigned e;
NI static int t(int x) {
  e = e * 31 + (unsigned)x;
  return x;
}
struct empty {};
NI static struct empty none(struct empty v, int k) {
  t(k);
  return v;
}
struct flex {
  int n;
  char data[];
};
NI static struct flex *mkflex(int n) {
  struct flex *f = malloc(sizeof *f + (size_t)n);
  f->n = t(n);
  for (int i = 0; i < n; i++)
    f->data[i] = (char)t(i);
  return f;
}
struct deep {
  struct {
    struct {
      int v[2];
    } in[2];
  } out;
  int tail;
};
NI static struct deep deep(int k) {
  return (struct deep){.out.in = {[1].v = {t(k), t(k + 1)}, [0].v[1] = t(k + 2)}, .tail = t(k + 3)};
}
NI static int *literal(int k) {
  static int last[3];
  int *p = (int[]){t(k), t(k + 1), t(k + 2)};
  t(9);
  memcpy(last, p, sizeof last);
  return last;
}
NI static int counter(void) {
  static int n = 10;
  static struct {
    int a;
  } s = {5};
  n += t(1);
  s.a += n;
  return s.a;
}
NI static int fib_memo(int n) {
  static int memo[40];
  if (n < 2)
    return n;
  return memo[n] ? memo[n] : (memo[n] = fib_memo(n - 1) + fib_memo(n - 2));
}
NI static long ptrdiff_(const int *a, const int *b) {
  t(1);
  return b - a;
}
NI static int sideless(int n) {
  int k = n;
  size_t z = sizeof(k++);
  t(1);
  return k * 10 + (int)z;
}
#define NAME(x) _Generic((x), int: "int", long: "long", double: "double", char *: "string", default: "other")
typedef int matrix[3][4];
NI static int diag(matrix m) {
  int s = 0;
  for (int i = 0; i < 3; i++)
    s += t(m[i][i]);
  return s;
}
NI static int (*rows(matrix *m))[4] {
  t(2);
  return *m + 1;
}
union anon {
  struct {
    int lo, hi;
  };
  long both;
};
struct callbacks {
  int (*f[3])(int);
  void *user;
};
NI static int precedence(int a, int b) { return t(a) << 2 | t(b) & 3 ^ t(5) == 5; }
NI static unsigned char wrap(unsigned char c) {
  for (int i = 0; i < 300; i++) {
    c++;
    if (!c)
      t(i);
  }
  return c;
}
NI static int comma(int n) {
  int i, j;
  for (i = 0, j = n; i < j; i++, j -= t(2))
    ;
  return i * 100 + j;
}
NI static double mean(int n, ...);
NI static long bigconst(void) { return 0x7fffffffffffffffL - t(3); }
NI static float narrow(double d) {
  float f = (float)d;
  t((int)f);
  return f * 1.1f;
}
int main(void) {
  struct empty x = none((struct empty){}, 3);
  (void)x;
  struct flex *f = mkflex(9);
  printf("%d %d %zu\n", f->n, f->data[8], offsetof(struct flex, data));
  free(f);
  struct deep d = deep(1);
  printf("%d %d %d %d\n", d.out.in[0].v[1], d.out.in[1].v[0], d.out.in[1].v[1], d.tail);
  int *l = literal(4);
  printf("%d %d %d %d %d %d\n", l[0], l[1], l[2], counter(), counter(), fib_memo(30));
  int a[10];
  printf("%ld %d %s %s %s\n", ptrdiff_(a + 2, a + 9), sideless(3), NAME(t(1)), NAME(1.5), NAME("x"));
  matrix m = {{1, 2, 3, 4}, {5, 6, 7, 8}, {9, 10, 11, 12}};
  printf("%d %d\n", diag(m), rows(&m)[1][2]);
  union anon u = {.lo = t(5), .hi = t(1)};
  struct callbacks c = {{t, [2] = abs}, &u};
  printf("%d %ld %d %d\n", u.lo, u.both, c.f[0](7), c.f[2](-8));
  printf("%d %d %d %ld %g\n%u\n", precedence(3, 6), wrap(9), comma(20), bigconst(), (double)narrow(2.75), e);
}
