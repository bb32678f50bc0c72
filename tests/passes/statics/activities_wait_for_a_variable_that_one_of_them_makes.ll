; The guard of a local variable that clang makes without a lock gets the calls that it makes for the other ones, on
; every way on which an initializer ends.
@variable = internal thread_local global i32 0
; CHECK: @_ZGVZ5localvE1v = internal thread_local global i64 0, align 8
@_ZGVZ5localvE1v = internal thread_local global i8 0, align 1
; The variables of a thread that are not local have a guard that is set before.
; CHECK: @__tls_guard = internal thread_local global i64 0, align 8
@__tls_guard = internal thread_local global i8 0, align 1
; One that is made when the program starts needs none.
; CHECK: @_ZGV6global = internal global i8 0, align 1
@_ZGV6global = internal global i8 0, align 1
; Clang has made the calls.
; CHECK: @_ZGVZ6lockedvE1v = internal global i64 0
@_ZGVZ6lockedvE1v = internal global i64 0, align 8

declare i32 @__gxx_personality_v0(...)
declare i32 @value()
declare i32 @__cxa_guard_acquire(ptr)
declare void @__cxa_guard_release(ptr)

; CHECK-LABEL: define i32 @local(
; CHECK: br i1 %unmade, label %ask, label %next
; CHECK: ask:
; CHECK-NEXT: %[[MINE:.*]] = call i32 @__cxa_guard_acquire(ptr @_ZGVZ5localvE1v)
; CHECK: br i1 %{{.*}}, label %make, label %next
; CHECK: make:
; CHECK-NEXT: invoke i32 @value()
; CHECK-NEXT: to label %{{.*}} unwind label %unmade1
; CHECK: invoke i32 @value()
; CHECK-NEXT: to label %made unwind label %caught.unmade
; CHECK: made:
; CHECK-NEXT: store i32 %second, ptr @variable
; CHECK-NEXT: call void @__cxa_guard_release(ptr @_ZGVZ5localvE1v)
; CHECK-NOT: store i8
; CHECK: next:
; CHECK-NEXT: invoke i32 @value()
; CHECK-NEXT: to label %end unwind label %caught.others
; CHECK: caught.unmade:
; CHECK-NEXT: landingpad
; CHECK-NEXT: cleanup
; CHECK-NEXT: call void @__cxa_guard_abort(ptr @_ZGVZ5localvE1v)
; CHECK: caught.others:
; CHECK-NOT: __cxa_guard_abort
; CHECK: unmade1:
; CHECK: call void @__cxa_guard_abort(ptr @_ZGVZ5localvE1v)
; CHECK-NEXT: resume
define i32 @local() personality ptr @__gxx_personality_v0 {
  %guard = load i8, ptr @_ZGVZ5localvE1v
  %unmade = icmp eq i8 %guard, 0
  br i1 %unmade, label %make, label %next
make:
  %first = call i32 @value()
  %second = invoke i32 @value() to label %made unwind label %caught
made:
  store i32 %second, ptr @variable
  store i8 1, ptr @_ZGVZ5localvE1v
  br label %next
next:
  %third = invoke i32 @value() to label %end unwind label %caught
end:
  ret i32 %third
caught:
  %exception = landingpad { ptr, i32 } cleanup
  resume { ptr, i32 } %exception
}

; CHECK-LABEL: define void @of_thread(
; CHECK: br i1 %unmade, label %ask, label %next
; CHECK: ask:
; CHECK-NEXT: %[[OWN:.*]] = call i32 @ch_thread_variables_begin(ptr @__tls_guard)
; CHECK: make:
; CHECK-NEXT: invoke i32 @value()
; CHECK-NEXT: to label %{{.*}} unwind label %unmade1
; CHECK: call void @ch_thread_variables_end(ptr @__tls_guard)
; CHECK-NEXT: br label %next
; CHECK: unmade1:
; CHECK: call void @ch_thread_variables_end(ptr @__tls_guard)
; CHECK-NEXT: resume
define void @of_thread() {
  %guard = load i8, ptr @__tls_guard
  %unmade = icmp eq i8 %guard, 0
  br i1 %unmade, label %make, label %next
make:
  store i8 1, ptr @__tls_guard
  %constant = call ptr @llvm.invariant.start.p0(i64 1, ptr @__tls_guard)
  %first = call i32 @value()
  br label %next
next:
  ret void
}
declare ptr @llvm.invariant.start.p0(i64, ptr)

; CHECK-LABEL: define void @global(
; CHECK-NOT: {{guard_acquire|ch_thread_variables}}
; CHECK: }
define void @global() {
  %guard = load i8, ptr @_ZGV6global
  %unmade = icmp eq i8 %guard, 0
  br i1 %unmade, label %make, label %next
make:
  store i8 1, ptr @_ZGV6global
  %first = call i32 @value()
  br label %next
next:
  ret void
}

; CHECK-LABEL: define void @locked(
; CHECK-COUNT-1: __cxa_guard_acquire
; CHECK-NOT: __cxa_guard_acquire
; CHECK: }
define void @locked() {
  %guard = load atomic i8, ptr @_ZGVZ6lockedvE1v acquire, align 8
  %unmade = icmp eq i8 %guard, 0
  br i1 %unmade, label %ask, label %next
ask:
  %begun = call i32 @__cxa_guard_acquire(ptr @_ZGVZ6lockedvE1v)
  %mine = icmp ne i32 %begun, 0
  br i1 %mine, label %make, label %next
make:
  %first = call i32 @value()
  call void @__cxa_guard_release(ptr @_ZGVZ6lockedvE1v)
  br label %next
next:
  ret void
}
