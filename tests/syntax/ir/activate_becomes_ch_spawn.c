// A reference, two copies (the widest first) and a handle; what the runtime gets.
// OPTIONS: -O1
// STAGE: outline
#include <charcoal.h>
void use(int *, long, char);
void f(int shared, long copied, char small) {
  ch_activity handle;
  activate [&handle] (small, copied) { use(&shared, copied, small); }
  ch_activity_wait(&handle);
}
// CHECK: @[[SITE:.*]] = private unnamed_addr constant {{.*}} c"activate_becomes_ch_spawn.c:8\00"
// CHECK-LABEL: define dso_local void @f(
// CHECK: %[[RECORD:.*]] = alloca [24 x i8], align 16
// CHECK-NOT: __charcoal
// CHECK: call i32 @ch_spawn(ptr %{{.*}}, ptr @f.activity, ptr %[[RECORD]], i64 24, i32 0, ptr @[[SITE]])
// CHECK-NOT: __captured_stmt
// CHECK-LABEL: define internal void @f.activity(ptr noundef %0)
// CHECK-SAME: #[[ATTRIBUTES:[0-9]+]]
// CHECK-NOT: __charcoal
// CHECK: getelementptr inbounds i8, ptr %{{.*}}, i64 0
// CHECK: getelementptr inbounds i8, ptr %{{.*}}, i64 8
// CHECK: getelementptr inbounds i8, ptr %{{.*}}, i64 16
// CHECK: call void @use(
// CHECK: ret void
// CHECK: attributes #[[ATTRIBUTES]] = {{.*}}"charcoal-activity"
