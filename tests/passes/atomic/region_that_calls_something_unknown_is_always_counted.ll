; An activity may be spawned in there, and how many atomic blocks are around it then matters. So it is with an indirect call.
declare void @__charcoal_atomic_enter()
declare void @__charcoal_atomic_leave(ptr)
declare void @elsewhere()
define void @inner(ptr %guard) {
  call void @__charcoal_atomic_enter()
  call void @elsewhere()
  call void @__charcoal_atomic_leave(ptr %guard)
  ret void
}
define void @outer(ptr %guard, ptr %p) {
  call void @__charcoal_atomic_enter()
  call void @inner(ptr %guard)
  call void %p()
  call void @__charcoal_atomic_leave(ptr %guard)
  ret void
}
; CHECK-NOT: .atomic(
