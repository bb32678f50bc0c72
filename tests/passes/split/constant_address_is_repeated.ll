; So it has no slot, and the local need not have a home. The image holds the array alone.
define void @g.int() "charcoal-version-of"="g" {
  ret void
}
define i32 @f.int() "charcoal-version-of"="f" {
  %array = alloca [4 x i32]
  %p = getelementptr inbounds [4 x i32], ptr %array, i64 0, i64 3
  store i32 7, ptr %p
  call void @g.int() "charcoal-suspends"
  %v = load i32, ptr %p
  ret i32 %v
}
; An address outside of the local is poison only where the program says so.
define i32 @h.int(i64 %n) "charcoal-version-of"="h" {
  %array = alloca [4 x i32]
  %p = getelementptr i8, ptr %array, i64 -400
  store [4 x i32] zeroinitializer, ptr %array
  call void @g.int() "charcoal-suspends"
  %q = getelementptr i32, ptr %p, i64 %n
  %v = load i32, ptr %q
  ret i32 %v
}
; CHECK-LABEL: define { i32, i32 } @f.int(
; CHECK-NOT: ch_frame_new
; CHECK: %image = alloca [16 x i8]
; CHECK: {{^}}after:
; CHECK-NEXT: %[[AGAIN:.*]] = getelementptr inbounds i8, ptr %image, i64 12
; CHECK-NEXT: load i32, ptr %[[AGAIN]]
; CHECK-LABEL: define { i32, i32 } @h.int(
; CHECK: {{^}}after:
; CHECK: %[[OUTSIDE:.*]] = getelementptr i8, ptr %{{.*}}, i64 -400
; CHECK: getelementptr i32, ptr %[[OUTSIDE]], i64 %
