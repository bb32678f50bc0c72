; What may take long and has only a plain version.
declare void @elsewhere()
declare ptr @llvm.returnaddress(i32)
define ptr @refused() {
  call void @elsewhere()
  %r = call ptr @llvm.returnaddress(i32 0)
  ret ptr %r
}
define void @f() {
  %first = call ptr @refused()
  %second = call ptr @refused()
  ret void
}
; CHECK-NOT: @refused.int
; CHECK-LABEL: define void @f.int(
; CHECK: call void @charcoal.yield()
; CHECK: call void @charcoal.yield()
; CHECK-NEXT: call ptr @refused()
; CHECK-NEXT: call void @charcoal.yield()
; CHECK-NEXT: call ptr @refused()
