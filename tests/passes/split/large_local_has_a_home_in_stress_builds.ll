; To copy it out and back at each call would take longer than the rest of a switch. A local of 1024 bytes is copied.
; OPTIONS: -charcoal-stress
declare void @fill(ptr captures(none))
define void @g.int() "charcoal-version-of"="g" {
  ret void
}
define i8 @large.int() "charcoal-version-of"="large" {
  %local = alloca [1025 x i8]
  call void @fill(ptr %local)
  call void @g.int() "charcoal-suspends"
  %v = load i8, ptr %local
  ret i8 %v
}
define i8 @copied.int() "charcoal-version-of"="copied" {
  %local = alloca [1024 x i8]
  call void @fill(ptr %local)
  call void @g.int() "charcoal-suspends"
  %v = load i8, ptr %local
  ret i8 %v
}
; CHECK-LABEL: define { i32, i8 } @large.int(
; CHECK: %image = alloca [8 x i8]
; CHECK: call preserve_mostcc ptr @ch_frame_new(ptr @charcoal.info)
; CHECK-LABEL: define { i32, i8 } @copied.int(
; CHECK-NOT: ch_frame_new
; CHECK: %image = alloca [1024 x i8]
