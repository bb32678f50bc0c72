#include <charcoal.h>
int g(int);
int f(int n) {
  if (n)
    goto in;
  atomic {
  in:
    g(n);
  }
  return n;
}
