#include <charcoal.h>
int g(int);
void f(int n) {
  async g(n);
  do {
    g(1);
  } finish;
  async {
    g(2);
  }
}
