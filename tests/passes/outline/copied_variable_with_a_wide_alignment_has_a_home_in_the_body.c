// The record is aligned to 16 bytes only.
#include <charcoal.h>
void use(void *);
void f(int n) {
  struct { _Alignas(64) char bytes[64]; } wide = {{(char)n}};
  activate (wide) { use(&wide); }
}
// CHECK-LABEL: define dso_local void @f(
// CHECK: %record = alloca [64 x i8], align 16
// CHECK: call i32 @ch_spawn(ptr null, ptr @f.activity, ptr %record, i64 64, i32 2,
// CHECK-LABEL: define internal void @f.activity(
// CHECK: %[[HOME:[0-9]+]] = alloca [64 x i8], align 64
// CHECK: call void @llvm.memcpy{{.*}}(ptr align 64 %[[HOME]], ptr align 16 %{{.*}}, i64 64
// CHECK: call void @use(ptr noundef %[[HOME]])
