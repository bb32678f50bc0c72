declare void @charcoal.yield()
declare void @other()

; A turn may take any time.
define void @calls.int(i64 %n) "charcoal-version-of"="calls" {
entry:
  br label %turn
turn:
  %i = phi i64 [ 0, %entry ], [ %next, %turn ]
  call void @charcoal.yield()
  call void @other()
  %next = add i64 %i, 1
  %more = icmp ne i64 %next, %n
  br i1 %more, label %turn, label %end
end:
  ret void
}
; CHECK-LABEL: define void @calls.int
; CHECK: turn:
; CHECK-NEXT: phi i64
; CHECK-NEXT: call void @charcoal.yield()

; The call takes longer than the check.
declare i32 @looks(ptr) #1
define void @compares.int(ptr %p) "charcoal-version-of"="compares" {
entry:
  br label %turn
turn:
  %at = phi ptr [ %p, %entry ], [ %next, %turn ]
  call void @charcoal.yield()
  %same = call i32 @looks(ptr %at)
  %next = getelementptr i8, ptr %at, i64 1
  %more = icmp ne i32 %same, 0
  br i1 %more, label %turn, label %end
end:
  ret void
}
; CHECK-LABEL: define void @compares.int
; CHECK: turn:
; CHECK-NEXT: phi ptr
; CHECK-NEXT: call void @charcoal.yield()

; It waits for somebody.
define void @waits.int(ptr %p, i64 %n) "charcoal-version-of"="waits" {
entry:
  br label %turn
turn:
  %i = phi i64 [ 0, %entry ], [ %next, %turn ]
  call void @charcoal.yield()
  %seen = load volatile i32, ptr %p
  %next = add i64 %i, 1
  %more = icmp ne i64 %next, %n
  br i1 %more, label %turn, label %end
end:
  ret void
}
; CHECK-LABEL: define void @waits.int
; CHECK: turn:
; CHECK-NEXT: phi i64
; CHECK-NEXT: call void @charcoal.yield()

; The user wants each turn to give way.
define void @written.int(i64 %n) "charcoal-version-of"="written" {
entry:
  br label %turn
turn:
  %i = phi i64 [ 0, %entry ], [ %next, %turn ]
  call void @charcoal.yield() #0
  %next = add i64 %i, 1
  %more = icmp ne i64 %next, %n
  br i1 %more, label %turn, label %end
end:
  ret void
}
; CHECK-LABEL: define void @written.int
; CHECK: turn:
; CHECK-NEXT: phi i64
; CHECK-NEXT: call void @charcoal.yield()

; Few turns reach it.
define i32 @seldom.int(ptr %p, i32 %x) "charcoal-version-of"="seldom" {
entry:
  br label %turn
turn:
  %at = phi ptr [ %p, %entry ], [ %next, %latch ]
  %key = load i32, ptr %at
  %big = icmp sgt i32 %key, 1000
  br i1 %big, label %call, label %latch
call:
  call void @charcoal.yield()
  br label %latch
latch:
  %place = getelementptr i8, ptr %at, i64 8
  %next = load ptr, ptr %place
  %more = icmp ne ptr %next, null
  br i1 %more, label %turn, label %end
end:
  ret i32 0
}
; CHECK-LABEL: define i32 @seldom.int
; CHECK: call:
; CHECK-NEXT: call void @charcoal.yield()
; CHECK-NOT: @charcoal.asked

attributes #0 = { "charcoal-explicit" }
attributes #1 = { nounwind willreturn memory(read) }
