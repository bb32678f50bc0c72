/* Large results written where the function reads: x = f(&x), a[i] = f(a), through pointers; parameters whose addresses
 * get away. */
#include <stdio.h>
#include <string.h>
#define NI __attribute__((noinline))
static unsigned e;
NI static int t(int x) {
  e = e * 31 + (unsigned)x;
  return x;
}
struct m {
  int v[9];
};
static struct m global;
static struct m *seen;
NI static struct m twice(const struct m *p) {
  struct m r;
  for (int i = 0; i < 9; i++) {
    r.v[i] = p->v[8 - i] * 2 + t(i);
  }
  return r;
}
NI static struct m from_global(int k) {
  struct m r = {{0}};
  r.v[0] = k;
  for (int i = 1; i < 9; i++) {
    r.v[i] = global.v[i - 1] + t(1);
  }
  return r;
}
NI static struct m chain(struct m a, int d) {
  if (d == 0)
    return a;
  a = chain(a, d - 1);
  a.v[d] += t(d);
  return chain(a, 0);
}
NI static int by_address(struct m *p, int k) {
  int s = p->v[k];
  p->v[k] = t(k) + 50;
  return s;
}
NI static int parameter(struct m a, int k, struct m b) {
  struct m *p = k & 1 ? &a : &b;
  seen = p;
  int s = by_address(p, 2) + t(k);
  s = s * 3 + by_address(seen, 3);
  *seen = twice(&a);
  return s * 100 + a.v[2] + b.v[3] + (p == seen);
}
NI static struct m conditional(int k, struct m a, struct m b) { return t(k) ? twice(&a) : b; }
NI static long sum(struct m a) {
  long s = 0;
  for (int i = 0; i < 9; i++)
    s = s * 3 % 1000003 + a.v[i];
  return s;
}
struct nest {
  int a;
  struct m in[2];
  struct {
    struct m *p;
  } q;
};
NI static struct nest nested(struct m a) {
  struct nest n = {t(1), {a, twice(&a)}, {&global}};
  n.in[1] = from_global(n.in[0].v[1]);
  return n;
}
int main(void) {
  struct m x = {{1, 2, 3, 4, 5, 6, 7, 8, 9}}, a[3] = {x, x, x};
  x = twice(&x);
  int i = 0;
  a[i] = twice(&a[i]);
  i++;
  a[i] = twice(a);
  *(&a[2]) = twice(&a[2]);
  global = x;
  global = from_global(5);
  global = twice(&global);
  struct m *p = &x;
  *p = chain(*p, 5);
  printf("%ld %ld %ld %ld %ld %ld\n", sum(x), sum(a[0]), sum(a[1]), sum(a[2]), sum(global), sum(twice(&x)));
  printf("%d %d %ld %ld %d\n", parameter(x, 1, a[0]), parameter(x, 2, a[1]), sum(conditional(1, x, a[2])),
         sum(conditional(0, x, a[2])), nested(x).in[t(1)].v[3] + nested(a[0]).q.p->v[2]);
  printf("%u\n", e);
}
