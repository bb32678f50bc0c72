#include <charcoal.h>
int g(int);
void f(int n) {
  atomic { g(n; }
}
