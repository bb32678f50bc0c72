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

; Nobody knows how often it goes round.
define void @follows.int(ptr %p) "charcoal-version-of"="follows" {
entry:
  br label %turn
turn:
  %at = phi ptr [ %p, %entry ], [ %next, %turn ]
  call void @charcoal.yield()
  %next = load ptr, ptr %at
  %more = icmp ne ptr %next, null
  br i1 %more, label %turn, label %end
end:
  ret void
}
; CHECK-LABEL: define void @follows.int
; CHECK: turn:
; CHECK-NEXT: phi ptr
; CHECK-NEXT: call void @charcoal.yield()

; The store may change the bound.
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
; CHECK-NEXT: phi i64
; CHECK-NEXT: call void @charcoal.yield()

attributes #0 = { "charcoal-explicit" }
