#include <charcoal.h>
#define SPAWN(v) activate (v) { v = "text"; }
#define LOCKED atomic { undeclared(n); }
int g(int);
void f(int n) {
  SPAWN(n)
  LOCKED
}
