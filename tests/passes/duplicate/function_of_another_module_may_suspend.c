// The version of another module is named f.int; the call of it, and so the caller's version, can suspend.
int elsewhere(int);
int caller(int n) { return elsewhere(n) + 1; }
int outer(int n) { return caller(n) * 2; }
// CHECK-LABEL: define dso_local i32 @caller(
// CHECK-NOT: .int
// CHECK: call i32 @elsewhere(
// CHECK-LABEL: define dso_local i32 @caller.int(
// CHECK: call void @charcoal.yield()
// CHECK: call i32 @elsewhere.int({{.*}}) #[[SUSPENDS:[0-9]+]]
// CHECK-LABEL: define dso_local i32 @outer.int(
// CHECK: call i32 @caller.int({{.*}}) #[[SUSPENDS]]
// CHECK: attributes #[[SUSPENDS]] = { {{.*}}"charcoal-suspends" }
