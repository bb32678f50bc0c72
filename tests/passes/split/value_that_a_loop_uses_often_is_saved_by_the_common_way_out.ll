; %i and %sum are alive across the call in each of many turns. They stay in registers: the common way out saves them, and
; the dispatch loads them, so that no point has code of its own for them. %limit is used once, and lives in the image.
define i64 @g.int(i64 %x) "charcoal-version-of"="g" {
  ret i64 %x
}
define i64 @f.int(i64 %n, i64 %limit) "charcoal-version-of"="f" {
entry:
  br label %loop
loop:
  %i = phi i64 [ 0, %entry ], [ %next, %latch ]
  %sum = phi i64 [ 0, %entry ], [ %more, %latch ]
  %a = call i64 @g.int(i64 %i) "charcoal-suspends"
  %even = icmp eq i64 %a, %i
  br i1 %even, label %latch, label %odd
odd:
  %b = call i64 @g.int(i64 %sum) "charcoal-suspends"
  br label %latch
latch:
  %more = add i64 %sum, %a
  %next = add i64 %i, 1
  %c = icmp slt i64 %next, %a
  br i1 %c, label %loop, label %end, !prof !0
end:
  %r = add i64 %more, %limit
  ret i64 %r
}
!0 = !{!"branch_weights", i32 1000, i32 1}
; CHECK-LABEL: define { i32, i64 } @f.int(
; CHECK: store i64 %limit, ptr %image
; CHECK: {{^}}loop:
; CHECK-NOT: {{ (store|load) }}
; CHECK: {{^}}end:
; CHECK: load i64, ptr %image
; CHECK: {{^}}dispatch:
; CHECK: call { i64, i64 } @ch_restore_{{[0-9]}}(
; CHECK-DAG: %[[I:i[0-9]*]] = load i64, ptr %[[ISLOT:i.slot[0-9]*]]
; CHECK-DAG: %[[SUM:sum[0-9]*]] = load i64, ptr %[[SUMSLOT:sum.slot[0-9]*]]
; CHECK: switch i32
; CHECK: {{^}}count:
; CHECK: {{^}}suspend:
; CHECK-DAG: store i64 %{{[0-9]+}}, ptr %[[ISLOT]]
; CHECK-DAG: store i64 %{{[0-9]+}}, ptr %[[SUMSLOT]]
; CHECK: call i32 @ch_suspend_{{[0-9]}}(
