; Programs compare the address of a local with a limit to find out whether the stack is nearly full. The address may
; change with a resumption: nobody has it from before.
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
define i32 @kept.int(ptr %p) "charcoal-version-of"="kept" {
  %local = alloca i32
  %address = select i1 poison, ptr %local, ptr %p
  call void @fill(ptr %local)
  call void @g.int() "charcoal-suspends"
  %c = icmp ult ptr %address, %p
  %v = load i32, ptr %local
  ret i32 %v
}
; CHECK-LABEL: define { i32, i1 } @against_another.int(
; CHECK-NOT: ch_frame_new
; CHECK: {{^}}after:
; CHECK-LABEL: define { i32, i32 } @against_null.int(
; CHECK-NOT: ch_frame_new
; CHECK: {{^}}after:
; An address that was computed before and is compared after is kept, so the local does not move.
; CHECK-LABEL: define { i32, i32 } @kept.int(
; CHECK: ch_frame_new
