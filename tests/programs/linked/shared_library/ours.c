#include "lib.h"
int ours_variable = 5;
__attribute__((noinline)) static int t(int x) {
  ours_variable += x;
  return x;
}
int ours_add(int x) { return t(x) + 10; }
static int hidden(int x) { return t(x) * 3; }
callback ours_pick(int k) { return t(k) & 1 ? ours_add : hidden; }
int ours_map(callback f, int *a, int n) {
  int s = 0;
  for (int i = 0; i < n; i++)
    s = s * 3 + (a[i] = f(a[i]));
  return s;
}
struct pair ours_pair(int k) { return (struct pair){t(k), t(k + 1)}; }
struct big ours_big(struct big b) {
  b.v[t(3)] += t(100);
  return b;
}
int ours_deep(callback f, int d) { return d == 0 ? f(7) : ours_deep(f, d - 1) + t(1); }
int ours_overridden(int x) { return t(x) + 1; }
int ours_calls_overridden(int x) { return ours_overridden(x) * 2; }
