; ch_tls: atomic_depth is at 4, atomic_pending at 8.
declare void @__charcoal_atomic_enter()
declare void @__charcoal_atomic_leave(ptr)
declare void @elsewhere()
define void @f(ptr %guard) {
  call void @__charcoal_atomic_enter()
  call void @elsewhere()
  call void @__charcoal_atomic_leave(ptr %guard)
  ret void
}
; CHECK-LABEL: define void @f(
; CHECK: %[[FIELD:.*]] = getelementptr inbounds i8, ptr %{{.*}}, i64 4
; CHECK-NEXT: %[[DEPTH:.*]] = load i32, ptr %[[FIELD]]
; CHECK-NEXT: %[[MORE:.*]] = add i32 %[[DEPTH]], 1
; CHECK-NEXT: store i32 %[[MORE]], ptr %[[FIELD]]
; CHECK: call void @elsewhere()
; CHECK: add i32 %{{.*}}, -1
; CHECK: %[[PENDING:.*]] = getelementptr inbounds i8, ptr %{{.*}}, i64 8
; CHECK-NEXT: %[[VALUE:.*]] = load i32, ptr %[[PENDING]]
; CHECK-NEXT: %[[IS:.*]] = icmp ne i32 %[[VALUE]], 0
; CHECK-NEXT: br i1 %[[IS]], label %[[COLD:.*]], label %{{.*}}, !prof
; CHECK: {{^}}[[COLD]]:
; CHECK-NEXT: call void @ch_atomic_settle()
; CHECK-NOT: call void @__charcoal_atomic
