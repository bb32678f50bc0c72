; Also where the optimiser has merged two lookups. The adapter calls ch_tls.callee (at 40) after a check.
declare ptr @charcoal.twin(ptr)
define i32 @f.int(i1 %c, ptr %p, ptr %q) "charcoal-twin"="f" {
entry:
  br i1 %c, label %a, label %b
a:
  %x = call ptr @charcoal.twin(ptr %p)
  br label %join
b:
  %y = call ptr @charcoal.twin(ptr %q)
  br label %join
join:
  %t = phi ptr [ %x, %a ], [ %y, %b ]
  %r = call i32 %t(i8 signext 1) "charcoal-suspends"
  %s = add i32 %r, 1
  ret i32 %s
}
; CHECK-LABEL: define { i32, i32 } @f.int(
; CHECK: call ptr @ch_twin(ptr %p, ptr @charcoal.call.i32.i8s)
; CHECK: call ptr @ch_twin(ptr %q, ptr @charcoal.call.i32.i8s)
; CHECK: call { i32, i32 } %t(i8 signext 1)
; CHECK: define linkonce_odr hidden { i32, i32 } @charcoal.call.i32.i8s(i8 signext %0)
; CHECK: load volatile i32
; CHECK: %[[PLACE:.*]] = getelementptr inbounds i8, ptr %{{.*}}, i64 40
; CHECK-NEXT: %[[CALLEE:.*]] = load ptr, ptr %[[PLACE]]
; CHECK-NEXT: call i32 %[[CALLEE]](i8 signext %0)
; CHECK-NOT: @charcoal.twin
