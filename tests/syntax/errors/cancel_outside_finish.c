#include <charcoal.h>
int g(int);
void f(int n) {
  cancel;
  do {
    activate { cancel; }
    g(n);
  } finish;
}
