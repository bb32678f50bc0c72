; %p is an address in three blocks that are reached from points. In a register it saves three loads, and costs two
; instructions that save and reload the register itself. %q is only passed on, which moves it to a register in either
; case, so it lives in the image.
declare void @h(i64, i64)
define i64 @g.int(i64 %x) "charcoal-version-of"="g" {
  ret i64 %x
}
define i64 @f.int(ptr %p, i64 %q) "charcoal-version-of"="f" {
  %a = call i64 @g.int(i64 1) "charcoal-suspends"
  %x = load i64, ptr %p
  call void @h(i64 %q, i64 %x)
  %b = call i64 @g.int(i64 2) "charcoal-suspends"
  %y = load i64, ptr %p
  call void @h(i64 %q, i64 %y)
  %c = call i64 @g.int(i64 3) "charcoal-suspends"
  %z = load i64, ptr %p
  call void @h(i64 %q, i64 %z)
  ret i64 %c
}
; CHECK-LABEL: define { i32, i64 } @f.int(
; CHECK: store i64 %q, ptr %q.slot
; CHECK: {{^}}after:
; CHECK-NOT: load ptr,
; CHECK: {{^}}dispatch:
; CHECK: call { i64, i64 } @ch_restore(
; CHECK: %p{{[0-9]*}} = load ptr, ptr %image
; CHECK: {{^}}suspend:
; CHECK: store ptr %{{[0-9]+}}, ptr %image
; CHECK: call i32 @ch_suspend(
