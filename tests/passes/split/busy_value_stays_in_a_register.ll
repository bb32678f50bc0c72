; In a loop that seldom calls: saved and reloaded on the cold ways only.
define void @g.int() "charcoal-version-of"="g" {
  ret void
}
define i32 @f.int(ptr %p, i32 %n) "charcoal-version-of"="f" {
entry:
  br label %loop
loop:
  %i = phi i32 [ 0, %entry ], [ %next, %latch ]
  %sum = phi i32 [ 0, %entry ], [ %more, %latch ]
  %v = load volatile i32, ptr %p
  %more = add i32 %sum, %v
  %rare = icmp eq i32 %v, 0
  br i1 %rare, label %call, label %latch, !prof !0
call:
  call void @g.int() "charcoal-suspends"
  br label %latch
latch:
  %next = add i32 %i, 1
  %c = icmp slt i32 %next, %n
  br i1 %c, label %loop, label %end, !prof !1
end:
  ret i32 %more
}
!0 = !{!"branch_weights", i32 1, i32 100000}
!1 = !{!"branch_weights", i32 1000, i32 1}
; CHECK-LABEL: define { i32, i32 } @f.int(
; CHECK: {{^}}loop:
; CHECK-NOT: store
; CHECK: br i1 %rare
; CHECK: {{^}}latch:
; CHECK-NOT: load
; CHECK-NOT: store
; CHECK: br i1 %c
; CHECK: {{^}}suspending:
; CHECK: store i32 %more
; CHECK: {{^}}restored:
; CHECK: load i32
