#include <charcoal.h>
int g(int);
void f(int n) {
  activate {
    g(n);
}
