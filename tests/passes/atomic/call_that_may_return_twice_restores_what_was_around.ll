; In plain versions: setjmp, __builtin_setjmp, what returns twice without a result, and calls through a pointer where
; the address of setjmp is taken. Each call has a place of its own.
declare i32 @_setjmp(ptr) returns_twice
declare void @of_the_program(ptr) returns_twice
declare i32 @llvm.eh.sjlj.setjmp(ptr)
@pointer = global ptr @_setjmp

define i32 @calls(ptr %b, ptr %p) {
  %r = call i32 @_setjmp(ptr %b) returns_twice
  call void @of_the_program(ptr %b) returns_twice
  %s = call i32 @llvm.eh.sjlj.setjmp(ptr %b)
  %t = call i32 %p(ptr %b)
  call void %p(ptr %b)
  ret i32 %t
}
; CHECK-LABEL: define i32 @calls(
; CHECK-COUNT-4: = alloca [40 x i8], align 8
; CHECK-NOT: alloca
; CHECK: call void @ch_around_note(ptr %[[A:.*]])
; CHECK-NEXT: %r = call i32 @_setjmp(ptr %b)
; CHECK-NEXT: call void @ch_around_restore(ptr %[[A]])
; CHECK-NEXT: call void @ch_around_note(ptr %[[B:.*]])
; CHECK-NEXT: call void @of_the_program(ptr %b)
; CHECK-NEXT: call void @ch_around_restore(ptr %[[B]])
; CHECK-NEXT: call void @ch_around_note(ptr %[[C:.*]])
; CHECK-NEXT: %s = call i32 @llvm.eh.sjlj.setjmp(ptr %b)
; CHECK-NEXT: call void @ch_around_restore(ptr %[[C]])
; CHECK-NEXT: call void @ch_around_note(ptr %[[D:.*]])
; CHECK-NEXT: %t = call i32 %p(ptr %b)
; CHECK-NEXT: call void @ch_around_restore(ptr %[[D]])
; CHECK-NEXT: call void %p(ptr %b)
; CHECK-NEXT: ret i32 %t

define i32 @anchored(ptr %b) "charcoal-version-of"="f" "charcoal-anchored" {
  %r = call i32 @_setjmp(ptr %b) returns_twice
  ret i32 %r
}
; CHECK-LABEL: define i32 @anchored(
; CHECK-NOT: ch_around
; CHECK: ret i32 %r

define i32 @none(i32 %x) {
  ret i32 %x
}
; CHECK-LABEL: define i32 @none(
; CHECK-NEXT: ret i32 %x
