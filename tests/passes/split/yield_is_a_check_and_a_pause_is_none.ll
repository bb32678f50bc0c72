declare void @charcoal.yield()
declare void @charcoal.pause()
define void @f.int(ptr %p) "charcoal-version-of"="f" {
  store i32 0, ptr %p
  call void @charcoal.yield() "charcoal-explicit"
  store i32 1, ptr %p
  call void @charcoal.pause()
  store i32 2, ptr %p
  ret void
}
; CHECK-LABEL: define i32 @f.int(
; CHECK: store i32 0
; CHECK: %[[A:.*]] = load volatile i32
; CHECK-NEXT: %[[C:.*]] = icmp ne i32 %[[A]], 0
; CHECK: br i1 %[[C]], label %suspending, label %after, !prof
; CHECK: {{^}}after:
; CHECK: store i32 1
; CHECK-NEXT: br label %[[SUSPENDING:.*]]
; CHECK: phi i32 [ 2, %suspending ]
; CHECK-NOT: charcoal.yield
; CHECK-NOT: charcoal.pause
