#include <charcoal.h>
int g(int);
void f(int n) {
  activate [&nowhere] (nothing) { nobody(); }
  activate g(nowhere_either);
  activate unknown(1);
}
