#include <charcoal.h>
void f(void) {
  yield;
  atomic { yield; }
}
// CHECK-LABEL: define dso_local void @f()
// CHECK-NOT: call {{.*}}yield
// CHECK-LABEL: define dso_local void @f.int()
// CHECK: call void @charcoal.yield() #[[INSERTED:[0-9]+]]
// CHECK: call void @charcoal.yield() #[[EXPLICIT:[0-9]+]]
// CHECK: call void @__charcoal_atomic_enter()
// CHECK-NOT: call {{.*}}yield
// CHECK: attributes #[[EXPLICIT]] = { {{.*}}"charcoal-explicit"
