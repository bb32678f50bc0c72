#include <charcoal.h>
int g(int);
void f(int n) {
  {
    g(n);
  } finish;
  do {
    g(n);
  }
  g(n);
}
