// The callee is known, and checks at its entry.
int elsewhere(int);
int checks(int n) { return elsewhere(n) + 1; }
int f(int n) {
  for (int i = 0; i < 1000; ++i)
    n = checks(n);
  return n;
}
// CHECK-LABEL: define dso_local i32 @f.int(
// CHECK: call void @charcoal.yield()
// CHECK-NOT: call void @charcoal.yield()
// CHECK: call i32 @checks.int(
// CHECK-NOT: call void @charcoal.yield()
// CHECK: ret i32
