// A loop that makes calls of bounded functions makes an unbounded number of them.
static int leaf(int n) { return n + 1; }
int f(int n) {
  for (int i = 0; i < 1000; ++i)
    n = leaf(n);
  return n;
}
// CHECK-LABEL: define dso_local i32 @f.int(
// CHECK: call void @charcoal.yield()
// CHECK: {{^}}for.body:
// CHECK: call void @charcoal.yield()
// CHECK-NEXT: call i32 @leaf(
// CHECK-NOT: call void @charcoal.yield()
// CHECK-NOT: @leaf.int
