; Each turn asks, and the value that is looked for stays in a register.
declare void @charcoal.yield()
define ptr @f.int(ptr %list, ptr %wanted) "charcoal-version-of"="f" {
entry:
  br label %turn
turn:
  %at = phi ptr [ %list, %entry ], [ %next, %more ]
  call void @charcoal.yield()
  %x = load i32, ptr %wanted
  %key = load i32, ptr %at
  %found = icmp eq i32 %key, %x
  br i1 %found, label %end, label %more
more:
  %place = getelementptr i8, ptr %at, i64 8
  %next = load ptr, ptr %place
  %last = icmp eq ptr %next, null
  br i1 %last, label %end, label %turn
end:
  %result = phi ptr [ %at, %turn ], [ null, %more ]
  ret ptr %result
}
; CHECK-LABEL: define ptr @f.int
; CHECK: entry:
; CHECK-NEXT: call void @charcoal.yield()
; CHECK: turn.outer:
; CHECK-NEXT: %[[START:.*]] = phi ptr [ %list, %entry ], [ %[[NEXT:.*]], %turn.strip ]
; CHECK: load i32, ptr %wanted
; CHECK: turn:
; CHECK-NEXT: phi ptr [ %[[START]], %turn.outer ], [ %next, %turn.asking ]
; CHECK-NOT: charcoal.yield
; CHECK-NOT: load i32, ptr %wanted
; CHECK: br i1 %last, label %end{{.*}}, label %turn.asking
; CHECK: turn.asking:
; CHECK-NEXT: %[[ASKED:.*]] = call i1 @charcoal.asked()
; CHECK-NEXT: br i1 %[[ASKED]], label %turn.strip, label %turn
; CHECK: turn.strip:
; CHECK: call void @charcoal.pause()
; CHECK-NEXT: br label %turn.outer

; A table that the C library finds is found once.
declare ptr @table() #0
define i64 @letters.int(ptr %text) "charcoal-version-of"="letters" {
entry:
  br label %turn
turn:
  %i = phi i64 [ 0, %entry ], [ %next, %turn ]
  call void @charcoal.yield()
  %classes = call ptr @table()
  %place = getelementptr i8, ptr %text, i64 %i
  %c = load i8, ptr %place
  %number = zext i8 %c to i64
  %entry_of = getelementptr i8, ptr %classes, i64 %number
  %class = load i8, ptr %entry_of
  %next = add i64 %i, 1
  %more = icmp ne i8 %class, 0
  br i1 %more, label %turn, label %end
end:
  ret i64 %i
}
attributes #0 = { nounwind willreturn memory(none) }
; CHECK-LABEL: define i64 @letters.int
; CHECK: call ptr @table()
; CHECK: turn.outer:
; CHECK-NOT: @table
; CHECK: turn.asking:

; The store may change the bound, so each turn reads it.
define void @changes.int(ptr %p) "charcoal-version-of"="changes" {
entry:
  br label %turn
turn:
  %i = phi i64 [ 0, %entry ], [ %next, %turn ]
  call void @charcoal.yield()
  %place = getelementptr i64, ptr %p, i64 %i
  store i64 %i, ptr %place
  %next = add nsw i64 %i, 1
  %n = load i64, ptr %p
  %more = icmp slt i64 %next, %n
  br i1 %more, label %turn, label %end
end:
  ret void
}
; CHECK-LABEL: define void @changes.int
; CHECK: turn:
; CHECK: store i64
; CHECK: load i64, ptr %p
; CHECK: call i1 @charcoal.asked()
