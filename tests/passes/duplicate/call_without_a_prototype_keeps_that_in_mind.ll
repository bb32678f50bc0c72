; The plain function that may be behind it is called as `T f()`, with the number of vector registers in al.
declare i32 @elsewhere(...)
define i32 @f(double %x) {
  %r = call i32 (...) @elsewhere(double %x)
  ret i32 %r
}
; CHECK-LABEL: define i32 @f.int(
; CHECK: call i32 @elsewhere.int(double %x) #[[A:[0-9]+]]
; CHECK: attributes #[[A]] = { "charcoal-suspends"="unprototyped" }
