; What reaches the head of the loop again as it was is not stored there: the slot of %mode holds it. A store stands where
; %mode is changed, and the phi that joins both ways is in memory alone. The loop makes few turns: in one of many
; turns %mode would be in a register.
declare i32 @g(i32)
declare i32 @look()

define i32 @f(i32 %n) "charcoal-version-of"="f" {
entry:
  br label %head

head:
  %mode = phi i32 [ 3, %entry ], [ %next, %latch ]
  %i = phi i32 [ 0, %entry ], [ %more, %latch ]
  %kind = call i32 @look()
  switch i32 %kind, label %usual [
    i32 1, label %ask
    i32 2, label %change
  ], !prof !0

usual:
  br label %latch

ask:
  %a = call i32 @g(i32 %mode) "charcoal-suspends"
  br label %latch

change:
  %b = call i32 @g(i32 0) "charcoal-suspends"
  %changed = add i32 %b, 1
  br label %latch

latch:
  %next = phi i32 [ %mode, %usual ], [ %mode, %ask ], [ %changed, %change ]
  %c = call i32 @g(i32 %i) "charcoal-suspends"
  %more = add i32 %i, 1
  %end = icmp eq i32 %more, %n
  br i1 %end, label %out, label %head, !prof !1

out:
  %d = call i32 @g(i32 %next) "charcoal-suspends"
  ret i32 %d
}
!0 = !{!"branch_weights", i32 1, i32 1, i32 1}
!1 = !{!"branch_weights", i32 1, i32 7}

; CHECK-LABEL: define { i32, i32 } @f(
; CHECK: %image = alloca [16 x i8]
; CHECK: store i32 3, ptr %image
; CHECK: head:
; CHECK-NEXT: %i = phi
; CHECK-NOT: %image
; CHECK: ask:
; CHECK-NEXT: %[[MODE:.*]] = load i32, ptr %image
; CHECK: call { i32, i32 } @g(i32 %[[MODE]])
; CHECK: %changed = add
; CHECK-NEXT: store i32 %changed, ptr %image
; CHECK: latch:
; CHECK-NOT: %image
; CHECK: out:
; CHECK-NEXT: %[[NEXT:.*]] = load i32, ptr %image
; CHECK: tail call { i32, i32 } @g(i32 %[[NEXT]])
