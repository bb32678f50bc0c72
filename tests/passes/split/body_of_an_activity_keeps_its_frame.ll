; The body of an activity runs in the frame that it takes at its beginning, so neither suspending nor resuming it copies
; anything. The scheduler resumes it by a plain call of the part that has its code. A function that other code may call
; has a frame only while it is suspended.
declare i32 @ch_spawn(ptr, ptr, ptr, i64, i32, ptr)
define i32 @g.int() "charcoal-version-of"="g" {
  ret i32 1
}
define internal void @body.int(ptr %r) "charcoal-version-of"="body" {
  %v = call i32 @g.int() "charcoal-suspends"
  store i32 %v, ptr %r
  ret void
}
define void @called.int(ptr %r) "charcoal-version-of"="called" {
  %v = call i32 @g.int() "charcoal-suspends"
  store i32 %v, ptr %r
  ret void
}
define void @starter() {
  %s = call i32 @ch_spawn(ptr null, ptr @body.int, ptr null, i64 0, i32 0, ptr null)
  ret void
}
; CHECK: @charcoal.info = internal constant %charcoal.frame_info { ptr @body.int.framed, ptr @body.int.framed, {{.*}}, i32 1, i32 32, i32 8, i32 16, i16 1, i16 0, i32 0, ptr null }
; CHECK-LABEL: define internal i32 @body.int(
; CHECK: %[[TAKEN:frame.*]] = call preserve_mostcc ptr @ch_frame_new(ptr @charcoal.info)
; CHECK: %[[SLOT:.*]] = getelementptr inbounds i8, ptr %[[TAKEN]], i64 24
; CHECK-NEXT: store ptr %r, ptr %[[SLOT]]
; CHECK-NEXT: %[[STATUS:.*]] = tail call i32 @body.int.framed(ptr %[[TAKEN]])
; CHECK-NEXT: ret i32 %[[STATUS]]
; CHECK-LABEL: define internal i32 @body.int.framed(ptr %frame)
; CHECK-NOT: alloca
; CHECK-NOT: @ch_restore
; CHECK: {{^}}begin:
; CHECK: %[[SLOT:.*]] = getelementptr inbounds i8, ptr %frame, i64 24
; CHECK-NEXT: load ptr, ptr %[[SLOT]]
; CHECK: {{^}}after:
; CHECK: %[[AGAIN:.*]] = getelementptr inbounds i8, ptr %frame, i64 24
; CHECK-NEXT: load ptr, ptr %[[AGAIN]]
; CHECK: call preserve_mostcc void @ch_frame_free(ptr %frame)
; CHECK: {{^}}dispatch:
; CHECK: br i1 %{{.*}}, label %restored, label %begin
; CHECK: {{^}}suspending:
; CHECK: %[[POINT:.*]] = getelementptr inbounds i8, ptr %frame, i64 16
; CHECK-NEXT: store i32 1, ptr %[[POINT]]
; CHECK: {{^}}suspend:
; CHECK-NOT: @ch_suspend
; CHECK-LABEL: define i32 @called.int(
; CHECK: call i32 @ch_suspend_1(
