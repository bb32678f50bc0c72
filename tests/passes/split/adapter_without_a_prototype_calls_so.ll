declare ptr @charcoal.twin(ptr)
define i32 @f.int(ptr %p) "charcoal-twin"="f" {
  %t = call ptr @charcoal.twin(ptr %p)
  %r = call i32 %t(double 1.0) "charcoal-suspends"="unprototyped"
  ret i32 %r
}
; CHECK: define linkonce_odr hidden { i32, i32 } @charcoal.call.i32.double.u(double %0)
; CHECK: call i32 (...) %{{.*}}(double %0)
