// The callee may be a function that always returns soon, and then it has no check.
int elsewhere(int);
int f(int n) {
  for (int i = 0; i < 1000; ++i)
    n = elsewhere(n);
  return n;
}
// CHECK-LABEL: define dso_local i32 @f.int(
// CHECK: call void @charcoal.yield()
// CHECK: {{^}}for.body:
// CHECK: call void @charcoal.yield()
// CHECK-NEXT: call i32 @elsewhere.int(
// CHECK-NOT: call void @charcoal.yield()
// CHECK: ret i32
