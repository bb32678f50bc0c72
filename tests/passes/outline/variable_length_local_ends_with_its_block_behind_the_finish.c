// Only the end of its block inside the finish is left out, because a branch may use the local until the finish.
#include <charcoal.h>
void use(int *);
void in_each_turn(int n) {
  for (int i = 0; i < n; i++) {
    int a[n];
    do {
      async { use(a); }
    } finish;
  }
}
void inside(int n) {
  do {
    for (int i = 0; i < n; i++) {
      int a[n];
      async { use(a); }
    }
  } finish;
}
void next_to_another(int n) {
  do {
    for (int i = 0; i < n; i++) {
      int a[n];
      use(a);
    }
    async { use(0); }
  } finish;
}
// CHECK-LABEL: define dso_local void @in_each_turn(
// CHECK: call void @ch_scope_leave
// CHECK: call void @llvm.stackrestore
// CHECK-LABEL: define dso_local void @inside(
// CHECK: call ptr @llvm.stacksave
// CHECK-NOT: call void @llvm.stackrestore
// CHECK: call void @ch_scope_leave
// CHECK-LABEL: define dso_local void @next_to_another(
// CHECK: call void @llvm.stackrestore
// CHECK: call void @ch_scope_leave
