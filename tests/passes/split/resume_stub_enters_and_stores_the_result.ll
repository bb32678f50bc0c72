; ch_tls: resuming at 16, result at 64; attention becomes CH_ENTERING as a whole word.
define void @g.int() "charcoal-version-of"="g" {
  ret void
}
define double @f.int(double %x) "charcoal-version-of"="f" {
  call void @g.int() "charcoal-suspends"
  ret double %x
}
; CHECK: define linkonce_odr hidden i32 @charcoal.resume.double.(ptr %0)
; CHECK: %[[RESUMING:.*]] = getelementptr inbounds i8, ptr %{{.*}}, i64 16
; CHECK-NEXT: store ptr %0, ptr %[[RESUMING]]
; CHECK: store volatile i32 256, ptr %{{.*}}, align 4
; CHECK: %[[INFO:.*]] = load ptr
; CHECK-NEXT: %[[PLACE:.*]] = getelementptr inbounds i8, ptr %[[INFO]], i64 8
; CHECK-NEXT: %[[FN:.*]] = load ptr, ptr %[[PLACE]]
; CHECK-NEXT: %[[R:.*]] = tail call { i32, double } %[[FN]]()
; CHECK-NEXT: %[[VALUE:.*]] = extractvalue { i32, double } %[[R]], 1
; CHECK: %[[RESULT:.*]] = getelementptr inbounds i8, ptr %{{.*}}, i64 64
; CHECK-NEXT: store double %[[VALUE]], ptr %[[RESULT]]
; CHECK-NEXT: %[[STATUS:.*]] = extractvalue { i32, double } %[[R]], 0
; CHECK-NEXT: ret i32 %[[STATUS]]
