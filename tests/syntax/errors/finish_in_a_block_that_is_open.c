#include <charcoal.h>
int g(void);
int f(void) {
  int x = 0;
  do {
    async {
      x = g();
  } finish;
  return x;
}
