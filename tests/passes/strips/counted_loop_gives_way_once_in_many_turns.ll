declare void @charcoal.yield()
define i32 @f.int(ptr %p, i64 %n) "charcoal-version-of"="f" {
entry:
  br label %turn
turn:
  %i = phi i64 [ 0, %entry ], [ %next, %turn ]
  %sum = phi i32 [ 0, %entry ], [ %more, %turn ]
  call void @charcoal.yield()
  %place = getelementptr i32, ptr %p, i64 %i
  %one = load i32, ptr %place
  %more = add i32 %sum, %one
  %next = add i64 %i, 1
  %done = icmp eq i64 %next, %n
  br i1 %done, label %end, label %turn
end:
  ret i32 %more
}
; CHECK-LABEL: define i32 @f.int
; CHECK: turn.outer:
; CHECK-NEXT: %[[I:.*]] = phi i64 [ 0, %entry ], [ %[[NEXT:.*]], %turn.strip ]
; CHECK-NEXT: %[[SUM:.*]] = phi i32 [ 0, %entry ], [ %[[MORE:.*]], %turn.strip ]
; CHECK-NEXT: call void @charcoal.yield()
; CHECK: %[[LEFT:.*]] = sub i64 %n, %{{.*}}
; CHECK-NEXT: call i64 @llvm.umin.i64(i64 %[[LEFT]], i64 1023)
; CHECK: turn:
; CHECK-NOT: charcoal.yield
; CHECK: br i1 %{{.*}}, label %turn, label %turn.strip
; CHECK: turn.strip:
; CHECK: br i1 %{{.*}}, label %turn.outer, label %end
