#include <charcoal.h>
int elsewhere(int);
int f(int n) {
  n = elsewhere(n);
  atomic {
    n = elsewhere(n);
    yield;
  }
  return elsewhere(n);
}
// CHECK-LABEL: define dso_local i32 @f.int(
// CHECK: call void @charcoal.yield()
// CHECK: call i32 @elsewhere.int(
// CHECK: call void @__charcoal_atomic_enter()
// CHECK-NOT: charcoal.yield
// CHECK: call i32 @elsewhere(
// CHECK-NOT: charcoal.yield
// CHECK: call void @__charcoal_atomic_leave(
// CHECK: call i32 @elsewhere.int(
