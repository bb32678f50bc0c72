define i32 @f(ptr %p) {
  %r = call i32 (...) %p(double 1.0)
  ret i32 %r
}
; CHECK: define linkonce_odr hidden { i32, i32 } @charcoal.call.i32.double.u(double %0)
; CHECK: call i32 (...) %{{.*}}(double %0)
