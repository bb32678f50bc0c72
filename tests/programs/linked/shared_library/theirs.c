#include "lib.h"
int theirs_variable = 5;
__attribute__((noinline)) static int t(int x) {
  theirs_variable += x;
  return x;
}
int theirs_add(int x) { return t(x) + 10; }
static int hidden(int x) { return t(x) * 3; }
callback theirs_pick(int k) { return t(k) & 1 ? theirs_add : hidden; }
int theirs_map(callback f, int *a, int n) {
  int s = 0;
  for (int i = 0; i < n; i++)
    s = s * 3 + (a[i] = f(a[i]));
  return s;
}
struct pair theirs_pair(int k) { return (struct pair){t(k), t(k + 1)}; }
struct big theirs_big(struct big b) {
  b.v[t(3)] += t(100);
  return b;
}
int theirs_deep(callback f, int d) { return d == 0 ? f(7) : theirs_deep(f, d - 1) + t(1); }
int theirs_overridden(int x) { return t(x) + 1; }
int theirs_calls_overridden(int x) { return theirs_overridden(x) * 2; }
