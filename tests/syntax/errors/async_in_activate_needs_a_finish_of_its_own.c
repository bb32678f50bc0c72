#include <charcoal.h>
int g(int);
void f(int n) {
  do {
    activate (n) {
      async g(n);
    }
  } finish;
}
