#include <charcoal.h>
int g(int);
void f(int n) {
  switch (n) {
  case 0:
    do {
    case 1:
      g(1);
      async {
      default:
        g(2);
      }
    } finish;
    noncancellable {
    case 2:
      g(3);
    }
  }
}
