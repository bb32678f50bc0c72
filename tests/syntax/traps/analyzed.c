#include <charcoal.h>
int f(int *p, int n) {
  atomic { if (!p) n = *p; }
  activate (n) { int *q = 0; if (n == 3) *q = n; }
  return n;
}
