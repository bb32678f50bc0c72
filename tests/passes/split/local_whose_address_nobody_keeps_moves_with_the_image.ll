; One used on one side of the call only stays on the stack.
declare void @fill(ptr captures(none))
define void @g.int() "charcoal-version-of"="g" {
  ret void
}
define i32 @f.int() "charcoal-version-of"="f" {
  %across = alloca [3 x i32]
  %before = alloca i32
  %after = alloca i32
  call void @fill(ptr %across)
  call void @fill(ptr %before)
  call void @g.int() "charcoal-suspends"
  call void @fill(ptr %after)
  %v = load i32, ptr %across
  ret i32 %v
}
; CHECK-LABEL: define { i32, i32 } @f.int(
; CHECK-NOT: ch_frame_new
; CHECK-DAG: %before = alloca i32
; CHECK-DAG: %after = alloca i32
; CHECK-DAG: %image = alloca [16 x i8]
; CHECK: call void @fill(ptr %image)
; CHECK: call void @fill(ptr %before)
; CHECK: call i32 @g.int
; CHECK: call void @fill(ptr %after)
; CHECK: load i32, ptr %image
