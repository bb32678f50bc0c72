// In a loop with many ways, like that of an interpreter, few turns make a call. One of these loops calls a function of
// another module, and the other one a function that always returns soon and so has no version.
int elsewhere(int);
__attribute__((noinline)) static int soon(int n) { return n ^ 5; }
#define WAY(k)                                                                                                         \
  case k:                                                                                                              \
    n += 7 * (k) + 3;                                                                                                  \
    break;
#define LOOP(name, callee)                                                                                             \
  int name(const char *code) {                                                                                         \
    int n = 0;                                                                                                         \
    for (;; ++code)                                                                                                    \
      switch (*code) {                                                                                                 \
        WAY(0) WAY(1) WAY(2) WAY(3) WAY(4) WAY(5) WAY(6) WAY(7) WAY(8) WAY(9) WAY(10) WAY(11) WAY(12) WAY(13)          \
      case 98:                                                                                                         \
        n = callee(n);                                                                                                 \
        break;                                                                                                         \
      case 99:                                                                                                         \
        return n;                                                                                                      \
      }                                                                                                                \
  }
LOOP(f, elsewhere)
// CHECK-LABEL: define dso_local i32 @f.int(
// CHECK: call void @charcoal.yield()
// CHECK-NOT: call void @charcoal.yield()
// CHECK: {{^}}sw.bb
// CHECK: call void @charcoal.yield()
// CHECK-NEXT: call i32 @elsewhere.int(
// CHECK-NOT: call void @charcoal.yield()
// CHECK: ret i32
LOOP(g, soon)
// CHECK-LABEL: define dso_local i32 @g.int(
// CHECK: call void @charcoal.yield()
// CHECK-NOT: call void @charcoal.yield()
// CHECK: {{^}}sw.bb
// CHECK: call void @charcoal.yield()
// CHECK-NEXT: call i32 @soon(
// CHECK-NOT: call void @charcoal.yield()
// CHECK: ret i32
