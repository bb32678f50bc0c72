; The callee's frame is linked to the caller's. Also where the result is another or none, if it is the callee's.
define i32 @g.int(i32 %x) "charcoal-twin"="g" {
  ret i32 %x
}
define i32 @f.int(i32 %x) "charcoal-twin"="f" {
  %r = call i32 @g.int(i32 %x) "charcoal-suspends"
  ret i32 %r
}
define void @dropped.int(i32 %x) "charcoal-twin"="dropped" {
  %r = call i32 @g.int(i32 %x) "charcoal-suspends"
  ret void
}
; CHECK-NOT: @charcoal.info
; CHECK-LABEL: define { i32, i32 } @f.int(
; CHECK: %[[R:.*]] = tail call { i32, i32 } @g.int(i32 %x)
; CHECK-NEXT: ret { i32, i32 } %[[R]]
; CHECK-LABEL: define i32 @dropped.int(
; CHECK: %[[S:.*]] = call { i32, i32 } @g.int(i32 %x)
; CHECK-NEXT: %[[STATUS:.*]] = extractvalue { i32, i32 } %[[S]], 0
; CHECK-NEXT: ret i32 %[[STATUS]]
