/* Pointers to locals: passed down and returned up, kept in globals, in loops, stable across calls. */
#include <stdio.h>
#include <string.h>
#define NI __attribute__((noinline))
static unsigned e;
static int *kept[8];
static const void *seen;
NI static int t(int x) {
  e = e * 31 + (unsigned)x;
  return x;
}
NI static int *down_up(int *p, int d) {
  *p += t(d);
  return d ? down_up(p, d - 1) : p;
}
NI static int same(int n) {
  int v = t(n);
  int *p = &v;
  int ok = 1;
  for (int i = 0; i < n; i++) {
    ok &= down_up(&v, 2) == p;
    ok &= &v == p;
  }
  return ok * 1000 + v;
}
NI static void keep(int i, int *p) {
  kept[i] = p;
  t(i);
}
NI static int globals(void) {
  int a = 1, b = 2, c[4] = {0};
  keep(0, &a);
  keep(1, &b);
  keep(2, c + 2);
  t(1);
  *kept[0] += 10;
  *kept[1] *= t(7);
  *kept[2] = t(5);
  return a * 10000 + b * 100 + c[2];
}
NI static int in_loop(int n) {
  int s = 0;
  for (int i = 0; i < n; i++) {
    int x = t(i), y[2] = {x, x + 1};
    keep(3, &x);
    keep(4, y);
    *kept[3] += 2;
    kept[4][1] += t(1);
    s = s * 7 % 10007 + x * y[1];
  }
  return s;
}
struct list {
  struct list *next;
  int v;
};
NI static int walk(const struct list *l) {
  int s = 0;
  for (; l; l = l->next)
    s = s * 3 + t(l->v);
  return s;
}
NI static int stack_list(struct list *up, int n) {
  struct list me = {up, n};
  return n ? stack_list(&me, n - 1) : walk(&me);
}
NI static void set(int *p, int v) {
  t(v);
  *p = v;
}
NI static int conditional(int n) {
  int a = 1, b = 2, *p;
  if (t(n) & 1)
    p = &a;
  else
    p = &b;
  set(p, 50);
  for (int i = 0; i < 3; i++) {
    t(i);
    p = p == &a ? &b : &a;
    set(p, *p + i);
  }
  return a * 1000 + b;
}
NI static void swap(int *a, int *b) {
  int x = *a;
  t(x);
  *a = *b;
  *b = t(x);
}
NI static int sort3(int x, int y, int z) {
  if (x > y)
    swap(&x, &y);
  if (y > z)
    swap(&y, &z);
  if (x > y)
    swap(&x, &y);
  return x * 100 + y * 10 + z;
}
NI static char *text(char *buf, int n) {
  for (int i = 0; i < n; i++)
    buf[i] = (char)('a' + t(i));
  buf[n] = 0;
  return buf;
}
NI static int strings(void) {
  char a[10], b[20], *p = text(a, 5);
  strcpy(b, p);
  strcat(b, text(a, 3));
  return (int)strlen(b) * 100 + b[6] - p[0];
}
NI static int addresses_as_values(int n) {
  int x = n;
  seen = &x;
  t(1);
  int ok = seen == &x;
  unsigned long v = (unsigned long)&x;
  t(2);
  *(int *)v += 5;
  return ok * 100 + x;
}
struct self {
  struct self *me;
  int v[6];
};
NI static void link_(struct self *s) {
  s->me = s;
  t(3);
}
NI static int self_pointer(int n) {
  struct self s = {0};
  link_(&s);
  for (int i = 0; i < n; i++) {
    s.me->v[i] = t(i) * 2;
  }
  return (s.me == &s) * 100 + s.v[n - 1];
}
NI static int pp(int n) {
  int a = n, *p = &a, **q = &p;
  t(1);
  **q += 3;
  int b = 7;
  *q = &b;
  t(2);
  *p += a;
  return a * 100 + b;
}
NI static int params(int a, int b, double c) {
  int *p = &b;
  double *d = &c;
  t(a);
  *p += a;
  *d *= 2;
  set(&a, t(9));
  return a + b * 10 + (int)(c * 100);
}
int main(void) {
  printf("%d %d %d %d\n", same(4), globals(), in_loop(9), stack_list(0, 9));
  printf("%d %d %d %d\n", conditional(0), conditional(1), sort3(3, 2, 1), sort3(2, 3, 1));
  printf("%d %d %d %d %d\n%u\n", strings(), addresses_as_values(3), self_pointer(5), pp(4), params(1, 2, 1.5), e);
}
