declare void @__charcoal_atomic_enter()
declare void @__charcoal_atomic_leave(ptr)
define void @inner(ptr %guard) {
  call void @__charcoal_atomic_enter()
  call void @__charcoal_atomic_leave(ptr %guard)
  ret void
}
define void @outer(ptr %guard) {
  call void @inner(ptr %guard)
  call void @__charcoal_atomic_enter()
  call void @inner(ptr %guard)
  call void @__charcoal_atomic_leave(ptr %guard)
  call void @inner(ptr %guard)
  ret void
}
; CHECK-LABEL: define void @outer(
; CHECK: call void @inner(
; CHECK: call void @inner.atomic(
; CHECK: call void @inner(
