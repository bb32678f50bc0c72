#include <charcoal.h>
int g(int);
void f(void) {
  register int r = 3;
  activate (r) { g(r); }
}
