#include <charcoal.h>
int g(int);
void f(int n) {
  do {
    async g(n);
  } finish
  g(2);
}
