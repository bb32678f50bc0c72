#include <charcoal.h>
int g(int);
int f(int n) {
  activate {
    if (g(n))
      goto out;
  }
  g(1);
out:
  return n;
}
