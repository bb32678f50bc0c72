int main(int argc, char **argv) { return argc; }
// CHECK-NOT: @main.plain
// CHECK-LABEL: define dso_local i32 @main.int(
// CHECK-LABEL: define dso_local i32 @main(i32 %0, ptr %1, ptr %2)
// CHECK-NEXT: %[[CODE:.*]] = call i32 @ch_main(ptr @main.int, i32 %0, ptr %1, ptr %2)
// CHECK-NEXT: ret i32 %[[CODE]]
