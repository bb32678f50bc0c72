define i32 @f(i32 %x, ptr %p) {
  %r = call i32 %p(i32 %x)
  ret i32 %r
}
; CHECK-LABEL: define i32 @f(
; CHECK-NEXT: %r = call i32 %p(
; CHECK-LABEL: define i32 @f.int(
; CHECK: %[[VERSION:.*]] = call ptr @charcoal.version_of(ptr %p, ptr @charcoal.call.i32.i32)
; CHECK-NEXT: %r = call i32 %[[VERSION]](i32 %x) #[[SUSPENDS:[0-9]+]]
; CHECK: attributes #[[SUSPENDS]] = { "charcoal-suspends" }
