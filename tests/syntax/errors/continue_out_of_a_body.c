#include <charcoal.h>
int g(int);
void f(int n) {
  while (n--) {
    activate {
      if (g(n))
        continue;
      g(0);
    }
  }
}
