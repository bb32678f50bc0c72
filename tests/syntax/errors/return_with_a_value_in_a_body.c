#include <charcoal.h>
int g(int);
int f(int n) {
  activate {
    return g(n);
  }
  return 0;
}
