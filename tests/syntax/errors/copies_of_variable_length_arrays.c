#include <charcoal.h>
int g(int *);
void f(int n, int m[n]) {
  int v[n], w[3][n], fixed[3];
  activate (v) { g(v); }
  activate (fixed, w, m) { g(w[0]); g(fixed); }
  do {
    async (v) { g(v); }
  } finish;
}
