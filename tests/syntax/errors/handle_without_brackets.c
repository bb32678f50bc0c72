#include <charcoal.h>
void f(int);
void g(void) {
  ch_activity a;
  activate &a f(1);
}
