; Calls of such a function are no yield points; who calls it in a loop has a check there.
define i32 @f.int(i32 %x) "charcoal-version-of"="f" "charcoal-bounded" {
  %y = add i32 %x, 1
  ret i32 %y
}
; CHECK-LABEL: define { i32, i32 } @f.int(
; CHECK-NOT: @ch_tls
; CHECK: ret { i32, i32 }
; CHECK: }
