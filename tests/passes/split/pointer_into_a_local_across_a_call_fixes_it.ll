; A computed address would be that of the old image after a resumption.
define void @g.int() "charcoal-version-of"="g" {
  ret void
}
define i32 @f.int(i64 %i) "charcoal-version-of"="f" {
  %array = alloca [4 x i32]
  %p = getelementptr [4 x i32], ptr %array, i64 0, i64 %i
  store i32 7, ptr %p
  call void @g.int() "charcoal-suspends"
  %v = load i32, ptr %p
  ret i32 %v
}
; CHECK-LABEL: define { i32, i32 } @f.int(
; CHECK: ch_frame_new
