; Which body of a weak function wins is known at run time only. An alias that cannot be replaced is the function itself.
declare void @elsewhere()
define weak void @weak() {
  call void @elsewhere()
  ret void
}
define void @strong() {
  call void @elsewhere()
  ret void
}
@alias = alias void (), ptr @strong
define void @f() {
  call void @weak()
  call void @alias()
  ret void
}
; CHECK-LABEL: define void @f.int()
; CHECK: %[[VERSION:.*]] = call ptr @charcoal.version_of(ptr @weak, ptr @charcoal.call.void.)
; CHECK-NEXT: call void %[[VERSION]]()
; CHECK-NEXT: call void @strong.int()
