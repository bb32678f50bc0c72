// The callee checks at its entry.
int elsewhere(int);
int f(int n) {
  for (int i = 0; i < 1000; ++i)
    n = elsewhere(n);
  return n;
}
// CHECK-LABEL: define dso_local i32 @f.int(
// CHECK: call void @charcoal.yield()
// CHECK-NOT: call void @charcoal.yield()
// CHECK: call i32 @elsewhere.int(
// CHECK-NOT: call void @charcoal.yield()
// CHECK: ret i32
