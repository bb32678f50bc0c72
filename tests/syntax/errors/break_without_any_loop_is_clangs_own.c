#include <charcoal.h>
void f(void) {
  activate { break; }
}
