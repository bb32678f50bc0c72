// A function's address and literals are known: nothing is captured, and the call stays direct.
// OPTIONS: -O1
// STAGE: outline
#include <charcoal.h>
void g(int, const char *);
void f(void) {
  void (*pointer)(int, const char *) = g;
  int one = 1;
  activate g(7, "text");
  activate contained g(3 + 4, 0);
  pointer(one, 0);
}
// CHECK-LABEL: define dso_local void @f()
// CHECK: call i32 @ch_spawn(ptr null, ptr @f.activity, ptr null, i64 0, i32 2, ptr @{{.*}})
// CHECK: call i32 @ch_spawn(ptr null, ptr @f.activity.{{.*}}, ptr null, i64 0, i32 3, ptr @{{.*}})
// CHECK-LABEL: define internal void @f.activity(
// CHECK: call void @g(i32 noundef 7, ptr noundef @{{.*}})
