// OPTIONS: -O1
#include <charcoal.h>
void g(void);
void f(void) {
  return;
  activate { g(); }
}
// CHECK-NOT: __charcoal_
// CHECK-NOT: @f.activity
// CHECK-NOT: @__captured_stmt
