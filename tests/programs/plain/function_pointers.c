/* Function pointers: tables, returned, in structures, compared, qsort and bsearch callbacks that call back, recursion
 * through pointers. */
#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#define NI __attribute__((noinline))
static unsigned e;
static int depth;
NI static int t(int x) {
  e = e * 31 + (unsigned)x;
  return x;
}
NI static int add(int a, int b) { return t(a) + b; }
NI static int sub(int a, int b) { return t(a) - b; }
NI static int mul(int a, int b) { return t(a) * b; }
static int leaf(int a, int b) { return a ^ b; }
typedef int (*op)(int, int);
static const op ops[] = {add, sub, mul, leaf};
static op volatile vop = add;
NI static op pick(int k) { return ops[t(k) & 3]; }
NI static op (*picker(int k))(int) {
  t(k);
  return pick;
}
struct shape {
  const struct vt *v;
  int a, b;
};
struct vt {
  int (*area)(const struct shape *);
  const char *(*name)(void);
  struct shape (*grow)(struct shape, int);
};
NI static int sq(const struct shape *s) { return t(s->a) * s->b; }
NI static const char *sqn(void) {
  t(1);
  return "square";
}
NI static struct shape sqg(struct shape s, int k) {
  s.a += t(k);
  return s;
}
NI static int tr(const struct shape *s) { return t(s->a) * s->b / 2; }
NI static const char *trn(void) {
  t(2);
  return "triangle";
}
NI static struct shape trg(struct shape s, int k) {
  s.b += t(k);
  return s;
}
static const struct vt square = {sq, sqn, sqg}, triangle = {tr, trn, trg};
NI static int by_value(const void *a, const void *b) {
  int x = *(const int *)a, y = *(const int *)b;
  t(x);
  return (x > y) - (x < y);
}
NI static int nested(const void *a, const void *b) {
  if (depth == 0) {
    int tmp[4] = {3, 1, 2, *(const int *)a};
    depth++;
    qsort(tmp, 4, sizeof *tmp, nested);
    depth--;
    t(tmp[0]);
  }
  return by_value(a, b);
}
NI static int reversed(const void *a, const void *b, void *ctx) {
  ++*(int *)ctx;
  return -by_value(a, b);
}
NI static int find(const void *k, const void *m) {
  t(1);
  return strcmp(k, *(char *const *)m);
}
typedef struct rec {
  int (*f)(struct rec, int);
} rec;
NI static int yfib(rec r, int n) { return n < 2 ? n : r.f(r, n - 1) + r.f(r, t(n) - 2); }
NI static int map(int (*f)(int), int *a, int n) {
  int s = 0;
  for (int i = 0; i < n; i++)
    s += a[i] = f(a[i]);
  return s;
}
NI static int twice(int x) { return t(x) * 2; }
static int (*chain(int n, int (*f)(int)))(int) { return n ? chain(n - 1, f) : f; }
int main(void) {
  for (int i = 0; i < 4; i++)
    printf("%d %d %d ", ops[i](7, 3), pick(i)(8, 2), picker(i)(i + 1)(5, 4));
  printf("\n%d %d\n", vop(1, 2), (vop = mul)(t(3), vop(4, 5)));
  struct shape s[] = {{&square, 3, 4}, {&triangle, 5, 6}};
  for (int i = 0; i < 2; i++) {
    s[i] = s[i].v->grow(s[i], 2);
    printf("%s %d ", s[i].v->name(), s[i].v->area(&s[i]));
  }
  int a[] = {5, 3, 9, 1, 7, 2, 8}, n = 7, k = 0;
  qsort(a, 7, sizeof *a, by_value);
  for (int i = 0; i < n; i++)
    printf("%d", a[i]);
  qsort_r(a, 7, sizeof *a, reversed, &k);
  for (int i = 0; i < n; i++)
    printf("%d", a[i]);
  qsort(a, 7, sizeof *a, nested);
  for (int i = 0; i < n; i++)
    printf("%d", a[i]);
  const char *words[] = {"alpha", "beta", "gamma"};
  printf(" %s %s\n", *(const char **)bsearch("beta", words, 3, sizeof *words, find),
         bsearch("x", words, 3, sizeof *words, find) ? "?" : "none");
  rec r = {yfib};
  printf("%d %d %d\n", r.f(r, 10), map(twice, a, n), chain(5, twice)(21));
  printf("%d %d %d\n%u\n", ops[0] == add, pick(1) == sub, chain(2, twice) == twice, e);
}
