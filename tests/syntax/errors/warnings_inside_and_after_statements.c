#include <charcoal.h>
int g(int);
int f(int n) {
  activate (n) {
    int unused;
    if (n = 3)
      g(n);
  }
  int after;
  atomic {
    int n = 2;
    g(n);
  }
}
