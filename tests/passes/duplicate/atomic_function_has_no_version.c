// It runs as a whole; its caller may give way before.
#include <charcoal.h>
int elsewhere(int);
atomic int f(int n) { return elsewhere(n); }
int caller(int n) { return elsewhere(n) + f(n); }
// CHECK-NOT: @f.int
// CHECK-LABEL: define dso_local i32 @caller.int(
// CHECK: call i32 @elsewhere.int(
// CHECK: call void @charcoal.yield()
// CHECK-NEXT: call i32 @f(
// CHECK-NOT: @f.int
