; The runtime's ch_reschedule always gives way, so nobody is called and nothing is asked. Its status tells that the
; program has asked for it. In tail position it is a call as others are, because then no frame is needed.
declare void @ch_reschedule.int() "charcoal-external-version-of"="ch_reschedule"
define void @f.int(ptr %p) "charcoal-version-of"="f" {
  store i32 0, ptr %p
  call void @ch_reschedule.int() "charcoal-suspends"
  store i32 1, ptr %p
  ret void
}
define void @g.int(ptr %p) "charcoal-version-of"="g" {
  store i32 2, ptr %p
  call void @ch_reschedule.int() "charcoal-suspends"
  ret void
}
; CHECK-LABEL: define i32 @f.int(
; CHECK: store i32 0
; CHECK-NEXT: br label %[[SUSPENDING:.*]]
; CHECK: {{^}}after:
; CHECK: store i32 1
; CHECK: phi i32 [ 3, %[[SUSPENDING]] ]
; CHECK-NOT: call {{.*}}ch_reschedule
; CHECK-LABEL: define i32 @g.int(
; CHECK: store i32 2
; CHECK-NEXT: %[[S:.*]] = tail call i32 @charcoal.{{.*}}.ch_reschedule.void.()
; CHECK-NEXT: ret i32 %[[S]]
