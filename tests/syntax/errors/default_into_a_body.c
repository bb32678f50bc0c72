#include <charcoal.h>
int g(int);
void f(int n) {
  switch (n) {
  case 0:
    activate {
    default:
      g(n);
    }
  }
}
