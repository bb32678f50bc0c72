declare void @elsewhere()
define void @f(i1 %c) "charcoal-atomic" {
entry:
  %local = alloca i32
  br i1 %c, label %a, label %b
a:
  call void @elsewhere()
  ret void
b:
  musttail call void @other(i1 %c)
  ret void
}
define void @other(i1 %c) {
  call void @elsewhere()
  ret void
}
; CHECK-LABEL: define void @f(
; CHECK: %local = alloca
; CHECK: add i32 %{{.*}}, 1
; CHECK: {{^}}a:
; CHECK: call void @elsewhere()
; CHECK: add i32 %{{.*}}, -1
; CHECK: call void @ch_atomic_settle()
; CHECK: ret void
; CHECK: {{^}}b:
; CHECK: add i32 %{{.*}}, -1
; CHECK: call void @ch_atomic_settle()
; CHECK: musttail call void @other(
; CHECK-NEXT: ret void
; CHECK-LABEL: define void @other(
; CHECK-NOT: = add
