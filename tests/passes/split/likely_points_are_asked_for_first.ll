; The switch by which a resumption finds its point has weights: a call in a loop of eight rounds is eight times as likely
; as one before it.
define void @g.int() "charcoal-version-of"="g" {
  ret void
}
define void @f.int(i32 %n) "charcoal-version-of"="f" {
entry:
  call void @g.int() "charcoal-suspends"
  br label %loop
loop:
  %i = phi i32 [ 0, %entry ], [ %next, %loop ]
  call void @g.int() "charcoal-suspends"
  %next = add i32 %i, 1
  %c = icmp slt i32 %next, %n
  br i1 %c, label %loop, label %end, !prof !0
end:
  ret void
}
!0 = !{!"branch_weights", i32 7, i32 1}
; CHECK-LABEL: define i32 @f.int(
; CHECK: switch i32 %{{.*}}, label %lost [
; CHECK-NEXT: i32 1, label
; CHECK-NEXT: i32 2, label
; CHECK-NEXT: ], !prof [[WEIGHTS:![0-9]+]]
; CHECK: [[WEIGHTS]] = !{!"branch_weights", i32 1, i32 134217728, i32 1073741824}
