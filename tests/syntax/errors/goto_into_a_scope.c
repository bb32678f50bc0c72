#include <charcoal.h>
int g(int);
void f(int n) {
  goto a;
  goto b;
  goto c;
  do {
  a:
    g(1);
    async {
    b:
      g(2);
    }
    goto b;
  } finish;
  noncancellable {
  c:
    g(3);
  }
}
