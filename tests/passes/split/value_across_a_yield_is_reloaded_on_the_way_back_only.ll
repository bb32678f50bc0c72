; %i crosses the yield, and in %rare a call. Behind the yield it is still in its register; behind the call it is loaded.
; The loop makes few turns: in one of many turns %i would be in a register there too.
declare void @charcoal.yield()
define i64 @g.int(i64 %x) "charcoal-version-of"="g" {
  ret i64 %x
}
define i64 @f.int(ptr %p, i64 %n) "charcoal-version-of"="f" {
entry:
  br label %loop
loop:
  %i = phi i64 [ %n, %entry ], [ %next, %common ], [ %again, %rare ]
  call void @charcoal.yield()
  %a = load volatile i64, ptr %p
  %usual = icmp eq i64 %a, %i
  br i1 %usual, label %common, label %rare
common:
  %next = add i64 %i, %a
  %more = icmp ult i64 %next, 100
  br i1 %more, label %loop, label %end, !prof !0
rare:
  %r = call i64 @g.int(i64 %i) "charcoal-suspends"
  %again = add i64 %r, %i
  br label %loop
end:
  ret i64 %next
}
!0 = !{!"branch_weights", i32 2, i32 1}
; CHECK-LABEL: define { i32, i64 } @f.int(
; CHECK: {{^}}loop:
; CHECK: %i = phi
; CHECK: store i64 %i, ptr %[[SLOT:i.slot[0-9]*]]
; CHECK: {{^}}after:
; CHECK: %[[HERE:.*]] = phi i64 [ %[[BACK:.*]], %restored ], [ %i, %loop ]
; CHECK-NOT: load i64, ptr %[[SLOT]]
; CHECK: icmp eq i64 %a, %[[HERE]]
; CHECK: {{^}}common:
; CHECK: add i64 %[[HERE]]
; CHECK: {{^}}after1:
; CHECK: load i64, ptr %[[SLOT]]
; CHECK: {{^}}restored:
; CHECK-NEXT: %[[BACK]] = load i64, ptr %[[SLOT]]
; CHECK-NEXT: br label %after
