#include <charcoal.h>
int g(int);
void f(int n) {
  int array[n];
  do {
    async (n + 1) { g(n); }
    async (array) { g(array[0]); }
    async (unknown) { g(unknown); }
    async (n) { n = "text"; }
    async (void) g(n);
    async (n) g(n);
  } finish;
}
