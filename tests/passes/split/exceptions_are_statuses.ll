; A call that throws returns CH_THROWN (5), or is caught at once; both go to the same place. Where it has a landing pad
; the exception is thrown again there, and otherwise the caller gets the status. Calls on whose way there nothing is done
; have the ways in common: the test of the status stands where the point has been counted, and not at each call; calls
; with one landing pad throw at one place; and calls without have one landing pad. ch_tls: the exception is at 32.
declare i32 @__gxx_personality_v0(...)
declare void @plain()
declare i32 @g(i32)
declare i32 @_Zg.int(i32) "charcoal-external-version-of"="g"
define i32 @f.int(i32 %x) "charcoal-version-of"="f" personality ptr @__gxx_personality_v0 {
  %a = invoke i32 @_Zg.int(i32 %x) "charcoal-suspends" to label %next unwind label %pad
next:
  %c = invoke i32 @_Zg.int(i32 %a) "charcoal-suspends" to label %then unwind label %pad
then:
  call void @plain()
  %d = call i32 @_Zg.int(i32 %c) "charcoal-suspends"
  %b = add i32 %d, %x
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
; CHECK: br i1 %{{.*}}, label %suspending, label %after
; CHECK: {{^}}after:
; CHECK: br label %next
; CHECK: {{^}}next:
; CHECK: invoke { i32, i32 } @charcoal.direct.
; CHECK-NEXT: unwind label %[[CAUGHT]]
; CHECK: {{^}}then:
; CHECK: invoke void @plain()
; CHECK-NEXT: unwind label %passes
; CHECK: invoke { i32, i32 } @charcoal.direct.
; CHECK-NEXT: unwind label %passes
; CHECK: {{^}}pad:
; CHECK-NEXT: landingpad { ptr, i32 }
; CHECK-NEXT: cleanup
; CHECK-NEXT: catch ptr null
; CHECK: ret { i32, i32 } { i32 5, i32 poison }
; CHECK: {{^}}rethrow:
; CHECK-NEXT: invoke void @ch_throw_here()
; CHECK-NEXT: to label %never unwind label %pad
; CHECK: {{^}}thrown:
; CHECK-NEXT: ret { i32, i32 } { i32 5, i32 poison }
; CHECK: {{^}}passes:
; CHECK-NEXT: %[[PAD:.*]] = landingpad { ptr, i32 }
; CHECK-NEXT: catch ptr null
; CHECK-NEXT: %[[EXCEPTION:.*]] = extractvalue { ptr, i32 } %[[PAD]], 0
; CHECK: store ptr %[[EXCEPTION]]
; CHECK-NEXT: br label %thrown
; CHECK: {{^}}dispatch:
; CHECK: %[[POINT:.*]] = and i32 %{{.*}}, 2147483647
; CHECK: br i1 %{{.*}}, label %choose, label %returned
; CHECK: {{^}}returned:
; CHECK-NEXT: switch i32 %[[POINT]]
; CHECK: {{^}}counted:
; CHECK-NEXT: %[[WHY:.*]] = phi i32
; CHECK-NEXT: %[[COUNTED:.*]] = udiv i32 %[[WHY]], 8
; CHECK-NEXT: %[[S:.*]] = urem i32 %[[WHY]], 8
; CHECK-NEXT: %[[THROWN:.*]] = icmp eq i32 %[[S]], 5
; CHECK-NEXT: br i1 %[[THROWN]], label %choose, label %suspend
; CHECK: {{^}}choose:
; CHECK-NEXT: %[[P:.*]] = phi i32 [ %[[COUNTED]], %counted ], [ %[[POINT]], %dispatch ]
; CHECK-NEXT: %[[THIRD:.*]] = icmp eq i32 %[[P]], 3
; CHECK-NEXT: br i1 %[[THIRD]], label %thrown, label %rethrow

; What is only known after the first point is loaded on the way from a call, too: it has been stored by then.
define void @h.int(i32 %n) "charcoal-version-of"="h" personality ptr @__gxx_personality_v0 {
  call void @charcoal.pause()
  br label %loop
loop:
  %i = phi i32 [ 0, %0 ], [ %more, %latch ]
  %a = invoke i32 @_Zg.int(i32 %n) "charcoal-suspends" to label %next unwind label %pad
next:
  %even = icmp eq i32 %a, %n
  br i1 %even, label %latch, label %odd
odd:
  %b = invoke i32 @_Zg.int(i32 %n) "charcoal-suspends" to label %latch unwind label %pad
latch:
  %more = add i32 %i, %n
  %c = icmp slt i32 %more, %a
  br i1 %c, label %loop, label %end, !prof !0
end:
  ret void
pad:
  %caught = landingpad { ptr, i32 } cleanup
  store i32 %n, ptr @place
  resume { ptr, i32 } %caught
}
declare void @charcoal.pause() nounwind
@place = external global i32
!0 = !{!"branch_weights", i32 100000, i32 1}
; CHECK-LABEL: define i32 @h.int(
; CHECK: {{^}}rethrow:
; CHECK-NEXT: %[[N:.*]] = phi i32 [ %[[LOADED:.*]], %dispatch ], [ %[[AGAIN:.*]], %counted ], [ %[[LOADED]], %
; CHECK: {{^}}dispatch:
; CHECK: %[[LOADED]] = load i32, ptr %image
; CHECK: {{^}}counted:
; CHECK: store i32 %{{.*}}, ptr %image
; CHECK: %[[AGAIN]] = load i32, ptr %image
; CHECK: br i1 %{{.*}}, label %rethrow, label %suspend
