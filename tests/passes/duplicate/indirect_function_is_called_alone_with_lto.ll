; Its address is not looked up, because LLVM 22 crashes in link-time optimization where that of clang's dispatchers is
; used other than in a call.
@chosen = weak_odr ifunc void (), ptr @resolver
define void @one() {
  ret void
}
define ptr @resolver() {
  ret ptr @one
}
define void @caller() {
  call void @chosen()
  ret void
}
; CHECK-LABEL: define void @caller.int()
; CHECK-NOT: @charcoal.version_of
; CHECK: call void @chosen()
!llvm.module.flags = !{!0}
!0 = !{i32 1, !"EnableSplitLTOUnit", i32 0}
