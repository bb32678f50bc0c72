#include <charcoal.h>
int g(int);
void f(int n) {
  do {
    noncancellable {
      async g(n);
      do async g(n); finish;
    }
  } finish;
}
noncancellable void h(int n) { async g(n); }
