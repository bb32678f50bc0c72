/* static inline, extern inline, always_inline, flatten, gnu_inline, noinline, optnone, in one another. */
#include <stdio.h>
static unsigned e;
__attribute__((noinline)) static int t(int x) {
  e = e * 31 + (unsigned)x;
  return x;
}
static inline int si(int x) {
  static int calls;
  return t(x) + ++calls;
}
inline int ei(int x) { return t(x) * 2; }
extern inline int ei(int x);
__attribute__((always_inline)) static inline int ai(int x) {
  int s = 0;
  for (int i = 0; i < x; i++)
    s += t(i);
  return s;
}
__attribute__((noinline)) int gi(int x) { return t(x) + 7; }
__attribute__((flatten, noinline)) static int fl(int x) { return si(x) + ei(x) + ai(x); }
__attribute__((optnone, noinline)) static int on(int x) {
  int a[3] = {t(x), t(x + 1), t(x + 2)};
  return a[0] + a[1] * a[2];
}
__attribute__((hot)) static int hot_(int x) { return si(x) - ai(3); }
__attribute__((cold, noinline)) static int cold_(int x) { return ai(x) + ei(2); }
__attribute__((pure, noinline)) static int pure_(const int *p) { return *p * 3; }
__attribute__((const, noinline)) static int const_(int x) { return x * 5; }
static inline int rec(int n) { return n < 2 ? t(1) : rec(n - 1) + rec(n - 2); }
int main(void) {
  int (*p)(int) = si, (*q)(int) = ei;
  printf("%d %d %d %d %d\n", si(1), p(2), ei(3), q(4), gi(5));
  printf("%d %d %d %d %d %d\n", ai(4), fl(5), on(6), hot_(7), cold_(8), rec(9));
  int v = 1;
  int r = pure_(&v);
  v = t(9);
  r = r * 100 + pure_(&v);
  v += const_(t(2));
  r = r * 100 + pure_(&v) + const_(v);
  printf("%d\n%u\n", r, e);
}
