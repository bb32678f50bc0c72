#include <unistd.h>
int main(int argc, char **argv) { return vfork() + argc; }
// CHECK-LABEL: define internal i32 @main.plain(
// CHECK: define internal i32 @main.int(i32 %0, ptr %1)
// CHECK-NEXT: %[[R:.*]] = call i32 @main.plain(i32 %0, ptr %1)
// CHECK-NEXT: ret i32 %[[R]]
// CHECK: define dso_local i32 @main(i32 %0, ptr %1, ptr %2)
// CHECK-NEXT: call i32 @ch_main(ptr @main.int, i32 %0, ptr %1, ptr %2)
