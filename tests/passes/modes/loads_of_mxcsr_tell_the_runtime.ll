; Those that the compiler knows, and those in inline assembly. Not what changes the x87 control word as well.
target triple = "x86_64-pc-linux-gnu"
declare void @llvm.x86.sse.ldmxcsr(ptr)
declare void @llvm.set.rounding(i32)
define void @intrinsic(ptr %p) {
  call void @llvm.x86.sse.ldmxcsr(ptr %p)
  ret void
}
; CHECK-LABEL: define void @intrinsic
; CHECK-NEXT: store atomic i32 1, ptr @ch_mxcsr_changes monotonic, align 4
; CHECK-NEXT: call void @llvm.x86.sse.ldmxcsr
define void @assembly(ptr %p) {
  call void asm sideeffect "fxrstor64 $0", "*m"(ptr elementtype(i64) %p)
  ret void
}
; CHECK-LABEL: define void @assembly
; CHECK-NEXT: store atomic i32 1, ptr @ch_mxcsr_changes monotonic, align 4
; CHECK-NEXT: call void asm
define void @both() {
  call void @llvm.set.rounding(i32 2)
  call void asm sideeffect "nop", ""()
  ret void
}
; CHECK-LABEL: define void @both
; CHECK-NEXT: call void @llvm.set.rounding
; CHECK-NEXT: call void asm
