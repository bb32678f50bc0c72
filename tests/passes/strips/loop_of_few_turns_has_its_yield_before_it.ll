declare void @charcoal.yield()
define i32 @f.int(ptr %p, i32 %x) "charcoal-version-of"="f" {
entry:
  br label %turn
turn:
  %i = phi i64 [ 0, %entry ], [ %next, %latch ]
  call void @charcoal.yield()
  %place = getelementptr i32, ptr %p, i64 %i
  %one = load i32, ptr %place
  %found = icmp eq i32 %one, %x
  br i1 %found, label %end, label %latch
latch:
  %next = add nuw nsw i64 %i, 1
  %more = icmp ne i64 %next, 64
  br i1 %more, label %turn, label %end
end:
  ret i32 0
}
; CHECK-LABEL: define i32 @f.int
; CHECK: entry:
; CHECK-NEXT: call void @charcoal.yield()
; CHECK-NEXT: br label %turn
; CHECK-NOT: charcoal.yield
