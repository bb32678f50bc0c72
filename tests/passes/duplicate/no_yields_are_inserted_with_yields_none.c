// Only what blocks can be suspended, and where the user says so.
// OPTIONS: -fcharcoal-yields=none
#include <charcoal.h>
int elsewhere(int);
static int leaf(int n) { return n + 1; }
int loop(int n) {
  for (int i = 0; i < 1000; ++i)
    n = leaf(n);
  return n;
}
int f(int n) {
  yield;
  return elsewhere(n);
}
// CHECK-NOT: @loop.int
// CHECK-LABEL: define dso_local i32 @f.int(
// CHECK: call void @charcoal.yield() #[[EXPLICIT:[0-9]+]]
// CHECK-NOT: call void @charcoal.yield()
// CHECK: call i32 @elsewhere.int(
// CHECK: attributes #[[EXPLICIT]] = { {{.*}}"charcoal-explicit"
