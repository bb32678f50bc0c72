; So it has no slot, and the local need not have a home. The image holds the array alone.
define void @g.int() "charcoal-version-of"="g" {
  ret void
}
define i32 @f.int() "charcoal-version-of"="f" {
  %array = alloca [4 x i32]
  %p = getelementptr [4 x i32], ptr %array, i64 0, i64 3
  store i32 7, ptr %p
  call void @g.int() "charcoal-suspends"
  %v = load i32, ptr %p
  ret i32 %v
}
; CHECK-LABEL: define { i32, i32 } @f.int(
; CHECK-NOT: ch_frame_new
; CHECK: %image = alloca [16 x i8]
; CHECK: {{^}}after:
; CHECK-NEXT: %[[AGAIN:.*]] = getelementptr inbounds i8, ptr %image, i64 12
; CHECK-NEXT: load i32, ptr %[[AGAIN]]
