#include <charcoal.h>
#define BOTH(a, b) do { async a; async b; } finish
int g(int);
void f(int n) {
  int x;
  do {
    async x = g("one");
    async { g(unknown); }
    async if (n = 3) g(n, n);
  } finish;
  BOTH(g(1), nothing(2));
  noncancellable g(&x);
  within (n * 1000 do g(1); finish;
}
