; The look-up names the adapter, so that two look-ups of one pointer for different signatures never become one.
; The adapter calls ch_tls.callee (at 40) after a check.
define i32 @f(i1 %c, ptr %p) {
entry:
  br i1 %c, label %a, label %b
a:
  %x = call i32 %p(i8 signext 1)
  ret i32 %x
b:
  %y = call double %p(double 1.0)
  ret i32 1
}
; CHECK-LABEL: define i32 @f.int(
; CHECK: %[[X:.*]] = call ptr @charcoal.version_of(ptr %p, ptr @charcoal.call.i32.i8s)
; CHECK-NEXT: call i32 %[[X]](i8 signext 1)
; CHECK: %[[Y:.*]] = call ptr @charcoal.version_of(ptr %p, ptr @charcoal.call.double.double)
; CHECK-NEXT: call double %[[Y]](double 1.0
; CHECK: define linkonce_odr hidden { i32, i32 } @charcoal.call.i32.i8s(i8 signext %0)
; CHECK: load volatile i32
; CHECK: %[[PLACE:.*]] = getelementptr inbounds i8, ptr %{{.*}}, i64 40
; CHECK-NEXT: %[[CALLEE:.*]] = load ptr, ptr %[[PLACE]]
; CHECK-NEXT: call i32 %[[CALLEE]](i8 signext %0)
; CHECK: define linkonce_odr hidden { i32, double } @charcoal.call.double.double(double %0)
