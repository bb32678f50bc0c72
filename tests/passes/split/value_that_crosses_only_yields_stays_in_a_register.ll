; However seldom the loop runs: no call needs the value in a callee-saved register, so that nothing is stored in a turn.
declare void @charcoal.yield()
define i64 @f.int(ptr %p, i64 %n) "charcoal-version-of"="f" {
entry:
  %seldom = icmp eq i64 %n, 7
  br i1 %seldom, label %loop, label %end, !prof !0
loop:
  %sum = phi i64 [ 0, %entry ], [ %more, %loop ]
  call void @charcoal.yield()
  %v = load volatile i64, ptr %p
  %more = add i64 %sum, %v
  %c = icmp slt i64 %more, %n
  br i1 %c, label %loop, label %end
end:
  %result = phi i64 [ 0, %entry ], [ %more, %loop ]
  ret i64 %result
}
!0 = !{!"branch_weights", i32 1, i32 100000}
; CHECK-LABEL: define { i32, i64 } @f.int(
; CHECK-NOT: {{^ *}}store
; CHECK: {{^}}loop:
; CHECK-NOT: {{^ *}}store
; CHECK: br i1 %c
; CHECK: {{^}}suspending:
; CHECK: store i64 %sum
; CHECK: {{^}}restored:
; CHECK: load i64
