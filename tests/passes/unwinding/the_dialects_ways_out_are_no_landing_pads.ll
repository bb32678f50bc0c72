declare i32 @__gcc_personality_v0(...)
declare void @may_throw()
declare void @ch_queue_leave(ptr)
declare void @__charcoal_atomic_leave(ptr)
declare void @ch_scope_leave(ptr)

; Two blocks, one in the other: their ways out are one after the other.
; CHECK-LABEL: define void @blocks(
; CHECK-NOT: invoke
; CHECK: call void @may_throw()
; CHECK: call void @__charcoal_atomic_leave(
; CHECK: call void @ch_scope_leave(
; CHECK-NOT: landingpad
; CHECK: }
define void @blocks() personality ptr @__gcc_personality_v0 {
  %exception = alloca ptr
  %number = alloca i32
  %inner = alloca i32
  %outer = alloca i32
  invoke void @may_throw() to label %on unwind label %pad
on:
  call void @__charcoal_atomic_leave(ptr %inner)
  call void @ch_scope_leave(ptr %outer)
  ret void
pad:
  %caught = landingpad { ptr, i32 } cleanup
  %first = extractvalue { ptr, i32 } %caught, 0
  store ptr %first, ptr %exception
  %second = extractvalue { ptr, i32 } %caught, 1
  store i32 %second, ptr %number
  call void @__charcoal_atomic_leave(ptr %inner)
  call void @llvm.lifetime.end.p0(ptr %inner)
  br label %further
further:
  call void @ch_scope_leave(ptr %outer)
  br label %resume
resume:
  %again = load ptr, ptr %exception
  %part = insertvalue { ptr, i32 } poison, ptr %again, 0
  resume { ptr, i32 } %part
}

; A cleanup of the program keeps its landing pad, even under a name like these.
; CHECK-LABEL: define void @own(
; CHECK: invoke void @may_throw()
; CHECK: landingpad
define void @own() personality ptr @__gcc_personality_v0 {
  %inner = alloca i32
  %file = alloca ptr
  invoke void @may_throw() to label %on unwind label %pad
on:
  call void @__charcoal_atomic_leave(ptr %inner)
  call void @ch_queue_leave(ptr %file)
  ret void
pad:
  %caught = landingpad { ptr, i32 } cleanup
  call void @__charcoal_atomic_leave(ptr %inner)
  call void @ch_queue_leave(ptr %file)
  resume { ptr, i32 } %caught
}
