// A block that begins with the marker becomes plain code, whose address is handed to ch_offload with its record.
// OPTIONS: -O1
void __charcoal_offload(void);
int f(int);
int caller(int i) {
  int result;
#pragma clang __debug captured
  {
    __charcoal_offload();
    result = f(i);
  }
  return result;
}
// CHECK-LABEL: define dso_local i32 @caller(
// CHECK: call i32 @ch_offload(ptr @[[BLOCK:.*]], ptr {{.*}})
// CHECK-NOT: __charcoal_offload
// CHECK: define internal void @[[BLOCK]](
// CHECK: call i32 @f(
