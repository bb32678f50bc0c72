#include <charcoal.h>
int g(int);
void f(int n) {
outer:
  do {
    activate (n) {
      do {
        if (g(n))
          cancel outer;
      } finish;
    }
  } finish;
}
