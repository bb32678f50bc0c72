#include <charcoal.h>
int g(int);
void f(int n) {
  for (int i = 0; i < n; i++)
    activate (i) {
      if (g(i))
        break;
    }
}
