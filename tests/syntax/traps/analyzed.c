#include <charcoal.h>
int f(int *p, int n) {
  atomic { if (!p) n = *p; }
  return n;
}
