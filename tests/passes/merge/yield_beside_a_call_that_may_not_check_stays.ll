; A function of another module, one that a pointer leads to, or one that always returns soon may have no check.
declare void @charcoal.yield()
declare i1 @elsewhere.int() "charcoal-external-version-of"="elsewhere"
define i1 @soon.int() "charcoal-version-of"="soon" "charcoal-bounded" {
  ret i1 false
}
define void @f.int(ptr %p) "charcoal-version-of"="f" {
  br label %one
one:
  call void @charcoal.yield()
  %a = call i1 @elsewhere.int() "charcoal-suspends"
  br i1 %a, label %one, label %two
two:
  call void @charcoal.yield()
  %b = call i1 @soon.int() "charcoal-suspends"
  br i1 %b, label %two, label %three
three:
  call void @charcoal.yield()
  %c = call i1 %p() "charcoal-suspends"
  br i1 %c, label %three, label %end
end:
  ret void
}
; CHECK-LABEL: define void @f.int(
; CHECK: {{^}}one:
; CHECK: call void @charcoal.yield()
; CHECK: {{^}}two:
; CHECK: call void @charcoal.yield()
; CHECK: {{^}}three:
; CHECK: call void @charcoal.yield()
; CHECK: }
