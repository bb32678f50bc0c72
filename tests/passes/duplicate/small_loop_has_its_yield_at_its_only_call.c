// A turn of the loop that makes no call looks at nothing. Where more than one block makes a call, the loop's head has
// the only yield point.
__attribute__((noinline)) static int soon(int n) { return n ^ 5; }
int f(const char *code) {
  int n = 0;
  for (; *code; ++code)
    if (*code == 'x')
      n = soon(n);
  return n;
}
// CHECK-LABEL: define dso_local i32 @f.int(
// CHECK: call void @charcoal.yield()
// CHECK-NOT: call void @charcoal.yield()
// CHECK: {{^}}if.then
// CHECK: call void @charcoal.yield()
// CHECK-NEXT: call i32 @soon(
// CHECK-NOT: call void @charcoal.yield()
// CHECK: ret i32
int g(const char *code) {
  int n = 0;
  for (; *code; ++code)
    if (*code == 'x')
      n = soon(n);
    else
      n += soon(n);
  return n;
}
// CHECK-LABEL: define dso_local i32 @g.int(
// CHECK: call void @charcoal.yield()
// CHECK: {{^}}for.cond
// CHECK-NEXT: call void @charcoal.yield()
// CHECK-NOT: call void @charcoal.yield()
// CHECK: ret i32
