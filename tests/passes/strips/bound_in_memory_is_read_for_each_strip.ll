; Somebody else may change it at the yield point.
declare void @charcoal.yield()
define void @f.int(ptr noalias %bound, ptr noalias %p) "charcoal-version-of"="f" {
entry:
  br label %turn
turn:
  %i = phi i64 [ 0, %entry ], [ %next, %turn ]
  call void @charcoal.yield()
  %place = getelementptr i32, ptr %p, i64 %i
  store i32 1, ptr %place
  %next = add nsw i64 %i, 1
  %n = load i64, ptr %bound
  %more = icmp slt i64 %next, %n
  br i1 %more, label %turn, label %end
end:
  ret void
}
; CHECK-LABEL: define void @f.int
; CHECK: turn.outer:
; CHECK: call void @charcoal.yield()
; CHECK-NEXT: load i64, ptr %bound
; CHECK: turn:
; CHECK-NOT: load i64
; CHECK: turn.strip:
