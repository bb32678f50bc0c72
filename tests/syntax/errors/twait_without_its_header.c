#include <charcoal.h>
int f(int);
void g(int n) {
  twait { f(n); }
}
