; The answer must not change with a resumption. A comparison with null never does.
declare void @fill(ptr captures(none))
define void @g.int() "charcoal-version-of"="g" {
  ret void
}
define i1 @against_another.int(ptr %p) "charcoal-version-of"="against_another" {
  %local = alloca i32
  call void @fill(ptr %local)
  call void @g.int() "charcoal-suspends"
  %c = icmp eq ptr %local, %p
  ret i1 %c
}
define i32 @against_null.int() "charcoal-version-of"="against_null" {
  %local = alloca i32
  call void @fill(ptr %local)
  call void @g.int() "charcoal-suspends"
  %c = icmp eq ptr %local, null
  %v = load i32, ptr %local
  ret i32 %v
}
; CHECK-LABEL: define { i32, i1 } @against_another.int(
; CHECK: ch_frame_new
; CHECK-LABEL: define { i32, i32 } @against_null.int(
; CHECK-NOT: ch_frame_new
; CHECK: {{^}}after:
