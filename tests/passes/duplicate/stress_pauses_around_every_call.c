// Every call of an interruptible version has a point of suspension on either side, also that of a leaf.
// OPTIONS: -fcharcoal-stress
static int leaf(int n) { return n + 1; }
int f(int n) { return leaf(n); }
// CHECK-LABEL: define dso_local i32 @f.int(
// CHECK: call void @charcoal.pause()
// CHECK: call void @charcoal.pause()
// CHECK-NEXT: call i32 @leaf(
// CHECK-NEXT: call void @charcoal.pause()
// CHECK-NOT: charcoal.pause()
// CHECK: ret i32
