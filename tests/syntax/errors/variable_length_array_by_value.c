#include <charcoal.h>
int g(int *);
void f(int n) {
  int a[n];
  a[0] = 1;
  activate (a) { g(a); }
}
