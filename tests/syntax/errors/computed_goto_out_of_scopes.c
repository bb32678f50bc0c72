#include <charcoal.h>
int g(int);
void f(int n) {
  void *target = n ? &&out : &&in;
  do {
  in:
    if (g(n))
      goto *target;
    async {
      target = &&out;
    }
  } finish;
out:
  g(2);
}
