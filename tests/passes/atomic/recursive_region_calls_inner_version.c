// What is called from a region has nothing to count: inside, one version without regions calls itself.
#include <charcoal.h>
int fib(int n) {
  int r;
  atomic { r = n < 2 ? n : fib(n - 1) + fib(n - 2); }
  return r;
}
// CHECK-LABEL: define dso_local i32 @fib(
// CHECK: call i32 @fib.atomic(
// CHECK: call i32 @fib.atomic(
// CHECK-NOT: call i32 @fib(
// CHECK-LABEL: define internal i32 @fib.atomic(
// CHECK-NOT: ch_atomic_settle
// CHECK-NOT: atomic_depth
// CHECK: call i32 @fib.atomic(
// CHECK: call i32 @fib.atomic(
// CHECK-NOT: ch_tls
// CHECK: {{^}}}
