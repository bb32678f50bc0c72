#include <charcoal.h>
int g(int);
void f(int n) {
  activate (n) g(n);
}
