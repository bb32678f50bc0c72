; After `int f();` it is not known whether the function takes variable arguments. If it does it has no version of this
; name.
declare i32 @unprototyped(...)
declare i32 @dots(i32, ...)
define ptr @takes_address(i1 %c) {
  %p = select i1 %c, ptr @unprototyped, ptr @dots
  ret ptr %p
}
; CHECK-NOT: @dots.
; CHECK: @charcoal.version.unprototyped = private global { ptr, ptr } { ptr @unprototyped, ptr @unprototyped.int }, section "ch_versions"
; CHECK-NOT: @dots.
; CHECK: declare i32 @unprototyped.int(...)
