; The callee checks at its entry; and a block off every cycle needs no check.
declare void @charcoal.yield()
declare i1 @g()
define i1 @g.int() "charcoal-version-of"="g" {
  %c = call i1 @g()
  ret i1 %c
}
define void @f.int() "charcoal-version-of"="f" {
entry:
  call void @charcoal.yield()
  br label %loop
loop:
  call void @charcoal.yield()
  %c = call i1 @g.int() "charcoal-suspends"
  br i1 %c, label %loop, label %end
end:
  call void @charcoal.yield()
  ret void
}
; CHECK-LABEL: define void @f.int(
; CHECK-NOT: call void @charcoal.yield()
; CHECK: call i1 @g.int()
; CHECK-NOT: call void @charcoal.yield()
; CHECK: }
