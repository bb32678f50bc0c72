; A call that throws returns CH_THROWN (5), or is caught at once; both go to the same place. Where it has a landing pad
; the exception is thrown again there, and otherwise the caller gets the status. ch_tls: the exception is at 32.
declare i32 @__gxx_personality_v0(...)
declare void @plain()
declare i32 @g(i32)
declare i32 @_Zg.int(i32) "charcoal-external-version-of"="g"
define i32 @f.int(i32 %x) "charcoal-version-of"="f" personality ptr @__gxx_personality_v0 {
  %a = invoke i32 @_Zg.int(i32 %x) "charcoal-suspends" to label %next unwind label %pad
next:
  call void @plain()
  %b = add i32 %a, %x
  ret i32 %b
pad:
  %caught = landingpad { ptr, i32 } cleanup
  resume { ptr, i32 } %caught
}
; CHECK-LABEL: define { i32, i32 } @f.int(
; CHECK: %[[R:.*]] = invoke { i32, i32 } @charcoal.direct.
; CHECK-NEXT: to label %[[RETURNED:.*]] unwind label %[[CAUGHT:.*]]
; CHECK: {{^}}[[RETURNED]]:
; CHECK: %[[STATUS:.*]] = extractvalue { i32, i32 } %[[R]], 0
; CHECK: br i1 %{{.*}}, label %[[COLD:.*]], label %after
; CHECK: {{^}}after:
; CHECK: br label %next
; CHECK: {{^}}next:
; CHECK: invoke void @plain()
; CHECK-NEXT: unwind label %passes
; CHECK: {{^}}pad:
; CHECK-NEXT: landingpad { ptr, i32 }
; CHECK-NEXT: cleanup
; CHECK-NEXT: catch ptr null
; CHECK: ret { i32, i32 } { i32 5, i32 poison }
; CHECK: {{^}}rethrow:
; CHECK-NEXT: invoke void @ch_throw_here()
; CHECK-NEXT: to label %never unwind label %pad
; CHECK: {{^}}dispatch:
; CHECK: %[[HAS:.*]] = icmp uge i32 %{{.*}}, -2147483648
; CHECK: {{^}}restored:
; CHECK: br i1 %[[HAS]], label %[[THROWN:.*]], label %after
; CHECK: {{^}}[[THROWN]]:
; CHECK: br label %rethrow
; CHECK: {{^}}[[CAUGHT]]:
; CHECK-NEXT: %[[PAD:.*]] = landingpad { ptr, i32 }
; CHECK-NEXT: catch ptr null
; CHECK-NEXT: %[[EXCEPTION:.*]] = extractvalue { ptr, i32 } %[[PAD]], 0
; CHECK: store ptr %[[EXCEPTION]]
; CHECK-NEXT: br label %[[THROWN]]
; CHECK: {{^}}[[COLD]]:
; CHECK-NEXT: icmp eq i32 %[[STATUS]], 5
; CHECK-NEXT: br i1 %{{.*}}, label %[[THROWN]], label %suspending
