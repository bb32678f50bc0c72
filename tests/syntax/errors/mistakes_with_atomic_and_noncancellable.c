#include <charcoal.h>
int g(int);
int f(int n) {
  atomic;
  atomic (n) { g(n); }
  atomic [n] { g(n); }
  int x = atomic g(n);
  x = 1 + atomic n;
  g(atomic n);
  return atomic g(n);
  noncancellable;
  noncancellable (n) { g(n); }
  noncancellable [0] g(n);
  if (n) { noncancellable }
  if (n) { atomic }
}
