// In the block each argument has the place where a variadic function saves its register; va_start finds it there.
#include <stdarg.h>
int elsewhere(int);
static int sum(int count, ...) {
  va_list list;
  va_start(list, count);
  int n = elsewhere(va_arg(list, int));
  va_end(list);
  return n;
}
int f(void) { return sum(2, 7, 2.5, 'x'); }
// CHECK-LABEL: define dso_local i32 @f.int(
// CHECK: %variable_arguments = alloca [192 x i8], align 16
// CHECK: %[[FIRST:.*]] = getelementptr inbounds i8, ptr %variable_arguments, i64 24
// CHECK: store volatile i64 7, ptr %[[FIRST]]
// CHECK: %[[SECOND:.*]] = getelementptr inbounds i8, ptr %variable_arguments, i64 64
// CHECK: store volatile double 2.500000e+00, ptr %[[SECOND]]
// CHECK: %[[THIRD:.*]] = getelementptr inbounds i8, ptr %variable_arguments, i64 32
// CHECK: store volatile i64 120, ptr %[[THIRD]]
// CHECK: store i64 192, ptr %variable_arguments
// CHECK: call i32 @sum.variadic.int(i32 {{.*}}2, ptr {{(captures\(none\)|nocapture)}} %variable_arguments)
// CHECK: define internal i32 @sum.variadic.int(i32 noundef %0, ptr %[[AREA:[0-9]+]])
// CHECK: store i32 8, ptr %{{.*}}, align 8
// CHECK: store i32 48, ptr
// CHECK: %[[MEMORY:[0-9]+]] = load i64, ptr %[[AREA]]
// CHECK: getelementptr inbounds i8, ptr %[[AREA]], i64 %[[MEMORY]]
// CHECK: getelementptr inbounds i8, ptr %[[AREA]], i64 16
// CHECK-NOT: va_start
// CHECK: }
