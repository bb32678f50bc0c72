#include <charcoal.h>
void f(int n) {
  activate n++;
  activate if (n) n++;
}
