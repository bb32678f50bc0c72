// Their attributes change how they are called, and no frame could hold the matrix registers.
// OPTIONS: --target=aarch64-linux-gnu -march=armv9-a+sme -O1 -Rcharcoal -ffreestanding
void other(int);
void elsewhere(void) __arm_streaming;
void streaming(void) __arm_streaming {
  other(1);
}
void with_matrix(void) __arm_inout("za") {
  other(2);
}
__arm_new("za") void with_own_matrix(void) {
  other(3);
}
void caller(void (*p)(void) __arm_streaming) {
  other(4);
  p();
  elsewhere();
  streaming();
}
// CHECK: remark: 'streaming' has only a plain version: it uses streaming mode or matrix registers
// CHECK: remark: 'with_matrix' has only a plain version
// CHECK: remark: 'with_own_matrix' has only a plain version
// CHECK-LABEL: define {{.*}}void @caller.int(
// CHECK: call void @other.int(i32 noundef 4)
// CHECK: call void %{{.*}}()
// CHECK: call void @elsewhere()
// CHECK: call void @streaming()
// CHECK: ret void
