; As with -fno-optimize-sibling-calls, and for a function with __attribute__((not_tail_called)).
define i32 @g.int(i32 %x) "charcoal-version-of"="g" {
  ret i32 %x
}
define i32 @everywhere.int(i32 %x) "charcoal-version-of"="everywhere" "disable-tail-calls"="true" {
  %r = call i32 @g.int(i32 %x) "charcoal-suspends"
  ret i32 %r
}
define i32 @here.int(i32 %x) "charcoal-version-of"="here" {
  %r = notail call i32 @g.int(i32 %x) "charcoal-suspends"
  ret i32 %r
}
; CHECK-LABEL: define { i32, i32 } @everywhere.int(
; CHECK: = call { i32, i32 } @g.int(i32 %x)
; CHECK: ch_suspend
; CHECK-LABEL: define { i32, i32 } @here.int(
; CHECK: = call { i32, i32 } @g.int(i32 %x)
; CHECK: ch_suspend
