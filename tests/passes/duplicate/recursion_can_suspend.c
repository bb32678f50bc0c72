// Every function of a recursive group has a version; its check at the entry bounds the time without one.
int odd(unsigned n);
int even(unsigned n) { return n ? odd(n - 1) : 1; }
int odd(unsigned n) { return n ? even(n - 1) : 0; }
// CHECK-LABEL: define dso_local i32 @even.int(
// CHECK: call void @charcoal.yield()
// CHECK: call i32 @odd.int(
// CHECK-LABEL: define dso_local i32 @odd.int(
// CHECK: call void @charcoal.yield()
// CHECK: call i32 @even.int(
