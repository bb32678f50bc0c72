// enter once; leave on the fall-through, the break and the return.
// OPTIONS: -O1
// STAGE: outline
#include <charcoal.h>
int g(int);
int f(int n) {
  for (;;)
    atomic {
      if (g(1))
        break;
      if (g(2))
        return 5;
      g(3);
    }
  return n;
}
// CHECK-LABEL: define dso_local i32 @f(
// CHECK: call void @__charcoal_atomic_enter()
// CHECK: call i32 @g(i32 noundef 1)
// CHECK: call i32 @g(i32 noundef 2)
// CHECK: call i32 @g(i32 noundef 3)
// CHECK: call void @__charcoal_atomic_leave(
// CHECK-NOT: call void @__charcoal_atomic_enter()
// CHECK: ret i32
