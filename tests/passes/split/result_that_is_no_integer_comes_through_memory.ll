define double @g.int() "charcoal-version-of"="g" {
  ret double 1.0
}
define double @f.int() "charcoal-version-of"="f" {
  %a = call double @g.int() "charcoal-suspends"
  %b = fadd double %a, 1.0
  ret double %b
}
; CHECK-LABEL: define { i32, double } @f.int(
; CHECK: {{^}}restored:
; CHECK: %[[RESULT:.*]] = getelementptr inbounds i8, ptr %{{.*}}, i64 64
; CHECK-NEXT: load double, ptr %[[RESULT]]
