#include <charcoal.h>
int g(int);
noncancellable int shared;
void f(int n) {
  noncancellable int x = g(n);
  g(x);
}
