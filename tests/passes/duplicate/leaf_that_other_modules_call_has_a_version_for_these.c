// They do not know that it is bounded. One that only this module can call needs none, nor does a large one.
// OPTIONS: -O1
static int own(int n) { return n + 1; }
int small(int n) { return own(n) * 3; }
#define TEN(s) s s s s s s s s s s
int large(int n) {
  TEN(n ^= n << 3; n += own(n);)
  return n;
}
// CHECK-NOT: @own.int
// CHECK-NOT: @large.int
// CHECK: define {{.*}} @small.int(
// CHECK: call i32 @own(
// CHECK-NOT: @own.int
// CHECK-NOT: @large.int
